/*
 * sandboxtask-controller: the program. Reads what an admin has set, finds the API server, and runs
 * one manager on one loop until a signal ends it.
 *
 * This is the only place that reads the environment, hears signals and knows which io is the real
 * one. What it needs to know about the API server comes from, in this order, the option kubeconfig,
 * the files named by KUBECONFIG, the service account of the Pod.
 *
 * SIGTERM or SIGINT gives the Lease away and ends it, with 0; a second one ends it on the spot.
 * Tasks that are under way go on without it: the next leader finds them. Exit codes are those of
 * sysexits.h:
 *	0	ended by a signal, or has answered --help or --version
 *	64	a flag is wrong
 *	69	the port of /healthz, /readyz and /metrics can't be had
 *	78	the configuration file, the kubeconfig or the service account is wrong
 * A start that fails says why in one line on stderr; all else that is said is the log, there too.
 */
#include "base/hex.h"
#include "kube/config.h"
#include "kube/kubeconfig.h"
#include "kube/uv_io.h"
#include "manager/manager.h"
#include "options.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>
#include <uv.h>

#define PROGRAM		       "sandboxtask-controller"
#define SERVICE_ACCOUNT_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"
#define IDENTITY_RANDOM_BYTES  5

struct program {
	uv_loop_t loop;
	uv_signal_t term, interrupt;
	struct io *io;
	struct options options;
	struct log log;
	struct client *client;
	struct manager *manager;
	bool is_stopping;
};

static int fail(int status, const struct err *err)
{
	fprintf(stderr, PROGRAM ": %s\n", err->message);
	return status;
}

/* --- The log. --- */

static int64_t now_us(void *context)
{
	struct program *program = context;

	return program->io->wall_ms(program->io) * 1000;
}

static void write_line(void *context, enum log_level level, struct str line)
{
	ssize_t written = write(STDERR_FILENO, line.p, line.n);

	(void)context, (void)level;
	(void)written; /* nobody is left to be told */
}

/* --- Who and where. --- */

static int find_api_server(struct program *program, struct config *config, struct err *err)
{
	const char *kubeconfig = program->options.kubeconfig, *paths = getenv("KUBECONFIG");
	const struct config_pod pod = {
		.host = getenv("KUBERNETES_SERVICE_HOST"),
		.port = getenv("KUBERNETES_SERVICE_PORT"),
		.folder = SERVICE_ACCOUNT_FOLDER,
	};

	if (kubeconfig[0])
		return kubeconfig_load(config, program->io, kubeconfig, true, NULL, err);
	if (paths && paths[0])
		return kubeconfig_load(config, program->io, paths, false, NULL, err);
	if (config_in_cluster(config, program->io, &pod, err) < 0)
		return err_wrap(err, "no kubeconfig is set");
	return 0;
}

/* The host's name, which is the Pod's, and a part that differs from one start to the next. */
static int find_identity(struct program *program, struct err *err)
{
	unsigned char bytes[IDENTITY_RANDOM_BYTES];
	char host[UV_MAXHOSTNAMESIZE];
	size_t size = sizeof(host);
	struct buf identity;
	int result;

	if (uv_os_gethostname(host, &size) != 0)
		host[0] = '\0';
	program->io->random(program->io, bytes, sizeof(bytes));
	buf_init(&identity, sizeof(host) + 1 + 2 * sizeof(bytes));
	result = buf_printf(&identity, "%s_", host);
	assert(result == 0);
	hex_append(&identity, bytes, sizeof(bytes));
	result = options_set_found(&program->options, "identity", buf_str(&identity), err);
	buf_free(&identity);
	return result;
}

/* --- The end. --- */

static void on_stopped(void *context)
{
	struct program *program = context;

	uv_stop(&program->loop);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct program *program = handle->data;

	if (program->is_stopping)
		_exit(128 + number);
	program->is_stopping = true;
	log_info(&program->log, "stopping", log_int("signal", number));
	manager_stop(program->manager, on_stopped, program);
}

static void hear_signals(struct program *program)
{
	program->term.data = program->interrupt.data = program;
	uv_signal_start(&program->term, on_signal, SIGTERM);
	uv_signal_start(&program->interrupt, on_signal, SIGINT);
}

/* --- The program. --- */

static void program_open(struct program *program)
{
	int result = uv_loop_init(&program->loop);

	assert(result == 0);
	signal(SIGPIPE, SIG_IGN);
	uv_signal_init(&program->loop, &program->term);
	uv_signal_init(&program->loop, &program->interrupt);
	program->io = uv_io_new(&program->loop, PROGRAM "/" SANDBOXTASK_VERSION);
	options_init(&program->options);
}

static void program_close(struct program *program)
{
	manager_delete(program->manager);
	client_delete(program->client);
	uv_io_delete(program->io);
	uv_close((uv_handle_t *)&program->term, NULL);
	uv_close((uv_handle_t *)&program->interrupt, NULL);
	uv_run(&program->loop, UV_RUN_DEFAULT);
	uv_loop_close(&program->loop);
	options_free(&program->options);
}

static int answer(enum options_action action)
{
	struct buf text;

	buf_init(&text, OPTIONS_HELP_BYTES_MAX);
	if (action == OPTIONS_HELP)
		options_help(&text);
	else
		buf_append_str(&text, STR(PROGRAM " " SANDBOXTASK_VERSION "\n"));
	fputs(text.data, stdout);
	buf_free(&text);
	return 0;
}

/* All that has to be known before anything is begun. */
static int configure(struct program *program, struct err *err)
{
	struct options *options = &program->options;
	struct config config = {0};

	if (options_read_file(options, program->io, err) < 0 || find_identity(program, err) < 0 ||
	    find_api_server(program, &config, err) < 0)
		return -1;
	if (options_set_found(options, "leaseNamespace", str_of(config.in_namespace), err) < 0) {
		config_free(&config);
		return -1;
	}
	log_init(&program->log, options->log_level, now_us, write_line, program);
	log_info(&program->log, "starting", log_name("version", STR(SANDBOXTASK_VERSION)),
		 log_name("identity", str_of(options->identity)),
		 log_name("api_server", str_of(config.host)), log_int("port", config.port));
	program->client = client_new(program->io, &config, &program->log, err);
	return program->client ? 0 : -1;
}

static int start_manager(struct program *program, struct err *err)
{
	const struct options *options = &program->options;
	const struct manager_config config = {
		.identity = options->identity,
		.in_namespace = options->lease_namespace,
		.tasks_max = options->tasks_max,
		.transfers_max = options->transfers_max,
		.address = options->listen_address,
		.port = (uint16_t)options->listen_port,
	};

	program->manager = manager_new(program->io, program->client, &program->log, &config, err);
	return program->manager ? 0 : -1;
}

static int program_run(struct program *program, int argc, char *argv[])
{
	struct err err;

	if (options_read_flags(&program->options, argc, argv, &err) < 0)
		return fail(EX_USAGE, &err);
	if (program->options.action != OPTIONS_RUN)
		return answer(program->options.action);
	if (configure(program, &err) < 0)
		return fail(EX_CONFIG, &err);
	if (start_manager(program, &err) < 0)
		return fail(EX_UNAVAILABLE, &err);
	hear_signals(program);
	uv_run(&program->loop, UV_RUN_DEFAULT);
	return 0;
}

int main(int argc, char *argv[])
{
	struct program program = {0};
	int status;

	program_open(&program);
	status = program_run(&program, argc, argv);
	program_close(&program);
	return status;
}
