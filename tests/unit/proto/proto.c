#include "proto/proto.h"

#include "tap.h"

int main(void)
{
	is(proto_frame_name(FRAME_ATTACH), "ATTACH", "frames have names");
	is(proto_frame_name(FRAME_ERROR), "ERROR", "up to the last");
	is(proto_frame_name(0x07), "unknown", "a reserved type has none");
	is(proto_phase_name(PHASE_BOOTING), "Booting", "phases have names");
	is(proto_phase_name(PHASE_DONE + 1), "unknown", "behind the last there is none");
	is(proto_error_name(PROTO_UNSUPPORTED), "Unsupported", "errors have names");
	is(proto_error_name(PROTO_NO_ERROR), "unknown", "no error has none");
	is(proto_capability_name(CAPABILITY_LINT), "Lint", "capabilities have names");
	is(proto_capability_name(63), "unknown", "an unknown one has none");
	is(proto_drop_name(DROP_HEADLESS), "Headless", "causes of drops have names");
	is(proto_drop_name(PROTO_NO_DROP), "unknown", "no drop has none");
	done_testing();
}
