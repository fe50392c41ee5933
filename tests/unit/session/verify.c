#include "session/verify.h"

#include "proto/proto.h"

#include "tap.h"

#include <string.h>

#define GiB (1ull << 30)

static struct verify_demands demands;
static struct hello hello;
static uint64_t capabilities;

/* A report that satisfies strict demands. */
static void satisfy(void)
{
	demands = (struct verify_demands){
		.layers = VERIFY_ALL_LAYERS,
		.uid = 65534,
		.memory_limit_bytes = GiB,
		.capabilities = 1u << CAPABILITY_FUNCTION | 1u << CAPABILITY_FILES,
		.bundle_bytes = 1000,
		.outcome_bytes = 2000,
	};
	hello = (struct hello){
		.uid = 65534,
		.memory_limit_bytes = GiB,
		.bundle_bytes_max = 1000,
		.outcome_bytes_max = 2000,
		.layers_count = LAYER_ID_COUNT,
	};
	for (enum layer_id id = 0; id < LAYER_ID_COUNT; id++)
		hello.layers[id] = (struct layer){layer_name(id), LAYER_HELD, {0}};
	capabilities = demands.capabilities;
}

static void change_nothing(void)
{
}

static void know_more(void)
{
	hello.layers[hello.layers_count++] = (struct layer){STR("moat"), LAYER_MISSING, {0}};
	capabilities |= 1ull << 40;
}

static void report_no_layers(void)
{
	hello.layers_count = 0;
}

static void rename_gvisor(void)
{
	hello.layers[LAYER_GVISOR].name = STR("gVisor");
}

static void miss_seccomp(void)
{
	hello.layers[LAYER_SECCOMP].state = LAYER_MISSING;
	hello.layers[LAYER_SECCOMP].detail = STR("socket(AF_PACKET) went through");
}

static void not_support_devices(void)
{
	hello.layers[LAYER_DEVICES].state = LAYER_NOT_SUPPORTED;
}

static void have_an_unknown_state(void)
{
	hello.layers[LAYER_TMP].state = 77;
}

static void demand_no_devices(void)
{
	not_support_devices();
	demands.layers &= ~(1u << LAYER_DEVICES);
}

static void be_root(void)
{
	hello.uid = 0;
}

static void be_anybody(void)
{
	hello.uid = 4000000000u;
	demands.uid = VERIFY_ANY_UID;
}

static void see_no_limit(void)
{
	hello.memory_limit_bytes = 0;
}

static void see_the_node(void)
{
	hello.memory_limit_bytes = 64 * GiB;
}

static void see_less(void)
{
	hello.memory_limit_bytes = GiB - 4096;
}

static void demand_no_limit(void)
{
	see_no_limit();
	demands.memory_limit_bytes = 0;
}

static void have_no_files(void)
{
	capabilities = 1u << CAPABILITY_FUNCTION;
}

static void have_little_room(void)
{
	hello.bundle_bytes_max = 999;
}

static void have_little_room_back(void)
{
	hello.outcome_bytes_max = 1999;
}

static void miss_both(void)
{
	miss_seccomp();
	have_no_files();
}

static const struct {
	const char *rule;
	void (*change)(void);
	enum verify_verdict verdict;
	const char *text;
} ROWS[] = {
	{"a report of all that is demanded satisfies", change_nothing, VERIFY_SATISFIED, ""},
	{"so does one that knows more", know_more, VERIFY_SATISFIED, ""},
	{"a report of nothing misses the first layer", report_no_layers, VERIFY_NOT_ISOLATED,
	 "gvisor: not reported"},
	{"names are compared to the letter", rename_gvisor, VERIFY_NOT_ISOLATED,
	 "gvisor: not reported"},
	{"a layer that did not hold is named, with what was seen", miss_seccomp,
	 VERIFY_NOT_ISOLATED, "seccomp: missing, socket(AF_PACKET) went through"},
	{"a layer that can't be had is not held", not_support_devices, VERIFY_NOT_ISOLATED,
	 "minimalDevices: not supported"},
	{"nor is one in a state that we don't know", have_an_unknown_state, VERIFY_NOT_ISOLATED,
	 "boundedTmp: missing"},
	{"what is not demanded need not hold", demand_no_devices, VERIFY_SATISFIED, ""},
	{"another user is no isolation", be_root, VERIFY_NOT_ISOLATED, "uid: 0 instead of 65534"},
	{"any user is fine when none is demanded", be_anybody, VERIFY_SATISFIED, ""},
	{"a memory limit that the sandbox does not see is none", see_no_limit, VERIFY_NOT_ISOLATED,
	 "memoryLimit: the sandbox sees none"},
	{"nor is one above the Pod's", see_the_node, VERIFY_NOT_ISOLATED,
	 "memoryLimit: the sandbox sees 68719476736 bytes, the Pod has 1073741824"},
	{"a lower one is fine: pages are counted whole", see_less, VERIFY_SATISFIED, ""},
	{"none is needed when none is demanded", demand_no_limit, VERIFY_SATISFIED, ""},
	{"a capability that is missing is named", have_no_files, VERIFY_NOT_CAPABLE,
	 "Files: the runner does not have it"},
	{"room for the bundle is needed", have_little_room, VERIFY_NOT_CAPABLE,
	 "bundle: the runner has room for 999 bytes of 1000"},
	{"and room for the outcome", have_little_room_back, VERIFY_NOT_CAPABLE,
	 "outcome: the runner has room for 1999 bytes of 2000"},
	{"isolation is judged first", miss_both, VERIFY_NOT_ISOLATED,
	 "seccomp: missing, socket(AF_PACKET) went through"},
};

int main(void)
{
	char text[VERIFY_TEXT_SIZE];
	int named = 0;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		text[0] = '\0';
		satisfy();
		ROWS[i].change();
		cmp_ok(verify_hello(&demands, &hello, capabilities, text), "==", ROWS[i].verdict,
		       "%s", ROWS[i].rule);
		is(text, ROWS[i].text, "%s: and that is said", ROWS[i].rule);
	}
	for (enum layer_id id = 0; id < LAYER_ID_COUNT; id++) {
		satisfy();
		hello.layers[id].state = LAYER_MISSING;
		named +=
			verify_hello(&demands, &hello, capabilities, text) == VERIFY_NOT_ISOLATED &&
			str_starts_with(str_of(text), layer_name(id));
	}
	cmp_ok(named, "==", LAYER_ID_COUNT, "each layer alone is missed, and named");
	done_testing();
}
