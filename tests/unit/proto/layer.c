#include "proto/layer.h"

#include "tap.h"

static void names_are_distinct_words(void)
{
	struct layer all[LAYER_ID_COUNT] = {0};

	for (int i = 0; i < LAYER_ID_COUNT; i++)
		all[i].name = layer_name((enum layer_id)i);
	ok(layers_are_distinct(all, LAYER_ID_COUNT), "no two layers have one name");
	cmp_ok(LAYER_ID_COUNT, "<=", LAYERS_MAX, "all of them fit a report");
	ok(str_equal(layer_name(LAYER_SECCOMP), STR("seccomp")), "a name is what its row says");
}

static void a_layer_holds_only_if_it_is_reported_so(void)
{
	const struct layer layers[] = {
		{STR("gvisor"), LAYER_HELD, {0}},
		{STR("seccomp"), LAYER_MISSING, {0}},
		{STR("rlimits"), LAYER_NOT_SUPPORTED, {0}},
	};

	ok(layers_hold(layers, 3, STR("gvisor")), "held");
	ok(!layers_hold(layers, 3, STR("seccomp")), "missing does not hold");
	ok(!layers_hold(layers, 3, STR("rlimits")), "nor does what is not supported");
	ok(!layers_hold(layers, 3, STR("noCapabilities")), "nor what is not reported");
	ok(!layers_hold(layers, 3, STR("gviso")), "names are compared whole");
	ok(!layers_hold(NULL, 0, STR("gvisor")), "an empty report holds nothing");
}

static void a_name_twice_is_found(void)
{
	const struct layer layers[] = {
		{STR("a"), LAYER_HELD, {0}},
		{STR("b"), LAYER_HELD, {0}},
		{STR("a"), LAYER_MISSING, {0}},
	};

	ok(layers_are_distinct(layers, 2), "two names");
	ok(!layers_are_distinct(layers, 3), "one of them again");
}

int main(void)
{
	names_are_distinct_words();
	a_layer_holds_only_if_it_is_reported_so();
	a_name_twice_is_found();
	done_testing();
}
