#include "uv_resolve.h"

#include "base/mem.h"

#include <arpa/inet.h>

/* One name: its answer, those who wait for it, and the look-up that is under way. */
struct name {
	struct list link; /* in resolver->names, least recently asked first */
	struct uv_resolver *resolver;
	char *host;
	struct list waiters;
	uv_getaddrinfo_t request;
	bool is_asked; /* `request` is in flight: this memory has to stay */
	int64_t answered_at_ms;
	struct uv_resolve_answer answer; /* of `count` 0: none */
};

struct uv_resolver {
	struct uv_io *uv;
	struct list names;
	size_t name_count;
};

/* One who waits: in its name's list, or (answer known) about to be called. */
struct uv_resolve {
	struct list link;
	struct uv_soon_call soon;
	struct uv_resolve_answer answer;
	uv_resolve_fn *done;
	void *context;
};

bool uv_resolve_is_address(const char *host)
{
	struct in6_addr binary;

	return inet_pton(AF_INET, host, &binary) == 1 || inet_pton(AF_INET6, host, &binary) == 1;
}

static void name_delete(struct name *name)
{
	list_remove(&name->link);
	name->resolver->name_count--;
	free(name->host);
	free(name);
}

static void read_addresses(struct uv_resolve_answer *answer, const struct addrinfo *list)
{
	answer->count = 0;
	for (; list && answer->count < RESOLVE_ADDRESSES; list = list->ai_next) {
		const void *binary;

		if (list->ai_family == AF_INET)
			binary = &((const struct sockaddr_in *)(void *)list->ai_addr)->sin_addr;
		else if (list->ai_family == AF_INET6)
			binary = &((const struct sockaddr_in6 *)(void *)list->ai_addr)->sin6_addr;
		else
			continue;
		if (inet_ntop(list->ai_family, binary, answer->address[answer->count],
			      INET6_ADDRSTRLEN))
			answer->count++;
	}
}

/* Tells those who waited when the look-up ended; who asks from now on waits anew. */
static void tell_waiters(struct name *name, const struct err *err)
{
	const struct uv_resolve_answer answer = name->answer;
	struct list waiters;

	list_init(&waiters);
	while (!list_is_empty(&name->waiters)) {
		struct list *link = name->waiters.next;

		list_remove(link);
		list_push_back(&waiters, link);
	}
	if (err)
		name_delete(name);
	while (!list_is_empty(&waiters)) {
		struct uv_resolve *resolve = list_item(waiters.next, struct uv_resolve, link);
		uv_resolve_fn *done = resolve->done;
		void *context = resolve->context;

		uv_resolve_cancel(resolve);
		done(context, err ? NULL : &answer, err);
	}
}

static void on_answer(uv_getaddrinfo_t *request, int status, struct addrinfo *list)
{
	struct name *name = request->data;
	struct err err;

	name->is_asked = false;
	name->resolver->uv->pending--;
	read_addresses(&name->answer, list);
	uv_freeaddrinfo(list);
	name->answered_at_ms = (int64_t)uv_now(name->resolver->uv->loop);
	if (status == 0 && name->answer.count > 0) {
		tell_waiters(name, NULL);
		return;
	}
	err_set(&err, ERR_TRANSPORT, "looking up the host %s: %s", name->host,
		status < 0 ? uv_strerror(status) : "it has no address");
	tell_waiters(name, &err);
}

static void ask(struct name *name)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
	int status;

	name->request.data = name;
	name->is_asked = true;
	name->resolver->uv->pending++;
	status = uv_getaddrinfo(name->resolver->uv->loop, &name->request, on_answer, name->host,
				NULL, &hints);
	assert(status == 0); /* what it refuses at once are names that endpoint_new refuses */
}

static struct name *find(struct uv_resolver *resolver, const char *host)
{
	struct name *name;

	list_for_each (name, &resolver->names, link)
		if (strcmp(name->host, host) == 0)
			return name;
	return NULL;
}

/* Forgets the answer that nobody asked for the longest time. */
static void make_room(struct uv_resolver *resolver)
{
	struct name *name;

	if (resolver->name_count < RESOLVE_CACHE_NAMES)
		return;
	list_for_each_safe (name, &resolver->names, link) {
		if (!name->is_asked) {
			name_delete(name);
			return;
		}
	}
}

static struct name *name_new(struct uv_resolver *resolver, const char *host)
{
	struct name *name = mem_new(1, sizeof(*name));

	make_room(resolver);
	name->resolver = resolver;
	name->host = mem_copy_string(host, strlen(host));
	list_init(&name->waiters);
	list_push_back(&resolver->names, &name->link);
	resolver->name_count++;
	return name;
}

static void answer_from_memory(void *context)
{
	struct uv_resolve *resolve = context;
	const struct uv_resolve_answer answer = resolve->answer;
	uv_resolve_fn *done = resolve->done;
	void *argument = resolve->context;

	uv_resolve_cancel(resolve);
	done(argument, &answer, NULL);
}

struct uv_resolve *uv_resolve_start(struct uv_io *uv, const char *host, uv_resolve_fn *done,
				    void *context)
{
	struct uv_resolve *resolve = mem_new(1, sizeof(*resolve));
	struct name *name;

	resolve->done = done;
	resolve->context = context;
	list_init(&resolve->link);
	uv_soon_call_init(&resolve->soon, answer_from_memory, resolve);
	if (uv_resolve_is_address(host)) {
		resolve->answer.count = 1;
		memcpy(resolve->answer.address[0], host, strlen(host) + 1);
		uv_soon_ask(&uv->soon, &resolve->soon);
		return resolve;
	}
	name = find(uv->resolver, host);
	if (!name)
		name = name_new(uv->resolver, host);
	list_remove(&name->link);
	list_push_back(&uv->resolver->names, &name->link);
	if (name->answer.count > 0 &&
	    (int64_t)uv_now(uv->loop) - name->answered_at_ms < RESOLVE_CACHE_MS) {
		resolve->answer = name->answer;
		uv_soon_ask(&uv->soon, &resolve->soon);
		return resolve;
	}
	list_push_back(&name->waiters, &resolve->link);
	if (!name->is_asked)
		ask(name);
	return resolve;
}

void uv_resolve_cancel(struct uv_resolve *resolve)
{
	list_remove(&resolve->link);
	uv_soon_cancel(&resolve->soon);
	free(resolve);
}

struct uv_resolver *uv_resolve_new(struct uv_io *uv)
{
	struct uv_resolver *resolver = mem_new(1, sizeof(*resolver));

	resolver->uv = uv;
	list_init(&resolver->names);
	return resolver;
}

void uv_resolve_delete(struct uv_resolver *resolver)
{
	while (!list_is_empty(&resolver->names)) {
		struct name *name = list_item(resolver->names.next, struct name, link);

		assert(!name->is_asked && list_is_empty(&name->waiters));
		name_delete(name);
	}
	free(resolver);
}
