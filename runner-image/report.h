/*
 * report: what the verifier found out about one layer of the isolation; HELLO and the outcome carry
 * it (proto/layer.h has the names).
 */
#ifndef RUNNER_REPORT_H
#define RUNNER_REPORT_H

#include "proto/layer.h"

/* Bytes of a detail with its NUL. */
#define REPORT_DETAIL_SIZE 96

struct report {
	enum layer_state state;
	char detail[REPORT_DETAIL_SIZE]; /* for people: what was seen */
};

#endif
