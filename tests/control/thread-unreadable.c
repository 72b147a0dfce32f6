/* What a thread is given may be a block that nobody may read when it is created: nobody does. */
#include "check.h"
#include <sys/mman.h>
#include <threads.h>

#define SIZE 8192

static void *work(void *argument)
{
	CHECK(mprotect(argument, SIZE, PROT_READ | PROT_WRITE) == 0);
	*(int *)argument += 1;
	return argument;
}

static int work_c11(void *argument)
{
	work(argument);
	return 0;
}

int main(void)
{
	void *block;
	thrd_t thread;
	CHECK(posix_memalign(&block, 4096, SIZE) == 0);
	*(int *)block = 40;
	CHECK(mprotect(block, SIZE, PROT_NONE) == 0);
	finish(start(work, block));
	/* Only its end is readable, then only its start. */
	CHECK(mprotect(block, 4096, PROT_NONE) == 0);
	CHECK(thrd_create(&thread, work_c11, block) == thrd_success && thrd_join(thread, NULL) == thrd_success);
	CHECK(mprotect((char *)block + 4096, 4096, PROT_NONE) == 0);
	finish(start(work, block));
	printf("%d\n", *(int *)block);
	free(block);
	return 0;
}
/*
 * expect: 43
 */
