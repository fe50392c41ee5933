#include "build/event.h"

#include "golden.h"
#include "tap.h"

#include <string.h>

static struct event about_a_task(void)
{
	return (struct event){
		.task_name = STR("answer"),
		.task_namespace = STR("team"),
		.task_uid = STR("t-1"),
		.instance = "host_1",
		.action = "Finish",
		.reason = "RunTimeout",
		.note = STR("The program was killed."),
		.is_warning = true,
		.now_us = 1767323045123456,
		.random = 0xabc,
	};
}

static void events_name_what_they_are_about(void)
{
	struct event event = about_a_task();
	struct buf text;
	struct err err;

	buf_init(&text, EVENT_BYTES_MAX);
	event.pod_name = STR("sbt-1");
	event.pod_namespace = STR("pods");
	event.pod_uid = STR("p-1");
	ok(event_write(&text, &event, &err) == 0, "an event about a task and its Pod is written");
	golden("event", buf_str(&text));
	buf_clear(&text);
	event.pod_name = STR("");
	event.is_warning = false;
	event_write(&text, &event, &err);
	ok(!strstr(text.data, "related") && strstr(text.data, "\"Normal\""),
	   "one without a Pod relates to none");
	buf_free(&text);
}

static void limits_of_the_api_are_kept(void)
{
	static char name[254], note[3000];
	struct event event = about_a_task();
	struct str value;
	struct buf text;
	struct err err;

	for (size_t i = 0; i < 253; i++)
		name[i] = 'n';
	for (size_t i = 0; i < sizeof(note); i++)
		note[i] = "\u6f22"[i % 3];
	event.task_name = str_of(name);
	event.note = (struct str){note, sizeof(note)};
	buf_init(&text, EVENT_BYTES_MAX);
	ok(event_write(&text, &event, &err) == 0, "the longest name and a longer note");
	json_find(buf_str(&text), STR("note"), &value);
	cmp_ok(value.n - 2, "==", 1023, "the note is cut at 1024 bytes, on a character");
	json_find(buf_str(&text), STR("metadata"), &value);
	json_find(value, STR("name"), &value);
	cmp_ok(value.n - 2, "==", 253, "the name has at most 253");
	buf_free(&text);
}

int main(void)
{
	events_name_what_they_are_about();
	limits_of_the_api_are_kept();
	done_testing();
}
