/* A kubeconfig of any content gives a configuration or an error that says something. */
#include "fuzz.h"
#include "kube/kubeconfig.h"

#include <assert.h>

struct text_io {
	struct io io;
	struct str text;
};

/* Every file has the input in it, those that it names as well. */
static int read_file(struct io *io, const char *path, struct buf *content, struct err *err)
{
	if (buf_append_str(content, ((struct text_io *)io)->text) < 0)
		return err_set(err, ERR_TOO_LARGE, "%s", path);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_io text = {.io = {.read_file = read_file}, .text = {(const char *)data, size}};
	struct config config = {0};
	struct err err;

	if (kubeconfig_load(&config, &text.io, "/config", true, NULL, &err) == 0)
		assert(config.host && config.port > 0 && config.prefix && config.in_namespace);
	else
		assert(err.message[0] != '\0');
	config_free(&config);
	return 0;
}
