/* excerpt.h: the lines of sources around the places of findings, for reports that are read where the sources are not. */
#ifndef FORMATS_EXCERPT_H
#define FORMATS_EXCERPT_H

#include "base/json_writer.h"
#include "formats/document.h"

/* Adds a JSON object: file as the document names it, to {"path","changed","stale","parts":[[first line, [texts]],
 * ...]}. Missing files are left out, and lines when there would be too many. stale: numbers of the findings, from 0,
 * whose lines have changed since the program was built, or may have changed where that is not known: they are left
 * out of the parts. */
void excerpt_json(struct json_writer *out, const char *key, struct document *document);

#endif
