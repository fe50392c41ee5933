#include "manager/kinds.h"

#include "tap.h"

int main(void)
{
	static const struct {
		const struct target_resource *kind;
		const char *target; /* of the object "name" in the namespace "in" */
	} rows[] = {
		{&kind_tasks, "/apis/sandboxtask.io/v1beta1/namespaces/in/sandboxtasks/name"},
		{&kind_classes, "/apis/sandboxtask.io/v1beta1/sandboxclasses/name"},
		{&kind_outputs, "/apis/sandboxtask.io/v1beta1/namespaces/in/sandboxoutputs/name"},
		{&kind_namespaces, "/api/v1/namespaces/name"},
		{&kind_pods, "/api/v1/namespaces/in/pods/name"},
		{&kind_network_policies,
		 "/apis/networking.k8s.io/v1/namespaces/in/networkpolicies/name"},
		{&kind_leases, "/apis/coordination.k8s.io/v1/namespaces/in/leases/name"},
		{&kind_events, "/apis/events.k8s.io/v1/namespaces/in/events/name"},
		{&kind_events_to_read, "/api/v1/namespaces/in/events/name"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str in = rows[i].kind->is_namespaced ? STR("in") : STR("");
		struct target target;
		struct err err;

		target_init(&target);
		target_object(&target, "", rows[i].kind, in, STR("name"), NULL);
		cmp_ok(target_check(&target, &err), "==", 0, "%s have a path",
		       rows[i].kind->plural);
		is(target.text.data, rows[i].target, "  as Kubernetes has it");
		target_free(&target);
	}
	done_testing();
}
