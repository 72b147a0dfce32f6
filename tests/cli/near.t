#!/bin/bash
# An access that the optimiser made of several lines has none of its own: it is told by the nearest line of its function, in every
# report, and never as line 0.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR

cat >zero.c <<'E'
#include <pthread.h>

static int shared, other;

__attribute__((noinline)) static void put(int n)
{
	if (n & 1)
		shared = n + 5;
	else
		shared = n * 3;
}

__attribute__((noinline, nodebug)) static void nameless(int n)
{
	other = n;
}

static void *work(void *argument)
{
	put((int)(long)argument);
	nameless((int)(long)argument);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, (void *)(long)argc);
	pthread_create(&b, NULL, work, argv);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared + other == -1;
}
E
ok "it is built" "$cc" -g -O2 -pthread zero.c -o zero
place='zero\.c near line (7|8|10)'
sites=$("$heddle" sites ./zero)
like "sites: near" "$sites" "^[0-9]+ +$place +put +write 4 +shared$"
is "sites: JSON" "$("$heddle" sites --json ./zero | jq -c '[.sites[] | select(.function == "put") | .is_near, (.line > 6 and .line < 11), .column]')" '[true,true,0]'
is "sites: those with a line of their own are not near" "$("$heddle" sites --json ./zero | jq -c '[.sites[] | select(.function == "main") | .is_near] | unique')" '[null]'
like "sites: the summary counts lines of its own only" "$("$heddle" sites --summary ./zero)" '^sites with a line +[0-9]+ +[0-9][0-9]\.[0-9] %$'

said=$("$heddle" test --classify no --runs 30 --json=found.json --sarif=found.sarif --junit=found.xml --html=found.html -- ./zero 2>&1)
like "test: the headline" "$said" "^H[0-9]+ data race on shared .*: write at $place, write at $place"
like "test: who does it" "$said" "^  thread 3 \(work\) writes shared at $place in put$"
like "test: the threads" "$said" '^ +[0-9]+> .*~(7|8|10) write shared$'
like "test: the advice" "$said" "^    - hold the same lock at $place: neither"
like "test: the line is shown" "$said" '^    > +(7|8|10) \|'
is "test: it is explained once" "$(grep -c '^note: "near line N", or "~N": ' <<<"$said")" 1
race='.findings[] | select(.summary | test("on shared"))'
is "JSON" "$(jq -c "$race | [.sites[] | .is_near, (.line > 6 and .line < 11)]" found.json)" '[true,true,true,true]'
is "JSON: the interleaving" "$(jq -c "$race | [.interleaving[] | select(.what == \"write shared\") | .is_near, (.line > 6 and .line < 11)] | unique" found.json)" '[true]'
is "JSON: the note" "$(jq '[.notes[] | select(test("near line N"))] | length' found.json)" 1
near=$(jq '.runs[0].results[] | select(.message.text | test("on shared")) | .locations[0]' found.sarif)
like "SARIF: a line" "$(jq -c '.physicalLocation.region' <<<"$near")" '^\{"startLine":(7|8|10)\}$'
like "SARIF: that is only near" "$(jq -r '.message.text' <<<"$near")" '^write shared near this line by thread 3'
like "JUnit" "$(cat found.xml)" "$place"
like "HTML" "$(cat found.html)" '"is_near":true'
unlike "never line 0: test" "$said" ':0\b|line 0\b|~0\b'
unlike "never line 0: SARIF, JUnit" "$(cat found.sarif found.xml)" '\.c:0\b|"startLine":0\b'

shared=$("$heddle" list | sed -n 's/^ *\(H[0-9]*\) .*on shared.*/\1/p' | head -n 1)
is "the store" "$("$heddle" list --json | jq -c "$race | [.sites[] | .is_near, (.line > 6 and .line < 11)]")" '[true,true,true,true]'
shown=$("$heddle" show "$shared")
like "show" "$shown" "writes shared at $place in put"
is "show: it is explained once" "$(grep -c '"near line N"' <<<"$shown")" 1
is "report of the store" "$("$heddle" report --json=- | jq -c "$race | [.sites[].is_near]")" '[true,true]'
unlike "never line 0: show, list" "$shown $("$heddle" list)" ':0\b|line 0\b|~0\b'
printf 'info threads\nbt 1\nkill\nquit\n' >commands
in_gdb=$("$heddle" replay "$shared" --gdb -- -batch -x commands 2>&1)
unlike "never line 0: gdb" "$in_gdb" '\.c:0\b|line 0\b'
like "gdb stops there" "$in_gdb" 'put .*zero\.c'

first=$(jq -r "$race | .fingerprint" found.json)
sed -i '1i /* moved */' zero.c
"$cc" -g -O2 -pthread zero.c -o zero
is "the fingerprint is the same when lines move" "$("$heddle" test --classify no --runs 30 --json=- --quiet -- ./zero 2>/dev/null | sed -n '/^{/,$p' | jq -r "$race | .fingerprint")" "$first"
sed -i 1d zero.c
"$cc" -g -O2 -pthread zero.c -o zero

checked=$("$heddle" check ./zero)
like "check" "$checked" "write at $place holds no lock, write at $place holds no lock$"
like "check: the site is found in the tables" "$checked" "$place in put, site [0-9]+: shared$"
is "check: it is explained once" "$(grep -c '"near line N"' <<<"$checked")" 1
is "check: JSON" "$("$heddle" check --json ./zero | jq -c '[.candidates[]?, .findings[]? | .sites[]? | select(.function == "put") | .is_near] | unique')" '[true]'
unlike "never line 0: check" "$checked" ':0\b|line 0\b'


# Without debug information, code of a library's function is not at the line of what happens to be inlined into it.
cat >pop.cc <<'E'
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct job {
	std::string name;
	int weight;
};

static std::deque<std::unique_ptr<job>> jobs;
static std::mutex guard;
static int done;

static void run()
{
	for (int i = 0; i < 2; i++) {
		std::lock_guard<std::mutex> lock(guard);
		jobs.pop_front();
	}
	done++;
}

int main()
{
	for (int i = 0; i < 8; i++)
		jobs.push_back(std::make_unique<job>(job{ "a name that is long enough", i }));
	std::thread other(run);
	run();
	other.join();
	return done == 0;
}
E
ok "it is built" "$cxx" -O2 -pthread pop.cc -o pop
"$heddle" test --classify no --runs 10 --reduce 0 --quiet --store pops -- ./pop >said 2>&1
rows=$(COLUMNS=250 "$heddle" replay --store pops --columns H1 2>/dev/null)
like "inlined: rows of the queue name its header" "$rows" 'stl_deque\.h'
unlike "inlined: they are not at the line of the element" "$rows" ' pop\.cc:~?7 '
done_testing
