/* stop.h: what runs long ends when the user wants it to, and tells what it has until then. */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include <signal.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP, unless we were started with it ignored, sets *is_stopped; a second one ends us. */
void stop_catch(volatile sig_atomic_t *is_stopped);

#endif
