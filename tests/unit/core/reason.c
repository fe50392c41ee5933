#include "core/reason.h"

#include "tap.h"

#include <ctype.h>
#include <string.h>

/* The API contract: which reason belongs to whom, and whether sending the task again may help. */
static const struct {
	const char *name;
	const char *category;
	bool retryable;
} contract[] = {
	{"Completed", "Success", false},
	{"NonZeroExit", "User", false},
	{"KilledBySignal", "User", false},
	{"FunctionError", "User", false},
	{"EntrypointNotFound", "User", false},
	{"InvalidResult", "User", false},
	{"Cancelled", "User", false},
	{"RunTimeout", "Limit", false},
	{"CPUTimeout", "Limit", false},
	{"InstallTimeout", "Limit", true},
	{"QueueTimeout", "Limit", true},
	{"StartTimeout", "Limit", true},
	{"OutOfMemory", "Limit", false},
	{"OutputLimitExceeded", "Limit", false},
	{"FileSizeLimit", "Limit", false},
	{"InvalidSpec", "Input", false},
	{"InvalidDependencies", "Input", false},
	{"DependencyNotAllowed", "Input", false},
	{"InputTooLarge", "Input", false},
	{"SourceNotFound", "Input", false},
	{"SourceChanged", "Input", true},
	{"DependencyNotFound", "Dependencies", false},
	{"DependencyConflict", "Dependencies", false},
	{"DependencyInstallFailed", "Dependencies", false},
	{"IndexUnavailable", "Dependencies", true},
	{"ClassNotFound", "Policy", false},
	{"ClassNotAllowed", "Policy", false},
	{"LanguageNotSupported", "Policy", false},
	{"LimitAboveMaximum", "Policy", false},
	{"QueueFull", "Policy", true},
	{"PodRejected", "Policy", true},
	{"CapabilityMissing", "Policy", false},
	{"ImagePullFailed", "Infrastructure", true},
	{"Unschedulable", "Infrastructure", true},
	{"RuntimeUnavailable", "Infrastructure", true},
	{"IsolationUnverified", "Infrastructure", false},
	{"PodTampered", "Infrastructure", false},
	{"PodLost", "Infrastructure", true},
	{"Evicted", "Infrastructure", true},
	{"Preempted", "Infrastructure", true},
	{"NodeLost", "Infrastructure", true},
	{"RunnerFailed", "Infrastructure", true},
	{"Interrupted", "Infrastructure", true},
	{"Internal", "Infrastructure", false},
};

static void the_contract_is_kept(void)
{
	cmp_ok(REASON_COUNT - 1, "==", sizeof(contract) / sizeof(contract[0]),
	       "no reason is added without a row here");
	for (size_t i = 0; i < sizeof(contract) / sizeof(contract[0]); i++) {
		enum reason reason = reason_of_name(str_of(contract[i].name));

		if (!ok(reason != REASON_NONE, "%s is a reason", contract[i].name))
			continue;
		is(reason_name(reason), contract[i].name, "and is written as it is read");
		is(reason_category(reason), contract[i].category, "%s belongs to %s",
		   contract[i].name, contract[i].category);
		ok(reason_is_retryable(reason) == contract[i].retryable, "%s can%s be retried",
		   contract[i].name, contract[i].retryable ? "" : "not");
	}
}

static bool is_a_sentence(const char *text)
{
	size_t length = strlen(text);

	return length > 5 && length < 200 && isupper((unsigned char)text[0]) &&
	       text[length - 1] == '.';
}

static void texts_are_for_people(void)
{
	for (enum reason reason = REASON_NONE + 1; reason < REASON_COUNT; reason++) {
		ok(is_a_sentence(reason_meaning(reason)), "%s means something in a sentence",
		   reason_name(reason));
		ok(is_a_sentence(reason_cure(reason)), "%s names a cure in a sentence",
		   reason_name(reason));
	}
}

static void unknown_names_are_no_reason(void)
{
	cmp_ok(reason_of_name(STR("")), "==", REASON_NONE, "no text is no reason");
	cmp_ok(reason_of_name(STR("completed")), "==", REASON_NONE, "case matters");
	cmp_ok(reason_of_name(STR("Complete")), "==", REASON_NONE, "a prefix is no reason");
	cmp_ok(reason_of_name(STR("FromTheFuture")), "==", REASON_NONE,
	       "what a newer controller wrote is no reason of ours");
}

int main(void)
{
	the_contract_is_kept();
	texts_are_for_people();
	unknown_names_are_no_reason();
	done_testing();
}
