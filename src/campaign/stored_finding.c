/* stored_finding.c: see stored_finding.h. */
#include "campaign/stored_finding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/evidence.h"
#include "store/fingerprint.h"
#include "symbols/describe.h"
#include "symbols/line.h"
#include "symbols/woven.h"

char *stored_weave(const char *program)
{
	struct woven *woven;
	struct err ignored = ERR_INIT;
	struct buf out = { 0 };
	if (woven_open(program, &woven, &ignored) < 0)
		return NULL;
	describe_build(&out, woven_build(woven)->id);
	woven_free(woven);
	return out.data;
}

/* What distinguishes it from others of its kind, apart from places. */
static const char *detail_of(const struct finding *finding)
{
	switch (kinds[finding->identity.kind].fingerprint) {
	case KIND_BY_PLACES:
		break;
	case KIND_BY_MEMORY:
		if (finding_is_bad_free(finding))
			return report_free_word(&finding->evidence.memory);
		if (finding->evidence.origin == FINDING_OF_MEMORY)
			return report_state_words[finding->evidence.memory.state];
		return finding->evidence.site_count ? finding->evidence.sites[0].access : "";
	case KIND_BY_ACCESS:
		return finding->evidence.site_count ? finding->evidence.sites[0].access : "";
	case KIND_BY_KEY:
		return finding->identity.key;
	}
	return "";
}

/* What the build kept of the line is the same wherever the test runs; sources are asked where it kept nothing. */
static void set_place(const struct stored_program *program, struct fingerprint_place *place,
		      const struct finding_site *site, struct strings *kept)
{
	struct symbols *symbols = program->symbols;
	struct buf code = { 0 }, around = { 0 };
	*place = (struct fingerprint_place){
		.function = site->function,
		.variable = site->variable,
		.file = site->file,
		.line = line_is_near(site->line) ? 0 : site->line,
	};
	if (symbols && site->file && place->line && symbols_line(symbols, site->file, place->line, &code, &around)) {
		strings_add(kept, code.data);
		place->code = kept->items[kept->count - 1];
		strings_add(kept, around.data);
		place->around = kept->items[kept->count - 1];
	}
	buf_release(&code);
	buf_release(&around);
}

/* Whether its callers distinguish it: then it has a fingerprint without them, too. */
static bool has_old_identity(const struct finding *finding)
{
	return kinds[finding->identity.kind].fingerprint == KIND_BY_ACCESS;
}

/* is_old: as version 0.1.0 made it, without callers. */
static void make_fingerprint(const struct stored_program *program, const struct finding *finding, bool is_old,
			     struct fingerprint *fingerprint)
{
	const size_t caller_count = is_old ? 0 : finding->evidence.caller_count;
	struct fingerprint_place *places =
		mem_alloc((finding->evidence.site_count + caller_count + 1) * sizeof *places);
	const char *slash = strrchr(program->short_path, '/');
	char *what = mem_format("%s%s", slash ? slash + 1 : program->short_path, program->arguments);
	struct fingerprint_subject subject = {
		.kind = kinds[finding->identity.kind].word,
		.detail = detail_of(finding),
		.program = what,
		.places = places,
	};
	struct stat status;
	struct strings kept = { 0 };
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		if (!site->is_beside)
			set_place(program, &places[subject.place_count++], site, &kept);
	}
	for (size_t i = 0; i < caller_count; i++) {
		const struct finding_caller *caller = &finding->evidence.callers[i];
		const struct finding_site site = { .file = caller->file,
						   .function = caller->function,
						   .line = caller->line };
		set_place(program, &places[subject.place_count++], &site, &kept);
	}
	if (stat(program->path, &status) == 0)
		subject.built = status.st_mtim;
	fingerprint_make(fingerprint, &subject);
	strings_release(&kept);
	free(places);
	free(what);
}

static const char *keep_value(struct strings *values, uint64_t value)
{
	struct buf text = { 0 };
	finding_describe_value(&text, value);
	strings_add(values, text.data);
	buf_release(&text);
	return values->items[values->count - 1];
}

struct store_site *stored_finding_sites(const struct finding *finding, struct strings *values)
{
	struct store_site *sites = mem_alloc((finding->evidence.site_count + 1) * sizeof *sites);
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		sites[i] = (struct store_site){
			.file = site->file,
			.function = site->function,
			.variable = site->variable,
			.access = site->access,
			.line = line_number(site->line),
			.is_near = line_is_near(site->line),
			.column = site->column,
			.thread = site->thread,
			.thread_name = site->thread_name,
			.event = site->event,
			.is_beside = site->is_beside,
			.code = site->code,
			.proof = site->proof,
			.proof_locks = site->proof_locks,
			.before = site->has_value ? keep_value(values, site->value_before) : NULL,
			.after = site->has_value && site->is_changed ? keep_value(values, site->value_after) : NULL,
		};
	}
	return sites;
}

uint64_t stored_finding_event(const struct finding *finding)
{
	switch (finding->evidence.origin) {
	case FINDING_OF_RACE:
		return finding->evidence.race.event;
	case FINDING_OF_MEMORY:
		return finding->evidence.memory.event;
	case FINDING_OF_END:
	case FINDING_OF_ORDERS:
		break;
	}
	return 0;
}

int stored_finding_see(struct store_test *test, const struct stored_program *program, struct finding *finding,
		       const char *strategy, bool is_spare, struct err *err)
{
	struct fingerprint fingerprint, old;
	struct strings values = { 0 };
	struct store_site *sites = stored_finding_sites(finding, &values);
	int64_t id;
	make_fingerprint(program, finding, false, &fingerprint);
	make_fingerprint(program, finding, true, &old);
	memcpy(finding->identity.fingerprint, fingerprint.identity, sizeof finding->identity.fingerprint);
	const struct store_seen seen = {
		.kind = kinds[finding->identity.kind].word,
		.key = finding->identity.key,
		.fingerprint = fingerprint.identity,
		.context = fingerprint.context,
		.old_key = finding->identity.old_key ? finding->identity.old_key : finding->identity.key,
		.old_fingerprint = has_old_identity(finding) ? old.identity : NULL,
		.summary = finding->presentation.summary.data ? finding->presentation.summary.data : "",
		.details = finding->presentation.details.data ? finding->presentation.details.data : "",
		.sites = sites,
		.site_count = finding->evidence.site_count,
		.schedule = finding->evidence.first,
		.strategy = strategy,
		.seed = finding->evidence.plan.seed,
		.trace = finding->evidence.trace ? evidence_in_store(finding->evidence.trace) : NULL,
		.parts = finding->evidence.parts,
		.event = stored_finding_event(finding),
		.is_spare = is_spare,
	};
	int code = store_see(test, &seen, &id, &finding->identity.standing, err);
	if (code == 0)
		finding->identity.number = (uint64_t)id;
	strings_release(&values);
	free(sites);
	return code;
}
