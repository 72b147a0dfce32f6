#!/bin/bash
# C++ in reports: names as people write them, places in the program's own code where the library does the work, and threads by the
# functions that they were given, with and without debug information.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR

cat >names.cc <<'E'
#include <map>
#include <string>
#include <thread>
namespace app {
namespace {
std::map<int, std::string> table;
void fill(std::map<int, std::string> &to, int n)
{
	to[n] = "x";
}
} // namespace
struct worker {
	int n;
	void operator()() const
	{
		fill(table, n);
	}
};
} // namespace app
int main()
{
	std::thread a(app::fill, std::ref(app::table), 1), b([] { app::table[2] = "y"; }), c(app::worker{ 3 });
	a.join();
	b.join();
	c.join();
}
E
# tested FLAGS...: $said, and found.json
tested() {
	rm -rf .heddle
	"$cxx" "$@" -pthread names.cc -o names 2>&1 || fail "built with $*"
	said=$("$heddle" test --classify no --runs 20 --json=found.json --sarif=found.sarif -- ./names 2>&1)
}

for flags in '-g -O0' '-g -O1' '-O1'; do
	tested $flags
	like "$flags: it is found" "$said" '^H[0-9]+ data race on '
	without "$flags: no headline is in a header of the system" "$(grep '^H[0-9]' <<<"$said")" '/usr/include'
	without "$flags: no advice is" "$(grep '^    - ' <<<"$said")" '/usr/include'
	without "$flags: names are short" "$said" '__cxx11|, std::char_traits<char> *[,>]|, std::allocator<[^<>]*> *>|\(anonymous namespace\)|> >|\[abi:|\[clone'
	like "$flags: a thread is called by its function" "$said" 'thread [0-9]+ \(app::fill\)'
	like "$flags: ... by its lambda" "$said" 'thread [0-9]+ \(main::\{lambda#1\}\)'
	like "$flags: a function in a namespace has a place" "$said" 'names\.cc(:| near line )[0-9]+ in app::fill\(std::map<int, std::string>&, int\)'
	without "$flags: never line 0" "$said" '\.cc:0\b'
done
like "-O1: what is not known exactly is said to be near" "$said" 'names\.cc near line (7|8) in app::fill'
is "-O1: that is explained once" "$(grep -c '^note: "near line N"' <<<"$said")" 1
tested -g -O1
is "JSON: short names, and full ones beside them" "$(jq -c '[.findings[].sites[] | select(.function | test("^app::fill")) | [.function, .full_name]] | unique' found.json)" \
	'[["app::fill(std::map<int, std::string>&, int)","app::(anonymous namespace)::fill(std::map<int, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::less<int>, std::allocator<std::pair<int const, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > > >&, int)"]]'
is "the store has both" "$("$heddle" list --json | jq -c '[.findings[].sites[] | select(.function | test("^app::fill")) | .full_name | test("basic_string")] | unique')" '[true]'
like "sites: short names" "$("$heddle" sites ./names)" ' app::fill\(std::map<int, std::string>&, int\) '
is "sites: found by what is told" "$("$heddle" sites --json --function 'app::fill(std::map<int, std::string>&, int)' ./names | jq '.sites | length > 0')" true
is "suppressed by what is told" "$(echo 'race:app::fill(std::map<int, std::string>&, int)' >list; "$heddle" test --classify no --runs 20 --suppressions list --json=- --quiet -- ./names 2>/dev/null |
	sed -n '/^{/,$p' | jq '[.findings[] | select(.kind == "data-race" and .suppressed)] | length > 0')" true
without "check: short names" "$("$heddle" check ./names | grep -v '^ *|')" '__cxx11|, std::char_traits<char> *[,>]|, std::allocator<[^<>]*> *>|\(anonymous namespace\)|> >'

# Threads that had ended when it failed are called by what they were created with.
cat >ended.cc <<'E'
#include <atomic>
#include <cassert>
#include <thread>
#include <pthread.h>
static std::atomic<int> sold, left{ 1 };
static bool take()
{
	int now = left;
	if (now > 0)
		left = now - 1;
	return now > 0;
}
namespace shop {
static void counter(int, char) { sold += take(); }
struct till {
	void serve(long) { sold += take(); }
	void operator()() { sold += take(); }
};
} // namespace shop
static void *begin(void *argument)
{
	sold += take();
	return argument;
}
static void *rename_me(void *argument)
{
	pthread_setname_np(pthread_self(), "renamed");
	sold += take();
	return argument;
}
int main()
{
	pthread_t plain, named;
	shop::till till;
	int lock = 0;
	std::thread a(shop::counter, 3, 'x'), b([] { sold += take(); }), c(&shop::till::serve, &till, 3), d(till),
		e([&lock] { sold += take() + lock; });
	pthread_create(&plain, nullptr, begin, nullptr);
	pthread_create(&named, nullptr, rename_me, nullptr);
	a.join(), b.join(), c.join(), d.join(), e.join();
	pthread_join(plain, nullptr);
	pthread_join(named, nullptr);
	assert(sold == 1);
}
E
for flags in '-g -O0' '-g -O2' '-O1'; do
	rm -rf .heddle
	"$cxx" $flags -pthread ended.cc -o ended 2>&1 || fail "ended.cc is built with $flags"
	said=$("$heddle" test --classify no --runs 60 --json=found.json --sarif=found.sarif -- ./ended 2>&1)
	like "ended threads, $flags: it fails" "$said" '^H1 assertion'
	is "ended threads, $flags: names" "$(COLUMNS=400 "$heddle" replay --columns H1 2>/dev/null | sed -n '1s/ *thread [0-9]*/;/gp' | tr -s ' ')" \
		' event; main; shop::counter; main::{lambda#1}; shop::till::serve; shop::till; main::{lambda#2}; begin; renamed'
	is "ended threads, $flags: JSON has them" "$(jq '[.findings[].threads[] | select(. == "")] | length' found.json)" 0
	without "ended threads, $flags: SARIF has them" "$(jq -r '.runs[].results[].codeFlows[].threadFlows[].message.text' found.sarif)" '^thread [0-9]+$'
	like "ended threads, $flags: so does what is told" "$(COLUMNS=400 "$heddle" show H1 2>&1 | sed -n '/^   event /p')" '^   event +thread 1 main( +thread [0-9]+ [a-z][^ ]+)+$'
done

# Calls that are functions of their own without optimisation: the line that calls them.
cp "$root/bugs/lost-wakeup-notify-without-lock.cc" lost.cc
"$cxx" -std=c++17 -g -O0 -pthread lost.cc -o lost 2>&1 || fail "lost.cc is built"
rm -rf .heddle
said=$("$heddle" test --classify no --runs 100 -- ./lost 2>&1)
like "advice names the line that calls the library" "$said" 'is changed at lost\.cc:[0-9]+: '
without "the columns do, too" "$(sed -n '/^  the threads/,/^  what to try/p' <<<"$said")" 'atomic_base|gthr|std_mutex|: at|a call of'
like "advice names a condition variable on the stack as the wait does" "$said" 'no thread signals this->changed after '

# The same for containers, counted pointers and locks: no line of a header but what runs threads.
cat >queue.cc <<'E'
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
static std::queue<int> jobs;
static std::map<int, int> table;
static std::shared_ptr<int> current = std::make_shared<int>(1);
static std::mutex lock;
static void produce()
{
	for (int i = 0; i < 3; i++) {
		std::lock_guard<std::mutex> hold(lock);
		jobs.push(i);
	}
	table[1] = 2;
	current = std::make_shared<int>(2);
}
static void consume()
{
	while (!jobs.empty()) {
		std::lock_guard<std::mutex> hold(lock);
		if (!jobs.empty())
			jobs.pop();
	}
	table[2] = 3;
	auto mine = current;
}
int main()
{
	std::thread a(produce), b(consume);
	a.join();
	b.join();
}
E
"$cxx" -g -O0 -pthread queue.cc -o queue 2>&1 || fail "queue.cc is built"
rm -rf .heddle
said=$("$heddle" test --classify no --runs 30 --json=found.json -- ./queue 2>&1)
like "-O0: the race on the queue" "$said" '^H[0-9]+ data race on jobs\.c\..*: read at queue\.cc:21, write at queue\.cc:14'
like "-O0: the lock was taken by the program" "$said" 'holding lock, taken at queue\.cc:13 in produce\(\) \['
like "-O0: columns have the program's lines and variables" "$said" '^ +[0-9]+>? +(queue\.cc:)?14 (read|write) jobs\.c\.'
like "-O0: and its locks" "$said" '^ +[0-9]+>? +(queue\.cc:)?13 lock lock$'
rows=$(jq -r '.findings[].interleaving[] | select(.file != null) | .file' found.json)
like "-O0: JSON has the program's lines" "$rows" '^queue\.cc$'
without "-O0: ... and no others" "$(grep -v '/invoke\.h$\|/std_thread\.h$\|/tuple$' <<<"$rows")" '/usr/'
is "-O0: nothing beside a name that is not longer" "$(jq -c '[.findings[].sites[] | select(.function == "produce()") | has("full_name")] | unique' found.json)" '[false]'
is "-O0: sites, too" "$(jq -r '[.findings[].sites[] | .file] | unique | join(" ")' found.json)" queue.cc
# The library's lines are no part of what a finding is known by, and neither is where the program's are.
before=$("$heddle" list --json | jq -c '[.findings[] | .id] | sort')
like "-O0: there are findings" "$before" '[0-9]'
sed 's/^static void produce/\n\n&/' queue.cc >moved.cc && mv moved.cc queue.cc
"$cxx" -g -O0 -pthread queue.cc -o queue 2>&1 || fail "queue.cc is built again"
"$heddle" test --classify no --runs 30 -- ./queue >/dev/null 2>&1
is "-O0: the same findings when lines moved" "$("$heddle" list --json | jq -c '[.findings[] | .id] | sort')" "$before"
# Without frame pointers who called is not guessed.
"$cxx" -g -O0 -fomit-frame-pointer -pthread queue.cc -o queue 2>&1 || fail "queue.cc is built without frame pointers"
rm -rf .heddle
said=$("$heddle" test --classify no --runs 5 -- ./queue 2>&1)
like "no frame pointers: the headline has the program's line" "$said" '^H[0-9]+ data race on jobs\.c\..*: read at queue\.cc:23, write at queue\.cc:16'
rows=$(grep -E '^ +[0-9]+>? +(queue\.cc:)?[0-9]+ (read|write) jobs\.c' <<<"$said")
like "no frame pointers: there are rows of the queue" "$rows" '(queue\.cc:)?(16|23|25|26) '
wrong=$(grep -vE '(queue\.cc:)?(16|23|25|26) ' <<<"$rows")
is "no frame pointers: no line is wrong" "$wrong" ""
"$cxx" -g -O1 -pthread "$root/bugs/shared-ptr-race.cc" -o made 2>&1 || fail "shared-ptr-race.cc is built"
like "what new made has no linkage name" "$("$heddle" sites ./made)" 'config::config\(int\) +write 4 +\*new\(\)$'
done_testing
