/* Descriptors that send signals: to the process by its id, which the world gave it, in whatever form the owner is named. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static volatile sig_atomic_t ordinary, other, from;

static void on_io(int number)
{
	(void)number;
	ordinary++;
}

static void on_other(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	other++;
	from = info->si_fd;
}

static void *writes(void *fd)
{
	CHECK(write(*(int *)fd, "x", 1) == 1);
	return NULL;
}

static void send_from(int fd)
{
	finish(start(writes, &fd));
}

int main(void)
{
	int pipes[2], pair[2], id = getpid();
	struct f_owner_ex owner = { F_OWNER_PID, getpid() };
	struct sigaction with_info = { .sa_sigaction = on_other, .sa_flags = SA_SIGINFO };
	CHECK(signal(SIGIO, on_io) != SIG_ERR && sigaction(SIGRTMIN + 1, &with_info, NULL) == 0);
	CHECK(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);

	CHECK(fcntl(pipes[0], F_SETOWN, getpid()) == 0);
	CHECK(fcntl(pipes[0], F_GETOWN) == getpid());
	CHECK(fcntl(pipes[0], F_SETFL, O_ASYNC) == 0);
	send_from(pipes[1]);
	printf("ordinary %d\n", (int)ordinary);

	CHECK(fcntl(pair[0], F_SETOWN_EX, &owner) == 0);
	owner.pid = 0;
	CHECK(fcntl(pair[0], F_GETOWN_EX, &owner) == 0 && owner.type == F_OWNER_PID && owner.pid == getpid());
	CHECK(fcntl(pair[0], F_SETSIG, SIGRTMIN + 1) == 0 && fcntl(pair[0], F_SETFL, O_ASYNC) == 0);
	send_from(pair[1]);
	printf("with a descriptor %d\n", other > 0 && from == pair[0]);

	CHECK(ioctl(pair[1], FIOSETOWN, &id) == 0);
	id = 0;
	CHECK(ioctl(pair[1], FIOGETOWN, &id) == 0 && id == getpid());
	puts("done");
	return 0;
}
/*
 * expect: ordinary 1
 * expect: with a descriptor 1
 * expect: done
 */
