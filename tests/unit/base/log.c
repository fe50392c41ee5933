#include "base/log.h"

#include "base/buf.h"
#include "random.h"
#include "tap.h"

#include <string.h>

/* A clock that stands still and a sink that keeps everything. */
struct world {
	struct buf lines;
	int records;
	enum log_level last_level;
};

static int64_t half_past_ten(void *context)
{
	(void)context;
	return INT64_C(1782901800123456);
}

static void keep(void *context, enum log_level level, struct str line)
{
	struct world *world = context;

	buf_append_str(&world->lines, line);
	world->records++;
	world->last_level = level;
}

#define PREFIX "2026-07-01T10:30:00.123Z "

static void start(struct log *log, struct world *world, enum log_level lowest)
{
	*world = (struct world){.records = 0};
	buf_init(&world->lines, 1000000);
	log_init(log, lowest, half_past_ten, keep, world);
}

static void stop(struct log *log, struct world *world)
{
	log_free(log);
	buf_free(&world->lines);
}

/* What was logged since the last call. */
static const char *logged(struct world *world, char text[2 * LOG_RECORD_BYTES_MAX])
{
	snprintf(text, 2 * LOG_RECORD_BYTES_MAX, "%s", world->lines.data);
	buf_clear(&world->lines);
	return text;
}

static void a_record_is_time_level_message_and_fields(void)
{
	struct world world;
	struct log log;
	char text[2 * LOG_RECORD_BYTES_MAX];

	start(&log, &world, LOG_DEBUG);
	log_info(&log, "started");
	is(logged(&world, text), PREFIX "info \"started\"\n", "a record without fields");
	log_warning(&log, "task finished", log_object("task", STR("team-a"), STR("primes")),
		    log_int("exit", -1), log_bool("truncated", true),
		    log_word("reason", "NonZeroExit"));
	is(logged(&world, text),
	   PREFIX "warning \"task finished\" task=team-a/primes exit=-1 truncated=true "
		  "reason=NonZeroExit\n",
	   "fields in the order they were given");
	log_debug(&log, "x", log_int("least", INT64_MIN), log_bool("no", false));
	is(logged(&world, text), PREFIX "debug \"x\" least=-9223372036854775808 no=false\n",
	   "integers of any size");
	log_error(&log, "x", log_object("node", STR(""), STR("n1")));
	is(logged(&world, text), PREFIX "error \"x\" node=n1\n", "an object without a namespace");
	stop(&log, &world);
}

static void levels_below_the_lowest_are_not_made(void)
{
	struct world world;
	struct log log;

	start(&log, &world, LOG_WARNING);
	log_debug(&log, "x");
	log_info(&log, "x");
	cmp_ok(world.records, "==", 0, "one under the lowest is not");
	log_warning(&log, "x");
	cmp_ok(world.records, "==", 1, "the lowest is");
	log_error(&log, "x");
	cmp_ok(world.records, "==", 2, "one over it is");
	cmp_ok(world.last_level, "==", LOG_ERROR, "and the sink is told the level");
	stop(&log, &world);
}

/* The value of the last field k=… of what was logged. */
static const char *value_of_k(struct world *world, char text[2 * LOG_RECORD_BYTES_MAX])
{
	char *value;

	logged(world, text);
	text[strcspn(text, "\n")] = '\0';
	value = strstr(text, " k=");
	return value ? value + 3 : "(none)";
}

static void names_have_the_shape_of_names(void)
{
	static const struct {
		const char *name;
		struct str text;
		const char *shown;
	} rows[] = {
		{"a Kubernetes name", STR("sbt-0a1b.x"), "sbt-0a1b.x"},
		{"a UID", STR("123e4567-e89b-12d3-a456-426614174000"),
		 "123e4567-e89b-12d3-a456-426614174000"},
		{"the ends of the alphabet", STR("AZaz09"), "AZaz09"},
		{"an image", STR("docker.io/x/y:1.0@sha256:ab"), "docker.io/x/y:1.0@sha256:ab"},
		{"an address", STR("https://[fd00::1]:6443/api"), "https://[fd00::1]:6443/api"},
		{"nothing", STR(""), "-"},
		{"a space makes it text, and text is not shown", STR("import os"), "<9-bytes>"},
		{"so does a bracket of code", STR("print(1)"), "<8-bytes>"},
		{"a quote", STR("a\"b"), "<3-bytes>"},
		{"a newline", STR("a\nb"), "<3-bytes>"},
		{"an equals sign, which could forge a field", STR("a=b"), "<3-bytes>"},
		{"a NUL", STR("a\0b"), "<3-bytes>"},
		{"a letter outside of ASCII", STR("\xc3\xa9"), "<2-bytes>"},
		{"an escape sequence of a terminal", STR("\x1b[31m"), "<5-bytes>"},
	};
	struct world world;
	struct log log;
	char text[2 * LOG_RECORD_BYTES_MAX], name[LOG_NAME_BYTES_MAX + 1];

	start(&log, &world, LOG_DEBUG);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		log_info(&log, "x", log_name("k", rows[i].text));
		is(value_of_k(&world, text), rows[i].shown, "%s", rows[i].name);
	}
	memset(name, 'n', sizeof(name));
	log_info(&log, "x", log_name("k", ((struct str){name, LOG_NAME_BYTES_MAX})));
	cmp_ok(strlen(value_of_k(&world, text)), "==", LOG_NAME_BYTES_MAX, "the longest name");
	log_info(&log, "x", log_name("k", ((struct str){name, LOG_NAME_BYTES_MAX + 1})));
	is(value_of_k(&world, text), "<513-bytes>", "one byte over is no name");
	log_info(&log, "x", log_object("k", STR("a b"), STR("c d")));
	is(value_of_k(&world, text), "<3-bytes>/<3-bytes>", "both parts of an object are names");
	stop(&log, &world);
}

static void errors_are_quoted_and_escaped(void)
{
	struct world world;
	struct log log;
	struct err err;
	char text[2 * LOG_RECORD_BYTES_MAX];

	start(&log, &world, LOG_DEBUG);
	err_set(&err, ERR_CONFLICT, "creating pod: \"a\" exists");
	err.http_status = 409;
	log_error(&log, "x", log_err(&err), log_int("try", 2));
	is(logged(&world, text),
	   PREFIX "error \"x\" error=Conflict http=409 "
		  "detail=\"creating pod: \\\"a\\\" exists\" try=2\n",
	   "code, status and message, and what follows");
	err_set(&err, ERR_IO, "a\nb\r\t\x1b[0m\x7f\\ \xc2\x85\xe2\x80\xa8 \xff");
	log_error(&log, "x", log_err(&err));
	is(logged(&world, text),
	   PREFIX "error \"x\" error=IO detail=\"a\\x0ab\\x0d\\x09\\x1b[0m\\x7f\\\\ "
		  "\\xc2\\x85\\xe2\\x80\\xa8 \\xff\"\n",
	   "nothing but printable ASCII, so a record is one line");
	err_set(&err, ERR_IO, "x\" level=\"error\"\n" PREFIX "info \"forged\"");
	log_error(&log, "x", log_err(&err));
	logged(&world, text);
	ok(strchr(text, '\n') == text + strlen(text) - 1, "a record in a message stays in it");
	stop(&log, &world);
}

static void a_secret_is_never_shown(void)
{
	struct world world;
	struct log log;
	struct secret token = {0}, none = {0};
	struct err err;
	char text[2 * LOG_RECORD_BYTES_MAX];

	start(&log, &world, LOG_DEBUG);
	secret_set(&token, STR("eyJhbGciOi.J9\"x"), &err);
	log_info(&log, "x", log_secret("token", &token), log_secret("k", &none));
	is(logged(&world, text), PREFIX "info \"x\" token=*** k=-\n",
	   "as a field it is ***, whether known to the log or not");

	err_set(&err, ERR_UNAUTHORIZED, "Bearer eyJhbGciOi.J9\"x refused");
	log_hide(&log, &token);
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "detail=\"Bearer \\*\\*\\* refused\"",
	     "inside of an error's text");
	err_set(&err, ERR_UNAUTHORIZED, "{\"token\":\"eyJhbGciOi.J9\\\"x\"}");
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "\\{.{0,2}\"token.{0,2}\":.{0,2}\"\\*\\*\\*.{0,2}\"\\}",
	     "escaped as JSON");
	err_set(&err, ERR_UNAUTHORIZED, "GET /x?token=eyJhbGciOi.J9%%22x&y eyJhbGciOi.J9%%22x");
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "token=\\*\\*\\*&y \\*\\*\\*\"", "escaped as in a URL, twice");
	err_set(&err, ERR_UNAUTHORIZED, "%*s", ERR_MESSAGE_SIZE + 2, "eyJhbGciOi.J9\"x");
	log_error(&log, "x", log_err(&err));
	ok(!strstr(logged(&world, text), "eyJh") && strstr(text, "***..."),
	   "cut by the end of the message");
	log_info(&log, "x", log_name("k", STR("v1/eyJhbGciOi.J9/z")));
	is(value_of_k(&world, text), "v1/***/z", "inside of a name");
	log_info(&log, "x", log_object("k", STR("eyJhbGciOi"), STR("eyJhbGciOi")));
	is(value_of_k(&world, text), "***/***", "as the parts of an object");
	secret_free(&token);
	err_set(&err, ERR_UNAUTHORIZED, "eyJhbGciOi.J9");
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "detail=\"eyJhbGciOi.J9\"", "a freed secret is forgotten");
	stop(&log, &world);
}

static void several_secrets_are_hidden_at_once(void)
{
	struct world world;
	struct log log;
	struct secret old = {0}, new = {0}, longer = {0};
	struct err err;
	char text[2 * LOG_RECORD_BYTES_MAX];

	start(&log, &world, LOG_DEBUG);
	secret_set(&old, STR("old-token"), &err);
	secret_set(&new, STR("short"), &err);
	secret_set(&longer, STR("short-and-longer"), &err);
	log_hide(&log, &old);
	log_hide(&log, &new);
	log_hide(&log, &longer);
	log_hide(&log, &old);
	err_set(&err, ERR_IO, "old-token short short-and-longer old-token");
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "detail=\"\\*\\*\\* \\*\\*\\* \\*\\*\\* \\*\\*\\*\"",
	     "each of them, of two that begin alike the longer one");
	secret_set(&new, STR("-"), &err);
	err_set(&err, ERR_IO, "a-b--c");
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "detail=\"a\\*\\*\\*b\\*{6}c\"",
	     "one of a single byte, each time");
	secret_set(&new, STR("renewed"), &err);
	err_set(&err, ERR_IO, "renewed");
	log_error(&log, "x", log_err(&err));
	like(logged(&world, text), "detail=\"\\*\\*\\*\"", "one that is set anew stays hidden");
	stop(&log, &world);
	secret_free(&old);
	secret_free(&new);
	secret_free(&longer);
	pass("secrets may be freed after the log");
}

static void a_replacement_can_not_open_the_quotes(void)
{
	struct world world;
	struct log log;
	struct secret secret = {0};
	struct err err;
	char text[2 * LOG_RECORD_BYTES_MAX];

	start(&log, &world, LOG_DEBUG);
	secret_set(&secret, STR("abc\\"), &err);
	log_hide(&log, &secret);
	err_set(&err, ERR_IO, "abc\\\" forged=\"x");
	log_error(&log, "x", log_err(&err));
	is(logged(&world, text), PREFIX "error \"x\" error=IO detail=\"***\\\" forged=\\\"x\"\n",
	   "a secret that ends with a backslash before a quote");
	stop(&log, &world);
	secret_free(&secret);
}

static void a_record_has_a_limit(void)
{
	struct world world;
	struct log log;
	struct err err = {.code = ERR_IO};
	char name[LOG_NAME_BYTES_MAX];
	struct str longest = {name, sizeof(name)};
	int whole = 0, wrong = 0;

	start(&log, &world, LOG_DEBUG);
	memset(name, 'n', sizeof(name));
	memset(err.message, '\x01', sizeof(err.message) - 1);
	log_info(&log, "x", log_object("a", longest, longest), log_object("b", longest, longest),
		 log_err(&err), log_object("c", longest, longest),
		 log_object("d", longest, longest), log_int("last", 7));
	cmp_ok(world.lines.length, "<=", LOG_RECORD_BYTES_MAX, "it is kept");
	like(world.lines.data, " c=n+/n+ last=7 fields_left_out=2\n$",
	     "what does not fit is left out whole and counted; what fits is there");
	for (size_t length = 1; length <= sizeof(name); length++) {
		bool is_whole;

		buf_clear(&world.lines);
		log_info(&log, "x", log_object("a", longest, longest),
			 log_object("b", longest, longest), log_object("c", longest, longest),
			 log_name("d", longest), log_name("e", str_slice(longest, 0, length)));
		is_whole = !strstr(world.lines.data, " fields_left_out=1\n");
		whole += is_whole;
		wrong += is_whole != (strstr(world.lines.data, " e=") != NULL);
		wrong += !str_ends_with(buf_str(&world.lines), STR("\n"));
		wrong += world.lines.length > LOG_RECORD_BYTES_MAX;
		wrong += is_whole && whole != (int)length;
	}
	cmp_ok(wrong, "==", 0, "a field of any length is there, or counted as left out");
	ok(whole > 0 && whole < LOG_NAME_BYTES_MAX, "both happen, at %d bytes", whole);
	stop(&log, &world);
}

static void an_error_is_there_whole_or_not_at_all(void)
{
	struct world world;
	struct log log;
	struct err err = {.code = ERR_IO, .http_status = 500};
	char name[LOG_NAME_BYTES_MAX];
	struct str longest = {name, sizeof(name)};
	int whole = 0, wrong = 0;

	start(&log, &world, LOG_DEBUG);
	memset(name, 'n', sizeof(name));
	memset(err.message, 'e', sizeof(err.message) - 1);
	for (size_t length = 1; length <= sizeof(name); length++) {
		bool is_whole;

		buf_clear(&world.lines);
		log_info(&log, "x", log_object("a", longest, longest),
			 log_object("b", longest, longest), log_object("c", longest, longest),
			 log_name("d", str_slice(longest, 0, length)), log_err(&err));
		is_whole = str_ends_with(buf_str(&world.lines), STR("eee\"\n"));
		whole += is_whole;
		wrong += is_whole != (strstr(world.lines.data, " error=") != NULL);
		wrong += is_whole == (strstr(world.lines.data, " fields_left_out=1\n") != NULL);
	}
	cmp_ok(wrong, "==", 0, "with its message and quotes, or counted as left out");
	ok(whole > 0 && whole < LOG_NAME_BYTES_MAX, "both happen, at %d bytes", whole);
	stop(&log, &world);
}

static void any_bytes_give_one_line_of_printable_ascii(void)
{
	struct world world;
	struct log log;
	struct secret secret = {0};
	struct random random = {6};
	struct err err = {.code = ERR_IO};
	int wrong = 0;

	start(&log, &world, LOG_DEBUG);
	secret_set(&secret, STR("\\\"\\x"), &err);
	log_hide(&log, &secret);
	for (int i = 0; i < 2000; i++) {
		static const char likely[] = "\\\"\n%xu0=";
		int quotes = 0;

		for (int j = 0; j < ERR_MESSAGE_SIZE - 1; j++)
			err.message[j] = random_below(&random, 2)
						 ? (char)(1 + random_below(&random, 255))
						 : likely[random_below(&random, 8)];
		err.message[ERR_MESSAGE_SIZE - 1] = '\0';
		buf_clear(&world.lines);
		log_error(&log, "x", log_err(&err));
		for (size_t j = 0; j + 1 < world.lines.length; j++) {
			char c = world.lines.data[j];

			wrong += c < 0x20 || c > 0x7e;
			quotes += c == '"';
			j += c == '\\';
		}
		wrong += quotes != 4 || world.lines.data[world.lines.length - 1] != '\n';
		wrong += strstr(world.lines.data, "\\\\\\\"\\\\x") != NULL;
	}
	cmp_ok(wrong, "==", 0, "2000 random messages, no quote open, no secret in sight");
	stop(&log, &world);
	secret_free(&secret);
}

int main(void)
{
	a_record_is_time_level_message_and_fields();
	levels_below_the_lowest_are_not_made();
	names_have_the_shape_of_names();
	errors_are_quoted_and_escaped();
	a_secret_is_never_shown();
	several_secrets_are_hidden_at_once();
	a_replacement_can_not_open_the_quotes();
	a_record_has_a_limit();
	an_error_is_there_whole_or_not_at_all();
	any_bytes_give_one_line_of_printable_ascii();
	done_testing();
}
