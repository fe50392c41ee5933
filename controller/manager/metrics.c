#include "metrics.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Upper bounds in milliseconds; as many for all, so that every histogram is the same struct. */
static const int64_t PHASE_BOUNDS[METRICS_BUCKETS] = {50,   100,   250,	  500,	 1000,	 2500,
						      5000, 10000, 30000, 60000, 300000, 3600000};
static const int64_t REQUEST_BOUNDS[METRICS_BUCKETS] = {5,   10,   25,	 50,   100,   250,
							500, 1000, 2500, 5000, 10000, 60000};
static const int64_t LAG_BOUNDS[METRICS_BUCKETS] = {1,	 5,   10,   25,	  50,	100,
						    250, 500, 1000, 2500, 5000, 10000};

#define X_LABEL(constant, label) [constant] = label,
static const char *const PHASES[] = {METRICS_PHASES(X_LABEL)};
static const char *const METHODS[] = {METRICS_METHODS(X_LABEL)};
#undef X_LABEL

/* The first and the last code stand beside the statuses: no answer, any other. */
#define X_STATUS(status) status,
static const int STATUSES[METRICS_CODE_COUNT - 2] = {METRICS_STATUSES(X_STATUS)};
#undef X_STATUS
#define X_LABEL(status) #status,
static const char *const CODES[METRICS_CODE_COUNT] = {"none", METRICS_STATUSES(X_LABEL) "other"};
#undef X_LABEL

/* --- Counting. --- */

void metrics_init(struct metrics *metrics, const char *version)
{
	*metrics = (struct metrics){.version = version};
}

static void observe(struct metrics_histogram *histogram, const int64_t bounds[METRICS_BUCKETS],
		    int64_t ms)
{
	size_t n = 0;

	if (ms < 0)
		ms = 0;
	while (n < METRICS_BUCKETS && ms > bounds[n])
		n++;
	histogram->counts[n]++;
	histogram->sum_ms += (uint64_t)ms;
}

void metrics_note_finished(struct metrics *metrics, enum reason reason)
{
	assert(reason > REASON_NONE && reason < REASON_COUNT);
	metrics->finished[reason]++;
}

void metrics_note_phase(struct metrics *metrics, enum metrics_phase phase, int64_t ms)
{
	observe(&metrics->phases[phase], PHASE_BOUNDS, ms);
}

static enum metrics_method method_of(const char *name)
{
	enum metrics_method method = METRICS_GET;

	while (method < METRICS_OTHER_METHOD && strcmp(METHODS[method], name) != 0)
		method++;
	return method;
}

static size_t code_of(int status)
{
	if (status == 0)
		return 0;
	for (size_t n = 0; n < METRICS_CODE_COUNT - 2; n++)
		if (STATUSES[n] == status)
			return n + 1;
	return METRICS_CODE_COUNT - 1;
}

void metrics_note_request(void *context, const char *method_name, int status, int64_t ms)
{
	struct metrics *metrics = context;
	enum metrics_method method = method_of(method_name);

	metrics->requests[method][code_of(status)]++;
	observe(&metrics->request_duration[method], REQUEST_BOUNDS, ms);
}

void metrics_note_watch_trouble(struct metrics *metrics, enum err_code code)
{
	metrics->watch_troubles[code]++;
}

void metrics_note_attach_trouble(struct metrics *metrics, enum attach_verdict verdict)
{
	metrics->attach_troubles[verdict]++;
}

void metrics_note_loop_lag(struct metrics *metrics, int64_t ms)
{
	observe(&metrics->loop_lag, LAG_BOUNDS, ms);
}

/* --- Writing. --- */

static void put(struct buf *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct buf *page, const char *format, ...)
{
	va_list args;
	int result;

	va_start(args, format);
	result = buf_vprintf(page, format, args);
	va_end(args);
	assert(result == 0); /* the page is bounded, and has its room */
}

static void put_family(struct buf *page, const char *name, const char *type, const char *help)
{
	put(page, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* In a label's value backslash, quote and line feed are escaped, nothing else. */
static void put_value(struct buf *page, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n')
			put(page, "\\n");
		else if (*value == '\\' || *value == '"')
			put(page, "\\%c", *value);
		else
			put(page, "%c", *value);
	}
}

static void put_gauge(struct buf *page, const char *name, uint64_t value, const char *help)
{
	put_family(page, name, "gauge", help);
	put(page, "%s %" PRIu64 "\n", name, value);
}

/* Milliseconds as seconds without zeros at the end: 0.005, 2.5, 60. */
static void put_bound(struct buf *page, int64_t ms)
{
	int digits = 3;
	int64_t rest = ms % 1000;

	put(page, "%" PRId64, ms / 1000);
	if (rest == 0)
		return;
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	put(page, ".%0*" PRId64, digits, rest);
}

/* `label` is all of it, for instance method="GET", or empty. */
static void put_histogram(struct buf *page, const char *name,
			  const struct metrics_histogram *histogram,
			  const int64_t bounds[METRICS_BUCKETS], const char *label)
{
	const char *comma = label[0] ? "," : "", *open = label[0] ? "{" : "",
		   *close = label[0] ? "}" : "";
	uint64_t count = 0;

	for (size_t n = 0; n < METRICS_BUCKETS; n++) {
		count += histogram->counts[n];
		put(page, "%s_bucket{%s%sle=\"", name, label, comma);
		put_bound(page, bounds[n]);
		put(page, "\"} %" PRIu64 "\n", count);
	}
	count += histogram->counts[METRICS_BUCKETS];
	put(page, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, label, comma, count);
	put(page, "%s_sum%s%s%s %" PRIu64 ".%03d\n", name, open, label, close,
	    histogram->sum_ms / 1000, (int)(histogram->sum_ms % 1000));
	put(page, "%s_count%s%s%s %" PRIu64 "\n", name, open, label, close, count);
}

static void put_state(const struct metrics *metrics, struct buf *page)
{
	put_family(page, "sandboxtask_build_info", "gauge",
		   "1, with the version of the controller.");
	put(page, "sandboxtask_build_info{version=\"");
	put_value(page, metrics->version);
	put(page, "\"} 1\n");
	put_gauge(page, "sandboxtask_leading", metrics->is_leading,
		  "1 while this replica holds the Lease and runs the tasks, else 0.");
	put_gauge(page, "sandboxtask_tasks_known", metrics->tasks_known,
		  "Unfinished tasks that the leader has seen.");
	put_gauge(page, "sandboxtask_tasks_waiting", metrics->tasks_waiting,
		  "Unfinished tasks that wait for a place.");
	put_gauge(page, "sandboxtask_tasks_placed", metrics->tasks_placed,
		  "Unfinished tasks that have a place, that is a Pod or one about to be made.");
	put_gauge(page, "sandboxtask_sessions", metrics->sessions,
		  "Open conversations with runners.");
}

static void put_tasks(const struct metrics *metrics, struct buf *page)
{
	static const char FINISHED[] = "sandboxtask_tasks_finished_total";
	static const char DURATION[] = "sandboxtask_task_phase_duration_seconds";
	char label[32];

	put_family(page, FINISHED, "counter",
		   "Tasks whose final status this replica wrote, by reason and its category.");
	for (enum reason reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
		put(page, "%s{reason=\"%s\",category=\"%s\"} %" PRIu64 "\n", FINISHED,
		    reason_name(reason), reason_category(reason), metrics->finished[reason]);
	put_family(page, DURATION, "histogram", "Time that tasks spent in each phase.");
	for (enum metrics_phase phase = 0; phase < METRICS_PHASE_COUNT; phase++) {
		snprintf(label, sizeof(label), "phase=\"%s\"", PHASES[phase]);
		put_histogram(page, DURATION, &metrics->phases[phase], PHASE_BOUNDS, label);
	}
}

/* Of methods and codes only the pairs that have been seen: most never are. */
static void put_requests(const struct metrics *metrics, struct buf *page)
{
	static const char REQUESTS[] = "sandboxtask_api_requests_total";
	static const char DURATION[] = "sandboxtask_api_request_duration_seconds";
	char label[32];

	put_family(page, REQUESTS, "counter",
		   "Requests to the API server without watches and attaches, by method and HTTP "
		   "status.");
	for (enum metrics_method method = 0; method < METRICS_METHOD_COUNT; method++)
		for (size_t code = 0; code < METRICS_CODE_COUNT; code++)
			if (metrics->requests[method][code] > 0)
				put(page, "%s{method=\"%s\",code=\"%s\"} %" PRIu64 "\n", REQUESTS,
				    METHODS[method], CODES[code], metrics->requests[method][code]);
	put_family(page, DURATION, "histogram",
		   "Time until a request to the API server was answered.");
	for (enum metrics_method method = 0; method < METRICS_METHOD_COUNT; method++) {
		snprintf(label, sizeof(label), "method=\"%s\"", METHODS[method]);
		put_histogram(page, DURATION, &metrics->request_duration[method], REQUEST_BOUNDS,
			      label);
	}
}

static void put_troubles(const struct metrics *metrics, struct buf *page)
{
	static const char WATCH[] = "sandboxtask_watch_troubles_total";
	static const char ATTACH[] = "sandboxtask_attach_troubles_total";
	static const char LAG[] = "sandboxtask_loop_lag_seconds";

	put_family(page, WATCH, "counter",
		   "Watches and lists that broke off and were tried again, by kind of error.");
	for (enum err_code code = 0; (int)code < METRICS_ERR_COUNT; code++)
		put(page, "%s{error=\"%s\"} %" PRIu64 "\n", WATCH, err_code_name(code),
		    metrics->watch_troubles[code]);
	put_family(page, ATTACH, "counter",
		   "Websockets to runners that ended or could not be had, by verdict.");
	for (enum attach_verdict verdict = ATTACH_FINE + 1; (int)verdict < METRICS_VERDICT_COUNT;
	     verdict++)
		put(page, "%s{verdict=\"%s\"} %" PRIu64 "\n", ATTACH, attach_verdict_name(verdict),
		    metrics->attach_troubles[verdict]);
	put_family(page, LAG, "histogram",
		   "How much later than asked for the event loop came to a timer.");
	put_histogram(page, LAG, &metrics->loop_lag, LAG_BOUNDS, "");
}

void metrics_write(const struct metrics *metrics, struct buf *page)
{
	put_state(metrics, page);
	put_tasks(metrics, page);
	put_requests(metrics, page);
	put_troubles(metrics, page);
}
