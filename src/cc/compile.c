/*
 * compile.c: one compile job as three steps.
 *  1. clang -cc1 to optimised bitcode. All diagnostics, dependency files and the like come from here. Debug
 *     information is always made, since sites are named by it.
 *  2. heddle-weave prepare: entries, aliases, the unit (ir/prepare.h). Strips debug information the user did not ask for.
 *  3. clang -cc1 again, from the bitcode, code generation only.
 * The code generator can locate the errors that only it detects, such as those in inline assembly, in the source only
 * when clang compiles in one go. So when step 3 prints anything, the original job is run once more, and the output of
 * that run is shown instead of that of steps 1 and 3.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/word.h"
#include "cc/driver.h"

/* clang's driver passes -ffile-prefix-map to -cc1 in the same way. */
#define DEBUG_PREFIX_MAP "-fdebug-prefix-map="

static bool is_cc1(const struct job *job)
{
	return job->argv.count > 2 && strcmp(job->argv.items[1], "-cc1") == 0;
}

static bool is_woven_language(const char *language)
{
	static const char *const names[] = { "c", "c++", "cpp-output", "c++-cpp-output", "ir", NULL };
	return word_is_among(language, names);
}

static bool is_woven_target(const char *triple)
{
	return triple && strncmp(triple, "x86_64-", 7) == 0 && strstr(triple, "linux") && !strstr(triple, "x32");
}

bool compile_is(const struct job *job)
{
	/* Emulated thread-local storage is a choice of the code generator that llvm-c cannot make for clones. */
	return is_cc1(job) && !strings_has(&job->argv, "-femulated-tls") &&
	       (strings_has(&job->argv, "-emit-obj") || strings_has(&job->argv, "-S")) &&
	       !strings_has(&job->argv, "-emit-llvm") && is_woven_target(job_value(job, "-triple", NULL)) &&
	       is_woven_language(job_value(job, "-x", NULL)) && job_value(job, "-o", NULL);
}

static bool has_debug(const struct job *job)
{
	for (size_t i = 0; i < job->argv.count; i++)
		if (strncmp(job->argv.items[i], "-debug-info-kind=", 17) == 0)
			return true;
	return false;
}

/* clang's driver expresses -fno-semantic-interposition by passing neither of these. */
static bool is_closed(const struct job *job)
{
	return job_value(job, "-pic-level", NULL) && !strings_has(&job->argv, "-pic-is-pie") &&
	       !strings_has(&job->argv, "-fsemantic-interposition") &&
	       !strings_has(&job->argv, "-fhalf-no-semantic-interposition");
}

static const char *opt_level(const struct job *job)
{
	const char *level = "0";
	for (size_t i = 0; i < job->argv.count; i++) {
		const char *arg = job->argv.items[i];
		if (strncmp(arg, "-O", 2) == 0 && arg[2] && !arg[3])
			level = arg[2] == 's' || arg[2] == 'z' ? "2" : arg[2] > '3' ? "3" : arg + 2;
	}
	return level;
}

static void replace(struct strings *argv, const char *old, const char *new)
{
	for (size_t i = 0; i < argv->count; i++)
		if (strcmp(argv->items[i], old) == 0)
			strings_set(argv, i, new);
}

static void set_output(struct strings *argv, const char *output)
{
	size_t at = 0;
	struct job job = { *argv };
	if (!job_value(&job, "-o", &at))
		BUG("a compile job without -o");
	strings_set(argv, at, output);
}

/* Step 1's arguments: bitcode instead of the object. -emit-llvm-uselists keeps the order of uses, on which the code
 * generator's output depends in places. */
static void to_bitcode(struct strings *argv, const struct job *job, const char *output)
{
	strings_copy(argv, &job->argv);
	replace(argv, "-emit-obj", "-emit-llvm-bc");
	replace(argv, "-S", "-emit-llvm-bc");
	set_output(argv, output);
	strings_insert(argv, 2, "-emit-llvm-uselists");
	if (has_debug(job))
		return;
	strings_insert(argv, 2, "-debug-info-kind=constructor");
	strings_insert(argv, 3, "-dwarf-version=5");
	strings_insert(argv, 4, "-debugger-tuning=gdb");
}

/* Step 3's arguments: what step 1 has written already must not be written again. */
static void from_bitcode(struct strings *argv, const struct job *job, const char *input)
{
	static const char *const with_value[] = { "-dependency-file",
						  "-MT",
						  "-MQ",
						  "-header-include-file",
						  "-serialize-diagnostic-file",
						  "-diagnostic-log-file",
						  "-dwarf-debug-flags",
						  "-opt-record-file",
						  NULL };
	static const char *const alone[] = { "-MP", "-MV", "-MG", "-sys-header-deps", "-module-file-deps", "-H", NULL };
	size_t language = 0;
	job_value(job, "-x", &language);
	for (size_t i = 0; i < job->argv.count; i++) {
		const char *arg = job->argv.items[i];
		if (word_is_among(arg, with_value)) {
			i++;
			continue;
		}
		if (word_is_among(arg, alone) || word_begins_with(arg, "-ftime-trace"))
			continue;
		/* "-x LANGUAGE INPUT" ends the line. */
		strings_add(argv, i == language ? "ir" : i == language + 1 ? input : arg);
	}
	strings_insert(argv, 2, "-disable-llvm-passes");
	strings_insert(argv, 3, "-Wno-unknown-warning-option"); /* step 1 has reported it */
}

static int prepare(struct driver *driver, const struct job *job, const char *bitcode, const char *output,
		   const char *unit, struct err *err)
{
	struct strings argv = { 0 };
	char *program = proc_own_file("heddle-weave");
	strings_add(&argv, program);
	strings_add(&argv, "prepare");
	strings_add(&argv, strings_has(&job->argv, "-S") && !strstr(job_value(job, "-o", NULL), driver->folder)
				   ? "text"
				   : "file");
	strings_add(&argv, has_debug(job) ? "debug" : "strip");
	strings_add(&argv, is_closed(job) ? "closed" : "open");
	strings_add(&argv, opt_level(job));
	strings_add(&argv, bitcode);
	strings_add(&argv, output);
	strings_add(&argv, unit);
	for (size_t i = 0; i < job->argv.count; i++)
		if (strncmp(job->argv.items[i], DEBUG_PREFIX_MAP, strlen(DEBUG_PREFIX_MAP)) == 0)
			strings_add(&argv, job->argv.items[i] + strlen(DEBUG_PREFIX_MAP));
	struct buf messages = { 0 };
	int status = driver_run_weave(driver, &argv, &messages, err);
	if (status > 0) {
		size_t language = 0;
		job_value(job, "-x", &language);
		err_set(err, EIO, "cannot prepare \"%s\" for weaving", job->argv.items[language + 1]);
		err_hint(err, "--heddle-off compiles it like plain clang");
		status = -EIO;
	}
	buf_release(&messages);
	strings_release(&argv);
	free(program);
	return status;
}

/* Runs the original job for its diagnostics; its output file is dropped. */
static int compile_plainly(struct driver *driver, const struct job *job, struct err *err)
{
	struct strings argv = { 0 };
	struct buf text = { 0 };
	char *output = driver_file(driver, ".plain", err);
	if (!output)
		return -EIO;
	strings_copy(&argv, &job->argv);
	set_output(&argv, output);
	int status = driver_run(driver, &argv, RUN_CAPTURE, &text, err);
	err_show(&text);
	unlink(output);
	buf_release(&text);
	strings_release(&argv);
	free(output);
	return status;
}

/* Standard input and pipes cannot. */
static bool can_be_read_again(const struct job *job)
{
	size_t language = 0;
	struct stat found;
	job_value(job, "-x", &language);
	return stat(job->argv.items[language + 1], &found) == 0 && S_ISREG(found.st_mode);
}

/* Step 3. first: the output of step 1. */
static int generate(struct driver *driver, const struct job *job, const char *input, const struct buf *first,
		    struct err *err)
{
	struct strings argv = { 0 };
	struct buf messages = { 0 };
	from_bitcode(&argv, job, input);
	int status = driver_run(driver, &argv, RUN_CAPTURE, &messages, err);
	/* The names in a stack usage file come from the source too. */
	bool is_wanted = messages.size || job_value(job, "-stack-usage-file", NULL);
	if (status >= 0 && is_wanted && !can_be_read_again(job)) {
		err_show(first);
		err_show(&messages);
	} else if (status >= 0 && is_wanted) {
		int plain = compile_plainly(driver, job, err);
		if (plain < 0 || status == 0)
			status = plain;
		else if (plain == 0)
			err_show(&messages);
		else
			status = plain;
	} else {
		err_show(first);
	}
	buf_release(&messages);
	strings_release(&argv);
	return status;
}

int compile_run(struct driver *driver, const struct job *job, struct err *err)
{
	char *bitcode = driver_file(driver, ".bc", err), *prepared = driver_file(driver, ".bc", err);
	char *unit = driver_file(driver, ".unit", err);
	struct strings argv = { 0 };
	struct buf messages = { 0 };
	int status = -EIO;
	if (bitcode && prepared && unit) {
		to_bitcode(&argv, job, bitcode);
		status = driver_run(driver, &argv, RUN_CAPTURE, &messages, err);
	}
	/* -Xclang can ask for another action, which makes no code: then this was all. */
	bool has_code = status == 0 && access(bitcode, F_OK) == 0;
	if (has_code)
		status = prepare(driver, job, bitcode, prepared, unit, err);
	if (has_code && status == 0) {
		driver->output_bytes = driver_size(unit) + driver_size(prepared) / 2;
		status = generate(driver, job, prepared, &messages, err);
	} else {
		err_show(&messages);
	}
	buf_release(&messages);
	if (bitcode)
		unlink(bitcode);
	if (prepared)
		unlink(prepared);
	strings_release(&argv);
	free(bitcode);
	free(prepared);
	free(unit);
	return status;
}
