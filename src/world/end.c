/* end.c: how a run ends: what the channel and the log say then, and the end of the process. */
#include "rt/debug.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/answers.h"
#include "world/fork.h"
#include "world/log.h"
#include "world/memory/state.h"
#include "world/parts.h"
#include "world/schedule/strategy.h"
#include "world/signals/signal.h"

_Noreturn void world_end(enum heddle_outcome outcome, int status)
{
	if (!world.is_ending) {
		bool is_cut = outcome == HEDDLE_OUTCOME_DIVERGED || outcome == HEDDLE_OUTCOME_REFUSED ||
			      outcome == HEDDLE_OUTCOME_PREFIX || outcome == HEDDLE_OUTCOME_UNANSWERED;
		if (world_follows_log() && !is_cut && log_next.tag != HEDDLE_RECORD_END)
			world_diverge("the run ends"); /* which ends here again, and has to be reported */
		world.is_ending = true;
		observe_end();
		world_update_channel();
		strategy_report_weights();
		world.channel->status = status;
		uint32_t flags = world.channel->flags;
		bool is_detecting = flags & HEDDLE_CONTROL_DETECT && !(flags & HEDDLE_CONTROL_SERVER);
		if (world.is_recording || world.is_detailed || is_detecting)
			report_modules();
		log_write_end();
		log_copy_rest();
		fork_report_end(outcome);
		state_drop();
		world.channel->outcome = outcome;
		debug_stop(HEDDLE_DEBUG_END);
	}
	if (outcome == HEDDLE_OUTCOME_SIGNAL)
		signal_die(status);
	for (;;)
		sys_call(SYS_exit_group, outcome == HEDDLE_OUTCOME_EXIT ? status : 3, 0, 0, 0, 0, 0);
}

void world_bug(const char *where)
{
	if (!world.is_on || world.is_ending)
		return;
	world_fail(HEDDLE_OUTCOME_REFUSED, "a fault of Heddle itself, please report it:", where);
}

_Noreturn void world_fail(enum heddle_outcome outcome, const char *text, const char *subject)
{
	report_note(text, subject);
	world_end(outcome, 0);
}
