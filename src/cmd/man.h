/*
 * man.h: the manual pages and the completion of bash, from the tables of the commands. What a page says in addition to
 * its command's table (examples, files) is in man/COMMAND.roff; mk/share.sh puts both together.
 */
#ifndef CMD_MAN_H
#define CMD_MAN_H

#include <stdio.h>

#include "cmd/opt.h"

/* heddle-COMMAND(1). */
void man_command(FILE *to, const struct command *command);

/* heddle(1). commands ends with null, here and below. */
void man_general(FILE *to, const struct command *const commands[]);

/* A file for /usr/share/bash-completion/completions. It needs nothing but bash; when bash-completion is there, what
 * follows "heddle run --" is completed as a command line of its own. */
void man_completion(FILE *to, const struct command *const commands[]);

#endif
