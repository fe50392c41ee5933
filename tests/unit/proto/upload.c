#include "proto/upload.h"

#include "proto/frame.h"

#include "tap.h"

#define TOTAL 200000

static uint64_t offset;
static size_t length;

/* Sends until nothing more goes; returns how many DATA went. */
static int drain(struct upload *u, int64_t now_ms)
{
	int frames = 0;

	while (upload_next(u, now_ms, &offset, &length) == UPLOAD_DATA)
		frames++;
	return frames;
}

static void an_upload_begins_with_offer_and_fills_the_window(void)
{
	struct upload u;

	upload_begin(&u, TOTAL, 0);
	cmp_ok(upload_deadline(&u), "==", INT64_MIN, "there is something to send at once");
	cmp_ok(upload_next(&u, 0, &offset, &length), "==", UPLOAD_OFFER, "OFFER is first");
	cmp_ok(drain(&u, 0), "==", 4, "four whole frames fit the window");
	cmp_ok(u.sent, "<=", UPLOAD_WINDOW_BYTES, "no more is in flight");
	cmp_ok(upload_deadline(&u), "==", UPLOAD_RESEND_MS, "then it waits for progress");
	upload_acknowledge(&u, 100, 2 * FRAME_PAYLOAD_MAX);
	cmp_ok(drain(&u, 100), "==", 2, "the window moves with what is received");
	cmp_ok(offset + length, "==", u.sent, "from where it was");
	cmp_ok(upload_deadline(&u), "==", 100 + UPLOAD_RESEND_MS, "and the wait begins anew");
	upload_acknowledge(&u, 1000, 2 * FRAME_PAYLOAD_MAX);
	cmp_ok(upload_deadline(&u), "==", 100 + UPLOAD_RESEND_MS, "a STATE alone is no progress");
}

static void the_end_is_sent_when_it_fits(void)
{
	struct upload u;

	upload_begin(&u, 10, 0);
	upload_next(&u, 0, &offset, &length);
	cmp_ok(upload_next(&u, 0, &offset, &length), "==", UPLOAD_DATA, "a short bundle goes");
	ok(offset == 0 && length == 10, "in one frame");
	cmp_ok(upload_next(&u, 0, &offset, &length), "==", UPLOAD_NOTHING, "and that is all");
}

static void without_progress_it_goes_back(void)
{
	struct upload u;

	upload_begin(&u, TOTAL, 0);
	upload_next(&u, 0, &offset, &length);
	drain(&u, 0);
	upload_acknowledge(&u, 500, FRAME_PAYLOAD_MAX);
	drain(&u, 500);
	cmp_ok(upload_next(&u, 2499, &offset, &length), "==", UPLOAD_NOTHING, "not before 2 s");
	cmp_ok(upload_next(&u, 2500, &offset, &length), "==", UPLOAD_OFFER, "then OFFER again");
	cmp_ok(upload_next(&u, 2500, &offset, &length), "==", UPLOAD_DATA, "and DATA");
	cmp_ok(offset, "==", FRAME_PAYLOAD_MAX, "from what was received");
}

static void what_the_runner_says_holds(void)
{
	struct upload u;

	upload_begin(&u, TOTAL, 50000);
	upload_acknowledge(&u, 0, 60000);
	cmp_ok(u.acknowledged, "==", 50000, "before OFFER a STATE is about something else");
	upload_next(&u, 0, &offset, &length);
	upload_next(&u, 0, &offset, &length);
	cmp_ok(offset, "==", 50000, "an upload goes on where another ended");
	upload_acknowledge(&u, 10, 0);
	upload_next(&u, 10, &offset, &length);
	cmp_ok(offset, "==", 0, "or from the beginning, when the runner has begun again");
	upload_acknowledge(&u, 20, 150000);
	upload_next(&u, 20, &offset, &length);
	cmp_ok(offset, "==", 150000, "or further, when the runner has more than was sent");
	upload_acknowledge(&u, 30, UINT64_MAX);
	cmp_ok(u.acknowledged, "==", TOTAL, "but never behind the end");
	cmp_ok(upload_next(&u, 30, &offset, &length), "==", UPLOAD_NOTHING, "where all is sent");
	upload_begin(&u, 10, 20);
	cmp_ok(u.sent, "==", 10, "nor does it begin there");
}

int main(void)
{
	an_upload_begins_with_offer_and_fills_the_window();
	the_end_is_sent_when_it_fits();
	without_progress_it_goes_back();
	what_the_runner_says_holds();
	done_testing();
}
