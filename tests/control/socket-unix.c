/* A unix server at a path, with datagrams too; the path is removed; the peer's credentials fit. */
#include "check.h"
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static void *asks(void *argument)
{
	int connection = socket(AF_UNIX, SOCK_STREAM, 0);
	char line[32], answer[32] = { 0 };
	CHECK(connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0);
	snprintf(line, sizeof(line), "%ld\n", (long)argument);
	CHECK(write(connection, line, strlen(line)) == (ssize_t)strlen(line));
	CHECK(shutdown(connection, SHUT_WR) == 0);
	CHECK(read(connection, answer, sizeof(answer) - 1) > 0);
	close(connection);
	return (void *)atol(answer);
}

int main(void)
{
	char folder[] = "heddle-test-XXXXXX";
	CHECK(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 5) == 0);
	struct stat about;
	CHECK(stat(address.sun_path, &about) == 0 && S_ISSOCK(about.st_mode));
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		threads[i] = start(asks, (void *)(i + 5));
	for (int i = 0; i < 3; i++) {
		int connection = accept(listener, NULL, NULL);
		struct ucred peer;
		socklen_t size = sizeof(peer);
		CHECK(connection >= 0);
		CHECK(getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getuid());
		FILE *stream = fdopen(connection, "r+");
		char line[32];
		CHECK(stream && fgets(line, sizeof(line), stream));
		fseek(stream, 0, SEEK_CUR);
		fprintf(stream, "%ld\n", atol(line) * 2);
		CHECK(fclose(stream) == 0);
	}
	long sum = 0;
	for (int i = 0; i < 3; i++)
		sum += (long)finish(threads[i]);
	CHECK(unlink(address.sun_path) == 0 && rmdir(folder) == 0);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 36
 */
