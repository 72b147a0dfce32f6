/*
 * run.c: runs heddle-analyse, the part of heddle check that loads LLVM. Its standard output is the result; on
 * standard error it reports its progress (lines "progress PERMILLE PHASE"), and why it failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/time.h"
#include "candidates/candidates.h"

#define PROGRESS_SECONDS 2.0
#define BAR_WIDTH 30

struct running {
	struct buf *out, *messages;
	struct buf line; /* of standard error that has not ended */
	double began;
	bool is_shown, is_line_open;
};

static void clear_progress(struct running *self)
{
	if (self->is_line_open)
		fputs("\r\033[K", stderr);
	self->is_line_open = false;
}

static void show_progress(struct running *self, const char *text)
{
	char *phase;
	unsigned long permille = strtoul(text, &phase, 10);
	if (!self->is_shown || time_now_seconds() - self->began < PROGRESS_SECONDS || permille > 1000)
		return;
	struct buf clean = { 0 };
	text_terminal(&clean, phase + strspn(phase, " "));
	int filled = (int)(permille * BAR_WIDTH / 1000);
	fprintf(stderr, "\r\033[K[%.*s%*s] %3lu %% %.40s", filled, "##############################", BAR_WIDTH - filled,
		"", permille / 10, clean.data ? clean.data : "");
	fflush(stderr);
	self->is_line_open = true;
	buf_release(&clean);
}

static void take_line(struct running *self)
{
	static const char word[] = "progress ";
	if (self->line.size && strncmp(self->line.data, word, sizeof word - 1) == 0)
		show_progress(self, self->line.data + sizeof word - 1);
	else if (self->line.size)
		buf_format(self->messages, "%s\n", self->line.data);
	self->line.size = 0;
}

static void take_errors(struct running *self, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			take_line(self);
		else
			buf_add(&self->line, &bytes[i], 1);
	}
}

/* Until both are closed. */
static void read_both(struct running *self, int out, int errors)
{
	struct pollfd ends[2] = { { .fd = out, .events = POLLIN }, { .fd = errors, .events = POLLIN } };
	char chunk[8192];
	while (ends[0].fd >= 0 || ends[1].fd >= 0) {
		if (poll(ends, 2, -1) < 0 && errno != EINTR)
			break;
		for (size_t i = 0; i < 2; i++) {
			if (ends[i].fd < 0 || !ends[i].revents)
				continue;
			ssize_t got = read(ends[i].fd, chunk, sizeof chunk);
			if (got > 0 && i == 0)
				buf_add(self->out, chunk, (size_t)got);
			else if (got > 0)
				take_errors(self, chunk, (size_t)got);
			else if (got == 0 || errno != EINTR)
				ends[i].fd = -1;
		}
	}
	take_line(self);
}

/* Returns the wait status, or a negative errno with err set. */
static int run(struct running *self, char *const argv[], struct err *err)
{
	int out[2], errors[2], status;
	if (pipe2(out, O_CLOEXEC) < 0)
		return err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	if (pipe2(errors, O_CLOEXEC) < 0) {
		int code = errno;
		close(out[0]);
		close(out[1]);
		return err_set(err, code, "cannot create a pipe: %s", strerror(code));
	}
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		/* When the parent is gone, the analysis should not go on for minutes. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent || dup2(out[1], 1) < 0 || dup2(errors[1], 2) < 0)
			_exit(126);
		execv(argv[0], argv);
		_exit(127);
	}
	int code = child < 0 ? err_set(err, errno, "cannot create a process: %s", strerror(errno)) : 0;
	close(out[1]);
	close(errors[1]);
	if (code == 0)
		read_both(self, out[0], errors[0]);
	close(out[0]);
	close(errors[0]);
	while (code == 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			code = err_set(err, errno, "cannot wait for \"%s\": %s", argv[0], strerror(errno));
	return code < 0 ? code : status;
}

/* All available memory except a tenth: the analysis must end by itself and not be killed by the kernel. 0: not
 * known. */
static uint64_t available_mb(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[256];
	uint64_t kib = 0;
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib / 1024 * 9 / 10;
}

static int judge(int status, const struct running *self, struct err *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !self->messages->size) {
		err_hint(err, "make builds it; make install puts it next to heddle-weave");
		return err_set(err, ENOENT, "cannot run heddle-analyse, which should be in lib/heddle");
	}
	if (WIFSIGNALED(status)) {
		if (WTERMSIG(status) == SIGKILL)
			err_hint(err, "memory probably ran out; with --memory MB it stops by itself");
		else if (WTERMSIG(status) == SIGABRT)
			err_hint(err, "if memory ran out, --memory MB allows more; otherwise the program may be "
				      "damaged: rebuild it");
		else if (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS || WTERMSIG(status) == SIGILL)
			err_hint(err, "the program may be damaged: rebuild it; if that does not help, please "
				      "report this");
		return err_set(err, EIO, "heddle-analyse was killed by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	}
	if (WEXITSTATUS(status) == 0)
		return 0;
	if (!self->messages->size)
		return err_set(err, EIO, "heddle-analyse exited with status %d and no message", WEXITSTATUS(status));
	return EXIT_CANNOT;
}

int static_run(const struct analysis *self, const struct static_options *options, char *const explain[2],
	       struct buf *out, struct buf *messages, struct err *err)
{
	struct running running = { .out = out, .messages = messages, .began = time_now_seconds() };
	struct strings argv = { 0 };
	char *program = proc_own_file("heddle-analyse");
	uint64_t memory_mb = options->memory_mb ? options->memory_mb : available_mb();
	running.is_shown = !options->is_quiet && isatty(2);
	strings_add(&argv, program);
	strings_add(&argv, "--progress");
	if (memory_mb) {
		char *number = mem_format("%" PRIu64, memory_mb);
		strings_add(&argv, "--memory");
		strings_add(&argv, number);
		free(number);
	}
	if (explain) {
		strings_add(&argv, "--explain");
		strings_add(&argv, explain[0]);
		strings_add(&argv, explain[1]);
	}
	for (size_t i = 0; i < options->allocators.count; i++) {
		strings_add(&argv, "--allocator");
		strings_add(&argv, options->allocators.items[i]);
	}
	strings_add(&argv, "--");
	for (size_t i = 0; i < self->program_count; i++)
		strings_add(&argv, self->paths[i]);
	int code = run(&running, argv.items, err);
	clear_progress(&running);
	if (code >= 0)
		code = judge(code, &running, err);
	strings_release(&argv);
	buf_release(&running.line);
	free(program);
	return code;
}
