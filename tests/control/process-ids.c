/* Who we are: pid and tid agree, /proc/self is ours, parents, groups and users answer, and stay the same. */
#include "check.h"
#include <signal.h>
#include <sys/stat.h>

static void *work(void *argument)
{
	CHECK(getpid() == *(pid_t *)argument);
	CHECK(gettid() != getpid());
	return NULL;
}

int main(void)
{
	pid_t pid = getpid();
	CHECK(pid > 0 && pid == gettid() && getppid() > 0 && getpgrp() > 0 && getsid(0) >= 0);
	CHECK(getuid() == geteuid() && getgid() == getegid());
	finish(start(work, &pid));
	char target[64];
	ssize_t size = readlink("/proc/self", target, sizeof(target) - 1);
	CHECK(size > 0);
	target[size] = 0;
	CHECK(atoi(target) == pid);
	char line[200];
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "r");
	CHECK(maps && fgets(line, sizeof(line), maps));
	fclose(maps);
	struct stat about;
	CHECK(stat("/proc/self/exe", &about) == 0 && S_ISREG(about.st_mode));
	CHECK(kill(pid, 0) == 0);
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
