#!/bin/bash
# heddle classify of programs whose inputs do not come again: what a socket, a FIFO or a terminal sent is taken from the log of the recorded run, and
# where the log has no answer the race is undecided. The programs that send it run only while heddle test does.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
sender=
trap '[ -z "$sender" ] || kill "$sender"' EXIT

# What talks to the programs: to a server at a path or a port, until it is killed, or through a terminal whose name becomes a link.
cat >talk.c <<'END_OF_SOURCE'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static int meet(const char *where)
{
	if (atoi(where)) {
		struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(where)) };
		name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		return connect(fd, (struct sockaddr *)&name, sizeof name) == 0 ? fd : (close(fd), -1);
	}
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	strcpy(name.sun_path, where);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return connect(fd, (struct sockaddr *)&name, sizeof name) == 0 ? fd : (close(fd), -1);
}
static void type(const char *link)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || symlink(ptsname(fd), link) < 0)
		exit(1);
	int other = open(ptsname(fd), O_RDWR | O_NOCTTY); /* or each end of a reader is a hang-up */
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (char text[64];;) {
		if (other < 0 || write(fd, "go\n", 3) < 0)
			usleep(1000);
		while (read(fd, text, sizeof text) > 0) /* the echo */
			;
		usleep(500);
	}
}
int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (argc > 2)
		type(argv[1]);
	for (char text[64];;) {
		int fd = meet(argv[1]);
		if (fd < 0) {
			usleep(2000);
			continue;
		}
		for (int i = 0; i < 3; i++)
			if (write(fd, "go\n", 3) < 0 || read(fd, text, sizeof text) <= 0)
				break;
		close(fd);
	}
}
END_OF_SOURCE
gcc -O1 talk.c -o talk || fail "talk.c compiles"

# A server with one thread for what comes, and a race on limit with main.
cat >server.c <<'END_OF_SOURCE'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static volatile int limit, seen;
static int client;
static void answer(const char *text)
{
	if (write(client, text, strlen(text)) < 0)
		exit(9);
}
static void *work(void *unused)
{
	char request[64] = "";
	if (read(client, request, sizeof request - 1) > 0 && strcmp(request, "go\n") == 0)
		limit = 7; /* A */
	return unused;
}
int main(int argc, char **argv)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	pthread_t thread;
	char text[64];
	const char *mode = argv[argc - 1];
	signal(SIGPIPE, SIG_IGN);
	strcpy(name.sun_path, argv[1]);
	unlink(argv[1]);
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&name, sizeof name) < 0 || listen(listening, 5) < 0)
		return 8;
	client = accept(listening, NULL, NULL);
	int ends[] = { socket(AF_UNIX, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM, 0) };
	pthread_create(&thread, NULL, work, NULL);
	seen = limit; /* B */
	if (strcmp(mode, "differ") == 0) {
		sprintf(text, "limit %d\n", seen);
		answer(text);
	} else if (strcmp(mode, "input") == 0) {
		seen = access(seen ? "one" : "other", R_OK); /* no run asks for both */
	} else if (strcmp(mode, "close") == 0) {
		close(ends[seen ? 0 : 1]); /* the same */
	} else if (strcmp(mode, "connect") == 0 && connect(ends[0], (struct sockaddr *)&name, sizeof name) < 0) {
		return 7;
	}
	pthread_join(thread, NULL);
	if (strcmp(mode, "crash") == 0)
		assert(seen == (argc == 3 ? 0 : 7));
	answer("bye\n");
	close(client);
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread server.c -o server || fail "server.c compiles"

# test_with SENDER... -- PROGRAM...: a store with the races of the program, tested while the sender runs
test_with() {
	local command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	rm -rf .heddle s terminal
	"${command[@]}" >/dev/null 2>&1 &
	sender=$!
	timeout -s KILL 40 "$heddle" test --runs 40 --quiet --classify no "$@" >test.out 2>test.err
	kill "$sender"
	wait "$sender" 2>/dev/null
	sender=
}
# classified [OPTIONS]: the exit status, and the verdict on races
classified() {
	timeout -s KILL 120 "$heddle" classify --quiet --witnesses 6 "$@" >out 2>err
	echo "$? $(grep -E '^H[0-9]+ (is|has|changes) ' out | sed 's/^H[0-9]* //')"
}
# race: the id of the first race
race() {
	"$heddle" list --json | jq -r '[.findings[] | select(.kind == "data-race")][0].id'
}
log="judged from the log, because the inputs cannot be repeated"

test_with ./talk s -- -- ./server s crash
like "a server with a harmful race" "$(classified --json=json)" "^1 is harmful: H[0-9]+ assertion .*only if server\.c:[0-9]+ of thread [12] comes before server\.c:[0-9]+ of thread [12]; $log$"
is "where the inputs are from is in JSON" "$(jq -c '.entries[0] | [.class, .source, .unanswered]' json)" '["spec-violated","log",0]'
id=$(race)
"$heddle" replay "$id" >out 2>&1
is "its evidence ends in the failure" "$? $(grep -c "^server: server.c:.* Assertion .* failed" out)" "134 1"
"$heddle" replay "$id" --order other >out 2>&1
is "and so does a run with the other order, but for that" "$? $(grep -c "Assertion" out)" "0 0"

test_with ./talk s -- -- ./server s differ
like "the answer depends on it" "$(classified)" "^1 changes the result: output or exit status differ if server\.c:[0-9]+ of thread [12] comes before server\.c:[0-9]+ of thread [12]; $log$"
like "it is said how" "$(cat out)" "what is written to files or sockets differs"

test_with ./talk s -- -- ./server s harmless
is "nothing depends on it" "$(classified)" "0 is harmless in 12 runs: both orders end with the same output and exit status; $log"
"$heddle" replay "$(race)" --order other >out 2>&1
is "the run with the other order can be replayed" "$? $(grep -c 'did not follow' out)" "0 0"

test_with ./talk s -- -- ./server s close
is "what is closed needs no answer" "$(classified)" "0 is harmless in 12 runs: both orders end with the same output and exit status; $log"
test_with ./talk s -- -- ./server s connect
is "a connection is in the log" "$(classified)" "0 is harmless in 12 runs: both orders end with the same output and exit status; $log"

test_with ./talk s -- -- ./server s input
like "the other order asks for what the log does not have" "$(classified --json=json)" \
	'^3 is undecided: [0-9]+ runs from the log of the recorded one ended because the log has no answer \(access\)$'
is "that is counted" "$(jq -c '(.entries[0] | [.class, .source, .unanswered > 0]), .status' json | paste -sd' ')" '["undecided","log",true] 3'

# A directory that the other thread makes after its access, and a file that it writes: the run in which main looks before that has no answer, although
# the recorded run had one. It must not be told of what has not happened yet.
cat >maker.c <<'END_OF_SOURCE'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
static volatile int limit, seen, client, is_folder;
static void *work(void *unused)
{
	char request[64] = "";
	if (read(client, request, sizeof request - 1) <= 0)
		exit(9);
	limit = 7; /* A */
	int fd = is_folder ? mkdir("made", 0777) : open("./made", O_WRONLY | O_APPEND);
	if (!is_folder && write(fd, "ok", 2) != 2)
		exit(9);
	return unused;
}
int main(int argc, char **argv)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	char text[8];
	pthread_t thread;
	is_folder = argc > 2;
	signal(SIGPIPE, SIG_IGN);
	strcpy(name.sun_path, argv[1]);
	unlink(argv[1]);
	unlink("made");
	rmdir("made");
	if (!is_folder)
		close(creat("made", 0666));
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&name, sizeof name) < 0 || listen(listening, 5) < 0)
		return 8;
	client = accept(listening, NULL, NULL);
	pthread_create(&thread, NULL, work, NULL);
	sleep(1);
	seen = limit; /* B */
	if (is_folder ? access("made", R_OK) : read(open("made", O_RDONLY), text, sizeof text) != 2)
		abort();
	pthread_join(thread, NULL);
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread maker.c -o maker || fail "maker.c compiles"
for what in folder file; do
	test_with ./talk s -- -- ./maker s $([ $what = file ] || echo folder)
	like "looking at a $what before it is made" "$(classified)" '^3 .*is undecided: .* no answer'
done

# Several threads that hand connections on through a pipe, which is not the outside: TCP, epoll, and numbers of descriptors that are used again.
cat >pool.c <<'END_OF_SOURCE'
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
static volatile int served;
static int handed[2], is_told;
static void *work(void *unused)
{
	int fd;
	while (read(handed[0], &fd, sizeof fd) == sizeof fd && fd >= 0) {
		char text[64];
		struct epoll_event event = { .events = EPOLLIN };
		int poll = epoll_create1(0);
		epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
		while (epoll_wait(poll, &event, 1, -1) == 1 && recv(fd, text, sizeof text, 0) > 0) {
			served++;
			dprintf(fd, "served %d\n", is_told ? served : 0);
		}
		close(poll);
		close(fd);
	}
	return unused;
}
int main(int argc, char **argv)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])) };
	pthread_t threads[2];
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0), stop = -1;
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	is_told = argc > 2;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (struct sockaddr *)&name, sizeof name) < 0 || listen(fd, 5) < 0 || pipe(handed) < 0)
		return 8;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++) {
		int client = accept(fd, NULL, NULL);
		if (write(handed[1], &client, sizeof client) < 0)
			return 8;
	}
	for (int i = 0; i < 2; i++)
		if (write(handed[1], &stop, sizeof stop) < 0)
			return 8;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("end");
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread pool.c -o pool || fail "pool.c compiles"
port=$((20000 + $$ % 10000))
test_with sh -c "./talk $port & a=\$!; ./talk $port & trap \"kill \$a \$!\" TERM; wait" -- -- ./pool $port
classified >verdict
unlike "nobody is told of the counter, so it does no harm" "$(cat verdict)" "harmful|changes"
like "and runs that end say so" "$(cat verdict)" "^(0|3) is (harmless in [0-9]+ runs|undecided): .*log"
test_with sh -c "./talk $port & a=\$!; ./talk $port & trap \"kill \$a \$!\" TERM; wait" -- -- ./pool $port told
like "clients are told" "$(classified)" "(^1|is) .*changes the result: .*; $log"
like "what they say next is not in the log" "$(cat out)" "the run ends there, because what comes next is not in the log"

"$heddle" replay "$(race)" --order other >out 2>&1
is "a replay ends there, too" "$? $(grep -c 'differs\|did not follow the trace' out) $(grep -o '^heddle: the log has no answer, after' out)" "3 0 heddle: the log has no answer, after"

# A FIFO and a terminal; a file that is written.
cat >reader.c <<'END_OF_SOURCE'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile int value;
static void *work(void *unused) { value = 2; return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	char line[64] = "";
	int fd = open(argv[1], O_RDONLY | O_NOCTTY), out = open("journal", O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (fd < 0 || read(fd, line, 3) != 3 || argc < 2)
		return 0;
	pthread_create(&thread, NULL, work, NULL);
	int seen = value;
	if (write(out, "a line\n", 7) != 7)
		return 0;
	pthread_join(thread, NULL);
	printf("%.2s %d\n", line, value + (argc > 2 ? seen : 0));
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread reader.c -o reader || fail "reader.c compiles"
mkfifo fifo
test_with sh -c 'trap "" PIPE; while :; do echo go >fifo; done' -- -- ./reader fifo
lines=$(wc -l <journal)
is "a FIFO" "$(classified)" "0 is harmless in 12 runs: both orders end with the same output and exit status; $log"
is "runs from the log write nothing to files" "$(wc -l <journal)" "$lines"
test_with ./talk terminal type -- -- ./reader terminal print
classified >first
like "a terminal that is gone" "$(cat first)" "^1 changes the result: output or exit status differ if reader\.c:[0-9]+ of thread [12] comes before reader\.c:[0-9]+ of thread [12]; $log$"
for _ in 2 3 4 5 6 7 8 9 10; do
	classified
done >more
is "ten times the same" "$(sort -u first more | wc -l)" 1

# Bad evidence.
for trace in .heddle/evidence/*.trace; do
	cp "$trace" kept
	head -c $(($(stat -c %s kept) / 2)) kept >"$trace"
done
like "a trace that is cut off is no evidence" "$(classified)$(head -1 err)" '^3 heddle: error: H[0-9]+ cannot be classified: '
test_with ./talk terminal type -- -- ./reader terminal print
sed -i 's/value = 2/value = 3/' reader.c
$cc -O1 -g -pthread reader.c -o reader
like "nor is that of another build" "$(classified)$(head -1 err)" '^3 heddle: error: H[0-9]+ cannot be classified: .* is not the build that was recorded'
done_testing
