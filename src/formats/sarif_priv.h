/* sarif_priv.h: what the parts of the writer of SARIF share. */
#ifndef FORMATS_SARIF_PRIV_H
#define FORMATS_SARIF_PRIV_H

#include "formats/document.h"

/* Appends what comes before, and "name":"value". */
void sarif_member(struct buf *out, const char *before, const char *name, const char *value);

/* Appends what comes before, and a message object. A message is cut when it is too long, and nothing in it is a link. */
void sarif_message(struct buf *out, const char *before, const char *text);

/* Appends a physicalLocation. */
void sarif_place(struct buf *out, struct document *document, const char *file, uint64_t line, uint64_t column);

/* Appends the result of a finding. */
void sarif_result(struct buf *out, struct document *document, size_t number);

/* Appends the codeFlows of a finding, with a comma before; nothing when it has no places. */
void sarif_flows(struct buf *out, struct document *document, const struct json *finding);

/* "write shared by thread 2: it was 5 and became 6"; without the thread when that is said already. */
void sarif_tell_site(struct buf *out, const struct json *site, bool has_thread);

#endif
