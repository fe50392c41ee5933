#include "sim_answer.h"

#include "sim_json.h"

void sim_answer_init(struct sim_answer *answer)
{
	*answer = (struct sim_answer){0};
	buf_init(&answer->body, SIM_JSON_BYTES_MAX);
}

void sim_answer_free(struct sim_answer *answer)
{
	buf_free(&answer->body);
	sim_watch_delete(answer->watch);
	answer->watch = NULL;
}

void sim_answer_object(struct sim_answer *answer, int status, const struct sim_object *object)
{
	answer->status = status;
	buf_clear(&answer->body);
	buf_append_str(&answer->body, buf_str(&object->json));
}

void sim_answer_refuse(struct sim_answer *answer, int status, const char *reason,
		       const char *message)
{
	answer->status = status;
	buf_clear(&answer->body);
	buf_printf(&answer->body,
		   "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
		   "\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}",
		   message, reason, status);
}
