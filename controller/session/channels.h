/*
 * channels: the streams inside an attach's websocket (subprotocols v4 and v5.channel.k8s.io).
 *
 * The first byte of every message says which stream the rest belongs to: 0 stdin, 1 stdout,
 * 2 stderr, 3 the Status of the attach, once, at its end. A message of nothing but that byte says
 * "connected"; it and empty ones mean nothing else. Messages are whole and binary: io joins
 * fragments, and ends a websocket on which text comes.
 *
 * - Stderr and channels that we don't know are ignored: the runner says everything on stdout.
 * - v5's "this channel is closed" ([255, channel]) is never sent: it would close the runner's stdin
 *   for all who attach later.
 * - How a container ended is never read from a Status; that an attach ended is all it proves.
 *
 * Sources: KEP-4006; apimachinery pkg/util/remotecommand; streaming pkg/httpstream/wsstream.
 */
#ifndef SESSION_CHANNELS_H
#define SESSION_CHANNELS_H

#include "base/str.h"

#include <stdbool.h>

#define CHANNELS_SUBPROTOCOLS "v5.channel.k8s.io, v4.channel.k8s.io"
#define CHANNELS_HEAD_BYTES   1

enum channels_kind {
	CHANNELS_NOTHING, /* nothing for us */
	CHANNELS_STDOUT,
	CHANNELS_STATUS,
};

/* The server chose one that we speak. We do the same on both. */
bool channels_speak(struct str subprotocol);

/* What a message is; `*bytes` is its content, not empty, unless it is nothing. */
enum channels_kind channels_read(struct str message, struct str *bytes);

/* Makes the message that carries `length` bytes to stdin, which lie CHANNELS_HEAD_BYTES behind
 * `message`. */
struct str channels_stdin(uint8_t *message, size_t length);

#endif
