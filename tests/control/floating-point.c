/* Floating-point state is a thread's own: rounding mode, exceptions, x87 and vector registers across events. */
#include "check.h"
#include <fenv.h>
#include <math.h>

static void *work(void *argument)
{
	static const int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
	int index = (int)(long)argument, wrong = 0;
	CHECK(fesetround(modes[index]) == 0);
	volatile double one = 1, three = 3, minus = -1;
	long double extended = 1.0L / (index + 3);
	for (int i = 0; i < 20; i++) {
		double plus_third = one / three, minus_third = minus / three;
		sched_yield();
		wrong += fegetround() != modes[index];
		if (index == 1)
			wrong += !(minus_third < -plus_third);
		if (index == 2)
			wrong += !(plus_third > -minus_third);
		wrong += extended != 1.0L / (index + 3);
	}
	return (void *)(long)wrong;
}

int main(void)
{
	pthread_t threads[4];
	long wrong = 0;
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		wrong += (long)finish(threads[i]);
	printf("wrong %ld round %d\n", wrong, fegetround() == FE_TONEAREST);
	return 0;
}
/*
 * expect: wrong 0 round 1
 * flags: -lm -frounding-math
 */
