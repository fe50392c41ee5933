#include "manager/metrics.h"

#include "tap.h"

#include <string.h>

struct page {
	struct metrics metrics;
	struct buf text;
};

static void page_open(struct page *page)
{
	metrics_init(&page->metrics, "1.2.3");
	buf_init(&page->text, METRICS_BYTES_MAX);
}

static const char *page_write(struct page *page)
{
	buf_clear(&page->text);
	metrics_write(&page->metrics, &page->text);
	return page->text.data;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; at && *at; at = strchr(at, '\n') + 1)
		if (strncmp(at, line, length) == 0 && at[length] == '\n')
			return true;
	return false;
}

static void page_has(struct page *page, const char *line, const char *why)
{
	ok(has_line(page_write(page), line), "%s: %s", why, line);
}

static void events_become_lines(void)
{
	struct page page;

	page_open(&page);
	metrics_note_finished(&page.metrics, REASON_Completed);
	metrics_note_finished(&page.metrics, REASON_Completed);
	metrics_note_finished(&page.metrics, REASON_OutOfMemory);
	page_has(&page,
		 "sandboxtask_tasks_finished_total{reason=\"Completed\",category=\"Success\"} 2",
		 "finished tasks are counted by reason");
	page_has(&page,
		 "sandboxtask_tasks_finished_total{reason=\"OutOfMemory\",category=\"Limit\"} 1",
		 "with its category");
	page_has(&page,
		 "sandboxtask_tasks_finished_total{reason=\"Internal\",category="
		 "\"Infrastructure\"} 0",
		 "a reason that has not been met is there, so that its first time is an increase");
	metrics_note_watch_trouble(&page.metrics, ERR_GONE);
	page_has(&page, "sandboxtask_watch_troubles_total{error=\"Gone\"} 1",
		 "watches are counted by error");
	metrics_note_attach_trouble(&page.metrics, ATTACH_LOST);
	page_has(&page, "sandboxtask_attach_troubles_total{verdict=\"Lost\"} 1",
		 "attaches by verdict");
	page.metrics.is_leading = true;
	page.metrics.tasks_known = 12;
	page.metrics.tasks_waiting = 7;
	page.metrics.tasks_placed = 5;
	page.metrics.sessions = 4;
	page_has(&page, "sandboxtask_leading 1", "gauges say what is");
	page_has(&page, "sandboxtask_tasks_known 12", "gauges say what is");
	page_has(&page, "sandboxtask_tasks_waiting 7", "gauges say what is");
	page_has(&page, "sandboxtask_tasks_placed 5", "gauges say what is");
	page_has(&page, "sandboxtask_sessions 4", "gauges say what is");
	buf_free(&page.text);
}

static void requests_are_folded(void)
{
	static const struct {
		const char *why, *method;
		int status;
		const char *line;
	} ROWS[] = {
		{"a known code", "GET", 200, "{method=\"GET\",code=\"200\"} 1"},
		{"the last known code", "PATCH", 504, "{method=\"PATCH\",code=\"504\"} 1"},
		{"a code that is not known", "PUT", 418, "{method=\"PUT\",code=\"other\"} 1"},
		{"no answer", "DELETE", 0, "{method=\"DELETE\",code=\"none\"} 1"},
		{"a method that is not known", "BREW", 201, "{method=\"other\",code=\"201\"} 1"},
		{"neither known", "BREW", 99, "{method=\"other\",code=\"other\"} 1"},
	};
	char line[128];
	struct page page;

	page_open(&page);
	ok(!strstr(page_write(&page), "sandboxtask_api_requests_total{"),
	   "pairs that never were are not there");
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		metrics_note_request(&page.metrics, ROWS[i].method, ROWS[i].status, 1);
		snprintf(line, sizeof(line), "sandboxtask_api_requests_total%s", ROWS[i].line);
		page_has(&page, line, ROWS[i].why);
	}
	page_has(&page, "sandboxtask_api_request_duration_seconds_count{method=\"GET\"} 1",
		 "each has its duration");
	buf_free(&page.text);
}

static void durations_become_buckets(void)
{
	static const char *const LINES[] = {
		"_bucket{phase=\"run\",le=\"0.05\"} 2",
		"_bucket{phase=\"run\",le=\"0.1\"} 3",
		"_bucket{phase=\"run\",le=\"2.5\"} 4",
		"_bucket{phase=\"run\",le=\"3600\"} 4",
		"_bucket{phase=\"run\",le=\"+Inf\"} 5",
		"_sum{phase=\"run\"} 3602.002",
		"_count{phase=\"run\"} 5",
		"_count{phase=\"total\"} 0",
	};
	static const int64_t MS[] = {-20, 50, 51, 1900, 3600001};
	char line[128];
	struct page page;

	page_open(&page);
	for (size_t i = 0; i < sizeof(MS) / sizeof(MS[0]); i++)
		metrics_note_phase(&page.metrics, METRICS_RUN, MS[i]);
	for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
		snprintf(line, sizeof(line), "sandboxtask_task_phase_duration_seconds%s", LINES[i]);
		page_has(&page, line, "a bound belongs to its bucket, less than 0 is 0");
	}
	metrics_note_loop_lag(&page.metrics, 3);
	page_has(&page, "sandboxtask_loop_lag_seconds_bucket{le=\"0.001\"} 0", "lag");
	page_has(&page, "sandboxtask_loop_lag_seconds_bucket{le=\"0.005\"} 1", "lag");
	page_has(&page, "sandboxtask_loop_lag_seconds_sum 0.003", "without labels");
	buf_free(&page.text);
}

/* --- The format, read as Prometheus does: families in one piece, each line whole. --- */

#define NAME	     "[a-z_]+[a-z]"
#define LABEL	     "[a-z]+=\"([^\"\\\\\n]|\\\\[\\\\n\"])*\""
#define SAMPLE_REGEX "^" NAME "(\\{" LABEL "(," LABEL ")*\\})? [0-9]+(\\.[0-9]{3})?$"

/* Whether the sample belongs to the family: of its name or, in a histogram, one of three more. */
static bool is_of_family(const char *sample, const char *family, const char *type)
{
	static const char *const ENDS[] = {"_bucket", "_sum", "_count"};
	const char *rest = sample + strlen(family);

	if (strncmp(sample, family, strlen(family)) != 0)
		return false;
	if (strcmp(type, "histogram") != 0)
		return *rest == '{' || *rest == ' ';
	for (size_t i = 0; i < 3; i++)
		if (strncmp(rest, ENDS[i], strlen(ENDS[i])) == 0)
			return true;
	return false;
}

static void check_format(const struct buf *page)
{
	char line[256], family[80] = "", type[16] = "", next[80];
	struct str rest = buf_str(page), piece;
	int families = 0;

	while (rest.n > 0) {
		piece = str_split(&rest, '\n');
		snprintf(line, sizeof(line), "%.*s", STR_ARGS(piece));
		if (sscanf(line, "# HELP %79s", next) == 1) {
			ok(!strchr(line, '\\') && strcmp(next, family) != 0, "HELP %s", next);
			snprintf(family, sizeof(family), "%s", next);
			families++;
		} else if (sscanf(line, "# TYPE %79s %15s", next, type) == 2) {
			is(next, family, "TYPE behind its HELP");
			cmp_ok(strcmp(type, "counter") == 0,
			       "==", str_ends_with(str_of(next), STR("_total")),
			       "only counters are totals");
		} else {
			like(line, SAMPLE_REGEX, "a sample");
			ok(is_of_family(line, family, type), "of %s", family);
		}
	}
	cmp_ok(families, "==", 13, "all families are there");
	cmp_ok(page->data[page->length - 1], "==", '\n', "the last line is whole");
}

static void pages_are_in_the_format(void)
{
	struct page page;

	page_open(&page);
	page.metrics.version = "1\"2\\3\n4";
	metrics_note_request(&page.metrics, "GET", 200, 12);
	ok(strstr(page_write(&page), "sandboxtask_build_info{version=\"1\\\"2\\\\3\\n4\"} 1\n"),
	   "a label's value is escaped");
	check_format(&page.text);
	buf_free(&page.text);
}

static void the_largest_page_has_room(void)
{
	struct page page;

	page_open(&page);
	memset(&page.metrics.tasks_known, 0xff,
	       sizeof(page.metrics) - offsetof(struct metrics, tasks_known));
	page_write(&page);
	cmp_ok(page.text.length, "<=", METRICS_BYTES_MAX, "all numbers at their longest");
	cmp_ok(page.text.length, ">", METRICS_BYTES_MAX / 8, "a limit that means something");
	buf_free(&page.text);
}

int main(void)
{
	events_become_lines();
	requests_are_folded();
	durations_become_buckets();
	pages_are_in_the_format();
	the_largest_page_has_room();
	done_testing();
}
