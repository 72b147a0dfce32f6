/* convert.c: heddle report: makes reports from the JSON that heddle test wrote, then or on another machine. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/opt.h"
#include "cmd/outputs.h"

static struct {
	const char *root;
	struct outputs outputs;
} asked = { .root = "." };

static int read_all(const char *path, struct buf *text, struct err *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	char chunk[65536];
	size_t got;
	if (!file)
		return err_set(err, errno, "cannot read \"%s\": %s", path, strerror(errno));
	while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
		buf_add(text, chunk, got);
	int code = ferror(file) ? err_set(err, errno, "cannot read \"%s\": %s", path, strerror(errno)) : 0;
	if (!is_stdin)
		fclose(file);
	buf_add(text, "", 0);
	return code;
}

static int check_root(struct err *err)
{
	struct stat status;
	if (stat(asked.root, &status) < 0)
		return err_set(err, errno, "cannot use \"%s\" as --root: %s", asked.root, strerror(errno));
	return S_ISDIR(status.st_mode) ? 0 : err_set(err, ENOTDIR, "--root wants a folder, not \"%s\"", asked.root);
}

/* All of the input is looked at before anything is written. */
static int convert(const char *path, struct err *err)
{
	struct buf text = { 0 };
	struct err why = ERR_INIT;
	struct document document = { 0 };
	int code = read_all(path, &text, err);
	if (code == 0)
		code = check_root(err);
	if (code == 0 && (code = document_read(&document, text.data, text.size, asked.root, &why)) < 0) {
		err_set(err, -code, "\"%s\": %s", path, why.message);
		err_hint(err, "%s", why.hint);
	}
	if (code == 0)
		code = outputs_open(&asked.outputs, err);
	if (code == 0)
		code = outputs_write(&asked.outputs, NULL, &document, err);
	document_release(&document);
	buf_release(&text);
	return code;
}

static int report_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	int status = EXIT_FOUND_NOTHING;
	(void)count;
	int code = outputs_is_any(&asked.outputs)
			   ? outputs_agree(&asked.outputs, &err)
			   : err_set(&err, EINVAL, "heddle report wants at least one of --html, --sarif and --junit");
	if (code < 0) {
		err_hint(&err, "heddle report --help");
		status = EXIT_USAGE;
	} else if (convert(operands[0], &err) < 0) {
		status = EXIT_CANNOT;
	}
	if (err.message[0])
		err_print(&err, "heddle");
	outputs_release(&asked.outputs);
	return status;
}

static const struct opt options[] = {
	{ "html", "FILE", "one page for people, with sources and interleavings (- is standard output)", OPT_TEXT,
	  &asked.outputs.paths[OUTPUT_HTML] },
	{ "sarif", "FILE", "SARIF 2.1.0, for GitHub and for editors", OPT_TEXT, &asked.outputs.paths[OUTPUT_SARIF] },
	{ "junit", "FILE", "JUnit's XML, for continuous integration", OPT_TEXT, &asked.outputs.paths[OUTPUT_JUNIT] },
	{ "root", "DIR", "the root of the sources: paths are relative to it, others are not read (default: .)",
	  OPT_TEXT, &asked.root },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

const struct command command_report = {
	.name = "report",
	.operands = "FILE",
	.summary = "make reports from the JSON of a test",
	.details = "FILE is what heddle test --json wrote (- is standard input). heddle test takes --html, --sarif and "
		   "--junit, too.\n\n"
		   "Exit status: 0 they are written, 2 wrong usage, 3 they could not be written, or FILE is something "
		   "else.",
	.options = options,
	.operands_min = 1,
	.operands_max = 1,
	.run = report_main,
};
