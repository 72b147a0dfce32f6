/* Runs a command with a socket as its standard output and its standard error (streams, one each), and copies both to its
 * own. */
#include "check.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	int out[2], err[2], status;
	CHECK(argc > 1 && socketpair(AF_UNIX, SOCK_STREAM, 0, out) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, err) == 0);
	pid_t child = fork();
	if (child == 0) {
		CHECK(dup2(out[1], 1) == 1 && dup2(err[1], 2) == 2);
		for (int fd = 3; fd < 16; fd++)
			close(fd);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	close(out[1]);
	close(err[1]);
	struct pollfd polls[2] = { { out[0], POLLIN, 0 }, { err[0], POLLIN, 0 } };
	while (polls[0].fd >= 0 || polls[1].fd >= 0) {
		CHECK(poll(polls, 2, -1) > 0);
		for (int i = 0; i < 2; i++) {
			char buffer[4096];
			if (polls[i].fd < 0 || !polls[i].revents)
				continue;
			ssize_t got = read(polls[i].fd, buffer, sizeof(buffer));
			if (got > 0)
				CHECK(write(1 + i, buffer, (size_t)got) == got);
			else
				polls[i].fd = -1;
		}
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
