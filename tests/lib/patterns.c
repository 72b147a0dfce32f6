/*
 * patterns.c: nine patterns of bugs of one variable: the eight that M. Zhang and others name in table 1 of "A Lightweight System for Detecting and
 * Tolerating Concurrency Bugs" (TSE 2016), and the ninth of those of Park and others (W-W|W). For atomicity violations, what is left of the bar should
 * not be interrupted by what is right of it; for order violations the first access should come first.
 *   patterns NAME [MICROSECONDS]    exits with 0 if the run was correct, with 1 if the bug occurred; with 2 ms or so it occurs in nearly each run
 * With -DTRACE, and trace.c compiled without Heddle, each run appends a line to the file "traces": "ok" or "failed", and its accesses in their order, each
 * as THREAD:LINE:VARIABLE:r or w:VALUE.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TRACE
void trace_note(int thread, int line, const char *variable, int is_write, long value);
void trace_end(int is_failed);
static __thread int thread_number;
#define READ(x) ({ long seen_ = (x); trace_note(thread_number, __LINE__, #x, 0, seen_); seen_; })
#define WRITE(x, value) do { (x) = (value); trace_note(thread_number, __LINE__, #x, 1, (x)); } while (0)
#else
#define trace_end(is_failed) ((void)0)
#define READ(x) (*(volatile __typeof__(x) *)&(x))
#define WRITE(x, value) (READ(x) = (value))
#endif

static int nap_us;
static int is_failed; /* of the threads, before they are joined */

static void nap(int times)
{
	if (nap_us && times)
		usleep((useconds_t)(nap_us * times));
}

/* R-R|W: tested, then used; another thread takes it away in between. */
static int session = 1;
static void *use_session(void *unused)
{
	if (READ(session)) {
		nap(2);
		if (!READ(session))
			is_failed = 1;
	}
	return unused;
}
static void *close_session(void *unused)
{
	nap(1);
	WRITE(session, 0);
	return unused;
}

/* W-R|W: stored to be read back; another thread stores in between. */
static int latest;
static void *load_script(void *unused)
{
	WRITE(latest, 1);
	nap(2);
	if (READ(latest) != 1)
		is_failed = 1;
	return unused;
}
static void *load_other(void *unused)
{
	nap(1);
	WRITE(latest, 2);
	return unused;
}

/* W-W|R: closed for a moment; another thread looks in between. */
static int log_open = 1;
static void *rotate(void *unused)
{
	WRITE(log_open, 0);
	nap(2);
	WRITE(log_open, 1);
	return unused;
}
static void *write_log(void *unused)
{
	nap(1);
	if (!READ(log_open))
		is_failed = 1;
	return unused;
}

/* R-W|R-W: an update is lost. */
static int total;
static void *add(void *is_late)
{
	nap(is_late ? 1 : 0);
	long seen = READ(total);
	nap(2);
	WRITE(total, (int)seen + 1);
	return is_late;
}

/* R-R-W|R-R-W: tested, used and cleared by both. */
static int buffer = 1, freed;
static void *free_buffer(void *is_late)
{
	nap(is_late ? 1 : 0);
	if (READ(buffer)) {
		long used = READ(buffer);
		nap(2);
		__atomic_fetch_add(&freed, used ? 1 : 2, __ATOMIC_RELAXED);
		WRITE(buffer, 0);
	}
	return is_late;
}

/* W-R: used before it is there. */
static int options;
static void *create_options(void *unused)
{
	nap(2);
	WRITE(options, 42);
	return unused;
}
static void *use_options(void *unused)
{
	if (READ(options) != 42)
		is_failed = 1;
	return unused;
}

/* R-W: torn down before its last use. */
static int queue = 1;
static void *drain_queue(void *unused)
{
	nap(2);
	if (!READ(queue))
		is_failed = 1;
	return unused;
}
static void *delete_queue(void *unused)
{
	WRITE(queue, 0);
	return unused;
}

/* W-W: the end is recorded before the beginning. */
static int state;
static void *begin_operation(void *unused)
{
	nap(2);
	WRITE(state, 1);
	return unused;
}
static void *end_operation(void *unused)
{
	WRITE(state, 2);
	return unused;
}
static int state_is_wrong(void) { return READ(state) != 2; }

/* W-W|W: what another thread stores between the two is lost. */
static int mode;
static void *open_mode(void *unused)
{
	WRITE(mode, 1);
	nap(2);
	WRITE(mode, 2);
	return unused;
}
static void *close_mode(void *unused)
{
	nap(1);
	WRITE(mode, 3);
	return unused;
}
static int mode_is_wrong(void) { return READ(mode) != 3; }

static int total_is_wrong(void) { return READ(total) != 2; }
static int freed_twice(void) { return freed != 1; }

static const struct pattern {
	const char *name;
	void *(*first)(void *), *(*second)(void *);
	int (*is_wrong)(void); /* null: the threads say it */
} patterns[] = {
	{ "R-R|W", use_session, close_session, NULL },
	{ "W-R|W", load_script, load_other, NULL },
	{ "W-W|R", rotate, write_log, NULL },
	{ "R-W|R-W", add, add, total_is_wrong },
	{ "R-R-W|R-R-W", free_buffer, free_buffer, freed_twice },
	{ "W-R", create_options, use_options, NULL },
	{ "R-W", drain_queue, delete_queue, NULL },
	{ "W-W", begin_operation, end_operation, state_is_wrong },
	{ "W-W|W", open_mode, close_mode, mode_is_wrong },
};

struct job {
	void *(*work)(void *);
	void *argument;
	int number;
};

static void *start(void *argument)
{
	const struct job *job = argument;
#ifdef TRACE
	thread_number = job->number;
#endif
	return job->work(job->argument);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	const struct pattern *chosen = NULL;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (argc > 1 && strcmp(argv[1], patterns[i].name) == 0)
			chosen = &patterns[i];
	if (!chosen)
		return 2;
	nap_us = argc > 2 ? atoi(argv[2]) : 0;
	struct job jobs[2] = { { chosen->first, NULL, 1 }, { chosen->second, &is_failed, 2 } };
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, start, &jobs[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	int failed = chosen->is_wrong ? chosen->is_wrong() : is_failed;
	trace_end(failed);
	return failed ? 1 : 0;
}
