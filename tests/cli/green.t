#!/bin/bash
# heddle test: exit status 0 means that something was tested: woven code ran under control, and the program ended. What nobody observed is
# said.
. tests/lib/tap.sh
. tests/lib/cc.sh

# tested OPTIONS...: with an empty store; $said, $errors and $code
tested() {
	rm -rf .heddle found.json
	said=$(timeout -s KILL 120 "$heddle" test --classify no --json found.json "$@" 2>errors </dev/null)
	code=$?
	errors=$(cat errors)
}

cat >counts.c <<'END'
#include <pthread.h>
int count(void);
static void *work(void *argument)
{
	count();
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
cat >count.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter, racy;
int count(void)
{
	pthread_mutex_lock(&lock);
	int now = ++counter;
	pthread_mutex_unlock(&lock);
#ifdef RACY
	racy++;
#endif
	return now;
}
END
gcc -g -O1 -pthread counts.c count.c -o plain && $cc -g -O1 -pthread counts.c count.c -o woven || fail "counts.c is built"

tested --runs 30 -- ./plain
is "not woven: exit status" "$code" 3
like "not woven: said" "$errors" '^heddle: error: nothing was tested: ".*/plain" is not woven'
like "not woven: what to do" "$errors" 'CC=heddle-cc .*--allow-unwoven'
unlike "not woven: never called good" "$said" 'nothing found'
is "not woven: ended after the first schedule" "$(jq .schedules found.json)" 1
tested --quiet --runs 30 --junit found.xml --sarif found.sarif -- ./plain
is "not woven, quiet: exit status" "$code" 3
like "not woven: JUnit has an error" "$(cat found.xml)" '<error type="incomplete" message="nothing was tested: '
is "not woven: SARIF has no success" "$(jq '.runs[0].invocations[0].executionSuccessful' found.sarif)" false
tested --runs 30 --allow-unwoven -- ./plain
is "not woven, allowed: exit status" "$code" 0
is "not woven, allowed: schedules" "$(jq .schedules found.json)" 30
like "not woven, allowed: said" "$said" '^note: the program is not woven'
is "not woven, allowed: JSON" "$(jq -c .unwoven found.json)" '["plain"]'
tested --runs 10 --switch nothing_like_that -- ./woven
is "nothing switched: exit status" "$code" 3
like "nothing switched: said" "$errors" 'no function of "\./woven" runs woven'
tested --runs 10 -- ./woven
is "woven: exit status" "$code" 0
is "woven: nothing is unwoven" "$(jq -c .unwoven found.json)" '[]'

# What only starts others.
printf '#!/bin/sh\n./woven\necho done\n' >script
printf '#!/bin/sh\nexec ./woven\n' >becomes
chmod +x script becomes
for name in script becomes; do
	tested --runs 5 -- ./$name
	is "$name: exit status" "$code" 3
	like "$name: said" "$errors" 'is not woven and starts other programs, which are not controlled'
	like "$name: what to do" "$errors" 'name the program itself'
done
like "becomes: aborted" "$said" '^note: 1 schedule was aborted:$'
tested --runs 5 --allow-unwoven -- ./script
is "script, allowed: exit status" "$code" 0
cat >starts.c <<'END'
#include <stdlib.h>
int main(void)
{
	return system("./woven");
}
END
$cc -g -O1 starts.c -o starts || fail "starts.c is built"
tested --runs 20 -- ./starts
is "woven, one thread, starts another: exit status" "$code" 3
like "woven, one thread, starts another: said" "$(printf '%s' "$said" | tr '\n' ' ')" 'note: the program has one thread and starts other processes, which are not controlled'
unlike "woven, one thread, starts another: never called good" "$said" 'nothing found'
tested --runs 3 -- ./starts
is "woven, one thread, starts another, few schedules: exit status" "$code" 3
tested --runs 20 --allow-unwoven -- ./starts
is "woven, one thread, starts another, allowed: exit status" "$code" 0

# Woven in part.
$cc -g -O1 -pthread -shared -fPIC -DRACY count.c -o libcount.so && gcc -g -O1 -pthread counts.c -o partly -L. -lcount -Wl,-rpath,"$PWD" ||
	fail "the library is built"
tested --runs 10 -- ./partly
is "woven library: its race is found" "$code $(jq -r '.findings[0].sites[0].variable' found.json)" "1 racy"
like "woven library: what is not woven is said" "$said" '^note: partly is not woven: races and memory errors are found only in libcount\.so$'
is "woven library: JSON" "$(jq -c .unwoven found.json)" '["partly"]'
gcc -g -O1 -pthread -shared -fPIC -DRACY count.c -o libcount.so && $cc -g -O1 -pthread counts.c -o partly -L. -lcount -Wl,-rpath,"$PWD"
tested --runs 10 -- ./partly
is "plain library: exit status" "$code" 0
like "plain library: what is not woven is said" "$said" '^note: libcount\.so is not woven: races and memory errors are found only in partly$'

# What never ends.
cat >server.c <<'END'
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static void *beat(void *argument)
{
	for (;;)
		usleep(200000);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 5) < 0)
		return 1;
	pthread_create(&thread, NULL, beat, NULL);
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };
	while (argc > 1)
		poll(&poll_one, 1, 300);
	for (;;)
		close(accept(fd, NULL, NULL));
	(void)argv;
}
END
$cc -g -O1 -pthread server.c -o server || fail "server.c is built"
for how in accepts polls; do
	tested --time 60 -- ./server $([ $how = accepts ] || echo polls)
	is "a server that $how: exit status" "$code" 3
	like "a server that $how: said" "$errors" '^heddle: error: no run of the program ended: it waits (at|after) server\.c:2[24] in main for something from outside that never happens'
	like "a server that $how: what to do" "$errors" '^heddle: hint: .*ends by itself: limit its number of requests'
	is "a server that $how: within seconds" "$(jq '.seconds < 40' found.json)" true
done
cat >ticks.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *work(void *argument)
{
	for (;;)
		usleep(1000);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	for (;;)
		usleep(1000);
}
END
$cc -g -O1 -pthread ticks.c -o ticks || fail "ticks.c is built"
tested --runs 100 -- ./ticks
is "it only waits, for ever: exit status" "$code" 3
like "it only waits, for ever: said" "$errors" '^heddle: error: no run of the program ended: after [0-9]+ events it still waits repeatedly for time to pass'
is "it only waits, for ever: one schedule is enough" "$(jq .schedules found.json)" 1

# What detection sees in a schedule that is cut off is reported.
sed -e '2a static volatile int beats;' -e 's/usleep(1000)/beats++, usleep(1000)/' ticks.c >beats.c
$cc -g -O1 -pthread beats.c -o beats || fail "beats.c is built"
tested --runs 100 -- ./beats
is "a race, and no end: exit status" "$code" 1
is "a race, and no end: the finding" "$(jq -c '[.findings[] | [.kind, .sites[0].variable]]' found.json)" '[["data-race","beats"]]'
like "a race, and no end: the error" "$errors" '^heddle: error: no run of the program ended'

# A schedule that takes all the time that is left, and others end at once.
cat >maybe.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *work(void *argument)
{
	while (!flag)
		for (;;)
			__asm__ volatile("");
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	flag = 1;
	pthread_join(thread, NULL);
	return 0;
}
END
$cc -g -O1 -pthread maybe.c -o maybe || fail "maybe.c is built"
tested --time 4 -- ./maybe
is "the time is up in a schedule that may hang: exit status" "$code" 3
like "the time is up in a schedule that may hang: said" "$(printf '%s' "$said" | tr '\n' ' ')" \
	'schedule [0-9]+ (had not ended when the time limit was reached|may be a hang: there was no time)'
unlike "the time is up in a schedule that may hang: never called good" "$said" 'nothing found'

# Threads of OpenMP are not observed, and that is said whenever there are some.
cat >team.c <<'END'
void GOMP_parallel(void (*body)(void *), void *data, unsigned count, unsigned flags);
static volatile int counter;
static void region(void *data)
{
	counter++;
	(void)data;
}
int main(void)
{
	GOMP_parallel(region, 0, 4, 0);
	return 0;
}
END
if $cc -g -O1 -pthread team.c -lgomp -o team 2>/dev/null || $cc -g -O1 -pthread team.c "$(gcc -print-file-name=libgomp.so)" -o team; then
	tested --runs 10 -- ./team
	is "OpenMP: exit status" "$code" 0
	like "OpenMP: said" "$said" '^note: 3 OpenMP threads ran unobserved: races among the threads of a team are not detected'
	is "OpenMP: JSON" "$(jq .openmp_threads found.json)" 3
else
	skip "OpenMP" "there is no libgomp"
fi
tested --runs 10 -- ./woven
is "no OpenMP: JSON" "$(jq .openmp_threads found.json)" 0

# What another compiler made is in the program all the same.
echo 'int shared; void bump(void) { shared++; }' >other.c
cat >mixed.c <<'END'
#include <pthread.h>
void bump(void);
static void *work(void *argument)
{
	bump();
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, work, 0);
	bump();
	pthread_join(thread, 0);
	return 0;
}
END
gcc -O1 -c other.c -o other.o && $cc -g -O1 -pthread mixed.c other.o -o mixed || fail "the mixed program is built"
tested --runs 10 -- ./mixed
like "a function of gcc: said" "$said" '^note: 1 function of mixed was not built by heddle-cc'
is "a function of gcc: JSON" "$(jq -c .unwoven found.json)" '["mixed"]'
like "a function of gcc: it is named" "$said" '\(but by another compiler, or from assembly\): bump; accesses in it are not observed'
# An assembler file goes through heddle-cc, and is not woven.
cat >bump.S <<'END'
	.text
	.globl bump
	.type bump, @function
bump:
	incl shared(%rip)
	ret
	.size bump, .-bump
	.comm shared, 4, 4
	.section .note.GNU-stack, "", @progbits
END
$cc -g -O1 -pthread mixed.c bump.S -o mixed || fail "the program with assembly is built"
tested --runs 10 -- ./mixed
like "an assembler file: it is named, and nobody is sent to heddle-cc" "$said" \
	'^note: 1 function of mixed is assembly \(bump\.S\), and assembler files are not observed: bump; accesses in it'
$cc -O1 -pthread mixed.c bump.S -o mixed
tested --runs 10 -- ./mixed
like "an assembler file without debug information: the function is named" "$said" \
	'^note: 1 function of mixed was not built by heddle-cc \(but by another compiler, or from assembly\): bump; accesses in it'
strip mixed
tested --runs 10 -- ./mixed
like "without symbols they are counted" "$said" '^note: 1 function of mixed was not built by heddle-cc \(but by another compiler, or from assembly\): accesses in it'
$cc -g -O1 -pthread mixed.c other.c -o mixed
tested --runs 10 -- ./mixed
unlike "none: not said" "$said" 'not built by heddle-cc'
is_clean "nothing is left behind"
done_testing
