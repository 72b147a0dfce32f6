/* time.h: real time, for time limits and for reports of elapsed time; nothing that a run does may depend on it. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

/* Seconds of the monotonic clock. */
double time_now_seconds(void);

#endif
