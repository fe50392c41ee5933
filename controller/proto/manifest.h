/*
 * manifest: the shape that bundle and outcome share.
 *
 *	u32 length of the manifest, the manifest (a record), then the parts, one behind the other
 *
 * The manifest says how long each part is, so the lengths must use up the object exactly.
 */
#ifndef PROTO_MANIFEST_H
#define PROTO_MANIFEST_H

#include "object.h"
#include "record.h"

#define MANIFEST_LENGTH_BYTES 4

/* Writes length and manifest into `out` and adds them to the empty object `o`. ERR_TOO_LARGE when
 * `size` bytes don't suffice. */
int manifest_encode(const struct schema *schema, const void *from, uint8_t *out, size_t size,
		    struct object *o, struct err *err);

/* Reads the manifest, which may have `max` bytes; `*parts` is what follows it. The caller's struct
 * is zeroed on failure. */
int manifest_decode(const struct schema *schema, struct str bytes, size_t max, void *into,
		    struct str *parts, struct err *err);

/*
 * Takes `part->n` bytes off the front of `*parts`: false when there are fewer. No bytes are NULL,
 * so that a record of nothing reads as it would if it were absent.
 */
bool manifest_take(struct str *parts, struct str *part);

/* A path in the working folder that can't lead out of it: relative, no empty, "." or ".." element,
 * no slash at the end. Whether something on the way is a link is for the one who opens it. */
bool manifest_path_is_inside(struct str path);

#endif
