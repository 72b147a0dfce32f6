#!/bin/bash
# The sites of a program that the accesses of another tool's log are at: the logs of tests/unit/race_logs and programs of bugs/ and
# examples/, at several optimisation levels; logs of another build and of another program.
. tests/lib/tap.sh
. tests/lib/unit.sh
logs=tests/unit/race_logs
ok "compiled" unit_build tools.a "$work/test" tests/unit/race_match_test.c || {
	done_testing
	exit
}
ok "heddle-cc is there" make -s -j2
# weave SOURCE LEVEL: makes $work/woven
weave() {
	case $1 in *.cc) driver=c++ ;; *) driver=cc ;; esac
	"$build/bin/heddle-$driver" "-O$2" -g -pthread "$1" -o "$work/woven" || fail "$1 is woven"
}
# matches LOG: what is printed, names of files without folders
matches() {
	"$work/test" "$work/woven" "$1" 2>&1 | sed -E 's#[^ ]*/([^ /]+:[0-9])#\1#g'
}
for level in 0 1 2 3; do
	weave bugs/apache-log-buffer.c $level
	is "-O$level: a pair of lines" "$(matches $logs/apache-log-buffer.clang.log | sed -n 2,3p | sed 's/,.*//')" \
		"  exact: apache-log-buffer.c:38:18 read 8
  exact: apache-log-buffer.c:43:12 write 8"
	is "-O$level: memcpy is at its call" "$(matches $logs/apache-log-buffer.clang.log | sed -n 11,12p | sed 's/,.*//')" \
		"  exact: apache-log-buffer.c:27:3 read n block
  exact: apache-log-buffer.c:42:3 write n block"
	is "-O$level: no column, and no folder" "$(matches $logs/apache-log-buffer.helgrind.log | sed -n 2,3p | sed 's/,.*//')" \
		"  exact: apache-log-buffer.c:38:18 read 8
  exact: apache-log-buffer.c:43:12 write 8"
	weave examples/tickets.c $level
	is "-O$level: DRD has one side only" "$(matches $logs/tickets.drd.log | sed 's/, tick.*//' | cut -c 1-40)" "pair 1
  exact: tickets.c:13:9 read 4
  guessed: tickets.c:13:24 write 4; the "
	weave bugs/shared-ptr-race.cc $level
	is "-O$level: inside a header, by the calls around it" "$(matches $logs/shared-ptr-race.clang.log | sed -n 2,3p)" \
		"  exact: shared_ptr_base.h:1522:7 read 8
  exact: shared_ptr_base.h:1523:69 write 8"
	weave bugs/freed-while-read.c $level
	is "-O$level: a free is no access" "$(matches $logs/freed-while-read.gcc.log | sed -n 5p)" \
		"  none; the memory is freed here, which is not an access: a call of free"
	is "-O$level: strlen is at its call" "$(matches $logs/freed-while-read.gcc.log | sed -n 6p | cut -d: -f1-3)" "  exact: freed-while-read.c:62"
done
weave bugs/portend-avv.c 1
sed 's/portend-avv.c:35:14/portend-avv.c:36/' $logs/portend-avv.clang.log >"$work/log"
is "another line of the same function" "$(matches "$work/log" | sed -n 2p)" \
	"  inexact: portend-avv.c:35:14 read 4; no read at portend-avv.c:36 in this program; the nearest in find_server is at line 35"
sed 's/portend-avv.c:35:14/portend-avv.c:135:14/' $logs/portend-avv.clang.log >"$work/log"
like "a line that is too far away" "$(matches "$work/log" | sed -n 2p)" '^  none; no read at portend-avv.c:135 in this program; the nearest access is at line [0-9]+: lines may have moved$'
sed 's/portend-avv.c:35:14/portend-avv.c:36:14/' $logs/portend-avv.clang.log >"$work/log"
is "with columns another line is no guess" "$(matches "$work/log" | sed -n 2p)" \
	"  none; no read at portend-avv.c:36 in this program; the nearest access is at line 35: lines may have moved"
sed 's/portend-avv.c:35:14/portend-avv.c:35:9/' $logs/portend-avv.clang.log >"$work/log"
is "another column" "$(matches "$work/log" | sed -n 2p)" \
	"  inexact: portend-avv.c:35:14 read 4; no read in column 9 of portend-avv.c:35"
sed 's/portend-avv.c:35:14/portend-avv.c:49:24/' $logs/portend-avv.clang.log >"$work/log"
is "the line is in another function" "$(matches "$work/log" | sed -n 2p)" \
	"  none; the log is from another build: portend-avv.c:49 is not in find_server in this program, so lines have moved"
sed 's/portend-avv.c:35:14/portend-avv.c:135:14/; s/find_server/find_nothing/' $logs/portend-avv.clang.log >"$work/log"
is "a function that is not there" "$(matches "$work/log" | sed -n 2p)" \
	"  none; the log is from another build, or not from this program: it has no function find_nothing portend-avv.c:135)"
weave examples/tickets.c 1
like "a log of another program" "$(matches $logs/portend-avv.clang.log | sed -n 2p)" '^  none; no function of the stack is in this program; the innermost is find_server$'
is "a log without debug information" "$(matches $logs/tickets.stripped.log | sed -n 2p)" \
	"  none; the log has no names, only tickets.nd+0xe466b: build with -g, and let the tool find its symbolizer"
is "a log without a race" "$(matches $logs/deadlock-two-locks.clang.log)" ""

# The log names the variable: the other one of the line is not meant, and where there is none the line is not the same.
printf '#include <pthread.h>\nstatic int one, two;\nstatic void *run(void *unused)\n{\n\tone++, two++;\n\tone++;\n\treturn unused;\n}\nint main(void)\n{\n\tpthread_t threads[2];\n\tfor (int i = 0; i < 2; i++)\n\t\tpthread_create(&threads[i], NULL, run, NULL);\n\tfor (int i = 0; i < 2; i++)\n\t\tpthread_join(threads[i], NULL);\n\treturn one + two;\n}\n' >"$work/two.c"
(cd "$work" && "$OLDPWD/$build/bin/heddle-cc" -O1 -g -pthread two.c -o woven) || fail "two variables are woven"
for line in 5 6; do
	printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n    #0 run two.c:%s (x+0x10)\n\n  Previous write of size 4 at 0x1 by thread T1:\n    #0 run two.c:%s (x+0x10)\n\n  Location is global '"'two'"' of size 4 at 0x1 (x+0x10)\n' $line $line >"$work/log"
	"$work/test" "$work/woven" "$work/log" | sed -n 2p | sed "s#/[^ ]*/##" >"$work/out.$line"
done
is "the variable that the log names" "$(cat "$work/out.5")" "  exact: two.c:5:12 write 4"
is "a line that accesses another one" "$(cat "$work/out.6")" \
	"  none; the log is from another build: one is accessed in line 6 of two.c in this program, and two in the log, so lines have moved"
# Two files of one name: the longest common end of the paths decides.
mkdir -p "$work/a" "$work/b"
for folder in a b; do
	printf 'int shared_%s;\nvoid write_%s(void);\nvoid write_%s(void)\n{\n\tshared_%s = 1;\n}\n' $folder $folder $folder $folder >"$work/$folder/util.c"
done
cat >"$work/main.c" <<'END_OF_MAIN'
#include <pthread.h>
void write_a(void);
void write_b(void);
static void *run(void *unused) { write_a(); write_b(); return unused; }
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END_OF_MAIN
(cd "$work" && "$OLDPWD/$build/bin/heddle-cc" -O1 -g -pthread main.c a/util.c b/util.c -o woven) || fail "two files are woven"
for folder in a b; do
	printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n    #0 write_%s /other/%s/util.c:5:11 (x+0x10)\n\n  Previous write of size 4 at 0x1 by thread T1:\n    #0 write_%s /other/%s/util.c:5:11 (x+0x10)\n' $folder $folder $folder $folder >"$work/log"
	is "$folder/util.c" "$("$work/test" "$work/woven" "$work/log" | sed -nE "2s#.*/([ab]/util.c.*)#\1#p")" "$folder/util.c:5:11 write 4"
done
done_testing
