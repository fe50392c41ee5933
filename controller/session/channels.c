#include "channels.h"

#define STDIN_CHANNEL  0
#define STDOUT_CHANNEL 1
#define STATUS_CHANNEL 3

bool channels_speak(struct str subprotocol)
{
	return str_equal(subprotocol, STR("v5.channel.k8s.io")) ||
	       str_equal(subprotocol, STR("v4.channel.k8s.io"));
}

enum channels_kind channels_read(struct str message, struct str *bytes)
{
	*bytes = (struct str){NULL, 0};
	if (message.n <= CHANNELS_HEAD_BYTES)
		return CHANNELS_NOTHING;
	if (message.p[0] != STDOUT_CHANNEL && message.p[0] != STATUS_CHANNEL)
		return CHANNELS_NOTHING;
	*bytes = str_slice(message, CHANNELS_HEAD_BYTES, message.n);
	return message.p[0] == STDOUT_CHANNEL ? CHANNELS_STDOUT : CHANNELS_STATUS;
}

struct str channels_stdin(uint8_t *message, size_t length)
{
	message[0] = STDIN_CHANNEL;
	return (struct str){(const char *)message, CHANNELS_HEAD_BYTES + length};
}
