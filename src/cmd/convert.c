/*
 * convert.c: heddle report: makes reports of what was found: of what the store has, or of the JSON that heddle test wrote, then or
 * on another machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"
#include "narrate/stored.h"
#include "store/store.h"

static struct {
	const char *root, *store;
	bool is_all, is_brief;
	struct outputs outputs;
} settings;

/* What a document is parsed into takes some ten times as much. */
#define MAX_FILE_BYTES ((size_t)256 << 20)

static int read_all(const char *path, struct buf *text, struct err *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	char chunk[8192];
	size_t got;
	if (!file)
		return err_set(err, errno, "cannot read \"%s\": %s", path, strerror(errno));
	while (text->size <= MAX_FILE_BYTES && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
		buf_add(text, chunk, got);
	int code = ferror(file) ? err_set(err, errno, "cannot read \"%s\": %s", path, strerror(errno)) : 0;
	if (code == 0 && text->size > MAX_FILE_BYTES)
		code = err_set(err, EFBIG, "cannot read \"%s\": it is larger than 256 MiB", path);
	if (!is_stdin)
		fclose(file);
	buf_add(text, "", 0);
	return code;
}

static int check_root(struct err *err)
{
	if (!settings.root)
		return 0;
	struct stat status;
	if (stat(settings.root, &status) < 0)
		return err_set(err, errno, "cannot use \"%s\" as --root: %s", settings.root, strerror(errno));
	return S_ISDIR(status.st_mode) ? 0 : err_set(err, ENOTDIR, "--root must be a directory: \"%s\"", settings.root);
}

/* All of the input is looked at before anything is written. */
static int convert(const char *from, struct buf *text, struct err *err)
{
	struct err why = ERR_INIT;
	struct document document = { 0 };
	int code = check_root(err);
	if (code == 0 && (code = document_read(&document, text->data, text->size, settings.root, &why)) < 0) {
		err_set(err, -code, "\"%s\": %s", from, why.message);
		err_hint(err, "%s", why.hint);
	}
	if (code == 0)
		code = outputs_open(&settings.outputs, err);
	if (code == 0)
		code = outputs_write(&settings.outputs, text, &document, err);
	document_release(&document);
	return code;
}

static int convert_file(const char *path, struct err *err)
{
	struct buf text = { 0 };
	int code = read_all(path, &text, err);
	if (code == 0)
		code = convert(path, &text, err);
	buf_release(&text);
	return code;
}

static int convert_store(char **ids, size_t count, struct err *err)
{
	struct buf text = { 0 };
	const struct stored_request request = {
		.store = settings.store,
		.ids = (const char *const *)ids,
		.id_count = count,
		.is_all = settings.is_all,
		.is_brief = settings.is_brief,
	};
	int code = stored_json(&text, &request, err);
	if (code == 0)
		code = convert(store_folder(settings.store), &text, err);
	buf_release(&text);
	return code;
}

/* Returns whether what to report is in a file, or -EINVAL with err set. */
static int check_operands(char **operands, size_t count, struct err *err)
{
	bool is_file = count == 1 && !store_parse_id(operands[0]);
	for (size_t i = 0; !is_file && i < count; i++)
		if (!store_parse_id(operands[i])) {
			char *shown = text_terminal_copy(operands[i]);
			err_set(err, EINVAL,
				"\"%s\" is not the id of a finding, such as H1, and a file must be "
				"the only operand",
				shown);
			free(shown);
			return -EINVAL;
		}
	if (is_file && (settings.store || settings.is_all || settings.is_brief))
		return err_set(err, EINVAL,
			       "--store, --all and --brief apply to findings of the store, not to a "
			       "file");
	if (is_file && settings.outputs.paths[OUTPUT_JSON])
		return err_set(err, EINVAL, "--json applies to findings of the store: \"%s\" is already JSON",
			       operands[0]);
	if (count && !is_file && settings.is_all)
		return err_set(err, EINVAL, "--all cannot be combined with ids of findings");
	return is_file;
}

static int report_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	int status = EXIT_FOUND_NOTHING;
	int code = outputs_is_any(&settings.outputs)
			   ? outputs_agree(&settings.outputs, &err)
			   : err_set(&err, EINVAL,
				     "heddle report requires at least one of --html, --sarif, --junit and --json");
	int is_file = code == 0 ? check_operands(operands, count, &err) : code;
	if (is_file < 0) {
		err_hint(&err, "heddle report --help");
		status = EXIT_USAGE;
	} else if ((is_file ? convert_file(operands[0], &err) : convert_store(operands, count, &err)) < 0) {
		status = EXIT_CANNOT;
	}
	if (err.message[0])
		err_print(&err, "heddle");
	outputs_release(&settings.outputs);
	return status;
}

static const struct opt options[] = {
	{ "html", "FILE",
	  "write a single HTML page with sources and interleavings; if FILE is a directory, index.html in it "
	  "(without FILE, or -: to standard output)",
	  OPT_OUTPUT, &settings.outputs.paths[OUTPUT_HTML] },
	{ "sarif", "FILE", "write SARIF 2.1.0, for GitHub and for editors", OPT_OUTPUT,
	  &settings.outputs.paths[OUTPUT_SARIF] },
	{ "junit", "FILE", "write JUnit XML, for continuous integration", OPT_OUTPUT,
	  &settings.outputs.paths[OUTPUT_JUNIT] },
	{ "json", "FILE", "write JSON, in the format of heddle test --json", OPT_OUTPUT,
	  &settings.outputs.paths[OUTPUT_JSON] },
	{ "root", "DIR",
	  "root of the sources: paths are relative to it, and files outside it are not read (default: the root of "
	  "the git repository, or .)",
	  OPT_TEXT, &settings.root },
	{ "all", NULL, "include findings that are fixed or suppressed", OPT_FLAG, &settings.is_all },
	{ "brief", NULL, "omit interleavings, which require a replay of the evidence", OPT_FLAG, &settings.is_brief },
	OPT_ROW_STORE(&settings.store),
	OPT_END,
};

const struct command command_report = {
	.name = "report",
	.operands = "[ID...|FILE]",
	.summary = "write reports about findings",
	.details = "Reports the new and known findings of the store, or the findings with the given ids, or the "
		   "findings in FILE, which\n"
		   "heddle test --json wrote (-: standard input). heddle test also accepts --html, --sarif, --junit "
		   "and --json.\n\n"
		   "Exit status: 0 the reports were written, 2 usage error, 3 a report could not be written, a "
		   "finding does not exist,\n"
		   "or FILE is not a report of heddle test.",
	.options = options,
	.operand_kind = OPERAND_FINDING_OR_FILE,
	.operands_min = 0,
	.operands_max = SIZE_MAX,
	.run = report_main,
};
