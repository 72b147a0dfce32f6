/* sarif_priv.h: what the parts of the writer of SARIF share. */
#ifndef FORMATS_SARIF_PRIV_H
#define FORMATS_SARIF_PRIV_H

#include "base/json_writer.h"
#include "formats/document.h"

/* Rules of data races by their class, behind those of the kinds. */
enum sarif_race_rule { SARIF_RACE_HARMFUL, SARIF_RACE_HARMLESS, SARIF_RACE_RULES };
extern const char *const sarif_race_rules[SARIF_RACE_RULES];

/* Adds a message object. A message is cut when it is too long, and nothing in it is a link. */
void sarif_message(struct json_writer *out, const char *key, const char *text);

/* Adds the member physicalLocation. */
void sarif_place(struct json_writer *out, struct document *document, const char *file, uint64_t line, uint64_t column);

/* Adds the result of a finding to an array. */
void sarif_result(struct json_writer *out, struct document *document, size_t number);

/* Adds the member codeFlows of a finding; nothing when it has no places. */
void sarif_flows(struct json_writer *out, struct document *document, const struct json *finding);

/* "write shared by thread 2: it was 5 and became 6"; without the thread when that was already named. */
void sarif_add_site(struct buf *out, const struct json *site, bool has_thread);

#endif
