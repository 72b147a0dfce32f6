#!/bin/bash
# The code that is made for each woven call under control: where it has no room of its own, is not allowed, or comes and
# goes with the code that calls it.
. tests/lib/tap.sh
. tests/lib/cc.sh
limit="timeout -k 2 100"

# told COMMAND...: sets $status and $said, which is what it printed, on both ways
told() {
	# shellcheck disable=SC2086
	said=$($limit "$@" 2>&1)
	status=$?
}

cat >turns.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
	static long values[4];
	for (int i = 0; i < atoi(arguments[count - 1]); i++) {
		void *part = dlopen("./part.so", RTLD_NOW);
		if (!part)
			return puts(dlerror()), 1;
		((void (*)(long *))dlsym(part, "part"))(values);
		if (dlclose(part))
			return puts(dlerror()), 1;
	}
	printf("%ld %ld\n", values[0], values[3]);
	return 0;
}
END
{
	echo 'static long state[8];'
	for ((i = 0; i < 30; i++)); do
		echo "__attribute__((noinline)) static void f$i(long *p) { p[0]++; p[1] += p[0]; state[$((i % 8))] ^= p[1]; p[3] += state[0] & 1; }"
	done
	echo 'void part(long *p) {'
	for ((i = 0; i < 30; i++)); do echo "f$i(p);"; done
	echo '}'
} >library.c
ok "a library of 30 functions" $cc -g -O1 -fPIC -shared library.c -o part.so
ok "a program that opens it" $cc -g -O1 turns.c -o turns
want=$(./turns 300)
for options in "" --detect; do
	# shellcheck disable=SC2086
	told "$heddle" run --stats $options -- ./turns 300
	is "opened and closed 300 times${options:+ with $options}" "$status" 0
	like "... with the same result" "$said" "^$want\$"
	unlike "... and always observed" "$said" "unobserved"
	events=$(sed -n 's/.*; \([0-9]*\) events.*/\1/p' <<<"$said")
	# shellcheck disable=SC2086
	told "$heddle" run --stats $options -- ./turns 30
	less=$(sed -n 's/.*; \([0-9]*\) events.*/\1/p' <<<"$said")
	ok "... each time as often: $events events, $less for 30" [ "$((events - less))" -gt $((270 * 30 * 6)) ]
done

cat >far-data.c <<'END'
char big[0x7fffb000ul];
END
cat >far.c <<'END'
#include <pthread.h>
#include <stdio.h>
extern char big[];
int counter;
static void *work(void *argument)
{
	counter++;
	big[5]++;
	return argument;
}
int main(void)
{
	pthread_t first, second;
	pthread_create(&first, NULL, work, NULL);
	pthread_create(&second, NULL, work, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d %d\n", counter, big[5]);
	return 0;
}
END
if ok "variables two gigabytes apart" $cc -g -O1 -fPIC far.c far-data.c -o far; then
	for order in "priority" "priority --reverse"; do
		strategy=${order%% *}
		case $order in *reverse) strategy=reverse ;; esac
		told "$heddle" run --detect --strategy $strategy -- ./far
		like "both are found: $strategy" "$said" "race.*|data race"
		like "... the near one" "$said" "counter"
		like "... the far one" "$said" "big"
		like "... and are right" "$said" "^2 2\$"
	done
fi

# So many calls that their code does not fit beside the program: it goes above, where the break is.
{
	echo '#include <stdio.h>'
	echo '#include <unistd.h>'
	echo 'static volatile int v[64];'
	echo '#define A v[0]++; v[1]++; v[2]++; v[3]++; v[4]++; v[5]++; v[6]++; v[7]++;'
	echo '#define B A A A A A A A A'
	echo '#define C B B B B B B B B'
	for ((i = 0; i < 164; i++)); do echo "__attribute__((noinline)) void g$i(void) { C }"; done
	echo 'int main(void) { g0(); char *old = sbrk(0), *new = sbrk(1 << 20); if (new != old) return 1;'
	echo 'for (int i = 0; i < 1 << 20; i++) old[i] = (char)i; printf("%d\n", v[3]); return 0; }'
} >many.c
if ok "a program of 168,000 accesses, at a fixed place" $cc -g -O1 -fno-pie -no-pie many.c -o many; then
	for options in "" --detect; do
		# shellcheck disable=SC2086
		told "$heddle" run $options -- ./many
		is "its break can be moved${options:+ with $options}" "$status, $said" "0, 64"
	done
fi

cat >strict.c <<'END'
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **arguments)
{
	(void)count;
	if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0)) {
		perror("prctl");
		return 77;
	}
	execvp(arguments[1], arguments + 1);
	perror(arguments[1]);
	return 9;
}
END
$cc -g -O1 main.c part.c -o plain && gcc strict.c -o strict || fail "programs for the next part"
told ./strict true
if [ $status = 77 ]; then
	skip "no memory is writable and executable" "this kernel has no PR_SET_MDWE"
else
	told ./strict "$heddle" run --detect -- ./plain
	unlike "where no memory may be written and executed it does not crash" "$status" "^(139|11|132)\$"
	like "... and is told or works" "$said" "total 30 5|[Ww]rit|execut"
fi

done_testing
