/*
 * control.h: the tool's side of a controlled run: makes what the program shares with us (see "Control" in
 * heddle/abi.h), starts the program with it, and collects its report. Also the fork server: the program is started
 * once, stops before main, and runs each schedule in a process that it forks.
 */
#ifndef LAUNCH_CONTROL_H
#define LAUNCH_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "heddle/abi.h"
#include "launch/keeper.h"
#include "trace/trace.h"

struct control {
	struct heddle_channel *channel; /* shared with the program; never to be trusted */
	int channel_fd, out_fd, in_fd, patches_fd;
	int server_fd; /* our end of the fork server's socket; -1: none */
	pid_t child;   /* 0: not running */
	struct keeper keeper;
	struct keeper_left left; /* leftover processes that were ended so far */
};

/* Not started; control_release does nothing. */
void control_init(struct control *self);

/* Settings of a run that are not in its trace. */
struct control_setup {
	uint32_t flags;         /* enum heddle_control_flag, added to those of trace->request */
	const char *trace_path; /* the log is kept in a file next to it; null: no log is kept */
	bool is_detailed;       /* the events are kept, in a file without a name */
	bool is_replay;         /* trace->log_fd is read */
	bool is_unattended;     /* one of many: see launch.h */
	bool is_become;         /* this process becomes the program: control_start returns only when it cannot */
	bool has_own_session;   /* see launch.h; processes that it leaves running end with it */
	bool has_streams;       /* streams: its standard streams, -1: ours */
	int streams[3];
	const char *folder;                 /* to start it in; null: ours, or the trace's in a replay */
	const struct heddle_watch *watches; /* what to report in more detail; at most HEDDLE_WATCHES */
	uint32_t watch_count;
	struct heddle_race_ask race; /* see struct heddle_channel */
	uint64_t fork_at, fork_seed;
	uint64_t quiet_seconds, outside_seconds; /* see struct heddle_channel */
	uint64_t fair_after;                     /* likewise */
	uint64_t stop_after;                     /* of a replay: the last event that is wanted; 0: all of it */
	bool is_kept;                            /* the log is kept in a file without a name, also that of a replay */
	uint32_t onward;                         /* of a replay with HEDDLE_CONTROL_ONWARD: enum heddle_strategy, ... */
	uint64_t log_bytes;                      /* ... the size of its log, as log_fd has it, ... */
	int log_fd;
	void (*fill)(struct heddle_channel *channel,
		     const void *context); /* ... and what puts the plan into the channel */
	const void *context;
};

/* Whether the trace may be replayed: it is not foreign (trace.h). Returns 0, or a negative errno with err set. */
int control_check_maker(const struct trace *trace, struct err *err);

/*
 * A replay of a trace that control_check_maker rejects does not start.
 * Starts the program as the trace says (program, arguments, environment, folder, options, limits, request). Sets its
 * own_bytes and limits when they are 0. A replay never has more events than trace->result says: with more it diverges, and
 * the replay of a run that was ended from outside ends there. Returns 0, or a negative errno with err set; control_release in any
 * case.
 */
int control_start(struct control *self, struct trace *trace, const struct control_setup *setup, struct err *err);

/* Waits until the program has ended, or until a time of the monotonic clock, in seconds. Returns whether it has ended;
 * control_finish takes that. */
bool control_wait(struct control *self, double deadline);

/* Waits for the end of the program and of all that it started, and puts the program's report into trace: result,
 * report, and with setup->trace_path the log, whose tail stays in the channel: write the trace before control_release.
 * Returns 0, or a negative errno with err set. */
int control_finish(struct control *self, struct trace *trace, struct err *err);

/* Started with HEDDLE_CONTROL_SERVER: server_fd becomes readable when the program is before main; control_answer takes
 * that. Then control_request requests one schedule; its end makes server_fd readable again, and control_answer takes the
 * result. Both return 0, or a negative errno with err set if the server is gone. */
int control_request(struct control *self, const struct trace_request *request, uint32_t flags, struct err *err);
int control_answer(struct control *self, struct trace_result *result, struct err *err);

/* The report in the channel, as text; caller's buffer. */
void control_report(const struct control *self, struct buf *out);

/* Lends the log of the last run to the trace, until the next schedule is requested; the caller removes it from the trace
 * before trace_free. Returns 0, or a negative errno with err set. */
int control_lend_log(const struct control *self, struct trace *trace, struct err *err);

/* Ends the program if it is still running, and releases everything. */
void control_release(struct control *self);

/* Why the program could not be controlled, when the runtime never started. Returns a negative errno with err set. */
int control_not_started(const struct trace *trace, struct err *err);

#endif
