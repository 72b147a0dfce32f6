#!/bin/bash
# Sources that are elsewhere: programs that are built outside of the tree, in a folder that is gone, or with mapped names. A finding
# is the same wherever it is tested, and sources are found where the build had them.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_STORE
here=$PWD

mkdir -p project/src project/include project/build elsewhere
cat >project/include/bump.h <<'END'
static inline void bump(volatile int *counter) { *counter += 1; }
END
cat >project/src/main.c <<'END'
#include <pthread.h>
#include "bump.h"
static volatile int counter;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
	bump(&counter);
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return argument;
}
static void *two(void *argument)
{
	counter = 7;
	pthread_mutex_lock(&right);
	pthread_mutex_lock(&left);
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END

# found FOLDER PROGRAM: kind and fingerprint of what is found there; $files: the sources
found() {
	(cd "$1" && timeout -s KILL 60 "$heddle" test --classify no --quiet --runs 100 --store "$here/store" --json out.json -- "$2" >/dev/null 2>&1 </dev/null)
	jq -r '.findings[] | .kind + " " + .fingerprint' "$1/out.json" | sort | paste -sd ' '
}
files() {
	jq -r '[.findings[].sites[].file] | unique | join(" ")' "$1/out.json"
}

(cd project && "$cc" -g -O1 -pthread -Iinclude src/main.c -o inside) || fail "built in the tree"
inside=$(found project ./inside)
like "in the tree" "$inside" '^data-race [0-9a-f]{32} deadlock [0-9a-f]{32}$'
is "in the tree: files" "$(files project)" "include/bump.h src/main.c"

(cd project/build && "$cc" -g -O1 -pthread -I../include ../src/main.c -o relative) || fail "built out of the tree"
is "a build folder, named by the way" "$(found project/build ./relative)" "$inside"
is "a build folder, named by the way: files" "$(files project/build)" "../include/bump.h ../src/main.c"
(cd project/build && "$cc" -g -O1 -pthread -I"$here/project/include" "$here/project/src/main.c" -o whole) || fail "built out of the tree"
is "a build folder, with whole names, as CMake does" "$(found project/build ./whole)" "$inside"
is "a build folder, with whole names: files" "$(files project/build)" "../include/bump.h ../src/main.c"
is "from the tree" "$(found project build/whole)" "$inside"
is "from the tree: files" "$(files project)" "include/bump.h src/main.c"

# Names that are mapped are those that are told, and the old ones are not in the program.
map() {
	local name=$1
	shift
	(cd project/build && "$cc" -g -O1 -pthread -c "$@" -I"$here/project/include" "$here/project/src/main.c" -o "$name.o") || fail "$name is built"
	"$cc" project/build/"$name.o" -o project/build/"$name" || fail "$name is linked, from another folder"
	is "$name: the same findings" "$(found project/build "./$name")" "$inside"
	is "$name: the old name is not in it" "$(grep -c "$here/project/src" "project/build/$name")" 0
}
map mapped "-ffile-prefix-map=$here/project=/usr/src/project"
is "mapped: files" "$(files project/build)" "/usr/src/project/include/bump.h /usr/src/project/src/main.c"
map twice "-fdebug-prefix-map=$here=/wrong" "-fdebug-prefix-map=$here/project=/right"
is "the last map that fits counts" "$(files project/build)" "/right/include/bump.h /right/src/main.c"
map dot "-ffile-prefix-map=$here/project=."
is "dot: files" "$(files project/build)" "include/bump.h src/main.c"
map nothing "-ffile-prefix-map=$here/project/=" -fdebug-compilation-dir=.

# A folder that a link leads to is where people think they are.
ln -s project/build shortcut
(cd shortcut && "$cc" -g -O1 -pthread -I../include ../src/main.c -o linked) || fail "built by way of a link"
is "by way of a link" "$(found shortcut ./linked)" "$inside"

# Where the sources are gone, or others, or cannot be read, nothing changes.
cp project/inside project/build/whole project/build/mapped elsewhere
mv project gone
for name in inside whole mapped; do
	is "$name: the sources are gone" "$(found elsewhere "./$name")" "$inside"
done
strip -g elsewhere/inside
is "without debug information: the race" "$(found elsewhere ./inside | cut -d ' ' -f 1,2)" "${inside%% deadlock*}"
mkdir -p project/src project/include
printf 'int other;\n%.0s' $(seq 100) | tee project/src/main.c >project/include/bump.h
touch -d '10 years ago' project/src/main.c project/include/bump.h
is "other sources, older than the program" "$(found elsewhere ./whole)" "$inside"
rm -rf project && mv gone project

# Moved lines are the same finding, another variable or function is another.
edit() {
	rm -rf edited && mkdir -p edited/build && cp -r project/src project/include edited
	sed -i "$1" edited/src/main.c
	(cd edited/build && "$cc" -g -O1 -pthread -I"$here/edited/include" "$here/edited/src/main.c" -o whole) || fail "edited: $1"
	cp edited/build/whole elsewhere && rm -rf edited
	found elsewhere ./whole
}
is "moved lines, no sources" "$(edit '1i/* moved */\n\n\n')" "$inside"
other=$(edit 's/\bcounter\b/another/g')
unlike "another variable: another race" "$other" "^${inside%% deadlock*} "
like "another variable: the same deadlock" "$other" " deadlock ${inside##* }$"
unlike "another function: another race" "$(edit 's/\btwo\b/three/')" "^${inside%% deadlock*} "

# Reports that are made in a build folder have the sources, and SARIF names them from the root of the repository.
report() {
	(cd "$1" && shift && timeout -s KILL 60 "$heddle" test --classify no --runs 20 --store "$here/store" --html out.html --sarif out.sarif --json out.json -- "$@" 2>&1 </dev/null)
}
flat() {
	paste -sd ' ' | tr -s ' '
}
uris() {
	jq -r '[.runs[0].results[] | (.locations[], .codeFlows[].threadFlows[].locations[].location).physicalLocation.artifactLocation
		| .uri + (if .uriBaseId then "" else " " end)] | unique | join(",")' "$1"
}
paths() {
	grep -o '"path":"[^"]*"' "$1" | sort | paste -sd ' '
}
mkdir project/.git
said=$(report project/build ./whole)
like "the terminal shows lines" "$said" '^ *>   16 \| *counter = 7;$'
like "the terminal shows lines of headers" "$said" '^ *>    1 \| static inline void bump'
unlike "nothing is missing" "$said" 'so its lines are not shown|is the file that the lines were'
is "SARIF: from the root of the repository" "$(uris project/build/out.sarif)" "include/bump.h,src/main.c"
is "HTML: both sources" "$(paths project/build/out.html)" '"path":"include/bump.h" "path":"src/main.c"'
like "HTML: their lines" "$(cat project/build/out.html)" 'counter = 7;'
(cd project && "$heddle" report --sarif build/later.sarif build/out.json)
is "SARIF: made later, elsewhere in the repository" "$(uris project/build/later.sarif)" "include/bump.h,src/main.c"
report project/build ./mapped >said
is "SARIF: names that were mapped" "$(uris project/build/out.sarif)" "include/bump.h,src/main.c"
like "lines that are found elsewhere: where they are from is said" "$(flat <said)" "\\($here/project/src/main.c is the file that the lines were taken from\\)"
rmdir project/.git
cp -r project 'two words %41'
report 'two words %41/build' ./whole >/dev/null
is "SARIF: no repository" "$(uris 'two words %41/build/out.sarif')" "file://$here/project/include/bump.h ,file://$here/project/src/main.c "
(cd 'two words %41/build' && "$cc" -g -O1 -pthread -I../include ../src/main.c -o relative) || fail "built in a folder with blanks"
report 'two words %41/build' ./relative >/dev/null
is "SARIF: no repository, and a strange name" "$(uris 'two words %41/build/out.sarif')" \
	"file://$here/two%20words%20%2541/include/bump.h ,file://$here/two%20words%20%2541/src/main.c "

# Control characters in the way to the program.
strange=$'strange\n\033[31m\\033'
mkdir "$strange"
cp project/src/main.c project/include/bump.h "$strange"
(cd "$strange" && "$cc" -g -O1 -pthread main.c -o prog) || fail "built in a strange folder"
is "a strange folder: the same findings" "$(found "$strange" ./prog)" "$inside"
is "a strange folder: files" "$(files "$strange")" "bump.h main.c"
is "a strange folder: its characters are not told" "$(report "$strange" ./prog | grep -c $'\033')" 0

# What is no source any more is told, and neither read nor waited for.
replaced() {
	rm -rf project/src/main.c
	"${@:3}" || fail "$1"
	said=$(report project/build ./whole | flat)
	like "$1: it is said" "$said" "\\(\\.\\./src/main\\.c $2\\)"
	is "$1: HTML has the other one" "$(paths project/build/out.html)" "\"path\":\"$here/project/include/bump.h\""
}
cp project/src/main.c kept.c
replaced "gone" "does not exist, so its lines are not shown" true
replaced "a folder" "is not a file, so its lines are not shown" mkdir project/src/main.c
replaced "a FIFO" "is not a file, so its lines are not shown" mkfifo project/src/main.c
replaced "a device" "is not a file, so its lines are not shown" ln -s /dev/zero project/src/main.c
replaced "too large" "is larger than 64 MB, so its lines are not shown" truncate -s 65M project/src/main.c
replaced "no text" "is not a text file, so its lines are not shown" cp project/inside project/src/main.c
rm -f project/src/main.c && cp kept.c project/src/main.c
said=$(report project/build ./whole | flat)
unlike "written again: its lines are the same" "$said" 'was changed'
like "written again: the page says that it is newer" "$(cat project/build/out.html)" '"path":"[^"]*src/main.c","changed":true,"stale":\[\],"parts":\[\['

# Lines that moved are not those that the program was built from, whatever the time of the file, and when it was built anew, too.
sed '1i // moved' kept.c >project/src/main.c
touch -d '2001-01-01' project/src/main.c
said=$(report project/build ./whole | flat)
like "moved: it is said" "$said" '\(\.\./src/main\.c was changed after the program was built, so its lines are not shown\)'
unlike "moved: no wrong line is marked" "$said" '> +(9|16|18) \|'
like "moved: the other file is quoted" "$said" '> +1 \| static inline void bump'
like "moved: the page says so, too" "$(cat project/build/out.html)" '"path":"[^"]*src/main.c","changed":true,"stale":\[0,1\],"parts":\[\]'
race=$(jq -r '.findings[] | select(.kind == "data-race") | .id' project/build/out.json)
cp project/build/whole whole.kept
(cd project/build && "$cc" -g -O1 -pthread -I"$here/project/include" "$here/project/src/main.c" -o whole) || fail "built anew"
said=$(cd project/build && "$heddle" show --store "$here/store" "$race" | flat)
like "moved and built anew: show says it" "$said" 'was changed after the program was built'
unlike "moved and built anew: no wrong line is marked" "$said" '> +(9|16|18) \|'
cp whole.kept project/build/whole && cp kept.c project/src/main.c

# From another folder, show finds what replay finds.
for from in elsewhere project/build; do
	for command in show replay; do
		like "$command in $from: the source is found" "$(cd $from && "$heddle" $command --store "$here/store" "$race" 2>&1)" '^    > +16 \| +counter = 7;'
	done
done

# What is kept of the lines has a checksum: each of its bytes matters.
cp project/build/whole whole
at=$((16#$(readelf -SW whole | sed -nE 's/.* heddle_lines +PROGBITS +[0-9a-f]+ ([0-9a-f]+) .*/\1/p')))
ok "the table of lines: it can be read" "$heddle" sites whole
for byte in 12 30 60; do
	perl -e 'open F, "+<", $ARGV[0]; seek F, $ARGV[1], 0; read F, $c, 1; seek F, $ARGV[1], 0; print F chr(ord($c) ^ 1)' whole $((at + byte))
	is "the table of lines: byte $byte, exit status" "$(status "$heddle" sites whole)" 3
	like "the table of lines: byte $byte, said" "$("$heddle" sites whole 2>&1)" '^heddle: error: .*its table of lines cannot be read'
	cp project/build/whole whole
done
done_testing
