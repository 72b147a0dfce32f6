/* stop.h: long commands stop when the user asks, and report what they have so far. */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include <signal.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP, unless it was ignored when we started, sets *is_stopped; a second one ends the command. */
void stop_catch(volatile sig_atomic_t *is_stopped);

#endif
