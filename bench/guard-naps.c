/*
 * guard-naps.c: makes failures of bench/guard more frequent: each thread naps at most once in a run, before one of its first accesses, which clang's
 * -fsanitize-coverage=trace-loads,trace-stores announces. Where and how long is random in each run; early accesses are more likely. Nothing here is woven.
 *   NAP_US=N   microseconds, at most; 0: no naps
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define MAX_PLACES_LOG 5u

static uint32_t below(uint32_t limit)
{
	uint32_t value = 0;
	while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
		continue;
	return value % limit;
}

static void nap(void)
{
	static __thread uint32_t left;
	static __thread int is_over;
	if (is_over)
		return;
	if (!left) {
		const char *most = getenv("NAP_US");
		left = 1 + below(1u << (1 + below(MAX_PLACES_LOG)));
		is_over = !most || atoi(most) <= 0;
	}
	if (!is_over && --left == 0) {
		is_over = 1;
		usleep(1 + below((uint32_t)atoi(getenv("NAP_US"))));
	}
}

#define HOOK(name)                                                                                                     \
	void name(void *address);                                                                                      \
	void name(void *address)                                                                                       \
	{                                                                                                              \
		(void)address;                                                                                         \
		nap();                                                                                                 \
	}
HOOK(__sanitizer_cov_load1)
HOOK(__sanitizer_cov_load2)
HOOK(__sanitizer_cov_load4)
HOOK(__sanitizer_cov_load8)
HOOK(__sanitizer_cov_load16)
HOOK(__sanitizer_cov_store1)
HOOK(__sanitizer_cov_store2)
HOOK(__sanitizer_cov_store4)
HOOK(__sanitizer_cov_store8)
HOOK(__sanitizer_cov_store16)

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *end);

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	(void)guard;
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *end)
{
	(void)start;
	(void)end;
}
