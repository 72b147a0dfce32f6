/*
 * main.c: heddle-analyse, the part of `heddle check` that loads LLVM. Called by heddle only:
 *   heddle-analyse [--progress] [--memory MB] [--allocator NAME[,N]]... [--explain A B | --dump] [--] PROGRAM [LIBRARY...]
 * Prints one JSON document (output.h), or with --dump the program as the analyses see it. Progress goes to standard error
 * as lines "progress PERMILLE PHASE". When it runs out of memory it prints what it knows, with the reason, and exits
 * with 3.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "analysis/explain.h"
#include "analysis/lower/lower.h"
#include "analysis/output.h"
#include "analysis/program/dump.h"
#include "base/mem.h"
#include "base/time.h"
#include "heddle/abi.h"
#include "ir/program.h"

/* What is kept for telling what is known when nothing else is left. */
enum { RESERVE_BYTES = 32 << 20 };

enum phase { PHASE_READ, PHASE_LOWER, PHASE_POINTS, PHASE_FLOW, PHASE_RACES, PHASE_COUNT };

static const struct {
	const char *name;
	unsigned first_permille; /* about how much of the time has gone when it begins */
} phases[PHASE_COUNT + 1] = {
	[PHASE_READ] = { "reading", 0 },       [PHASE_LOWER] = { "reading", 10 },
	[PHASE_POINTS] = { "points-to", 300 }, [PHASE_FLOW] = { "threads and locks", 600 },
	[PHASE_RACES] = { "candidates", 900 }, [PHASE_COUNT] = { "reporting", 1000 },
};

struct analysis {
	bool has_progress, is_dump;
	uint64_t memory_mb;
	const char *explain[2];
	struct strings allocators;
	struct output_program *programs;
	struct unit **units; /* of each program */
	struct lower_input *inputs;
	size_t input_count;
	struct output_phase done[PHASE_COUNT];
	struct output_header about;
	struct output_parts parts;
	enum phase phase;
	double phase_began;
	void *reserve;
};

static void print_progress(struct analysis *self, unsigned permille)
{
	static unsigned last = ~0u;
	unsigned first = phases[self->phase].first_permille, next = phases[self->phase + 1].first_permille;
	unsigned all = first + (next - first) * permille / 1000;
	if (self->has_progress && all != last)
		fprintf(stderr, "progress %u %s\n", all, phases[self->phase].name);
	last = all;
}

static void on_progress(void *context, unsigned permille)
{
	print_progress(context, permille);
}

static void on_unit(void *context, size_t done, size_t count)
{
	print_progress(context, (unsigned)(done * 1000 / count));
}

static void begin_phase(struct analysis *self, enum phase phase)
{
	self->phase = phase;
	self->phase_began = time_now_seconds();
	print_progress(self, 0);
}

static void end_phase(struct analysis *self)
{
	self->done[self->about.phase_count++] =
		(struct output_phase){ .name = phases[self->phase].name,
				       .seconds = time_now_seconds() - self->phase_began };
}

static void note_peak(struct analysis *self)
{
	struct rusage usage;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		self->about.peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

/* ---- when memory ends ---- */

static struct analysis *running;

static void last_words(void)
{
	free(running->reserve);
	running->reserve = NULL;
	running->about.stopped = "out of memory";
	note_peak(running);
	if (running->parts.whole && !running->is_dump && !running->explain[0])
		output_write(stdout, &running->about, &running->parts);
	fflush(stdout);
}

/* LLVM ends the process when it gets no memory. */
static void on_abort(int signal_number)
{
	static const char text[] = "heddle-analyse: error: LLVM failed, probably because memory ran out\n";
	(void)signal_number;
	ssize_t written = write(2, text, sizeof text - 1);
	(void)written;
	_exit(EXIT_CANNOT);
}

/* What is mapped already: LLVM, which is not the program's fault. */
static rlim_t mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;
	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(struct analysis *self)
{
	struct rlimit limit = { .rlim_max = RLIM_INFINITY };
	running = self;
	self->reserve = mem_alloc(RESERVE_BYTES);
	memset(self->reserve, 1, RESERVE_BYTES);
	mem_on_exhaustion(last_words);
	if (!self->memory_mb)
		return;
	signal(SIGABRT, on_abort);
	limit.rlim_cur = mapped_bytes() + ((rlim_t)self->memory_mb << 20);
	setrlimit(RLIMIT_AS, &limit);
}

/* ---- the phases ---- */

static int read_program(struct analysis *self, size_t number, const char *path, struct err *err)
{
	size_t count = 0;
	bool is_shared = false;
	int code = program_units(path, &self->units[number], &count, &is_shared, err);
	self->programs[number].path = path;
	if (!code && !count) {
		err_hint(err, "build it with heddle-cc and do not strip it: debug sections contain the code to "
			      "analyse");
		code = err_set(err, ENOENT, "there is nothing to analyse in \"%s\"", path);
	}
	if (code)
		return code;
	program_build_id(self->units[number], count, is_shared, self->programs[number].build);
	self->programs[number].unit_count = (uint32_t)count;
	self->inputs = mem_resize(self->inputs, (self->input_count + count) * sizeof *self->inputs);
	for (size_t i = 0; i < count; i++)
		self->inputs[self->input_count++] =
			(struct lower_input){ .unit = &self->units[number][i], .is_shared = is_shared };
	return 0;
}

static int analyse(struct analysis *self, struct err *err)
{
	struct whole *whole = NULL;
	struct points *points = NULL;
	struct flow *flow = NULL;
	begin_phase(self, PHASE_LOWER);
	int code = lower_units(self->inputs, self->input_count, on_unit, self, &whole, err);
	if (code)
		return code;
	end_phase(self);
	self->parts.whole = whole;
	for (size_t i = 0; i < self->allocators.count; i++)
		if (!whole_set_allocator(whole, self->allocators.items[i])) {
			err_hint(err, "write NAME, or NAME,N if argument N is the size; C++ names must be mangled");
			return err_set(err, EINVAL, "the program has no function \"%s\" to use as an allocator",
				       self->allocators.items[i]);
		}
	if (self->is_dump)
		return 0;
	begin_phase(self, PHASE_POINTS);
	struct points_options points_options = { .progress = on_progress, .progress_context = self };
	code = points_solve(whole, &points_options, &points, err);
	if (code)
		return code;
	end_phase(self);
	self->parts.points = points;
	begin_phase(self, PHASE_FLOW);
	struct flow_options flow_options = { .progress = on_progress, .progress_context = self };
	code = flow_solve(whole, points, &flow_options, &flow, err);
	if (code)
		return code;
	end_phase(self);
	self->parts.flow = flow;
	begin_phase(self, PHASE_RACES);
	self->parts.races = races_find(whole, points, flow);
	self->parts.orders = orders_find(flow);
	end_phase(self);
	return 0;
}

static void print(struct analysis *self)
{
	note_peak(self);
	if (self->is_dump)
		dump_whole(self->parts.whole, stdout);
	else if (self->explain[0])
		explain_all(stdout, &self->about, &self->parts, self->explain[0], self->explain[1]);
	else
		output_write(stdout, &self->about, &self->parts);
}

static int run(struct analysis *self, char **paths, size_t count, struct err *err)
{
	self->programs = mem_alloc((count + 1) * sizeof *self->programs);
	self->units = mem_alloc((count + 1) * sizeof(struct unit *));
	self->about =
		(struct output_header){ .programs = self->programs, .program_count = count, .phases = self->done };
	begin_phase(self, PHASE_READ);
	for (size_t i = 0; i < count; i++) {
		int code = read_program(self, i, paths[i], err);
		if (code)
			return code;
	}
	int code = analyse(self, err);
	if (!code)
		print(self);
	return code;
}

static int parse(struct analysis *self, int argc, char **argv)
{
	int at = 1;
	for (; at < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "--") == 0)
			return at + 1;
		if (strcmp(argv[at], "--progress") == 0) {
			self->has_progress = true;
		} else if (strcmp(argv[at], "--dump") == 0) {
			self->is_dump = true;
		} else if (strcmp(argv[at], "--memory") == 0 && at + 1 < argc) {
			self->memory_mb = strtoull(argv[++at], NULL, 10);
		} else if (strcmp(argv[at], "--allocator") == 0 && at + 1 < argc) {
			strings_add(&self->allocators, argv[++at]);
		} else if (strcmp(argv[at], "--explain") == 0 && at + 2 < argc) {
			self->explain[0] = argv[++at];
			self->explain[1] = argv[++at];
		} else {
			return argc;
		}
	}
	return at;
}

int main(int argc, char **argv)
{
	struct analysis self = { 0 };
	struct err err = ERR_INIT;
	int first = parse(&self, argc, argv);
	if (first >= argc) {
		fputs("heddle-analyse is part of heddle check and is run by it\n", stderr);
		return EXIT_USAGE;
	}
	limit_memory(&self);
	int code = self.explain[0] ? explain_check(self.explain[0], self.explain[1], &err) : 0;
	if (!code)
		code = run(&self, argv + first, (size_t)(argc - first), &err);
	if (code)
		err_print(&err, "heddle");
	/* What it has goes back to the system with the process. */
	return code ? EXIT_CANNOT : fflush(stdout) == 0 ? 0 : EXIT_CANNOT;
}
