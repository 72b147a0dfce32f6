/*
 * link.c: one link job as two links.
 *  1. The link as the user asked for it, into a temporary file. The linker resolves archives, weak symbols, COMDAT
 *     groups and garbage collection by its own rules; its output holds the units (ir/unit.h) of exactly the objects it
 *     kept and, in the symbol table, exactly the functions it kept.
 *  2. heddle-weave weave: clones and tables for those, as objects.
 *  3. The link again, with these objects added.
 * Any linker will do, since it only performs ordinary links. What cannot be woven is linked plainly: a
 * relocatable link keeps its units for the final one; a static program cannot load the runtime.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/word.h"
#include "cc/driver.h"
#include "heddle/abi.h"
#include "ir/unit.h"

static bool has_any(const struct job *job, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (strings_has(&job->argv, names[i]))
			return true;
	return false;
}

bool link_is(const struct job *job)
{
	const char *emulation = job_value(job, "-m", NULL);
	return emulation && strcmp(emulation, "elf_x86_64") == 0 && job_value(job, "-o", NULL);
}

static bool is_relocatable(const struct job *job)
{
	static const char *const names[] = { "-r", "--relocatable", "-Ur", "-i", NULL };
	return has_any(job, names);
}

static bool is_static(const struct job *job)
{
	static const char *const shared[] = { "-shared", "--shared", "-Bshareable", NULL };
	static const char *const none[] = { "--no-dynamic-linker", "-no-dynamic-linker", NULL };
	return !has_any(job, shared) && (!job_value(job, "-dynamic-linker", NULL) || has_any(job, none));
}

/* Options that take away what the weave reads. They hold for the second link only. */
static bool is_strip_option(const char *arg)
{
	static const char *const names[] = { "-s", "-strip-all",      "-S", "-strip-debug", "-x", "-discard-all",
					     "-X", "-discard-locals", NULL };
	/* Long names may have one dash or two. */
	const char *name = strncmp(arg, "--", 2) == 0 ? arg + 1 : arg;
	return word_is_among(name, names);
}

/* The file that --dependency-file names, or null; *at and *count get the place of the option. */
static const char *dependency_file(const struct strings *argv, size_t *at, size_t *count)
{
	for (size_t i = 1; i < argv->count; i++) {
		const char *name = strncmp(argv->items[i], "--", 2) == 0 ? argv->items[i] + 1 : argv->items[i];
		*at = i;
		*count = 1;
		if (strncmp(name, "-dependency-file=", 17) == 0)
			return name + 17;
		*count = 2;
		if (strcmp(name, "-dependency-file") == 0 && i + 1 < argv->count)
			return argv->items[i + 1];
	}
	return NULL;
}

/* The first link has written what the program depends on; only its own name in it is wrong. The second would name clones,
 * which are gone the next time make looks. */
static int correct_dependencies(const struct job *job, const char *linked, struct err *err)
{
	size_t at, count;
	const char *path = dependency_file(&job->argv, &at, &count), *output = job_value(job, "-o", NULL);
	if (!path)
		return 0;
	struct buf text = { 0 }, corrected = { 0 };
	int code = proc_read_file(path, &text, err);
	for (const char *rest = text.data ? text.data : ""; !code && *rest;) {
		const char *found = strstr(rest, linked);
		if (!found) {
			buf_add_string(&corrected, rest);
			break;
		}
		buf_add(&corrected, rest, (size_t)(found - rest));
		buf_add_string(&corrected, output);
		rest = found + strlen(linked);
	}
	if (!code)
		code = proc_write_file(path, corrected.data, corrected.size, err);
	buf_release(&text);
	buf_release(&corrected);
	return code;
}

/* Whether the linked file has units. 1, 0, or -errno with err set. */
static int has_units(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot open \"%s\": %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t names;
	int found = 0;
	if (elf && elf_getshdrstrndx(elf, &names) == 0) {
		Elf_Scn *section = NULL;
		while (!found && (section = elf_nextscn(elf, section))) {
			GElf_Shdr header;
			const char *name =
				gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
			found = name && strcmp(name, HEDDLE_SECTION_UNITS) == 0;
		}
	}
	elf_end(elf);
	close(fd);
	return found;
}

/* Worded as by clang's driver, since build tools look for it. */
static void report_failure(const struct driver *driver, int status)
{
	const char *name = strrchr(driver->clang, '/');
	if (status > 0 && status < 128)
		fprintf(stderr, "%s: error: linker command failed with exit code %d (use -v to see invocation)\n",
			name ? name + 1 : driver->clang, status);
}

/* A link that is not woven. */
static int link_plain(struct driver *driver, const struct job *job, struct err *err)
{
	int status = driver_run(driver, &job->argv, RUN_SHOW, NULL, err);
	report_failure(driver, status);
	return status;
}

static int link_first(struct driver *driver, const struct job *job, const char *output, struct err *err)
{
	struct strings argv = { 0 };
	strings_copy(&argv, &job->argv);
	size_t at;
	job_value(job, "-o", &at);
	strings_set(&argv, at, output);
	for (size_t i = 1; i < argv.count; i++)
		while (i < argv.count && i != at && is_strip_option(argv.items[i])) {
			strings_remove(&argv, i, 1);
			at -= i < at;
		}
	struct buf messages = { 0 };
	int status = driver_run(driver, &argv, RUN_SILENT, &messages, err);
	/* On success the second link prints the same again. */
	if (status > 0)
		err_show(&messages);
	report_failure(driver, status);
	buf_release(&messages);
	strings_release(&argv);
	return status;
}

/* lld redirects a wrapped name in the unit that defines it too; ld.bfd and gold do not. */
static void add_wrapped(const struct job *job, struct strings *names)
{
	const char *linker = strrchr(job->argv.items[0], '/');
	if (!strstr(linker ? linker : job->argv.items[0], "lld"))
		return;
	for (size_t i = 1; i < job->argv.count; i++) {
		const char *name =
			strncmp(job->argv.items[i], "--", 2) == 0 ? job->argv.items[i] + 1 : job->argv.items[i];
		const char *wrapped = strncmp(name, "-wrap=", 6) == 0 ? name + 6 : NULL;
		if (strcmp(name, "-wrap") == 0 && i + 1 < job->argv.count)
			wrapped = job->argv.items[i + 1];
		char *marked = wrapped ? mem_format("=%s", wrapped) : NULL;
		if (marked)
			strings_add(names, marked);
		free(marked);
	}
}

/* What weave and link_second return when the program can be linked plainly all the same. */
enum { LINK_PLAINLY = 1 };

/* Runs the weave on the first link's output; adds the paths of the objects it made. excluded: tags of units to leave
 * plain. */
static int weave(struct driver *driver, const struct job *job, const char *linked, const struct strings *excluded,
		 struct strings *objects, struct err *err)
{
	static const char *const shared[] = { "-shared", "--shared", "-Bshareable", NULL };
	char *program = proc_own_file("heddle-weave");
	char *list = driver_file(driver, ".list", err);
	struct strings argv = { 0 };
	struct buf messages = { 0 };
	if (!list) {
		free(program);
		return -EIO;
	}
	char *jobs = mem_format("%u", driver->weave_jobs), *level = mem_format("%d", (int)driver->prove);
	strings_add(&argv, program);
	strings_add(&argv, "weave");
	strings_add(&argv, has_any(job, shared) ? "library" : "program");
	strings_add(&argv, level);
	strings_add(&argv, jobs);
	strings_add(&argv, linked);
	strings_add(&argv, driver->folder);
	strings_add(&argv, list);
	strings_copy(&argv, excluded);
	add_wrapped(job, &argv);
	for (size_t i = 0; i < driver->allocators.count; i++) {
		char *marked = mem_format("@%s", driver->allocators.items[i]);
		strings_add(&argv, marked);
		free(marked);
	}
	for (size_t i = 0; i < driver->promised.count; i++) {
		char *marked = mem_format("+%s", driver->promised.items[i]);
		strings_add(&argv, marked);
		free(marked);
	}
	int status = driver_run_weave(driver, &argv, &messages, err);
	if (status == 0) {
		if (driver->is_verbose)
			err_show(&messages);
		struct buf names = { 0 };
		status = proc_read_file(list, &names, err);
		char *rest = names.data, *name;
		while (!status && rest && (name = strsep(&rest, "\n")))
			if (*name)
				strings_add(objects, name);
		buf_release(&names);
	} else if (status > 0) {
		if (status == 4 || status > 128) {
			status = LINK_PLAINLY;
		} else {
			err_set(err, EPROTO, "cannot weave \"%s\"", job_value(job, "-o", NULL));
			err_hint(err, "--heddle-off links it like plain clang");
			status = -EPROTO;
		}
	}
	buf_release(&messages);
	strings_release(&argv);
	free(jobs);
	free(level);
	free(list);
	free(program);
	return status;
}

static bool is_default_library(const char *arg)
{
	static const char *const names[] = { "-lgcc",       "-lgcc_s",        "-lgcc_eh",      "-lc",
					     "-lm",         "-lstdc++",       "-lpthread",     "-lc++",
					     "--as-needed", "--no-as-needed", "--start-group", "--end-group",
					     "-lunwind",    "--push-state",   "--pop-state",   NULL };
	return word_is_among(arg, names);
}

/* Behind the user's own inputs, in front of the libraries that clang adds at the end. */
static size_t place_of_objects(const struct strings *argv)
{
	size_t at = argv->count;
	for (size_t i = argv->count; i > 1; i--) {
		const char *base = strrchr(argv->items[i - 1], '/');
		base = base ? base + 1 : argv->items[i - 1];
		if (strncmp(base, "crtend", 6) != 0 && strcmp(base, "crtn.o") != 0 &&
		    !is_default_library(argv->items[i - 1]))
			break;
		at = i - 1;
	}
	return at;
}

/* Finds the units whose aliases the linker missed: what was done to their objects since they were compiled (objcopy
 * --localize-hidden, for one) has hidden them. */
static void find_missed(const struct buf *messages, struct strings *tags)
{
	for (const char *at = messages->data ? messages->data : ""; (at = strstr(at, "__heddle_")); at += 9) {
		char tag[17] = { 0 };
		if ((at[9] != 'o' && at[9] != 'v') || at[10] != '.' || strspn(at + 11, "0123456789abcdef") < 16)
			continue;
		memcpy(tag, at + 11, 16);
		if (!strings_has(tags, tag))
			strings_add(tags, tag);
	}
}

static int link_second(struct driver *driver, const struct job *job, const struct strings *objects,
		       struct buf *messages, struct err *err)
{
	struct strings argv = { 0 };
	strings_copy(&argv, &job->argv);
	size_t option, count;
	if (dependency_file(&argv, &option, &count))
		strings_remove(&argv, option, count);
	size_t at = place_of_objects(&argv);
	char *entry = proc_own_file("woven.o");
	if (access(entry, R_OK) != 0) {
		int code = err_set(err, errno, "cannot open \"%s\": %s", entry, strerror(errno));
		err_hint(err, "Heddle is not installed completely: reinstall it");
		free(entry);
		strings_release(&argv);
		return code;
	}
	strings_insert(&argv, at++, entry);
	for (size_t i = 0; i < objects->count; i++)
		strings_insert(&argv, at++, objects->items[i]);
	int status = driver_run(driver, &argv, RUN_CAPTURE, messages, err);
	free(entry);
	strings_release(&argv);
	return status > 0 ? LINK_PLAINLY : status;
}

/* The weave and the second link. messages: the linker's output. */
static int link_clones(struct driver *driver, const struct job *job, const char *linked, const struct strings *excluded,
		       struct buf *messages, struct err *err)
{
	struct strings objects = { 0 };
	size_t first_bytes = driver_size(linked);
	int status = weave(driver, job, linked, excluded, &objects, err);
	driver->output_bytes = first_bytes;
	for (size_t i = 0; i < objects.count; i++)
		driver->output_bytes += driver_size(objects.items[i]);
	if (status == 0)
		status = link_second(driver, job, &objects, messages, err);
	for (size_t i = 0; i < objects.count; i++)
		unlink(objects.items[i]);
	strings_release(&objects);
	return status;
}

static int link_woven(struct driver *driver, const struct job *job, const char *linked, struct err *err)
{
	const char *output = job_value(job, "-o", NULL);
	struct strings excluded = { 0 };
	struct buf messages = { 0 };
	int status = link_clones(driver, job, linked, &excluded, &messages, err);
	if (status == LINK_PLAINLY) {
		find_missed(&messages, &excluded);
		if (excluded.count) {
			buf_release(&messages);
			status = link_clones(driver, job, linked, &excluded, &messages, err);
		}
	}
	err_show(&messages);
	if (status == 0 && excluded.count)
		fprintf(stderr,
			"%s: warning: %zu of the objects in \"%s\" were changed after they were compiled and stay "
			"plain\n",
			driver->program, excluded.count, output);
	if (status == 0)
		status = finish_linked(output, err);
	if (status == 0)
		status = correct_dependencies(job, linked, err);
	/* heddle-cc links whatever clang can link. When there is no room for the clones there may be room without them,
	 * so that is checked first. */
	if (status == LINK_PLAINLY && driver_can_write(output, driver->output_bytes, err) < 0)
		status = -EIO;
	if (status == LINK_PLAINLY) {
		fprintf(stderr,
			"%s: warning: \"%s\" cannot be linked with its clones, so it is not woven; please report "
			"this\n",
			driver->program, output);
		status = link_plain(driver, job, err);
	}
	strings_release(&excluded);
	buf_release(&messages);
	return status;
}

/* Whether an object on the command line has units. */
static bool inputs_have_units(const struct job *job)
{
	for (size_t i = 1; i < job->argv.count; i++) {
		const char *dot = strrchr(job->argv.items[i], '.');
		struct err ignored = ERR_INIT;
		if (dot && strcmp(dot, ".o") == 0 && has_units(job->argv.items[i], &ignored) == 1)
			return true;
	}
	return false;
}

/* Links plainly, and warns with the reason if the output or its inputs have units. */
static int link_unwoven(struct driver *driver, const struct job *job, const char *reason, struct err *err)
{
	const char *output = job_value(job, "-o", NULL);
	int status = link_plain(driver, job, err);
	struct err ignored = ERR_INIT;
	if (status == 0 && (has_units(output, &ignored) == 1 || inputs_have_units(job)))
		fprintf(stderr, "%s: warning: \"%s\" %s\n", driver->program, output, reason);
	return status;
}

int link_run(struct driver *driver, const struct job *job, struct err *err)
{
	const char *output = job_value(job, "-o", NULL);
	struct stat found;
	bool is_special = stat(output, &found) == 0 && !S_ISREG(found.st_mode);
	if (is_relocatable(job) || is_special)
		return link_plain(driver, job, err);
	if (is_static(job))
		return link_unwoven(driver, job,
				    "is static and was not woven: the runtime cannot be loaded into a static program; "
				    "link it dynamically to use it with heddle",
				    err);
	if (strings_has(&job->argv, "nodynamic-undefined-weak") ||
	    strings_has(&job->argv, "-znodynamic-undefined-weak"))
		return link_unwoven(driver, job,
				    "was not woven: with -z nodynamic-undefined-weak the runtime cannot find it", err);
	char *linked = driver_file(driver, ".first", err);
	if (!linked)
		return -EIO;
	int status = link_first(driver, job, linked, err);
	if (status == 0 && access(linked, F_OK) != 0) {
		/* -Wl,--output=FILE: where the program goes is not ours to see. */
		free(linked);
		return link_unwoven(driver, job, "was not woven: specify the output with -o, not with a linker option",
				    err);
	}
	int units = status == 0 ? has_units(linked, err) : 0;
	driver->output_bytes = driver_size(linked);
	if (units < 0)
		status = units;
	if (status == 0 && units)
		status = link_woven(driver, job, linked, err);
	else if (status == 0)
		status = link_unwoven(
			driver, job,
			"was not woven: the linker kept nothing to weave; is there a strip option in a response "
			"file, or a linker script that discards sections?",
			err);
	unlink(linked);
	free(linked);
	return status;
}
