#!/bin/bash
# What counts as output when both orders of a race are compared: what leaves the process and stays. A file that the program removes does not, nor what was
# written over, nor what it sends to itself.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS

# The last of two writes decides which bytes are written.
cat >written.c <<'END'
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static volatile char last;
static void *set(void *value)
{
	last = *(char *)value;
	return NULL;
}
static void send_to_itself(char value, int family)
{
	union { struct sockaddr any; struct sockaddr_in in; struct sockaddr_un un; } name;
	socklen_t size = family == AF_INET ? sizeof name.in : sizeof name.un;
	char got;
	int listener = socket(family, SOCK_STREAM, 0), client = socket(family, SOCK_STREAM, 0);
	memset(&name, 0, sizeof name);
	name.any.sa_family = family;
	if (family == AF_INET)
		name.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		strcpy(name.un.sun_path, "socket");
	unlink("socket");
	if (bind(listener, &name.any, size) || listen(listener, 5) || getsockname(listener, &name.any, &size) || connect(client, &name.any, size))
		exit(3);
	int server = accept(listener, NULL, NULL);
	if (write(client, &value, 1) != 1 || read(server, &got, 1) != 1 || write(server, &got, 1) != 1 || read(client, &got, 1) != 1 || got != value)
		exit(4);
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	const char *how = count > 1 ? arguments[1] : "";
	int fd = open("file", O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, set, &"ab"[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	char value = last;
	if (!strcmp(how, "inet") || !strcmp(how, "unix"))
		send_to_itself(value, how[0] == 'i' ? AF_INET : AF_UNIX);
	else if (pwrite(fd, &value, 1, 0) != 1)
		return 2;
	if (!strcmp(how, "over") && pwrite(fd, "x", 1, 0) != 1)
		return 2;
	if (!strcmp(how, "beside") && pwrite(fd, "x", 1, 1) != 1)
		return 2;
	if (!strcmp(how, "cut") && ftruncate(fd, 0))
		return 2;
	if (!strcmp(how, "gone") && unlink("file"))
		return 2;
	return 0;
}
END
$cc -O1 -g -pthread written.c -o written || fail "written.c compiles"
for pair in :output-differs gone:harmless over:harmless beside:output-differs cut:harmless inet:harmless unix:harmless; do
	rm -rf .heddle
	timeout -s KILL 60 "$heddle" test --runs 20 --quiet --reduce 0 --classify yes --witnesses 6 --json=json -- ./written ${pair%:*} >out 2>err
	is "${pair%:*}: what is written" "$(jq -r '.findings[] | select(.kind == "data-race") | .class' json)" "${pair#*:}"
done
done_testing
