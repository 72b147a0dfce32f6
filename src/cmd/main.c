/* main.c: the heddle command: finds the subcommand, parses its options by its table, runs it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "cmd/man.h"
#include "cmd/opt.h"
#include "store/read.h"

static const struct command *const commands[] = { &command_test,
						  &command_classify,
						  &command_check,
						  &command_list,
						  &command_show,
						  &command_mark,
						  &command_diff,
						  &command_forget,
						  &command_run,
						  &command_replay,
						  &command_report,
						  &command_sites,
						  &command_train,
						  &command_guard,
						  &command_patch,
						  &command_doctor,
						  NULL };

#define COMMAND_COUNT (sizeof commands / sizeof *commands - 1)

/* A file that we open must not become standard output or error of a caller that closed them: what is written there
 * has to fail, not to go into that file. */
static void occupy_standard_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* Says so when what we printed did not arrive. A reader that went away is not an error. */
static int close_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	struct err err = ERR_INIT;
	err_set(&err, errno, "cannot write the output: %s", strerror(errno));
	err_print(&err, "heddle");
	return EXIT_CANNOT;
}

static int print_help(void)
{
	puts("usage: heddle COMMAND [OPTIONS] ...\n\n"
	     "Works best on programs that were built with heddle-cc (CC=heddle-cc, CXX=heddle-c++).\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "See heddle COMMAND --help for the options of a command.\n"
	     "heddle --version prints the version.\n\n"
	     "Exit status: 0 nothing found, 1 something found, 2 usage error, 3 the command could not complete.\n"
	     "heddle run, heddle guard and heddle replay exit with the status of the program that they ran.");
	return close_output(EXIT_FOUND_NOTHING);
}

static int usage(const struct err *err)
{
	err_print(err, "heddle");
	return EXIT_USAGE;
}

static int unknown_command(const char *name)
{
	struct err err = ERR_INIT;
	const char *names[COMMAND_COUNT + 2] = { "help" };
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i + 1] = commands[i]->name;
	if (name[0] == '-') {
		static const char *const general[] = { "--help", "--version", NULL };
		const char *nearest = text_nearest(name, general);
		err_set(&err, EINVAL, "unknown option \"%s\"", name);
		err_hint(&err, nearest ? "did you mean %s?" : "heddle --help%s", nearest ? nearest : "");
	} else {
		const char *nearest = text_nearest(name, names);
		err_set(&err, EINVAL, "unknown command \"%s\"", name);
		err_hint(&err, nearest ? "did you mean heddle %s?" : "heddle --help lists the commands%s",
			 nearest ? nearest : "");
	}
	return usage(&err);
}

static int help_on(const char *name)
{
	const struct command *command = find_command(name);
	if (!command)
		return unknown_command(name);
	opt_help(stdout, command);
	return close_output(EXIT_FOUND_NOTHING);
}

static int put_id(void *context, const struct store_finding *finding)
{
	(void)context;
	printf("H%" PRId64 "\n", finding->id);
	return 0;
}

/* During completion no error may be printed, and nothing may change. */
static void put_findings(const char *folder)
{
	struct err ignored = ERR_INIT;
	struct store *store = NULL;
	char *path = mem_format("%s/" STORE_DATABASE, store_folder(folder));
	if (store_open_file(path, &store, &ignored) == 0)
		store_list(store, &(struct store_filter){ .id = 0 }, put_id, NULL, &ignored);
	store_close(store);
	free(path);
}

/* For mk/share.sh: --man [COMMAND], --completion, --commands; for the completion: --findings [STORE]. Returns -1 when it is none
 * of them. */
static int help_for_build(const char *what, const char *name)
{
	const struct command *command = name ? find_command(name) : NULL;
	if (strcmp(what, "--man") == 0 && name && !command)
		return unknown_command(name);
	if (strcmp(what, "--man") == 0 && command)
		man_command(stdout, command);
	else if (strcmp(what, "--man") == 0)
		man_general(stdout, commands);
	else if (strcmp(what, "--completion") == 0)
		man_completion(stdout, commands);
	else if (strcmp(what, "--findings") == 0)
		put_findings(name);
	else if (strcmp(what, "--commands") == 0)
		for (size_t i = 0; i < COMMAND_COUNT; i++)
			puts(commands[i]->name);
	else
		return -1;
	return close_output(EXIT_FOUND_NOTHING);
}

static int help(char **arguments)
{
	if (!arguments[0] || strcmp(arguments[0], "--help") == 0)
		return print_help();
	int status = help_for_build(arguments[0], arguments[1]);
	return status < 0 ? help_on(arguments[0]) : status;
}

static int run_command(int argc, char **argv)
{
	occupy_standard_descriptors();
	if (argc < 2) {
		struct err err = ERR_INIT;
		err_set(&err, EINVAL, "no command given");
		err_hint(&err, "heddle --help lists the commands");
		return usage(&err);
	}
	const char *name = argv[1];
	if (strcmp(name, "--version") == 0) {
		printf("heddle %s\n", HEDDLE_VERSION);
		return close_output(EXIT_FOUND_NOTHING);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return print_help();
	if (strcmp(name, "help") == 0)
		return help(argv + 2);
	const struct command *command = find_command(name);
	if (!command)
		return unknown_command(name);
	struct err err = ERR_INIT;
	struct strings operands = { 0 };
	bool is_help;
	int status;
	if (opt_parse(command, argv + 2, &operands, &is_help, &err) < 0)
		status = usage(&err);
	else if (is_help)
		status = help_on(name);
	else if (command != &command_doctor && proc_check(&err) < 0) {
		err_print(&err, "heddle");
		status = EXIT_CANNOT;
	} else
		status = close_output(command->run(operands.items, operands.count));
	strings_release(&operands);
	return status;
}

int main(int argc, char **argv)
{
	return proc_with_stack(run_command, argc, argv);
}
