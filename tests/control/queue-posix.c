/* Queues of messages: mq_receive and mq_send that wait for another thread, in the order of priorities, and until a time. */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/stat.h>

#define ROOM 4
#define MESSAGES 40

static mqd_t queue;

static void *receive(void *argument)
{
	char text[16];
	int sum = 0;
	for (int i = 0; i < MESSAGES; i++) {
		CHECK(mq_receive(queue, text, sizeof(text), NULL) == 2);
		sum += text[0];
	}
	*(int *)argument = sum;
	return NULL;
}

static void times(void)
{
	char text[16];
	struct timespec at = after_ms(CLOCK_REALTIME, 50), past = { 1, 0 };
	CHECK(mq_timedreceive(queue, text, sizeof(text), NULL, &at) == -1 && errno == ETIMEDOUT);
	CHECK(now_ns(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
	for (int i = 0; i < ROOM; i++)
		CHECK(mq_timedsend(queue, "x", 1, (unsigned)i, &past) == 0); /* it need not wait */
	at = after_ms(CLOCK_REALTIME, 50);
	CHECK(mq_timedsend(queue, "x", 1, 0, &at) == -1 && errno == ETIMEDOUT);
	CHECK(mq_timedsend(queue, "x", 1, 0, &past) == -1 && errno == ETIMEDOUT);
	for (int i = 0; i < ROOM; i++) {
		unsigned priority;
		CHECK(mq_receive(queue, text, sizeof(text), &priority) == 1);
		printf("%u ", priority);
	}
	printf("\n");
}

int main(void)
{
	struct mq_attr attributes = { .mq_maxmsg = ROOM, .mq_msgsize = 16 };
	struct stat folder;
	char name[64];
	int sum = 0;
	/* Names are shared by all processes, and under control the process ids are always the same. */
	CHECK(stat(".", &folder) == 0);
	snprintf(name, sizeof(name), "/heddle-test-%d-%lu", getpid(), (unsigned long)folder.st_ino);
	queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
	CHECK(queue >= 0 && mq_unlink(name) == 0);
	pthread_t thread = start(receive, &sum);
	usleep(100);
	for (int i = 0; i < MESSAGES; i++)
		CHECK(mq_send(queue, (char[]){ (char)i, 'x' }, 2, 0) == 0);
	finish(thread);
	printf("sum %d\n", sum);
	times();
	return 0;
}
/*
 * expect: sum 780
 * expect: 3 2 1 0 
 * flags: -lrt
 */
