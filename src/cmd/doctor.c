/*
 * doctor.c: heddle doctor: looks at what Heddle needs and uses on this system, and says for what is missing what that
 * costs. What it tries, it tries in processes and folders of its own; the run at the end leaves what
 * every run leaves in the cache.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cmd/doctor_priv.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"

static const char *json; /* where to; null: text */

static const char *const status_words[] = {
	[DOCTOR_OK] = "ok",           [DOCTOR_LIMITED] = "limited", [DOCTOR_UNUSED] = "unused",
	[DOCTOR_MISSING] = "missing", [DOCTOR_UNKNOWN] = "unknown",
};

void doctor_report(struct doctor *self, const char *name, enum doctor_status status, const char *cost, const char *hint,
		   const char *format, ...)
{
	va_list arguments;
	char *found = NULL;
	if (self->count == DOCTOR_CHECKS)
		BUG("too many checks");
	va_start(arguments, format);
	if (vasprintf(&found, format, arguments) < 0)
		found = mem_copy_string("out of memory");
	va_end(arguments);
	self->checks[self->count++] = (struct doctor_check){ name, status, found, cost, hint };
}

static size_t count_of(const struct doctor *self, enum doctor_status status)
{
	size_t count = 0;
	for (size_t i = 0; i < self->count; i++)
		count += self->checks[i].status == status;
	return count;
}

static void print_text(const struct doctor *self)
{
	for (size_t i = 0; i < self->count; i++) {
		const struct doctor_check *check = &self->checks[i];
		char *found = text_terminal_copy(check->found);
		printf("%-8s %-12s %s", status_words[check->status], check->name, found);
		if (check->cost)
			printf(": %s", check->cost);
		if (check->hint)
			printf(" (%s)", check->hint);
		putchar('\n');
		free(found);
	}
	size_t missing = count_of(self, DOCTOR_MISSING), unknown = count_of(self, DOCTOR_UNKNOWN);
	if (missing)
		printf("missing: %zu of the things that Heddle needs\n", missing);
	else if (unknown)
		printf("unknown: %zu could not be checked\n", unknown);
	else
		puts("everything that Heddle needs is available");
}

static void print_json(const struct doctor *self)
{
	struct buf text = { 0 };
	struct json_writer writer, *out = &writer;
	json_begin_report(out, &text);
	json_add_string(out, "version", HEDDLE_VERSION);
	json_add_bool(out, "is_ready", count_of(self, DOCTOR_MISSING) + count_of(self, DOCTOR_UNKNOWN) == 0);
	json_open_array(out, "checks");
	for (size_t i = 0; i < self->count; i++) {
		const struct doctor_check *check = &self->checks[i];
		json_open_object(out, NULL);
		json_add_string(out, "name", check->name);
		json_add_string(out, "status", status_words[check->status]);
		json_add_string(out, "found", check->found);
		json_add_string(out, "cost", check->cost);
		json_add_string(out, "hint", check->hint);
		json_close_object(out);
	}
	json_close_array(out);
	json_end_file(out);
	fwrite(text.data, 1, text.size, stdout);
	buf_release(&text);
}

static int doctor_main(char **operands, size_t count)
{
	struct doctor self = { .count = 0 };
	struct err err = ERR_INIT;
	(void)operands;
	(void)count;
	if (outputs_redirect(json, &err) < 0) {
		err_print(&err, "heddle");
		return EXIT_CANNOT;
	}
	if (doctor_proc(&self)) {
		doctor_kernel(&self);
		doctor_places(&self);
		doctor_parts(&self);
	}
	if (json)
		print_json(&self);
	else
		print_text(&self);
	int status = count_of(&self, DOCTOR_MISSING)   ? EXIT_FINDINGS
		     : count_of(&self, DOCTOR_UNKNOWN) ? EXIT_CANNOT
						       : EXIT_FOUND_NOTHING;
	for (size_t i = 0; i < self.count; i++)
		free(self.checks[i].found);
	free(self.folder);
	return status;
}

static const struct opt options[] = {
	{ "json", "FILE", "print JSON instead of text (without FILE, or -: to standard output)", OPT_OUTPUT, &json },
	OPT_END,
};

const struct command command_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "check whether this system has everything that Heddle needs",
	.details = "Prints one line for each check. ok: available. limited: Heddle works, but not as well as it "
		   "could. missing: some\n"
		   "command does not work. unused: no command uses it yet. unknown: the check could not be performed. "
		   "The last checks\n"
		   "build a small program with heddle-cc and run it under control. Temporary files are created in the "
		   "current\n"
		   "directory, where heddle test keeps its findings, and in TMPDIR.\n\n"
		   "Exit status: 0 everything needed is available, 1 something is missing, 2 usage error, 3 a check "
		   "could not be\n"
		   "performed.",
	.options = options,
	.operands_min = 0,
	.operands_max = 0,
	.run = doctor_main,
};
