/*
 * sim_json: what a simulated API server does to JSON: merge patches (RFC 7386), and looking at a
 * member by its path. Checked JSON whose keys need no escapes, as Kubernetes' do.
 */
#ifndef SIM_SIM_JSON_H
#define SIM_SIM_JSON_H

#include "base/buf.h"
#include "base/str.h"

#define SIM_JSON_BYTES_MAX (4u << 20)

/* Appends `target` changed by `patch`; `target` may be empty. */
void sim_json_merge(struct buf *out, struct str target, struct str patch);

/* The raw value at a path of members, "metadata.name"; empty when there is none. */
struct str sim_json_at(struct str json, const char *path);

/* The same without a string's quotes, and empty for null. */
struct str sim_json_word(struct str json, const char *path);
bool sim_json_is(struct str json, const char *path, const char *word);
/* A number of whole digits; `otherwise` when there is none. */
int64_t sim_json_number(struct str json, const char *path, int64_t otherwise);

#endif
