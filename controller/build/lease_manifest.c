#include "lease_manifest.h"

#include "out.h"

#include <assert.h>

int lease_manifest_write(struct buf *text, struct str namespace, const struct lease_step *step,
			 struct err *err)
{
	const struct lease_record *r = &step->record;
	struct out o;

	assert(step->action == LEASE_CREATE || step->action == LEASE_UPDATE);
	out_init(&o, text);
	out_open(&o, NULL);
	out_word(&o, "apiVersion", "coordination.k8s.io/v1");
	out_word(&o, "kind", "Lease");
	out_open(&o, "metadata");
	out_word(&o, "name", LEASE_MANIFEST_NAME);
	out_text(&o, "namespace", namespace);
	if (step->action == LEASE_UPDATE)
		out_word(&o, "resourceVersion", step->version);
	out_close(&o);
	out_open(&o, "spec");
	out_word(&o, "holderIdentity", r->holder);
	out_number(&o, "leaseDurationSeconds", r->duration_seconds);
	out_micro_time(&o, "acquireTime", r->acquired_us);
	out_micro_time(&o, "renewTime", r->renewed_us);
	out_number(&o, "leaseTransitions", r->transitions);
	out_close(&o);
	out_close(&o);
	return out_finish(&o, err);
}
