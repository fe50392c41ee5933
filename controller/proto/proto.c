/* The names of proto.h's tables. */
#include "proto.h"

#include <stddef.h>

struct name {
	unsigned number;
	const char *text;
};

#define X_NUMBERED(constant, number, name) {number, name},
#define X_COUNTED(constant, name)	   {constant, name},
static const struct name frames[] = {PROTO_FRAMES(X_NUMBERED)};
static const struct name phases[] = {PROTO_PHASES(X_NUMBERED)};
static const struct name errors[] = {PROTO_ERRORS(X_NUMBERED)};
static const struct name capabilities[] = {PROTO_CAPABILITIES(X_NUMBERED)};
static const struct name drops[] = {PROTO_DROPS(X_COUNTED)};

#define FIND(table, number) find(table, sizeof(table) / sizeof(*(table)), number)

static const char *find(const struct name *table, size_t count, unsigned number)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].number == number)
			return table[i].text;
	return "unknown";
}

const char *proto_frame_name(unsigned frame)
{
	return FIND(frames, frame);
}

const char *proto_phase_name(unsigned phase)
{
	return FIND(phases, phase);
}

const char *proto_error_name(unsigned error)
{
	return FIND(errors, error);
}

const char *proto_capability_name(unsigned capability)
{
	return FIND(capabilities, capability);
}

const char *proto_drop_name(unsigned drop)
{
	return FIND(drops, drop);
}
