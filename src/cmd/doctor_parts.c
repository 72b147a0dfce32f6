/*
 * doctor_parts.c: the places where files go, Heddle's own files, the compiler; and in the end a program, from its
 * source to the end of a run under control with detection, which fails when something is missing that the other checks
 * do not cover.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/elf_file.h"
#include "base/proc.h"
#include "cmd/doctor_priv.h"
#include "judge/evidence.h"
#include "store/store.h"

#define BUILD_COST "heddle-cc cannot build programs"
#define LITTLE_ROOM_MB 256u

static uint64_t room_mb(const char *folder)
{
	struct statvfs info;
	return statvfs(folder, &info) == 0 ? (uint64_t)info.f_bavail * info.f_frsize >> 20 : UINT64_MAX;
}

/* Says how much room there is in a folder that can be written to. */
static void report_space(struct doctor *self, const char *name, const char *folder, const char *cost)
{
	uint64_t mb = room_mb(folder);
	if (mb < LITTLE_ROOM_MB)
		doctor_report(self, name, DOCTOR_LIMITED, cost, "free some disk space",
			      "\"%s\" has %" PRIu64 " MB left", folder, mb);
	else if (mb == UINT64_MAX)
		doctor_report(self, name, DOCTOR_OK, NULL, NULL, "\"%s\" is writable", folder);
	else
		doctor_report(self, name, DOCTOR_OK, NULL, NULL, "\"%s\" is writable and has %" PRIu64 " MB left",
			      folder, mb);
}

/* heddle test makes the folders that are not there. */
static void report_evidence(struct doctor *self)
{
	const char *store = store_folder(NULL);
	char *evidence = mem_format("%s/" EVIDENCE_FOLDER, store);
	const char *const folders[] = { evidence, store, "." };
	size_t at = 0;
	struct stat status;
	while (at < 2 && stat(folders[at], &status) < 0 && errno == ENOENT)
		at++;
	char *file = mem_format("%s/doctor-XXXXXX", folders[at]);
	int fd = mkstemp(file), code = errno;
	if (fd < 0) {
		doctor_report(self, "evidence", DOCTOR_MISSING,
			      "heddle test has no place to keep its findings and does not start",
			      "run it in a writable directory", "\"%s\" is not writable (%s)", folders[at],
			      strerror(code));
	} else {
		close(fd);
		unlink(file);
		report_space(self, "evidence", folders[at], "the traces of findings may not fit");
	}
	free(file);
	free(evidence);
}

void doctor_places(struct doctor *self)
{
	struct err err = ERR_INIT;
	const char *parent = getenv("TMPDIR");
	report_evidence(self);
	self->folder = proc_temporary_folder(&err);
	if (self->folder)
		report_space(self, "temporary", parent && *parent ? parent : "/tmp",
			     "temporary files of heddle-cc may not fit");
	else
		doctor_report(self, "temporary", DOCTOR_MISSING, BUILD_COST, "set TMPDIR to a writable directory", "%s",
			      err.message);
}

static void report_runtime(struct doctor *self)
{
	char *path = proc_own_file("libheddle.so");
	struct elf_file elf;
	struct err err = ERR_INIT;
	const char *cost = "heddle run, heddle test and heddle replay cannot run a program";
	const char *hint = "reinstall Heddle; libheddle.so belongs in lib/heddle next to bin";
	int code = elf_file_read(&elf, path, &err);
	size_t size = 0;
	uint64_t address;
	/* src/rt/version.c makes the note. */
	const char *version = code == 0 ? (const char *)elf_file_note(&elf, "HeddleRuntime", 1, &size, &address) : NULL;
	if (code < 0)
		doctor_report(self, "runtime", DOCTOR_MISSING, cost, hint, "%s", err.message);
	else if (!version || size != sizeof HEDDLE_VERSION || memcmp(version, HEDDLE_VERSION, size) != 0)
		doctor_report(self, "runtime", DOCTOR_MISSING, cost, hint,
			      "\"%s\" has version %.*s, expected " HEDDLE_VERSION, path, version ? (int)size : 7,
			      version ? version : "unknown");
	else
		doctor_report(self, "runtime", DOCTOR_OK, NULL, NULL,
			      "libheddle.so is available, version " HEDDLE_VERSION);
	elf_file_release(&elf);
	free(path);
}

/* Runs one of our programs; *answer is the first line that it wrote on standard error. Returns as proc_run does. */
static int run(char *const argv[], char **answer)
{
	struct buf text = { 0 };
	struct err err = ERR_INIT;
	int status = proc_run(argv, PROC_SILENT, &text, &err);
	const char *line = status < 0 ? err.message : text.data ? text.data : "it printed nothing";
	*answer = mem_format("%.*s", (int)strcspn(line, "\n"), line);
	buf_release(&text);
	return status;
}

/* What it means that one of them did not do its work: that no process could be made says nothing about it. */
static enum doctor_status failure(int status)
{
	return status < 0 && status != -ENOENT && status != -EACCES ? DOCTOR_UNKNOWN : DOCTOR_MISSING;
}

static void report_weave(struct doctor *self)
{
	char *path = proc_own_file("heddle-weave"), *answer;
	/* Without arguments it does nothing; that it begins shows that LLVM's library is there. */
	int status = run((char *const[]){ path, NULL }, &answer);
	if (status == EXIT_USAGE)
		doctor_report(self, "weave", DOCTOR_OK, NULL, NULL, "heddle-weave works, with the LLVM library");
	else
		doctor_report(self, "weave", failure(status), BUILD_COST, "install libllvm19, or reinstall Heddle",
			      "%s", answer);
	free(answer);
	free(path);
}

static const char c_source[] = "#include <pthread.h>\n"
			       "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
			       "static int sum;\n"
			       "static void *add(void *argument)\n"
			       "{\n"
			       "	pthread_mutex_lock(&lock);\n"
			       "	sum++;\n"
			       "	pthread_mutex_unlock(&lock);\n"
			       "	return argument;\n"
			       "}\n"
			       "int main(void)\n"
			       "{\n"
			       "	pthread_t thread;\n"
			       "	if (pthread_create(&thread, 0, add, 0))\n"
			       "		return 1;\n"
			       "	add(0);\n"
			       "	pthread_join(thread, 0);\n"
			       "	return sum != 2;\n"
			       "}\n";
static const char cxx_source[] = "#include <new>\nint main() { delete new int; }\n";

/* Builds a program. Returns as proc_run does, with *answer as run has it; 0: *program is its path, which the caller
 * frees. */
static int build(const struct doctor *self, const char *compiler, const char *suffix, const char *text, char **program,
		 char **answer)
{
	struct err err = ERR_INIT;
	char *own = mem_format("../../bin/%s", compiler), *path = proc_own_file(own);
	char *source = mem_format("%s/probe%s", self->folder, suffix);
	char *output = mem_format("%s/probe-%s", self->folder, compiler);
	int status = proc_write_file(source, text, strlen(text), &err);
	if (status < 0)
		*answer = mem_copy_string(err.message);
	else
		status = run((char *const[]){ path, (char *)"-O1", (char *)"-g", (char *)"-pthread", source,
					      (char *)"-o", output, NULL },
			     answer);
	*program = status ? NULL : mem_copy_string(output);
	free(own);
	free(path);
	free(source);
	free(output);
	return status;
}

/* The program that was built, which the caller frees, or null. */
static char *report_compilers(struct doctor *self)
{
	char *answer, *program, *other;
	int status = build(self, "heddle-cc", ".c", c_source, &program, &answer);
	if (status)
		doctor_report(self, "compiler", failure(status), BUILD_COST, "install clang-19, lld-19 and libc6-dev",
			      "%s", answer);
	else
		doctor_report(self, "compiler", DOCTOR_OK, NULL, NULL, "heddle-cc builds a program");
	free(answer);
	if (status)
		return NULL;
	status = build(self, "heddle-c++", ".cc", cxx_source, &other, &answer);
	if (status)
		doctor_report(self, "c++", DOCTOR_LIMITED, "C++ programs cannot be built",
			      "install the headers of the C++ library: g++", "%s", answer);
	else
		doctor_report(self, "c++", DOCTOR_OK, NULL, NULL, "heddle-c++ builds a program");
	free(answer);
	free(other);
	return program;
}

/* A failed build is no reason not to run: then heddle itself is the program. */
static void report_run(struct doctor *self, char *program)
{
	char *own = proc_own_file("../../bin/heddle"), *answer;
	int status = run((char *const[]){ own, (char *)"run", (char *)"--brief", (char *)"--hang", (char *)"10",
					  (char *)"--", program ? program : own, program ? NULL : (char *)"--version",
					  NULL },
			 &answer);
	if (status == 0)
		doctor_report(self, "run", DOCTOR_OK, NULL, NULL, "%s runs under control, with detection",
			      program ? "that program" : "a program");
	else
		doctor_report(self, "run", failure(status), "heddle run and heddle test do not work", NULL,
			      "a program did not run under control: exit status %d: %s", status, answer);
	free(answer);
	free(own);
}

/* Our part of it is written in Python, which a gdb may have been built without. */
static void report_gdb(struct doctor *self)
{
	const char *cost = "heddle replay --gdb does not work";
	char *extension = proc_own_file("gdb.py"), *answer;
	if (access(extension, R_OK) < 0) {
		doctor_report(self, "gdb", DOCTOR_LIMITED, cost, "reinstall Heddle",
			      "gdb.py is not in lib/heddle next to bin (%s)", strerror(errno));
	} else if (!proc_find("gdb")) {
		doctor_report(self, "gdb", DOCTOR_LIMITED, cost, "install gdb", "gdb is not in PATH");
	} else {
		int status = run((char *const[]){ (char *)"gdb", (char *)"-nx", (char *)"-batch", (char *)"-ex",
						  (char *)"python import gdb", NULL },
				 &answer);
		if (status == 0)
			doctor_report(self, "gdb", DOCTOR_OK, NULL, NULL, "gdb is available, with Python");
		else
			doctor_report(self, "gdb", DOCTOR_LIMITED, cost, "install a gdb with Python support",
				      "gdb cannot run Python: %s", answer);
		free(answer);
	}
	free(extension);
}

void doctor_parts(struct doctor *self)
{
	report_runtime(self);
	report_weave(self);
	char *program = self->folder ? report_compilers(self) : NULL;
	report_run(self, program);
	report_gdb(self);
	free(program);
}
