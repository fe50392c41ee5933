#include "owner.h"

#include "out.h"

void owner_write(struct out *o, struct str task_name, struct str task_uid)
{
	out_open_list(o, "ownerReferences");
	out_open(o, NULL);
	out_word(o, "apiVersion", "sandboxtask.io/v1beta1");
	/* True would need `update` on the task's finalizers in clusters that check it. */
	out_flag(o, "blockOwnerDeletion", false);
	out_flag(o, "controller", true);
	out_word(o, "kind", "SandboxTask");
	out_text(o, "name", task_name);
	out_text(o, "uid", task_uid);
	out_close(o);
	out_close(o);
}
