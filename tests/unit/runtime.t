#!/bin/bash
# The runtime: registration, switching, counting, in every kind of link; and that it does nothing unasked.
. tests/lib/tap.sh
. tests/unit/fake.sh

for linker in bfd gold lld; do
	for kind in -pie -no-pie; do
		name="$linker $kind"
		fake=$work/fake-$linker$kind
		if ! make_fake "$fake" -DFAKE_MAIN -fuse-ld=$linker $kind 2>"$work/log"; then
			fail "$name links"
			diag "$(cat "$work/log")"
			continue
		fi
		is "$name: dormant without the runtime" "$("$fake" 2>&1)" "3 3 0"
		is "$name: dormant with the runtime loaded" "$(LD_PRELOAD=$runtime "$fake" 2>&1)" "3 3 0"
		is "$name: pass alone switches nothing" "$(woven '' "$fake" 2>&1)" "3 3 0"
		is "$name: switched before its first constructor" "$(woven switch=all "$fake" 2>&1)" "203 203 0"
		is "$name: exact counts" "$("$heddle" run --top 0 -- "$fake" threads 6 5000 2>&1 | cut -d, -f1)" \
			"heddle: 105003 accesses at 4 of 5 sites"
	done
	ok "$linker: a library" make_fake "$work/lib-$linker.so" -shared -fuse-ld=$linker
	ok "$linker: with sections collected" make_fake "$work/gc-$linker" -DFAKE_MAIN -fuse-ld=$linker \
		-ffunction-sections -Wl,--gc-sections $([ $linker = lld ] && echo -Wl,-z,nostart-stop-gc)
	is "$linker: with sections collected, switched" "$(woven switch=all "$work/gc-$linker" 2>&1)" "203 203 0"
done
make_fake "$work/clang" -DFAKE_MAIN && CC=clang-19 make_fake "$work/clang" -DFAKE_MAIN
is "compiled by clang" "$(woven switch=all "$work/clang" 2>&1)" "203 203 0"
make_fake "$work/one-segment" -DFAKE_MAIN -Wl,-z,noseparate-code
is "code in the segment of the headers" "$(woven switch=all "$work/one-segment" 2>&1)" "203 203 0"

fake=$work/fake-bfd-pie
like "code is not writable afterwards" "$(woven switch=all bash -c "exec -a x '$fake' sleep & sleep 0.5;
	cat /proc/\$!/maps; kill \$!" 2>&1 | grep "$fake")" 'r-xp'
unlike "nothing writable and executable is left" "$(woven switch=all bash -c "exec -a x '$fake' sleep & sleep 0.5;
	cat /proc/\$!/maps; kill \$!" 2>&1)" 'rwxp'

# Libraries, linked and opened.
cat >"$work/user.c" <<'END'
#include <stdio.h>
#include <dlfcn.h>
extern int fake_one(void);
int main(int argc, char **argv)
{
	int (*one)(void) = 0;
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(argv[argc - 1], RTLD_NOW);
		one = (int (*)(void))dlsym(library, "fake_one");
		printf("%d ", one ? one() : -1);
		if (library)
			dlclose(library);
	}
	puts("");
}
END
cat >"$work/linked.c" <<'END'
#include <stdio.h>
extern int fake_one(void);
int main(void) { printf("%d\n", fake_one()); }
END
gcc "$work/user.c" -o "$work/user" -ldl
is "a library opened three times" "$(woven switch=all "$work/user" "$work/lib-bfd.so" 2>&1)" "203 203 203 "
like "a library opened three times, counted" "$("$heddle" run --top 0 -- "$work/user" "$work/lib-bfd.so" 2>&1)" \
	'^heddle: 9 accesses at 3 of 5 sites, 1 process, 6 functions'
gcc "$work/linked.c" "$work/lib-lld.so" -o "$work/linked"
is "a library linked" "$(LD_LIBRARY_PATH=$work woven switch=all "$work/linked" 2>&1)" 203
gcc -no-pie "$work/linked.c" "$work/lib-gold.so" -o "$work/linked-no-pie"
is "a library linked into a program that does not move" \
	"$(LD_LIBRARY_PATH=$work woven switch=all "$work/linked-no-pie" 2>&1)" 203
mkdir "$work/many"
for i in $(seq 1 70); do cp "$work/lib-bfd.so" "$work/many/$i.so"; done
cat >"$work/many.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 1; i < argc; i++) {
		int (*one)(void) = (int (*)(void))dlsym(dlopen(argv[i], RTLD_NOW | RTLD_LOCAL), "fake_one");
		sum += one();
	}
	printf("%d\n", sum);
}
END
gcc "$work/many.c" -o "$work/many/user" -ldl
many=$("$heddle" run --count -- "$work/many/user" "$work"/many/*.so 2>&1)
like "more objects than slots: those that fit are counted" "$many" '^heddle: 192 accesses at 192 of 350 sites, 1 process'
like "more objects than slots: the rest is counted as lost" "$many" '^heddle: 6 objects were not counted'
like "more objects than slots: the rest runs" "$many" "^$((64 * 203 + 6 * 3))\$"

# Patterns.
is "one function" "$(woven 'switch=add_one' "$fake" 2>&1)" "103 103 0"
is "a glob" "$(woven 'switch=*_t?o' "$fake" 2>&1)" "103 103 0"
is "two patterns" "$(woven 'switch=add_one,add_two' "$fake" 2>&1)" "203 203 0"
is "an exclusion after all" "$(woven 'switch=all,-add_one,-*twin*' "$fake" 2>&1)" "103 103 0"
is "an exclusion alone" "$(woven 'switch=-add_one' "$fake" 2>&1)" "103 103 0"
is "the last that matches decides" "$(woven 'switch=all,-add_*,add_one,-*twin*' "$fake" 2>&1)" "103 103 0"
is "none after all" "$(woven 'switch=all,none' "$fake" 2>&1)" "3 3 0"
is "a later key replaces an earlier one" "$(woven 'switch=all:switch=none' "$fake" 2>&1)" "3 3 0"
printf '# patterns\n  add_two  \r\n\n-*twin*\nadd_one\n-add_one' >"$work/set:1,2"
is "a file of patterns, with a colon and a comma in its name" \
	"$(woven "switch=@$work/set\\:1\\,2" "$fake" 2>&1)" "103 103 0"
like "a file of patterns that is not there" "$(woven "switch=@$work/none" "$fake" 2>&1)" 'heddle: off: .*none \(errno 2\)'
is "functions that share code" "$(woven 'switch=*twin*' "$fake" 2>&1)" "103 103 0"
like "verbose" "$(woven switch=all:verbose=1 "$fake" 2>&1)" \
	'fake-bfd-pie: 2 functions switched, 1 more share their code, 0 skipped'
make_fake "$work/broken" -DFAKE_MAIN -DFAKE_BROKEN
like "an entry that is not ours is left alone" "$(woven switch=all:verbose=1 "$work/broken" 2>&1)" \
	': 1 function switched, 0 more share their code, 2 skipped'
is "an entry that is not ours still runs" "$(woven switch=all "$work/broken" 2>&1)" "103 103 0"

# Faults: one line, and the program goes on.
both=$(woven 'colour=1:switch:help=1' "$fake" 2>&1)
like "unknown option" "$both" '^heddle: unknown option in HEDDLE_OPTIONS, ignored .*: colour$'
like "option without value" "$both" '^heddle: option without a value .*: switch$'
like "help lists the keys" "$both" '^heddle: option count='
like "and the program goes on" "$both" '^3 3 0$'
mode=$(LD_PRELOAD=$runtime HEDDLE=nonsense "$fake" 2>&1)
like "unknown mode" "$mode" '^heddle: off: .*nonsense; the program continues unobserved$'
like "unknown mode: the program goes on" "$mode" '^3 3 0$'
is "an empty mode is none" "$(LD_PRELOAD=$runtime HEDDLE= HEDDLE_OPTIONS=help=1 "$fake" 2>&1)" "3 3 0"
like "no file of counters" "$(woven "switch=all:count=$work/none" "$fake" 2>&1 | tr '\n' ' ')" 'off: .*none .*3 3 0'
head -c 1000000 /dev/zero >"$work/zero"
like "not a file of counters" "$(woven "switch=all:count=$work/zero" "$fake" 2>&1 | tr '\n' ' ')" \
	'off: .*belongs to another version.*3 3 0'
gcc -O2 -fPIC -Iinclude -Isrc -S src/rt/woven.c -o "$work/woven.s"
version=$(sed -n 's/^#define HEDDLE_ABI_VERSION \([0-9]*\)u/\1/p' include/heddle/abi.h)
sed "/^__heddle_object:/,/\.long/s/\.long[[:space:]]*$version\>/.long 77/" "$work/woven.s" >"$work/other.s"
gcc -O2 -Iinclude -DFAKE_MAIN -fPIC tests/unit/fake_woven.c "$work/other.s" -o "$work/other" -pthread
like "tables of another version" "$(woven switch=all "$work/other" 2>&1 | tr '\n' ' ')" \
	"version 77, this runtime expects version $version.*3 3 0"
cat >"$work/refuse.c" <<'END'
#include <stddef.h>
#include <errno.h>
#include <sys/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET, 2, 0, 1),
		BPF_STMT(BPF_RET, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execv(argv[1], argv + 1);
	(void)argc;
	return 78;
}
END
gcc "$work/refuse.c" -o "$work/refuse"
like "code that may not be changed" "$(woven switch=all "$work/refuse" "$fake" 2>&1 | tr '\n' ' ')" \
	'off: the code cannot be made writable.*errno 13.*3 3 0'

# Without any library: the object itself needs none.
ok "links without any library" make_fake "$work/bare.so" -shared -nostdlib -Wl,-z,defs
is "runs without any library" "$("$work/user" "$work/bare.so")" "3 3 3 "
is "runs without any library, switched" "$(woven switch=all "$work/user" "$work/bare.so" 2>&1)" "203 203 203 "

# Counting.
count_of() { "$heddle" run --json "$work/json" -- "$@" >/dev/null 2>&1; jq -r '[.objects[].sites[] | .count] | join(" ")' "$work/json"; }
is "counts: one run" "$(count_of "$fake")" "2 2 0 0 2"
is "counts: ranges and masks of nothing count nothing" "$(count_of "$fake" work 100)" "101 101 0 50 101"
is "counts: more threads than shards" "$(count_of "$fake" threads 40 1000)" "40001 40001 0 20000 40001"
is "counts: forked children" "$(count_of "$fake" fork 20 1000)" "20001 20001 0 10000 20001"
is "counts: programs executed in turn" "$(count_of "$fake" exec 30)" "331 331 0 150 331"
is "counts: processes" "$(jq .processes "$work/json")" 31
is "counts: killed" "$(count_of "$fake" kill 9)" "1001 1001 0 500 1001"
is "counts: crashed" "$(count_of "$fake" kill 11)" "1001 1001 0 500 1001"
is "counts: many programs at once" "$(count_of bash -c "for i in \$(seq 1 30); do '$fake' work 1000 & done; wait")" \
	"30030 30030 0 15000 30030"
is "errno is untouched" "$(woven switch=all "$fake" 2>&1)" "203 203 0"
is "lint" "$(BUILD=$build sh mk/lint.sh 2>&1)" "lint: the runtime is clean"
done_testing
