#include "sim_table.h"

#include "sim_json.h"

#include "base/json.h"

#include <string.h>

struct column {
	const char *name, *type, *format, *path;
	int priority;
};

/* Of crd/sandboxtasks.yaml. */
static const struct column TASK_COLUMNS[] = {
	{"Name", "string", "name", "metadata.name", 0},
	{"Phase", "string", "", "status.phase", 0},
	{"Reason", "string", "", "status.reason", 0},
	{"Exit", "integer", "", "status.exitCode", 0},
	{"Duration", "string", "", "status.duration", 0},
	{"Age", "date", "", NULL, 0},
	{"Class", "string", "", "spec.sandboxClassName", 1},
	{"Node", "string", "", "status.nodeName", 1},
	{"Pod", "string", "", "status.podName", 1},
	{"FinishTime", "string", "", "status.finishedAt", 1},
	{"Message", "string", "", "status.message", 1},
};

static const struct column OTHER_COLUMNS[] = {
	{"Name", "string", "name", "metadata.name", 0},
	{"Age", "date", "", NULL, 0},
};

static const struct column *columns_of(const struct sim_resource *resource, size_t *count)
{
	if (strcmp(resource->kind, "SandboxTask") == 0) {
		*count = sizeof(TASK_COLUMNS) / sizeof(TASK_COLUMNS[0]);
		return TASK_COLUMNS;
	}
	*count = sizeof(OTHER_COLUMNS) / sizeof(OTHER_COLUMNS[0]);
	return OTHER_COLUMNS;
}

void sim_table_columns(struct buf *out, const struct sim_resource *resource)
{
	size_t count;
	const struct column *columns = columns_of(resource, &count);

	for (size_t i = 0; i < count; i++)
		buf_printf(out,
			   "%s{\"name\":\"%s\",\"type\":\"%s\",\"format\":\"%s\","
			   "\"description\":\"\",\"priority\":%d}",
			   i > 0 ? "," : "[", columns[i].name, columns[i].type, columns[i].format,
			   columns[i].priority);
	buf_append_char(out, ']');
}

static void write_cell(struct buf *out, const struct column *column, struct str json)
{
	struct str value = column->path ? sim_json_at(json, column->path) : STR("\"1s\"");

	buf_append_str(out, value.n > 0 ? value : STR("null"));
}

void sim_table_row(struct buf *out, const struct sim_resource *resource, struct str json)
{
	size_t count;
	const struct column *columns = columns_of(resource, &count);

	buf_append_str(out, STR("{\"cells\":["));
	for (size_t i = 0; i < count; i++) {
		buf_append_str(out, i > 0 ? STR(",") : STR(""));
		write_cell(out, &columns[i], json);
	}
	buf_append_str(out, STR("],\"object\":{\"kind\":\"PartialObjectMetadata\","
				"\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"));
	buf_append_str(out, sim_json_at(json, "metadata"));
	buf_append_str(out, STR("}}"));
}
