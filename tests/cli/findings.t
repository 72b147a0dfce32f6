#!/bin/bash
# heddle test: what is one finding and what are two, by which places they are told, and how their evidence is named.
. tests/lib/tap.sh
. tests/lib/cc.sh

# program NAME.EXTENSION COMPILER FLAGS...: the source becomes ./NAME
program() {
	local file=$1 compiler=$2
	shift 2
	"$compiler" -g -pthread "$@" "$file" -o "${file%.*}" 2>&1 || fail "$file is built"
}

# tested OPTIONS... -- PROG: runs heddle test; $said, $json (the file) and $code are what came of it
tested() {
	json=$work/found.json
	said=$(timeout -s KILL 120 "$heddle" test --classify no --json "$json" "$@" 2>"$work/errors" </dev/null)
	code=$?
}

# summaries KIND: of the findings of that kind, without addresses
summaries() {
	jq -r --arg kind "$1" '.findings[] | select(.kind == $kind) | .summary' "$json" | sed 's/0x[0-9a-f]*/ADDRESS/g'
}

# A read and a write of one line are one finding.
cp "$root/tests/lib/counter.c" counter.c
program counter.c "$cc" -O0
tested --runs 50 -- ./counter
is "an increment: one finding" "$(summaries data-race)" \
	"data race on counter (4 bytes at ADDRESS): read at counter.c:5, write at counter.c:5"
is "an increment: both pairs are counted" "$(jq '.findings[0].variants' "$json")" 2
like "an increment: the table counts them" "$said" 'write at counter\.c:5 \(2 pairs of accesses\)$'
is "an increment: one trace" "$(ls .heddle/evidence | wc -l)" 1

# The place is that of the program, not of the library that it calls, inlined or not.
cat >vector.cc <<'END'
#include <thread>
#include <vector>
static std::vector<int> numbers;
static void add(int from)
{
	for (int i = 0; i < 3; i++)
		numbers.push_back(from + i);
}
int main()
{
	std::thread a(add, 0), b(add, 10);
	a.join();
	b.join();
	return 0;
}
END
for level in -O0 -O1; do
	rm -rf .heddle
	program vector.cc "$cxx" $level
	tested --runs 100 --output ignore -- ./vector
	like "vector $level: one race" "$(summaries data-race)" \
		'^data race on .* \([0-9]+ bytes? at ADDRESS\): (read|write|free) at vector\.cc:7, (read|write|free) at vector\.cc:7$'
	is "vector $level: no other race there" "$(summaries data-race | grep -c 'vector\.cc:7, .* at vector\.cc:7$')" 1
	is "vector $level: no headline twice" "$(jq -r '.findings[].summary' "$json" | sed 's/0x[0-9a-f]*//' | sort | uniq -d)" ""
	like "vector $level: the library's place is told, too" "$(jq -r '.findings[0].details' "$json")" \
		'^thread [23] .* at vector\.cc:7 in add\(int\) \[/.*\.(h|tcc):[0-9]+ in .*\]$'
	is "vector $level: what turned out to be the same leaves no trace" "$(ls .heddle/evidence/data-race-* | wc -l)" \
		"$(summaries data-race | wc -l)"
	is "vector $level: JSON has the program's place" "$(jq -r '.findings[0].sites[].file' "$json" | sort -u)" vector.cc
done

# operator delete, as the last thing that a function does and not.
cat >node.cc <<'END'
#include <thread>
struct node {
	int value;
};
static node *head;
int sum, count;
__attribute__((noinline)) static void use()
{
	sum += head->value;
}
__attribute__((noinline)) static void drop_last()
{
	node *dropped = head;
	delete dropped;
}
__attribute__((noinline)) static void drop()
{
	node *dropped = head;
	delete dropped;
	count++;
}
int main(int arguments, char **)
{
	head = new node{ 1 };
	std::thread a(use), b(arguments == 1 ? drop_last : drop);
	a.join();
	b.join();
	return 0;
}
END
program node.cc "$cxx" -O1
tested --runs 50 -- ./node
like "delete at the end: the race" "$(summaries data-race)" 'free after node\.cc:1[34]'
like "delete at the end: the use" "$said" '^  freed by thread 3 .*after node\.cc:1[34] in drop_last\(\)$'
tested --runs 50 -- ./node more
like "delete: the race" "$(summaries data-race)" 'free at node\.cc:19'
like "delete: the use" "$said" '^  freed by thread 3 .*at node\.cc:19 in drop\(\)$'

# An order of locks and its deadlock are one, also when the library takes all locks at one place; others are not.
cat >locks.cc <<'END'
#include <mutex>
#include <semaphore.h>
#include <thread>
static std::mutex a, b, c, d;
static sem_t turns[3];
static void take(std::mutex &first, std::mutex &second)
{
	std::lock_guard<std::mutex> one(first);
	std::lock_guard<std::mutex> two(second);
}
static void take_turn(std::mutex &first, std::mutex &second, int turn)
{
	if (turn > 0)
		sem_wait(&turns[turn - 1]);
	take(first, second);
	if (turn < 3)
		sem_post(&turns[turn]);
}
int main(int arguments, char **)
{
	if (arguments == 1) {
		std::thread s([] { take(a, b); }), t([] { take(b, a); });
		s.join();
		t.join();
		return 0;
	}
	std::thread s([] { take_turn(a, b, 0); }), t([] { take_turn(b, a, 1); });
	std::thread u([] { take_turn(c, d, 2); }), v([] { take_turn(d, c, 3); });
	s.join();
	t.join();
	u.join();
	v.join();
}
END
program locks.cc g++ -O0
tested --runs 100 --allow-unwoven -- ./locks
is "the deadlock of a plain program: the order is not told, too" "$(jq -c '[.findings[].kind]' "$json")" '["deadlock"]'
tested --strategy priority --runs 5 --allow-unwoven -- ./locks more
is "orders of different locks are different" "$(summaries lock-order | sort)" \
"lock order: a and b are taken in orders that could deadlock
lock order: c and d are taken in orders that could deadlock"
is "they are told by the program's places" "$(jq -r '.findings[].sites[] | "\(.file):\(.line)"' "$json" | sort | uniq -c | tr -s ' ')" \
" 4 locks.cc:8
 4 locks.cc:9"

# Evidence of one program is not replaced by that of another, or with other arguments.
rm -rf .heddle
tested --runs 5 -- ./counter
first=$(jq -r '.findings[0].name' "$json")
tested --runs 5 -- ./counter
is "the same again has the same name" "$(jq -r '.findings[0].name' "$json") $(ls .heddle/evidence | cut -d. -f1)" "$first $first"
tested --runs 5 -- ./counter argument
is "other arguments, another name" "$(ls .heddle/evidence | wc -l)" 2
program counter.c "$cc" -O1
tested --runs 5 -- ./counter
is "another build, another name" "$(ls .heddle/evidence | wc -l)" 3
is_clean "nothing is left behind"
done_testing
