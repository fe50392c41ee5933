#include "build/conditions.h"

#include "tap.h"

#include <string.h>

static const char *written(const struct conditions *conditions, const struct task_status *before)
{
	static struct buf text;
	struct out o;
	struct err err;

	buf_free(&text);
	buf_init(&text, 4096);
	out_init(&o, &text);
	out_open(&o, NULL);
	conditions_write(&o, conditions, before, 1767323045000000);
	out_close(&o);
	if (out_finish(&o, &err) < 0)
		fail("%s", err.message);
	return text.data;
}

#define BEFORE(what, how, when)                                            \
	{                                                                  \
		.type = STR(what), .status = STR(how), .reason = STR("x"), \
		.transition_time = STR(when)                               \
	}

int main(void)
{
	struct conditions conditions = {.status = {[CONDITION_Finished] = CONDITION_TRUE,
						   [CONDITION_Succeeded] = CONDITION_FALSE},
					.reason = "RunTimeout"};
	struct task_status before = {
		.conditions = {BEFORE("Finished", "False", "2025-01-01T00:00:00Z"),
			       BEFORE("Succeeded", "False", "2025-01-02T00:00:00Z"),
			       BEFORE("Isolated", "Unknown", "")},
		.condition_count = 3,
	};
	const char *text = written(&conditions, &before);

	like(text,
	     "^\\{\"conditions\":\\[\\{\"type\":\"Finished\".*\"Succeeded\".*\"Isolated\".*"
	     "\"OutputComplete\".*\"Reconciling\".*\"Stalled\"",
	     "all six are written, in their order");
	ok(strstr(text, "{\"type\":\"Finished\",\"status\":\"True\",\"reason\":\"RunTimeout\","
			"\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}"),
	   "a status that changes gets the time of now");
	ok(strstr(text, "{\"type\":\"Succeeded\",\"status\":\"False\",\"reason\":\"RunTimeout\","
			"\"lastTransitionTime\":\"2025-01-02T00:00:00Z\"}"),
	   "one that stays keeps its time, whatever its reason");
	ok(strstr(text, "{\"type\":\"Isolated\",\"status\":\"Unknown\",\"reason\":\"RunTimeout\","
			"\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}"),
	   "one that had no time gets one");
	ok(strstr(text, "{\"type\":\"Stalled\",\"status\":\"Unknown\",\"reason\":\"RunTimeout\","
			"\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}"),
	   "so does one that was not there");
	written(&conditions, &(struct task_status){0});
	done_testing();
}
