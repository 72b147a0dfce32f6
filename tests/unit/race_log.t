#!/bin/bash
# Logs of ThreadSanitizer, Helgrind and DRD: what tests/unit/race_logs has, which are what these tools printed for programs of bugs/ and
# examples/, and what can be wrong with such a file.
. tests/lib/tap.sh
. tests/lib/unit.sh
logs=tests/unit/race_logs
ok "compiled" unit_build tools.a "$work/test" tests/unit/race_log_test.c || {
	done_testing
	exit
}
test=$work/test
# last LOG: what is said of a log
last() {
	"$test" read "$1" 2>&1 | tail -n 1
}
is "clang's" "$(last $logs/apache-log-buffer.clang.log)" "ThreadSanitizer: 4 data races"
is "its first report" "$("$test" read $logs/apache-log-buffer.clang.log | head -n 7)" "ThreadSanitizer, line 2
  read 8
    [write_record] [/home/user/src/apache-log-buffer.c] 38 18 [apache-log-buffer.ct] 1
    [handle_requests] [/home/user/src/apache-log-buffer.c] 53 3 [apache-log-buffer.ct] 1
  write 8
    [write_record] [/home/user/src/apache-log-buffer.c] 43 12 [apache-log-buffer.ct] 1
    [handle_requests] [/home/user/src/apache-log-buffer.c] 53 3 [apache-log-buffer.ct] 1"
like "a function without a source" "$("$test" read $logs/apache-log-buffer.clang.log)" '^    \[__tsan_memcpy\] \[\] 0 -1 \[apache-log-buffer.ct\] 1$'
is "gcc's, which has no columns" "$("$test" read $logs/freed-while-read.gcc.log | sed -n '3p;$p')" \
	"    [session_close] [/home/user/src/freed-while-read.c] 51 -1 [freed-while-read.gt] 1
ThreadSanitizer: 2 data races"
like "names of C++" "$("$test" read $logs/shared-ptr-race.clang.log)" '^    \[main::\$_0::operator\(\)\(\) const\] \[/home/user/src/shared-ptr-race.cc\] 59 32 '
is "without debug information" "$("$test" read $logs/tickets.stripped.log | sed -n '2,3p;$p')" \
	"  read 4
    [] [] 0 -1 [tickets.nd] 1
ThreadSanitizer: 1 data race"
like "atomic accesses" "$("$test" read $logs/atomic.clang.log)" '^  atomic write 4$'
is "other kinds are counted" "$(last $logs/atomic.clang.log | sed 's/^[^;]*; //')" "not classified: 1 destroy of a locked mutex, 1 thread leak"
is "only another kind" "$(last $logs/deadlock-two-locks.clang.log)" "ThreadSanitizer: 0 data races; not classified: 1 lock-order-inversion (potential deadlock)"
is "Helgrind's" "$(last $logs/apache-log-buffer.helgrind.log)" "Helgrind: 11 data races"
is "its first report" "$("$test" read $logs/apache-log-buffer.helgrind.log | sed -n '2,4p')" "  read 8
    [write_record] [apache-log-buffer.c] 38 -1 [] 1
    [handle_requests] [apache-log-buffer.c] 53 -1 [] 1"
like "Helgrind's names of C++" "$("$test" read $logs/shared-ptr-race.helgrind.log)" '^    \[__shared_ptr<std::allocator<void>, int&>\] \[shared_ptr_base.h\] 1712 '
is "DRD's, with one stack" "$("$test" read $logs/tickets.drd.log | grep -v 'start_thread\|clone\|vgpreload')" "DRD, line 7
  read 4
    [take] [tickets.c] 13 -1 [] 1
    [counter] [tickets.c] 18 -1 [] 1
  unknown 0
DRD: 1 data race"
is "DRD's other kinds" "$(last $logs/thread-pool-exit.drd.log)" "DRD: 0 data races; not classified: 2 condition variable signalled without its mutex"

# Logs that were put together, cut off, or changed on their way.
log=$work/log
cat $logs/apache-log-buffer.clang.log $logs/apache-log-buffer.helgrind.log $logs/tickets.drd.log >"$log"
is "several tools in one file" "$(last "$log")" "ThreadSanitizer, Helgrind, DRD: 16 data races"
for name in apache-log-buffer.clang apache-log-buffer.helgrind tickets.drd freed-while-read.gcc; do
	"$test" read $logs/$name.log >"$work/want"
	sed 's/$/\r/' $logs/$name.log >"$log"
	same "$name with the ends of lines of DOS" "$("$test" read "$log")" "$(cat "$work/want")"
	sed 's/^/2024-05-01T10:00:00.1Z job | /' $logs/$name.log >"$log"
	same "$name with something in front of each line" "$("$test" read "$log")" "$(cat "$work/want")"
done
head -n 20 $logs/apache-log-buffer.clang.log >"$log"
is "one report that is whole but for its end" "$(last "$log")" "ThreadSanitizer: 1 data race"
head -n 5 $logs/apache-log-buffer.clang.log >"$log"
is "cut before the second access" "$(last "$log")" "ThreadSanitizer: 0 data races; 1 report is cut off"
head -c 300 $logs/apache-log-buffer.clang.log >"$log"
is "cut in the middle of a line" "$(last "$log")" "ThreadSanitizer: 0 data races; 1 report is cut off"
{ head -n 5 $logs/apache-log-buffer.clang.log && cat $logs/freed-while-read.gcc.log; } >"$log"
is "cut by the next report" "$(last "$log")" "ThreadSanitizer: 2 data races; 1 report is cut off"
sed '2,$s/^    #1/some output\n&/' $logs/tickets.stripped.log >"$log"
is "output in between" "$(last "$log")" "ThreadSanitizer: 1 data race; $(grep -c '^some output' "$log") lines were not understood"
sed 's/^WARNING/progress 10%&/' $logs/tickets.stripped.log >"$log"
is "output on the same line" "$(last "$log")" "ThreadSanitizer: 1 data race"
printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n    #0 f(a b) /home/my files/a b.c:3:4 (x y+0x10)\n\n  Previous write of size 99999999999999999999 at 0x1 by thread T1:\n' >"$log"
is "a size that is no number" "$(last "$log")" "ThreadSanitizer: 0 data races; 1 report is cut off; 1 line was not understood"
sed -i 's/99999999999999999999/1/' "$log"
is "blanks in a path" "$("$test" read "$log" | sed -n 3p)" "    [f(a b)] [/home/my files/a b.c] 3 4 [x y] 1"
{
	printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n'
	for i in {1..200}; do echo "    #$i f /a.c:$i (x+0x$i)"; done
	printf '\n  Previous write of size 4 at 0x1 by main thread:\n    #0 '
	head -c 300000 /dev/zero | tr '\0' a
	printf ' /a.c:1 (x+0x1)\n'
} >"$log"
is "a stack and a name that are too long" "$("$test" read "$log" | awk '/^ThreadS/ || length > 100 { next } { n++ } END { print n }') $(last "$log")" \
	"66 ThreadSanitizer: 1 data race; 1 line was not understood"
for i in {1..20010}; do printf 'WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by T1:\n  Previous write of size 4 at 0x1 by T2:\n'; done >"$log"
is "more reports than are kept" "$(last "$log")" "ThreadSanitizer: 20000 data races; 10 reports are left out: there are too many"
printf 'nothing of interest\n' >"$log"
is "no report" "$(cd "$work" && ./test read log)" 'the log "log" has no report of ThreadSanitizer, Helgrind or DRD'
: >"$log"
is "an empty file" "$(cd "$work" && ./test read log)" 'the log "log" has no report of ThreadSanitizer, Helgrind or DRD'
is "a file that is not there" "$(cd "$work" && ./test read none)" 'cannot read the log "none": No such file or directory'
is "a folder" "$(cd "$work" && ./test read .)" 'cannot read the log ".": Is a directory'
for file in $logs/*.log; do
	like "damaged copies of $(basename "$file")" "$(timeout -s KILL 100 "$test" garbage 300 "$file" 2>&1)" '^[0-9]+$'
done
done_testing
