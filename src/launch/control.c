/* control.c: see control.h. */
#include "launch/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/variables.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "launch/syscalls.h"

/* The program must be able to use the descriptor numbers that are ours. */
#define DESCRIPTORS_MIN (HEDDLE_FD_LAST + 1u)

void control_init(struct control *self)
{
	*self = (struct control){ .channel_fd = -1, .out_fd = -1, .in_fd = -1, .patches_fd = -1, .server_fd = -1 };
	keeper_init(&self->keeper);
}

static void set_request(struct heddle_channel *channel, const struct trace_request *request, uint32_t flags)
{
	channel->strategy = request->strategy;
	channel->flags = request->flags | flags;
	channel->seed = request->seed;
	channel->depth = request->depth;
	channel->length = request->length;
	channel->event_budget = request->event_budget;
	channel->date_ns = request->date_ns;
}

static int make_channel(struct control *self, struct err *err)
{
	self->channel_fd = memfd_create("heddle-channel", MFD_CLOEXEC);
	if (self->channel_fd >= 0 && ftruncate(self->channel_fd, sizeof *self->channel) == 0) {
		void *mapped =
			mmap(NULL, sizeof *self->channel, PROT_READ | PROT_WRITE, MAP_SHARED, self->channel_fd, 0);
		self->channel = mapped == MAP_FAILED ? NULL : mapped;
	}
	if (!self->channel) {
		err_hint(err, "limits on memory or on the size of files (ulimit -f) may be too low");
		return err_set(err, errno, "cannot create the memory shared with the program: %s", strerror(errno));
	}
	memcpy(self->channel->magic, HEDDLE_CHANNEL_MAGIC, sizeof self->channel->magic);
	self->channel->version = HEDDLE_ABI_VERSION;
	self->channel->size_bytes = sizeof *self->channel;
	return 0;
}

static int make_out(struct control *self, const struct control_setup *setup, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	if (setup->trace_path) {
		self->out_fd = trace_scratch(setup->trace_path, err);
	} else if (setup->is_detailed || setup->is_kept) {
		char *path = mem_format("%s/heddle-events", folder && *folder ? folder : "/tmp");
		self->out_fd = trace_scratch(path, err);
		free(path);
	} else {
		return 0;
	}
	return self->out_fd < 0 ? self->out_fd : 0;
}

static int make_server(struct control *self, int *end, struct err *err)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, errno, "cannot create a socket: %s", strerror(errno));
	self->server_fd = ends[0];
	*end = ends[1];
	return 0;
}

/* The kernel catches what cannot be patched, more slowly: missing patches are not an error. */
static void find_patches(struct control *self)
{
	struct strings paths = { 0 };
	struct err ignored = ERR_INIT;
	syscalls_paths(&paths);
	if (syscalls_find((const char *const *)paths.items, paths.count, &self->patches_fd, &ignored) < 0)
		self->patches_fd = -1;
	strings_release(&paths);
}

/* What a run gets when nothing else is asked for; a replay gets the same. */
static void set_limits(struct trace *trace)
{
	struct rlimit limit;
	if (trace->stack_limit == 0 && getrlimit(RLIMIT_STACK, &limit) == 0)
		trace->stack_limit = limit.rlim_cur;
	if (trace->descriptor_limit == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		trace->descriptor_limit = limit.rlim_cur < DESCRIPTORS_MIN ? DESCRIPTORS_MIN : limit.rlim_cur;
}

/* When LD_PRELOAD cannot express the installation's path, the runtime is loaded through one of the tool's descriptors,
 * which is gone once the tool has become the program. */
static int become(const struct launch *launch, struct err *err)
{
	for (size_t i = 0; launch->environment[i]; i++) {
		const char *preload = variable_value(launch->environment[i], "LD_PRELOAD");
		if (preload && strncmp(preload, "/proc/", strlen("/proc/")) == 0) {
			err_hint(err, "install Heddle in a directory whose path contains no spaces or colons");
			return err_set(err, EINVAL,
				       "with a debugger, the path of the runtime must not contain spaces or colons");
		}
	}
	return launch_become(launch, err);
}

static int start(struct control *self, struct trace *trace, const struct control_setup *setup, int server_end,
		 struct err *err)
{
	struct strings environment = { 0 };
	struct launch launch = {
		.path = trace->program,
		.arguments = trace->arguments.items,
		.folder = setup->folder      ? setup->folder
			  : setup->is_replay ? trace->folder
					     : NULL,
		.is_repeatable = true,
		.is_unattended = setup->is_unattended,
		.has_own_session = setup->has_own_session,
		.stack_limit = trace->stack_limit,
		.descriptor_limit = trace->descriptor_limit,
		.descriptors = { { self->channel_fd, HEDDLE_FD_CHANNEL },
				 { self->out_fd, HEDDLE_FD_OUT },
				 { self->in_fd, HEDDLE_FD_IN },
				 { server_end, HEDDLE_FD_SERVER },
				 { self->patches_fd, HEDDLE_FD_PATCHES } },
		.descriptor_count = 5,
		.keeper = &self->keeper,
	};
	for (int i = 0; i < 3 && setup->has_streams; i++)
		if (setup->streams[i] >= 0)
			launch.descriptors[launch.descriptor_count++] =
				(struct launch_descriptor){ setup->streams[i], i };
	/* The last moment: from here on what the trace names is run. */
	if (setup->is_replay && trace->is_foreign)
		BUG("a foreign trace is replayed");
	if (self->child)
		BUG("a program is started where process %d runs", (int)self->child);
	int code = environment_control(trace, &environment, err);
	launch.environment = environment.items;
	if (code == 0 && setup->is_become)
		code = become(&launch, err);
	else if (code == 0)
		code = launch_start(&launch, &self->child, err);
	if (code < 0)
		self->child = 0;
	strings_release(&environment);
	return code;
}

/* The record of a run that was ended from outside has no end: it extends as far as the run may have got. */
static void set_replay(struct control *self, const struct trace *trace, uint64_t stop_after)
{
	struct heddle_channel *channel = self->channel;
	const struct trace_result *recorded = &trace->result;
	self->in_fd = trace->log_fd;
	channel->flags |= HEDDLE_CONTROL_REPLAY;
	channel->strategy = HEDDLE_STRATEGY_REPLAY;
	channel->in_bytes = trace->log_bytes;
	channel->stop_after = stop_after;
	/* A thread that computed for longer than a run may comes to its next event when it is given more time: the recording ends before
	 * that, and so does the replay. */
	if (recorded->outcome == HEDDLE_OUTCOME_HANG && recorded->event_count &&
	    (!stop_after || stop_after > recorded->event_count))
		channel->stop_after = recorded->event_count;
	else if (recorded->outcome != HEDDLE_OUTCOME_NONE)
		channel->event_limit = recorded->event_count;
	else if (!stop_after || stop_after > recorded->event_count)
		channel->stop_after = recorded->event_count + HEDDLE_EVENTS_LATE;
}

/* A replay of another log of the same run, which goes on otherwise. */
static void set_onward(struct control *self, const struct control_setup *setup)
{
	struct heddle_channel *channel = self->channel;
	self->in_fd = setup->log_fd;
	channel->in_bytes = setup->log_bytes;
	channel->strategy = setup->onward;
	setup->fill(channel, setup->context);
}

/* The one place that every replay passes. */
int control_check_maker(const struct trace *trace, struct err *err)
{
	const char *problem = seal_problem();
	if (!trace->is_foreign)
		return 0;
	err_hint(err, "if you trust its author, use heddle replay --trust");
	if (problem)
		return err_set(err, EPERM,
			       "it is unknown whether your Heddle recorded the trace, and a replay runs the "
			       "program it names: %s",
			       problem);
	return err_set(err, EPERM,
		       "the trace was not recorded by your Heddle, and a replay runs the program it "
		       "names");
}

/* The shadow memory of detection is as sparse as the program's memory; unused pages cost nothing, but they count
 * towards a limit. */
static int check_room(uint32_t flags, struct err *err)
{
	struct rlimit limit;
	if (!(flags & HEDDLE_CONTROL_DETECT) || getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	err_hint(err, "run ulimit -v unlimited first; limits on used memory, such as those of a container, are fine");
	return err_set(err, ENOMEM,
		       "the address space is limited to %" PRIu64 " MB, but detection reserves terabytes of it",
		       (uint64_t)limit.rlim_cur >> 20);
}

int control_start(struct control *self, struct trace *trace, const struct control_setup *setup, struct err *err)
{
	control_init(self);
	int server_end = -1;
	int code = setup->is_replay ? control_check_maker(trace, err) : 0;
	if (code == 0)
		code = check_room(trace->request.flags | setup->flags, err);
	launch_ignore_file_limit();
	set_limits(trace);
	if (code == 0)
		code = make_channel(self, err);
	if (code == 0)
		code = make_out(self, setup, err);
	if (code == 0)
		find_patches(self);
	if (code == 0 && setup->flags & HEDDLE_CONTROL_SERVER)
		code = make_server(self, &server_end, err);
	if (code == 0) {
		set_request(self->channel, &trace->request, setup->flags);
		for (uint32_t i = 0; i < setup->watch_count && i < HEDDLE_WATCHES; i++)
			self->channel->watches[self->channel->watch_count++] = setup->watches[i];
		self->channel->race = setup->race;
		self->channel->fork_at = setup->fork_at;
		self->channel->fork_seed = setup->fork_seed;
		self->channel->quiet_seconds = setup->quiet_seconds;
		self->channel->fair_after = setup->fair_after;
		if (setup->trace_path)
			self->channel->flags |= HEDDLE_CONTROL_RECORD;
		if (setup->is_detailed)
			self->channel->flags |= HEDDLE_CONTROL_DETAIL;
		if (setup->is_kept)
			self->channel->flags |= HEDDLE_CONTROL_RECORD;
		if (setup->is_replay)
			set_replay(self, trace, setup->stop_after);
		if (setup->fill)
			set_onward(self, setup);
		code = start(self, trace, setup, server_end, err);
	}
	if (server_end >= 0)
		close(server_end);
	return code;
}

static void take_result(const struct control *self, struct trace_result *result)
{
	const struct heddle_channel *channel = self->channel;
	*result = (struct trace_result){
		.outcome = channel->outcome,
		.status = channel->status,
		.wait_status = channel->wait_status,
		.thread_count = channel->thread_count,
		.event_count = channel->event_count,
		.switch_count = channel->switch_count,
		.event_hash = channel->event_hash,
		.output_hash = channel->output_hash,
	};
}

/* The program's report is in memory that the program can write to, also by mistake; how it ended comes from the
 * kernel. */
static bool is_credible(const struct trace_result *result)
{
	int status = result->wait_status;
	switch ((enum heddle_outcome)result->outcome) {
	case HEDDLE_OUTCOME_NONE:
	case HEDDLE_OUTCOME_EXEC:
		return true;
	case HEDDLE_OUTCOME_EXIT:
		return WIFEXITED(status) && WEXITSTATUS(status) == (result->status & 255);
	case HEDDLE_OUTCOME_SIGNAL:
		return (WIFSIGNALED(status) && WTERMSIG(status) == result->status) ||
		       (WIFEXITED(status) && WEXITSTATUS(status) == 128 + result->status);
	case HEDDLE_OUTCOME_DEADLOCK:
	case HEDDLE_OUTCOME_LIVELOCK:
	case HEDDLE_OUTCOME_DIVERGED:
	case HEDDLE_OUTCOME_REFUSED:
	case HEDDLE_OUTCOME_HANG:
	case HEDDLE_OUTCOME_LOG_FAILED:
	case HEDDLE_OUTCOME_PREFIX:
	case HEDDLE_OUTCOME_UNANSWERED:
		return WIFEXITED(status) && WEXITSTATUS(status) == 3;
	}
	return false; /* the program has overwritten it */
}

/* Returns false when the program's report is impossible: then only the kernel's status counts. */
static bool check_result(struct trace_result *result)
{
	if (is_credible(result))
		return true;
	result->outcome = HEDDLE_OUTCOME_NONE;
	result->status = 0;
	return false;
}

void control_report(const struct control *self, struct buf *out)
{
	uint32_t used = self->channel->report_used;
	out->size = 0;
	buf_add(out, self->channel->report, used < HEDDLE_WATCH_ROOM ? used : HEDDLE_WATCH_ROOM);
}

int control_lend_log(const struct control *self, struct trace *trace, struct err *err)
{
	struct stat status;
	uint64_t out_bytes = self->channel->out_bytes;
	if (fstat(self->out_fd, &status) < 0 || out_bytes > (uint64_t)status.st_size)
		return err_set(err, EIO, "the log of the run is incomplete");
	uint32_t used = self->channel->log_used;
	trace->log_fd = self->out_fd;
	trace->log_bytes = out_bytes;
	trace->tail = self->channel->log;
	trace->tail_bytes = used < HEDDLE_LOG_ROOM ? used : HEDDLE_LOG_ROOM;
	return 0;
}

bool control_wait(struct control *self, double deadline)
{
	return keeper_poll(&self->keeper, deadline);
}

int control_finish(struct control *self, struct trace *trace, struct err *err)
{
	struct keeper_left left = { .count = 0 };
	if (!self->child)
		BUG("the end of a program that does not run is waited for");
	int wait_status = 0, code = launch_wait(self->child, &self->keeper, &wait_status, err);
	if (code < 0)
		return code;
	self->child = 0;
	if (keeper_end(&self->keeper, &left) == 0)
		keeper_add_left(&self->left, &left);
	take_result(self, &trace->result);
	trace->result.wait_status = wait_status;
	control_report(self, &trace->report);
	if (!check_result(&trace->result))
		buf_add_string(&trace->report,
			       "\n"
			       "note the outcome differs from what the program reported: it may have overwritten "
			       "memory of Heddle\n");
	if (self->channel->lost_keys)
		buf_add_string(&trace->report,
			       "\n"
			       "missed more races and memory errors were found than fit into the report of a run\n");
	if (self->out_fd < 0)
		return 0;
	code = control_lend_log(self, trace, err);
	if (code == 0)
		self->out_fd = -1;
	return code;
}

static int server_gone(struct control *self, struct err *err)
{
	int status = 0;
	if (self->child > 0 && keeper_wait(&self->keeper, &status) == 0)
		self->child = 0;
	if (!self->channel->is_started)
		err_set(err, ECHILD, "the program ended before it could be controlled (%s %d)",
			WIFSIGNALED(status) ? "signal" : "exit",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	else
		err_set(err, ECHILD, "the fork server has ended (%s %d)", WIFSIGNALED(status) ? "signal" : "exit",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	err_hint(err, "heddle run --stats -- PROG runs it once and reports more");
	return -ECHILD;
}

int control_request(struct control *self, const struct trace_request *request, uint32_t flags, struct err *err)
{
	struct heddle_channel *channel = self->channel;
	if (self->server_fd < 0)
		BUG("a schedule is asked of no server");
	set_request(channel, request, flags);
	channel->outcome = HEDDLE_OUTCOME_NONE;
	channel->status = channel->wait_status = 0;
	channel->log_error = 0;
	channel->thread_count = channel->process_count = 0;
	channel->event_count = channel->switch_count = channel->event_hash = 0;
	ssize_t put;
	do
		put = send(self->server_fd, "r", 1, MSG_NOSIGNAL);
	while (put < 0 && errno == EINTR);
	return put == 1 ? 0 : server_gone(self, err);
}

int control_answer(struct control *self, struct trace_result *result, struct err *err)
{
	char byte;
	ssize_t got;
	do
		got = read(self->server_fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		return server_gone(self, err);
	take_result(self, result);
	check_result(result);
	/* What is left of one schedule must not reach the next. */
	struct keeper_left left;
	if (self->channel->process_count && keeper_sweep(&self->keeper, &left) == 0)
		keeper_add_left(&self->left, &left);
	return 0;
}

void control_release(struct control *self)
{
	/* in_fd is the trace's. */
	const int owned[] = { self->channel_fd, self->out_fd, self->patches_fd, self->server_fd };
	keeper_release(&self->keeper);
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		if (owned[i] >= 0)
			close(owned[i]);
	if (self->channel)
		munmap(self->channel, sizeof *self->channel);
	control_init(self);
}

int control_not_started(const struct trace *trace, struct err *err)
{
	struct stat status;
	char *shown = text_terminal_copy(trace->program);
	const char *why = "the runtime was not loaded into it";
	int wait_status = trace->result.wait_status;
	if (stat(trace->program, &status) == 0 && status.st_mode & (S_ISUID | S_ISGID)) {
		why = "it changes its user or group (setuid), and the loader does not preload the runtime into "
		      "such programs";
		err_hint(err, "run a copy without the setuid bit");
	} else if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 127) {
		why = "it could not be loaded";
		err_hint(err, "see the message of the loader above: a library may be missing");
	} else {
		err_hint(err, "scripts work if their interpreter is dynamically linked; --free runs without control");
	}
	if (WIFSIGNALED(wait_status))
		err_set(err, ENOEXEC, "\"%s\" was not controlled: %s (it was killed by signal %d)", shown, why,
			WTERMSIG(wait_status));
	else
		err_set(err, ENOEXEC, "\"%s\" was not controlled: %s (its exit status is %d)", shown, why,
			WEXITSTATUS(wait_status));
	free(shown);
	return -ENOEXEC;
}
