/* training.h: what a training has learned, as JSON. */
#ifndef NARRATE_TRAINING_H
#define NARRATE_TRAINING_H

#include "base/json_writer.h"
#include "learned/data.h"

/* Adds "training" to an object: runs, members of the sets, and by how many each run made them grow. */
void training_json(struct json_writer *out, const struct learned *learned);

/* Appends a document (docs/FORMATS.md) without findings. program: with its arguments; path: of the file of the training data. */
void training_document(struct buf *out, const struct learned *learned, char *const *program, const char *path);

#endif
