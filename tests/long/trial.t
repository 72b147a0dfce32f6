#!/bin/bash
# Small programs on which an early version of Heddle was wrong or silent, most of them cut down from public programs: what each one must
# say today. The parts have their own tests; these are the programs as they were met, built and tested as users do.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
programs=$PWD/tests/long/trial
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE COLUMNS NO_COLOR
limit="timeout -s KILL 300"

# built NAME FLAGS...: ./NAME, of the source beside this test; returns 1 when it is not
built() {
	local name=$1 compiler=$cc suffix=c
	shift
	[ -e "$programs/$name.c" ] || compiler=$cxx suffix=cc
	rm -rf .heddle found.json
	cp "$programs/$name.$suffix" .
	"$compiler" -O1 -g -w -pthread "$name.$suffix" "$@" -o "$name" || fail "$name is built"
}

# tested OPTIONS... -- COMMAND: $code, $said, found.json
tested() {
	said=$($limit "$heddle" test --json found.json "$@" 2>errors </dev/null)
	code=$?
}

# kinds: of the findings, how many of each
kinds() {
	jq -r '[.findings[] | select(.suppressed | not) | .kind] | group_by(.) | map("\(length) \(.[0])") | join(", ")' found.json
}

# are_complete NAME COUNT: of COUNT races all accesses have locks and values, and there are tables
are_complete() {
	is "$1: locks" "$(grep -c '^    holding ' <<<"$said")" $((2 * $2))
	is "$1: values" "$(grep -c '^    it was ' <<<"$said")" $((2 * $2))
	is "$1: threads side by side" "$(grep -c 'the threads, by lines' <<<"$said")" "$2"
	without "$1: nothing is missing" "$said" 'without (stacks|its|details)'
}

# Reports keep their substance, however long the run goes on.
built early -DNN=1000
tested --runs 20 -- ./early
is "early" "$code $(kinds)" "1 1 data-race"
are_complete early 1
built min2
tested --runs 20 -- ./min2 250
is "min2" "$code $(kinds)" "1 1 data-race"
are_complete min2 1
built mid
tested --runs 20 -- ./mid
is "mid" "$code $(kinds)" "1 1 data-race"
are_complete mid 1
built uaf
tested --runs 20 --reduce 0 -- ./uaf
like "uaf: found" "$(kinds)" 'memory-error'
like "uaf: who allocated" "$said" 'allocated by thread 1 .*at uaf\.c'
like "uaf: who freed" "$said" '(freed by thread 2|thread 2 \(w\) frees) .*at uaf\.c'
built sup -DNN=2000
echo 'race:^outer$' >sup.s
tested --runs 20 --suppressions sup.s -- ./sup
is "sup: suppressed by a caller" "$code $(grep -c '1 suppressed' <<<"$said")" "0 1"

# More pairs than a run reports, a part of them suppressed.
{
	printf '#include <pthread.h>\n'
	for i in {0..204}; do printf 'static volatile int g%d;\n__attribute__((noinline)) void f%d(void)\n{\n\tg%d++;\n}\n' "$i" "$i" "$i"; done
	printf 'static void *work(void *argument)\n{\n'
	printf '\tf%d();\n' {0..204}
	cat <<'END'
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
} >m205.c
printf 'race_top:^f%d$\n' {0..99} >m205.sup
"$cc" -O1 -g -pthread m205.c -o m205
tested --runs 20 --suppressions m205.sup -- ./m205
is "m205: all races that are not suppressed" "$code $(kinds)" "1 105 data-race"

# Programs that always end.
built bounded
tested --runs 30 -- ./bounded
is "bounded" "$code $(kinds)" "0 "
built slp2
tested --runs 30 -- ./slp2
is "slp2" "$code $(kinds)" "0 "

# Locks by inline assembly.
built asmlock
tested --runs 200 -- ./asmlock
is "asmlock: right" "$code $(kinds) $(jq .schedules found.json)" "0  200"
without "asmlock: nothing is opaque" "$said" 'assembly'
built asmbad
tested --runs 200 -- ./asmbad
is "asmbad: wrong" "$code $(kinds)" "1 1 assertion, 2 data-race"

# Proofs.
built nanbox
like "nanbox: a candidate" "$("$heddle" check ./nanbox 2>&1)" '^shared: global variable shared'
tested --runs 20 -- ./nanbox
is "nanbox: the race" "$code $(kinds)" "1 1 data-race"
for name in cache_alloc slot_get; do
	built pool -DNAME=$name
	"$heddle" check ./pool >check-$name 2>&1
	is "pool, $name: check" $? 1
	tested --runs 20 -- ./pool
	is "pool, $name: the race" "$code $(kinds)" "1 1 data-race"
done
same "pool: a name says nothing" "$(sed 's/cache_alloc/NAME/g; / MB$/d' check-cache_alloc)" "$(sed 's/slot_get/NAME/g; / MB$/d' check-slot_get)"
built allocpub
tested --runs 20 -- ./allocpub
is "allocpub" "$code $(kinds)" "1 1 data-race"
like "allocpub: the allocation is one of the accesses" "$said" 'allocat'

# Values.
built rmw
tested --runs 20 -- ./rmw
like "rmw" "$said" 'it was 40 and became 45'
built shrink
tested --runs 20 -- ./shrink
like "shrink" "$said" 'it was 1 and became 0'
without "shrink: never the other way" "$said" 'it was 0 and became 1'

# Allocators.
if "$cc" -O1 -g -w "$programs/je.c" -ljemalloc -o je 2>/dev/null; then
	same "je: as without Heddle" "$($limit "$heddle" run -- ./je 2>&1)" "$(./je)"
else
	skip "je" "there is no jemalloc"
fi

# Memory that one process maps twice, or writes by calls.
for name in memfd2 filewr; do
	built $name
	first=$($limit "$heddle" run --trace $name.trace -- ./$name 2>&1)
	same "$name: as without Heddle" "$first" "$(./$name)"
	same "$name: replay" "$($limit "$heddle" replay $name.trace 2>&1)" "$first"
done
built sharedspin
is "sharedspin" "$($limit "$heddle" run --trace sharedspin.trace -- ./sharedspin 2>&1)" done
got=$($limit "$heddle" replay sharedspin.trace 2>&1)
is "sharedspin: the replay ends" $? 3
like "sharedspin: and says why" "$got" 'another process'

# What cannot be right is refused by name, each time; what programs can do without is declined; the rest is right.
# refused NAME REGEX
refused() {
	local i
	built "$1" || return
	for i in 1 2 3; do
		got=$($limit "$heddle" run -- "./$1" 2>&1)
		is "$1: refused, run $i" $? 3
		like "$1: by name, run $i" "$got" "$2"
	done
}
refused clonevm 'cannot control: clone .*CLONE_VM'
refused int80 'int 0x80'
! grep -q vsyscall /proc/self/maps || refused vsyscall 'vsyscall'
for name in futexwaitv:'futex_waitv \(system call 449\) fails with ENOSYS' procmem:'/proc/self/mem.*EACCES'; do
	want=${name#*:} name=${name%%:*}
	built $name
	got=$($limit "$heddle" run -- ./$name 2>&1)
	is "$name: goes on" "$? $(grep -c '^done$' <<<"$got")" "0 1"
	like "$name: one note" "$got" "^heddle: note: .*$want"
done
for name in sigio huge posixtimersig; do
	built $name
	got=$($limit "$heddle" run -- ./$name 2>&1)
	is "$name: exit status" $? 0
	without "$name: nothing wrong" "$got" 'WRONG|heddle:'
	[ $name = posixtimersig ] || same "$name: as without Heddle" "$got" "$(./$name)"
done
built srv
"$heddle" run -- ./srv >up 2>said &
run=$!
for ((i = 0; i < 300; i++)); do
	! grep -q up up || break
	sleep 0.1
done
kill -TERM $run
wait $run
is "srv: ends by the signal" "$? $(paste -sd ' ' up) $(cat said)" "0 up down "

# A library of 2024 that tries io_uring.
if ! command -v cmake >/dev/null; then
	skip "uvw" "there is no cmake"
elif ! folder=$(cd "$root" && tests/real/fetch libuv1 trixie 2>errors); then
	skip "uvw" "its source cannot be had"
	diag "SKIPPED: $(cat errors)"
elif ! (mkdir uv && cd uv && cmake "$folder" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="-O1 -g -w" -DBUILD_TESTING=OFF && make -j2 uv_a) >uv.log 2>&1; then
	fail "libuv is built"
	diag "$(tail uv.log)"
else
	built uvw -I"$folder/include" uv/libuv.a
	tested --runs 50 -- ./uvw
	is "uvw" "$code $(kinds) $(jq .schedules found.json)" "0  50"
	like "uvw: one note" "$(jq -r '.notes[]' found.json)" '^io_uring_setup .*fails with ENOSYS'
fi

# A bug that is seen once in hundreds of schedules is not gone because tests of the next build do not see it.
built rare -DN=6
tested --runs 3000 --stop -- ./rare
is "rare: found" "$code $(kinds)" "1 1 assertion"
took=$(jq .schedules found.json)
cp -r .heddle kept
sed -i 's/puts("ok")/puts("right")/' rare.c
"$cc" -O1 -g -pthread -DN=6 rare.c -o rare || fail "rare is built again"
rm -rf .heddle
mv kept .heddle
for seed in 2 3 4 5 6 7; do
	tested --seed $seed --runs "$((took / 4 + 1))" -- ./rare
	without "rare: seed $seed: not fixed by too few schedules" "$said$("$heddle" list --all 2>&1)" '(fixed|gone)\b'
done

# What somebody else's trace names does not run.
gcc -shared -fPIC -x c -o aud.so - <<'END'
#include <fcntl.h>
#include <unistd.h>
unsigned la_version(unsigned version)
{
	close(open("audit-was-here", O_CREAT | O_WRONLY, 0600));
	return version;
}
END
built early -DNN=10
LD_AUDIT=./aud.so XDG_STATE_HOME=$work/theirs "$heddle" test --runs 3 -- ./early >/dev/null 2>&1
is "aud: it runs for whoever names it" "$(ls audit-was-here)" audit-was-here
rm audit-was-here
for command in list "show H1" "report --html page.html" "report --sarif page.sarif" "replay H1" "replay --columns H1" "replay --trust H1" "classify H1"; do
	# shellcheck disable=SC2086 # a command and its arguments
	$limit "$heddle" $command >said 2>&1 </dev/null
	is "aud: heddle $command" "$(ls audit-was-here 2>/dev/null)" ""
done
is_clean "nothing is left behind"
done_testing
