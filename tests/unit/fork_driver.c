/* fork_driver.c: starts a program under control with channel.fork_at and prints what became of both worlds:
 *   fork_driver RUNTIME STRATEGY SEED FORK-AT FORK-SEED PROG ARGS...
 *   original OUTCOME STATUS EVENTS HASH MEMORY
 *   copy OUTCOME WAIT-STATUS EVENTS HASH MEMORY */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/abi.h"

int main(int argc, char **argv)
{
	if (argc < 7)
		return 2;
	int fd = memfd_create("channel", 0), status = 0;
	if (fd < 0 || ftruncate(fd, sizeof(struct heddle_channel)) < 0)
		return 3;
	struct heddle_channel *channel = mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (channel == MAP_FAILED)
		return 3;
	memcpy(channel->magic, HEDDLE_CHANNEL_MAGIC, sizeof channel->magic);
	channel->version = HEDDLE_ABI_VERSION;
	channel->size_bytes = sizeof *channel;
	channel->strategy = (uint32_t)atoi(argv[2]);
	channel->seed = strtoull(argv[3], NULL, 10);
	channel->fork_at = strtoull(argv[4], NULL, 10);
	channel->fork_seed = strtoull(argv[5], NULL, 10);
	channel->date_ns = 1704067200000000000ull;
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, 9);
		personality(ADDR_NO_RANDOMIZE);
		dup2(fd, HEDDLE_FD_CHANNEL);
		close(fd);
		setenv("HEDDLE", "control", 1);
		setenv("HEDDLE_OPTIONS", "switch=all", 1);
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		setenv("LD_PRELOAD", argv[1], 1);
		execv(argv[6], argv + 6);
		_exit(127);
	}
	waitpid(child, &status, 0);
	fflush(stdout);
	printf("original %u %d %lu %016lx %016lx\n", channel->outcome, channel->status, channel->event_count,
	       channel->event_hash, channel->memory_hash);
	printf("copy %u %d %lu %016lx %016lx\n", channel->fork_outcome, channel->fork_status, channel->fork_events,
	       channel->fork_hash, channel->fork_memory_hash);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
