/*
 * calls_test.c: does world/calls know all the memory that the kernel writes? Each case prepares a system call whose
 * pointers all lead into one arena, makes it for real, and records it with call_outputs; then it puts the arena back as
 * it was before the call, replays the record with call_outputs, and compares the arena with what the kernel left. It is
 * done twice over different patterns, so no written byte can hide behind an equal one. What is recorded must lie in the
 * rooms that the case gave to the call: their neighbours belong to somebody else.
 *
 * Prints a line for each case: "ok NAME", "skip NAME: why" or "not ok NAME: why". With --names it prints the table,
 * with --classes it checks whom some calls are left to.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls_test.h"
#include "rt/sys.h"

#define ARENA_SIZE (128u << 10)
#define ROOMS_MAX 64
#define PIECES_MAX 256
#define GAP 64

struct piece {
	unsigned char *at;
	size_t size;
	size_t offset; /* in the log */
};

struct trial {
	long number;
	uint64_t arguments[6];
	long expected_error; /* 0: the call must succeed */
	struct piece rooms[ROOMS_MAX];
	size_t room_count;
	size_t used;
	struct piece pieces[PIECES_MAX];
	size_t piece_count, log_size;
	size_t replayed_count;
	char why[200];
};

static unsigned char *arena;
static unsigned char before[ARENA_SIZE], after[ARENA_SIZE], bytes[2 * ARENA_SIZE];

static void fault(struct trial *trial, const char *format, ...)
{
	if (trial->why[0])
		return;
	va_list list;
	va_start(list, format);
	vsnprintf(trial->why, sizeof trial->why, format, list);
	va_end(list);
}

void *room(struct trial *trial, size_t size)
{
	if (trial->room_count == ROOMS_MAX || trial->used + size + 2 * GAP > ARENA_SIZE)
		abort();
	unsigned char *at = arena + trial->used + GAP;
	trial->used += (size + GAP + 15) & ~15ul;
	trial->rooms[trial->room_count++] = (struct piece){ at, size, 0 };
	return at;
}

void *room_with(struct trial *trial, const void *from, size_t size)
{
	return memcpy(room(trial, size), from, size);
}

void call(struct trial *trial, long number, ...)
{
	trial->number = number;
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		trial->arguments[i] = va_arg(list, uint64_t);
	va_end(list);
}

void must_fail(struct trial *trial, int error)
{
	trial->expected_error = -error;
}

void stay(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static const struct piece *room_around(const struct trial *trial, const unsigned char *at, size_t size)
{
	for (size_t i = 0; i < trial->room_count; i++) {
		const struct piece *this = &trial->rooms[i];
		if (at >= this->at && at + size <= this->at + this->size)
			return this;
	}
	return NULL;
}

static void record(void *data, void *at, size_t size)
{
	struct trial *trial = data;
	if (!room_around(trial, at, size)) {
		fault(trial, "piece %zu, %zu bytes, is not in a room of the caller's", trial->piece_count, size);
		return;
	}
	if (trial->piece_count == PIECES_MAX || trial->log_size + size > sizeof bytes) {
		fault(trial, "too many pieces");
		return;
	}
	trial->pieces[trial->piece_count++] = (struct piece){ at, size, trial->log_size };
	memcpy(bytes + trial->log_size, at, size);
	trial->log_size += size;
}

static void replay(void *data, void *at, size_t size)
{
	struct trial *trial = data;
	if (trial->replayed_count == trial->piece_count) {
		fault(trial, "the replay has more pieces");
		return;
	}
	const struct piece *piece = &trial->pieces[trial->replayed_count++];
	if (at != piece->at || size != piece->size) {
		fault(trial, "piece %zu is another one in the replay: %zu bytes, not %zu", trial->replayed_count - 1,
		      size, piece->size);
		return;
	}
	memcpy(at, bytes + piece->offset, size);
}

static void compare(struct trial *trial)
{
	for (size_t i = 0; i < ARENA_SIZE; i++) {
		if (arena[i] == after[i])
			continue;
		for (size_t r = 0; r < trial->room_count; r++) {
			size_t from = (size_t)(trial->rooms[r].at - arena);
			if (i >= from && i < from + trial->rooms[r].size)
				fault(trial, "the kernel wrote byte %zu of room %zu (of %zu bytes)", i - from, r,
				      trial->rooms[r].size);
		}
		fault(trial, "the kernel wrote outside of all rooms");
		return;
	}
}

/* Exits with 0: good; 1: bad; 2: the call is not possible here. Says why on the descriptor. */
static void run(const struct test_case *test, int pattern, int out_fd)
{
	static struct trial trial;
	struct call_lengths lengths;

	memset(arena, pattern, ARENA_SIZE);
	test->prepare(&trial);
	if (trial.number < 0) {
		fault(&trial, "it cannot be prepared here (errno %d)", errno);
		goto skip;
	}
	const uint64_t *a = trial.arguments;
	if (!call_is_known(trial.number, a))
		fault(&trial, "the call is refused: %s", call_why_not(trial.number, a));
	memset(&lengths, 0x77, sizeof lengths);
	call_lengths(trial.number, a, &lengths);
	memcpy(before, arena, ARENA_SIZE);
	long result = sys_call(trial.number, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], (long)a[5]);
	memcpy(after, arena, ARENA_SIZE);
	if (trial.expected_error ? result != trial.expected_error : sys_failed(result)) {
		fault(&trial, "result %ld", result);
		if (result == -ENOSYS || result == -EPERM || result == -EOPNOTSUPP || result == -EACCES ||
		    test->may_fail)
			goto skip;
	}
	call_outputs(trial.number, a, result, &lengths, record, &trial);

	memcpy(arena, before, ARENA_SIZE);
	memset(&lengths, 0x88, sizeof lengths);
	call_lengths(trial.number, a, &lengths);
	call_outputs(trial.number, a, result, &lengths, replay, &trial);
	if (trial.replayed_count != trial.piece_count)
		fault(&trial, "the replay has fewer pieces");
	compare(&trial);
	/* A case of a call that succeeds must have something to say, or it tests nothing. */
	if (!trial.piece_count && !trial.expected_error && !test->is_silent)
		fault(&trial, "nothing was written");
	if (trial.piece_count && test->is_silent)
		fault(&trial, "%zu pieces of a call that writes nothing", trial.piece_count);
	sys_write(out_fd, trial.why, strlen(trial.why));
	_exit(trial.why[0] != 0);
skip:
	sys_write(out_fd, trial.why, strlen(trial.why));
	_exit(2);
}

/* In a process of its own, which may crash or hang. */
static int run_apart(const struct test_case *test, int pattern, char why[200])
{
	int out_fd[2], status;
	if (pipe(out_fd))
		abort();
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(20);
		run(test, pattern, out_fd[1]);
	}
	waitpid(child, &status, 0);
	/* Children of the case may have the pipe still: its end does not say that the case has ended. */
	write(out_fd[1], "", 1);
	ssize_t size = read(out_fd[0], why, 199);
	why[size > 0 ? size : 0] = 0;
	close(out_fd[0]);
	close(out_fd[1]);
	if (WIFSIGNALED(status)) {
		snprintf(why, 200, "signal %d", WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status);
}

static void print_names(void)
{
	for (long number = -1; number < 600; number++)
		if (call_name(number)[0] != 'u' || strcmp(call_name(number), "unknown"))
			printf("%ld %s\n", number, call_name(number));
}

static const struct {
	long number;
	uint64_t arguments[6];
	enum call_class class;
} classes[] = {
	{ SYS_futex, { 0 }, CALL_WORLD },
	{ SYS_clone3, { 0 }, CALL_WORLD },
	{ SYS_mmap, { 0 }, CALL_WORLD },
	{ SYS_munmap, { 0 }, CALL_LOCAL },
	{ SYS_read, { 0 }, CALL_OUTSIDE },
	{ SYS_io_uring_setup, { 0 }, CALL_DECLINED },
	{ -1, { 0 }, CALL_DECLINED },
	{ 400, { 0 }, CALL_DECLINED },
	{ 100000, { 0 }, CALL_DECLINED },
	{ 0x40000000, { 0 }, CALL_DECLINED },
	{ SYS_prctl, { PR_SET_NAME }, CALL_WORLD },
	{ SYS_prctl, { PR_SET_NO_NEW_PRIVS }, CALL_OUTSIDE },
	{ SYS_prctl, { PR_SET_VMA }, CALL_LOCAL },
	{ SYS_prctl, { PR_SET_SECCOMP }, CALL_DECLINED },
	{ SYS_prctl, { 12345 }, CALL_DECLINED },
	{ SYS_arch_prctl, { ARCH_SET_FS }, CALL_WORLD },
	{ SYS_arch_prctl, { 0x5001 }, CALL_DECLINED },
	{ SYS_fcntl, { 0, F_SETLKW }, CALL_OUTSIDE },
	{ SYS_fcntl, { 0, F_DUPFD_CLOEXEC }, CALL_OUTSIDE },
	{ SYS_fcntl, { 0, 77 }, CALL_DECLINED },
	{ SYS_ioctl, { 0, TCGETS }, CALL_OUTSIDE },
	{ SYS_ioctl, { 0, _IOR('p', 9, int) }, CALL_OUTSIDE },
	{ SYS_ioctl, { 0, 0x8946 /* SIOCETHTOOL */ }, CALL_DECLINED },
	{ SYS_ioctl, { 0, 0x2285 /* SG_IO */ }, CALL_DECLINED },
	{ SYS_ioctl, { 0, _IOWR('d', 0, long) }, CALL_DECLINED },
	{ SYS_ioctl, { 0, _IOWR(0xaa, 0x3f, long) }, CALL_DECLINED },
	{ SYS_semctl, { 0, 0, GETVAL }, CALL_OUTSIDE },
	{ SYS_semctl, { 0, 0, GETALL }, CALL_REFUSED },
	{ SYS_seccomp, { 1 }, CALL_DECLINED },
	{ SYS_seccomp, { 3 }, CALL_OUTSIDE },
	{ SYS_shmat, { 0 }, CALL_REFUSED },
	{ SYS_prctl, { PR_SET_TSC }, CALL_REFUSED },
};

static const struct {
	long number;
	uint64_t arguments[6];
	unsigned flags;
} flags[] = {
	{ SYS_read, { 0 }, CALL_BLOCKS_READ | CALL_MAY_WAKE },
	{ SYS_recvfrom, { 0, 0, 0, MSG_DONTWAIT }, CALL_MAY_WAKE },
	{ SYS_sendmsg, { 0, 0, MSG_DONTWAIT }, CALL_MAY_WAKE | CALL_WRITES_OUTPUT },
	{ SYS_fcntl, { 0, F_GETFL }, CALL_MAY_WAKE },
	{ SYS_fcntl, { 0, F_SETLKW }, CALL_MAY_WAKE | CALL_BLOCKS_OTHER },
	{ SYS_fcntl, { 0, F_DUPFD }, CALL_MAY_WAKE | CALL_OPENS },
	{ SYS_wait4, { 0, 0, 0 }, CALL_BLOCKS_OTHER },
	{ SYS_wait4, { 0, 0, WNOHANG }, 0 },
	{ SYS_openat, { 0, 0, O_NONBLOCK }, CALL_OPENS | CALL_MAY_WAKE },
	{ SYS_uname, { 0 }, 0 },
};

static void check_classes(void)
{
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		printf("%s flags %zu\n",
		       call_flags_of(flags[i].number, flags[i].arguments) == flags[i].flags ? "ok" : "not ok", i);
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		long number = classes[i].number;
		const uint64_t *arguments = classes[i].arguments;
		bool is_declined = classes[i].class == CALL_DECLINED, is_refused = classes[i].class == CALL_REFUSED;
		bool is_good = call_class_of(number, arguments) == classes[i].class &&
			       call_is_known(number, arguments) == !(is_declined || is_refused) &&
			       (call_why_not(number, arguments) != NULL) == (is_declined || is_refused) &&
			       (call_error_of(number, arguments) != 0) == is_declined;
		printf("%s line %zu: %s\n", is_good ? "ok" : "not ok", i, call_name(number));
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--classes")) {
		check_classes();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--names")) {
		print_names();
		return 0;
	}
	arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		return 3;
	const struct test_case *lists[] = { file_cases, socket_cases, other_cases };
	for (size_t list = 0; list < 3; list++)
		for (const struct test_case *test = lists[list]; test->name; test++) {
			char why[200], first[200];
			if (argc > 1 && strcmp(argv[1], test->name))
				continue;
			int result = run_apart(test, 0xa5, first);
			int second = result == 1 ? 0 : run_apart(test, 0x5a, why);
			if (result == 1 || second == 1)
				printf("not ok %s: %s\n", test->name, result == 1 ? first : why);
			else if (result == 2)
				printf("skip %s: %s\n", test->name, first);
			else
				printf("ok %s\n", test->name);
		}
	return 0;
}
