/*
 * args.c: Heddle's own options, taken out of the command line, and the ones of clang's that Heddle must answer itself.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/roff.h"
#include "base/variables.h"
#include "base/word.h"
#include "cc/driver.h"

enum { DEEPEST_RESPONSE_FILE = 32 };

/* The tokens of a response file, by the rules of GNU tools: white space separates, quotes and backslash protect. */
static void split(const char *text, struct strings *tokens)
{
	struct buf token = { 0 };
	bool is_open = false;
	char quote = 0;
	for (const char *c = text; *c; c++) {
		if (*c == '\\' && c[1]) {
			buf_add(&token, ++c, 1);
			is_open = true;
		} else if (quote) {
			if (*c == quote)
				quote = 0;
			else
				buf_add(&token, c, 1);
		} else if (*c == '"' || *c == '\'') {
			quote = *c;
			is_open = true;
		} else if (isspace((unsigned char)*c)) {
			if (is_open)
				strings_add(tokens, token.data ? token.data : "");
			buf_release(&token);
			is_open = false;
		} else {
			buf_add(&token, c, 1);
			is_open = true;
		}
	}
	if (is_open)
		strings_add(tokens, token.data ? token.data : "");
	buf_release(&token);
}

/* A file that cannot be read stays as it is, for clang to complain about. */
static int expand(const char *arg, int depth, struct strings *out, struct err *err)
{
	struct buf text = { 0 };
	struct err ignored = ERR_INIT;
	if (arg[0] != '@' || proc_read_file(arg + 1, &text, &ignored) < 0) {
		buf_release(&text);
		strings_add(out, arg);
		return 0;
	}
	if (depth == DEEPEST_RESPONSE_FILE) {
		buf_release(&text);
		return err_set(err, ELOOP, "response file \"%s\" includes itself", arg + 1);
	}
	struct strings tokens = { 0 };
	split(text.data ? text.data : "", &tokens);
	int code = 0;
	for (size_t i = 0; i < tokens.count && !code; i++)
		code = expand(tokens.items[i], depth + 1, out, err);
	strings_release(&tokens);
	buf_release(&text);
	return code;
}

static bool read_level(const char *word, enum proof_level *level)
{
	static const char *const words[] = {
		[PROOF_NONE] = "no", [PROOF_PRIVATE] = "private", [PROOF_LOCKED] = "locked", [PROOF_HEAP] = "heap"
	};
	for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0) {
			*level = (enum proof_level)i;
			return true;
		}
	return false;
}

/* What --heddle-help and the manual page say about Heddle's own options. */
static const struct {
	const char *name, *argument, *help;
} options[] = {
	{ "heddle-verbose", NULL, "show each step" },
	{ "heddle-off", NULL, "do nothing but run clang" },
	{ "heddle-prove", "private",
	  "do not observe variables that an analysis proves to be used by one thread "
	  "only" },
	{ "heddle-prove", "locked", "also, variables that threads provably never use at the same time (the default)" },
	{ "heddle-prove", "heap", "also, such heap blocks; some memory errors are then missed" },
	{ "heddle-prove", "no", "observe all accesses" },
	{ "heddle-allocator", "NAME", "the program's function NAME returns fresh blocks, like malloc" },
	{ "heddle-assume-private", "NAME",
	  "only one thread uses the variable NAME: do not observe it; the first schedules of a test check this" },
	{ "heddle-clang", "PATH", "path of the clang to use (clang-19)" },
	{ "heddle-jobs", "N", "number of weave processes (default: one per core)" },
	{ "heddle-version", NULL, "print Heddle's version" },
	{ "heddle-help", NULL, "list these options, like --help" },
};

#define OPTION_COUNT (sizeof options / sizeof *options)

/* An option with a wrong value, or without one, is not unknown. given: as the user wrote it; name: without "heddle-". */
static int reject(const struct driver *driver, const char *name, const char *given, struct err *err)
{
	char words[128] = "";
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (options[i].argument && strcmp(options[i].name + sizeof "heddle-" - 1, name) == 0)
			snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", words[0] ? ", " : "",
				 options[i].argument);
	err_hint(err, "%s --heddle-help lists Heddle's options", driver->program);
	if (words[0])
		return err_set(err, EINVAL, "\"%s\": the option requires a value, --heddle-%s=VALUE: %s", given, name,
			       words);
	return err_set(err, EINVAL, "unknown option \"%s\"", given);
}

static int set_option(struct driver *driver, const char *name, const char *value, const char *given, struct err *err)
{
	if (strcmp(name, "verbose") == 0) {
		driver->is_verbose = !value || strcmp(value, "0") != 0;
	} else if (strcmp(name, "off") == 0) {
		driver->is_off = !value || strcmp(value, "0") != 0;
	} else if (strcmp(name, "prove") == 0 && read_level(value, &driver->prove)) {
	} else if (strcmp(name, "allocator") == 0 && value && *value && *value != ',') {
		strings_add(&driver->allocators, value);
	} else if (strcmp(name, "assume-private") == 0 && value && *value) {
		strings_add(&driver->promised, value);
	} else if (strcmp(name, "clang") == 0 && value && *value) {
		free(driver->clang);
		driver->clang = mem_copy_string(value);
	} else if (strcmp(name, "jobs") == 0 && value && atoi(value) > 0 && atoi(value) <= 1024) {
		driver->weave_jobs = (unsigned)atoi(value);
	} else {
		return reject(driver, name, given, err);
	}
	return 0;
}

static const char environment_help[] =
	"A single dash works, too. The environment variable HEDDLE_CC_OPTIONS sets the same options, separated by "
	"colons:\n"
	"HEDDLE_CC_OPTIONS=prove=LEVEL:jobs=N:verbose and so on; the command line takes precedence.\n";

void driver_usage(void)
{
	fputs("usage: heddle-cc [HEDDLE OPTIONS] [CLANG OPTIONS] FILE...\n"
	      "       heddle-c++, the same for C++\n"
	      "Compiles and links like clang, and weaves what it links; README.md explains the purpose.\n\n",
	      stdout);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		char *left = mem_format("--%s%s%s", options[i].name, options[i].argument ? "=" : "",
					options[i].argument ? options[i].argument : "");
		printf("  %-22s %s\n", left, options[i].help);
		free(left);
	}
	printf("\n%sAll options of clang are accepted, too: heddle-cc --heddle-off --help lists them.\n",
	       environment_help);
}

/* For mk/share.sh, which adds man/heddle-cc.roff. */
static void print_manual(void)
{
	roff_begin(stdout, "heddle-cc", HEDDLE_VERSION, "compile and link programs for heddle, like clang");
	fputs(".SH SYNOPSIS\n"
	      "\\fBheddle\\-cc\\fR [\\fIHEDDLE OPTIONS\\fR] [\\fICLANG OPTIONS\\fR] \\fIFILE\\fR...\n"
	      ".br\n"
	      "\\fBheddle\\-c++\\fR [\\fIHEDDLE OPTIONS\\fR] [\\fICLANG OPTIONS\\fR] \\fIFILE\\fR...\n"
	      ".SH OPTIONS\n"
	      "All options of clang, and the following, which start with \\fB\\-\\-heddle\\fR:\n",
	      stdout);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		roff_option(stdout, options[i].name, "=", options[i].argument, options[i].help);
	roff_paragraphs(stdout, environment_help);
	fputs(".SH SEE ALSO\n\\fBheddle\\fR(1), \\fBclang\\-19\\fR(1)\n", stdout);
}

/* For mk/share.sh: what bash completes, in addition to file names. */
static void print_completion(void)
{
	fputs("# Completion of heddle-cc's own options for bash. Made by heddle-cc " HEDDLE_VERSION " from its table.\n"
	      "_heddle_cc()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tCOMPREPLY=()\n"
	      "\t[[ $cur == --h* ]] || return 0\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W '",
	      stdout);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		printf("%s--%s%s", i ? " " : "", options[i].name, options[i].argument ? "=" : "");
	fputs("' -- \"$cur\")\n"
	      "\t[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
	      "\treturn 0\n"
	      "}\n"
	      "complete -o default -F _heddle_cc heddle-cc heddle-c++\n",
	      stdout);
}

static int parse_environment(struct driver *driver, struct err *err)
{
	const char *text = getenv("HEDDLE_CC_OPTIONS");
	if (!text)
		return 0;
	char *copy = mem_copy_string(text), *rest = copy, *item;
	int code = 0;
	while (!code && (item = strsep(&rest, ":"))) {
		char *value = strchr(item, '=');
		if (value)
			*value++ = '\0';
		if (*item)
			code = set_option(driver, item, value, text, err);
	}
	free(copy);
	return code;
}

/* LTO would merge the units before Heddle sees them. The weave has the whole program without it. */
static bool is_lto(const char *arg)
{
	static const char *const names[] = { "-flto",
					     "-fno-lto",
					     "-ffat-lto-objects",
					     "-fno-fat-lto-objects",
					     "-fwhole-program-vtables",
					     "-fvirtual-function-elimination",
					     "-fsplit-lto-unit",
					     "-fno-split-lto-unit",
					     "-funified-lto",
					     "-flto-partition=none",
					     "-fuse-linker-plugin",
					     "-fno-use-linker-plugin",
					     NULL };
	return word_is_among(arg, names) || word_begins_with(arg, "-flto=") || word_begins_with(arg, "-flto-jobs=");
}

/* The checks of UndefinedBehaviorSanitizer, and its groups: they test values and leave memory and threads alone. */
static bool is_value_check(const char *name)
{
	static const char *const names[] = { "undefined",
					     "undefined-trap",
					     "alignment",
					     "array-bounds",
					     "bool",
					     "bounds",
					     "builtin",
					     "enum",
					     "float-cast-overflow",
					     "float-divide-by-zero",
					     "function",
					     "implicit-bitfield-conversion",
					     "implicit-conversion",
					     "implicit-integer-arithmetic-value-change",
					     "implicit-integer-conversion",
					     "implicit-integer-sign-change",
					     "implicit-integer-truncation",
					     "implicit-signed-integer-truncation",
					     "implicit-unsigned-integer-truncation",
					     "integer",
					     "integer-divide-by-zero",
					     "local-bounds",
					     "nonnull-attribute",
					     "null",
					     "nullability",
					     "nullability-arg",
					     "nullability-assign",
					     "nullability-return",
					     "object-size",
					     "pointer-overflow",
					     "return",
					     "returns-nonnull-attribute",
					     "shift",
					     "shift-base",
					     "shift-exponent",
					     "signed-integer-overflow",
					     "unreachable",
					     "unsigned-integer-overflow",
					     "unsigned-shift-base",
					     "vla-bound",
					     "vptr",
					     NULL };
	return word_is_among(name, names);
}

/* The sanitizers that are on after all -fsanitize= and -fno-sanitize= options and that cannot be woven. */
static void find_sanitizers(const struct strings *args, struct strings *found)
{
	for (size_t i = 0; i < args->count; i++) {
		const char *arg = args->items[i];
		bool is_on = strncmp(arg, "-fsanitize=", 11) == 0, is_off = strncmp(arg, "-fno-sanitize=", 14) == 0;
		char *names = is_on || is_off ? mem_copy_string(strchr(arg, '=') + 1) : NULL, *rest = names, *name;
		while ((name = strsep(&rest, ","))) {
			if (is_on && *name && !is_value_check(name) && !strings_has(found, name))
				strings_add(found, name);
			for (size_t k = found->count; is_off && k > 0; k--)
				if (strcmp(name, "all") == 0 || strcmp(name, found->items[k - 1]) == 0)
					strings_remove(found, k - 1, 1);
		}
		free(names);
	}
}

static int refuse_sanitizers(const struct strings *args, struct err *err)
{
	struct strings found = { 0 };
	int code = 0;
	find_sanitizers(args, &found);
	if (found.count) {
		code = err_set(
			err, EINVAL,
			"\"-fsanitize=%s\" cannot be woven: the sanitizer and Heddle both instrument every access "
			"and both replace the heap and the thread functions",
			found.items[0]);
		err_hint(err, "build this variant with --heddle-off, or remove the option; -fsanitize=undefined can be "
			      "woven");
	}
	strings_release(&found);
	return code;
}

/* Next to bin/ where it is installed; two levels up in the source tree, from build/bin. */
static char *find_headers(void)
{
	static const char *const folders[] = { "../../include", "../../../include" };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *folder = proc_own_file(folders[i]), *header = mem_format("%s/heddle/heddle.h", folder);
		char *real = access(header, R_OK) == 0 ? realpath(folder, NULL) : NULL;
		free(folder);
		free(header);
		if (real)
			return real;
	}
	return NULL;
}

void driver_add_headers(void)
{
	static const char *const names[] = { "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH" };
	char *folder = find_headers();
	for (size_t i = 0; folder && i < sizeof names / sizeof *names; i++) {
		char *path = variable_join(getenv(names[i]), folder);
		setenv(names[i], path, 1);
		free(path);
	}
	free(folder);
}

static int take(struct driver *driver, const char *arg, struct err *err)
{
	const char *name = arg[0] == '-' && arg[1] == '-' ? arg + 2 : arg[0] == '-' ? arg + 1 : arg;
	if (name == arg || strncmp(name, "heddle-", 7) != 0) {
		strings_add(&driver->args, arg);
		return 0;
	}
	if (strcmp(name, "heddle-help") == 0) {
		driver_usage();
		exit(0);
	}
	if (strcmp(name, "heddle-man") == 0) {
		print_manual();
		exit(0);
	}
	if (strcmp(name, "heddle-completion") == 0) {
		print_completion();
		exit(0);
	}
	if (strcmp(name, "heddle-version") == 0) {
		puts("heddle-cc " HEDDLE_VERSION);
		exit(0);
	}
	/* For tests that put a woven file together by hand: the last step of a link, alone. */
	if (strncmp(name, "heddle-finish=", 14) == 0) {
		if (finish_linked(name + 14, err) < 0) {
			err_print(err, driver->program);
			exit(EXIT_CANNOT);
		}
		exit(0);
	}
	char *option = mem_copy_string(name + 7);
	char *value = strchr(option, '=');
	if (value)
		*value++ = '\0';
	int code = set_option(driver, option, value, arg, err);
	free(option);
	return code;
}

int driver_parse(struct driver *driver, int argc, char **argv, struct err *err)
{
	const char *slash = strrchr(argv[0], '/');
	driver->program = slash ? slash + 1 : argv[0];
	driver->is_cxx = strstr(driver->program, "++");
	driver->clang = mem_copy_string(driver->is_cxx ? "clang++-19" : "clang-19");
	int code = parse_environment(driver, err);
	struct strings all = { 0 };
	for (int i = 1; i < argc && !code; i++)
		code = expand(argv[i], 0, &all, err);
	for (size_t i = 0; i < all.count && !code; i++)
		code = take(driver, all.items[i], err);
	strings_release(&all);
	if (!code && !driver->is_off && (strings_has(&driver->args, "--help") || strings_has(&driver->args, "-help"))) {
		driver_usage();
		exit(0);
	}
	for (size_t i = driver->args.count; i > 0 && !driver->is_off; i--)
		if (is_lto(driver->args.items[i - 1]))
			strings_remove(&driver->args, i - 1, 1);
	if (!code && !driver->is_off)
		code = refuse_sanitizers(&driver->args, err);
	return code;
}
