#include "core/podstatus.h"

#include "tap.h"

static void refusals_are_tried_again_unless_hopeless(void)
{
	static const struct {
		const char *name;
		int http_status;
		const char *message;
		enum reason reason;
		bool hopeless;
	} refusals[] = {
		{"a quota frees itself", 403,
		 "pods \"x\" is forbidden: exceeded quota: q, requested: pods=1",
		 REASON_PodRejected, false},
		{"Pod Security does not", 403,
		 "pods \"x\" is forbidden: violates PodSecurity \"restricted:latest\": x",
		 REASON_PodRejected, true},
		{"a missing RuntimeClass may come", 403,
		 "pods \"x\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found",
		 REASON_RuntimeUnavailable, false},
		{"a policy of unknown text may change", 403, "denied by policy", REASON_PodRejected,
		 false},
		{"an invalid Pod stays invalid", 422, "Pod \"x\" is invalid", REASON_PodRejected,
		 true},
		{"so does one that can't be read", 400, "bad request", REASON_PodRejected, true},
		{"a namespace that is not there may come", 404, "namespaces \"p\" not found",
		 REASON_PodRejected, false},
		{"a server that is busy refuses no Pod", 429, "too many requests",
		 REASON_StartTimeout, false},
		{"nor does one in trouble, whatever it says", 500,
		 "failed calling webhook for RuntimeClass", REASON_StartTimeout, false},
		{"nor one that is away", 503, "", REASON_StartTimeout, false},
		{"nor one that does not answer", 0, "timed out", REASON_StartTimeout, false},
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct podstatus status;

		podstatus_of_refusal(refusals[i].http_status, str_of(refusals[i].message), &status);
		ok(status.hopeless == refusals[i].hopeless, "%s", refusals[i].name);
		cmp_ok(status.reason, "==", refusals[i].reason, "  and is %s",
		       reason_name(refusals[i].reason));
		cmp_ok(status.stage, "==", PODSTATUS_WAITING, "  while the task waits");
	}
}

int main(void)
{
	refusals_are_tried_again_unless_hopeless();
	done_testing();
}
