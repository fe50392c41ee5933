#include "conditions.h"

static const char *const types[] = {
#define X(type) [CONDITION_##type] = #type,
	CONDITIONS(X)
#undef X
};

static const char *const statuses[] = {
	[CONDITION_UNKNOWN] = "Unknown",
	[CONDITION_FALSE] = "False",
	[CONDITION_TRUE] = "True",
};

static const struct task_condition *find(const struct task_status *status, const char *type)
{
	for (size_t i = 0; i < status->condition_count; i++)
		if (str_equal(status->conditions[i].type, str_of(type)))
			return &status->conditions[i];
	return NULL;
}

static void write_one(struct out *o, const char *type, const char *status, const char *reason,
		      const struct task_condition *before, int64_t now_us)
{
	out_open(o, NULL);
	out_word(o, "type", type);
	out_word(o, "status", status);
	out_word(o, "reason", reason);
	if (before && str_equal(before->status, str_of(status)) && before->transition_time.n > 0)
		out_text(o, "lastTransitionTime", before->transition_time);
	else
		out_time(o, "lastTransitionTime", now_us);
	out_close(o);
}

void conditions_write(struct out *o, const struct conditions *conditions,
		      const struct task_status *before, int64_t now_us)
{
	out_open_list(o, "conditions");
	for (int i = 0; i < CONDITION_COUNT; i++)
		write_one(o, types[i], statuses[conditions->status[i]], conditions->reason,
			  find(before, types[i]), now_us);
	out_close(o);
}
