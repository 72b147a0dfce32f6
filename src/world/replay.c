/* replay.c: see replay.h. */
#include "world/replay.h"

#include "rt/debug.h"
#include "rt/message.h"
#include "world/answers.h"
#include "world/kernel/clock.h"
#include "world/kernel/share.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/signals/signal.h"
#include "world/waits.h"

static bool is_blocked_by_others(const struct thread *thread)
{
	return thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_FUTEX && thread->wait.is_shared;
}

/* A thread that waits, in the replay, where another process let it go on in the run. */
static void check_shared(void)
{
	for (uint32_t i = 0; share_was_used() && i < world.live_count; i++)
		if (is_blocked_by_others(world.live[i]))
			futex_refuse_replay();
}

_Noreturn void world_diverge(const char *expected)
{
	struct message message;
	if (world_has_turned())
		answers_end(expected);
	if (world.channel->flags & HEDDLE_CONTROL_ONWARD && log_next.tag == HEDDLE_RECORD_END &&
	    log_next.event == world_events())
		answers_end(expected); /* as it did when it was made */
	check_shared();
	message.size = 0;
	message_string(&message, "event ");
	message_number(&message, world_events());
	message_string(&message, ", thread ");
	message_number(&message, world.current->index);
	message_string(&message, ": ");
	message_string(&message, expected);
	message_string(&message, "; the log has record ");
	message_number(&message, log_next.tag);
	message_string(&message, " (");
	message_number(&message, log_next.value[0]);
	message_string(&message, ")");
	if (log_next.event != UINT64_MAX) {
		message_string(&message, " at event ");
		message_number(&message, log_next.event);
	}
	message.text[message.size] = '\0';
	report_note("the replay left the path of the trace:", message.text);
	if (share_was_used())
		report_note("the program shares memory with other processes: what they write there is not in the trace",
			    NULL);
	report_threads();
	world_end(HEDDLE_OUTCOME_DIVERGED, 0);
}

static struct thread *replay_thread(uint64_t index)
{
	struct thread *thread = thread_at(index);
	if (!thread || thread->state == THREAD_ENDED)
		world_diverge("the log names a thread that does not exist");
	return thread;
}

/* Whether the next record of the log belongs to where the run is. */
static bool is_due(void)
{
	return log_next.event <= world_events() && log_next.is_inside == !world.is_deciding;
}

void replay_due(const struct thread *self)
{
	while (is_due()) {
		switch (log_next.tag) {
		case HEDDLE_RECORD_EARLY:
			waits_report_early(self, replay_thread(log_next.value[0]));
			break;
		case HEDDLE_RECORD_READY: {
			struct thread *thread = replay_thread(log_next.value[0] / 4);
			enum wake wake = (enum wake)(log_next.value[0] % 4);
			if (wake > WAKE_SIGNAL)
				world_diverge("the log ends a wait in an unknown way");
			if (wake == WAKE_DONE && is_blocked_by_others(thread))
				futex_refuse_replay();
			thread_wake(thread, wake);
			break;
		}
		case HEDDLE_RECORD_CLOCK:
			if (world.passed_ns + log_next.value[0] < world.passed_ns)
				world_diverge("the log lets time run backwards");
			clock_jump(log_next.value[0]);
			break;
		case HEDDLE_RECORD_SIGNAL:
			signal_replayed((int)log_next.value[0], log_next.bytes, log_next.value[1]);
			break;
		case HEDDLE_RECORD_FAIR:
			world.is_fair = true;
			break;
		case HEDDLE_RECORD_END:
		case HEDDLE_RECORD_SWITCH:
		case HEDDLE_RECORD_CALL:
		case HEDDLE_RECORD_BLOCK:
		case HEDDLE_RECORD_FILE:
		case HEDDLE_RECORD_EVENT:
		case HEDDLE_RECORD_CALLERS:
		case HEDDLE_RECORD_TOUCH:
		case HEDDLE_RECORD_EXPIRY:
		case HEDDLE_RECORD_ASKED:
			return;
		}
		log_advance();
	}
}

void world_replay_signals(void)
{
	while (log_next.tag == HEDDLE_RECORD_SIGNAL && is_due()) {
		signal_replayed((int)log_next.value[0], log_next.bytes, log_next.value[1]);
		log_advance();
	}
}

struct thread *replay_next(struct thread *self)
{
	replay_due(self);
	bool is_forced = log_next.value[0] & 1;
	if (log_next.tag == HEDDLE_RECORD_SWITCH && is_due() && is_forced == !self) {
		struct thread *next = replay_thread(log_next.value[0] / 2);
		if (next->state != THREAD_RUNNABLE)
			world_diverge("the thread that should run next is blocked");
		log_advance();
		return next;
	}
	if (self)
		return self;
	if (log_next.tag == HEDDLE_RECORD_END && world.runnable_count == 0) {
		if (log_next.event == UINT64_MAX)
			check_shared();
		report_threads();
		world_end(HEDDLE_OUTCOME_DEADLOCK, 0);
	}
	world_diverge("the thread that ran cannot continue");
}

uint64_t replay_slice(void)
{
	uint64_t now = world_events(), slice = SLICE_MAX;
	if (log_next.event <= now + SLICE_MAX)
		slice = log_next.event > now ? log_next.event - now - 1 : 0;
	slice = slice_before(slice_before(slice, heddle_debug.stop_at), answers_turn_event());
	return slice_until(slice_until(slice, world.channel->stop_after), world.channel->event_limit);
}

void world_replay_slice(void)
{
	if (!world.is_detailed)
		world_slice(replay_slice());
}

void replay_end(void)
{
	if (log_next.tag != HEDDLE_RECORD_END || log_next.event > world_events() || log_next.is_inside)
		return;
	report_threads();
	world_end(HEDDLE_OUTCOME_LIVELOCK, 0);
}

void replay_check_end(void)
{
	const struct heddle_channel *channel = world.channel;
	uint64_t now = world_events();
	if (channel->stop_after && now > channel->stop_after) {
		if (log_next.event < now && log_next.tag != HEDDLE_RECORD_END)
			world_diverge("a record of the log was skipped");
		if (world.is_detailed)
			report_threads();
		world_end(HEDDLE_OUTCOME_PREFIX, 0);
	}
	if (channel->event_limit && now > channel->event_limit)
		world_diverge("the run continues, but the recorded one had ended");
}
