#!/bin/bash
# Sources: how their names are put together and told, where they are looked for, and what is no source.
. tests/lib/tap.sh
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -Wno-format-truncation -O1 -g -fsanitize=address,undefined \
	tests/unit/source_test.c src/base/path.c src/base/source.c src/base/sources.c src/base/lines.c src/base/mem.c src/base/map.c src/base/err.c \
	-o "$work/source" || {
	done_testing
	exit
}
cd "$work" || exit 1
run() {
	timeout -s KILL 60 "$work/source" "$@" 2>&1
}

while read -r path want; do
	is "tidy $path" "$(run tidy "$path")" "$want"
done <<'END'
a.c a.c
./a.c a.c
././a//b.c a/b.c
/a/b/../c.c /a/c.c
/a/../../c.c /c.c
../a.c ../a.c
../../a/../b.c ../../b.c
a/../b.c b.c
a/.. .
/ /
/.. /
/a/ /a
a/...b/c a/...b/c
..a/.. .
END
is "join" "$(run join /a/b ../c.c)" /a/c.c
is "join: absolute" "$(run join /a/b /c.c)" /c.c
is "join: no folder" "$(run join '' c.c)" c.c
is "join: a folder that is relative" "$(run join . c.c)" c.c

mkdir -p here/build here/src
cd here/build || exit 1
is "tell: below" "$(run tell "$work/here/build/x/a.c")" x/a.c
is "tell: beside" "$(run tell "$work/here/src/a.c")" ../src/a.c
is "tell: above" "$(run tell "$work/here/a.c")" ../a.c
is "tell: a name that begins like the folder" "$(run tell "$work/here/building/a.c")" ../building/a.c
is "tell: far away" "$(run tell /usr/include/stdio.h)" /usr/include/stdio.h
is "tell: relative" "$(run tell a.c)" a.c
ln -s "$work/here/build" "$work/link"
cd "$work/link" || exit 1
is "tell: by way of a link" "$(run tell "$work/link/a.c")" a.c
is "tell: by way of a link, not beside the link" "$(run tell "$work/src/a.c")" ../../src/a.c
is "tell: PWD is wrong" "$(PWD=/usr run tell /usr/a.c)" /usr/a.c
cd "$work" || exit 1

# What is kept of the lines of a file.
is "lines: told" "$(run lines $'4 a\n5 x y\n6 b\n' 5)" "told: x y"
is "lines: another" "$(run lines $'4 a\n5 x y\n6 b\n' 7)" "not told: "
for text in $'\n5 x\n' $' 5 x\n' $'5\n x\n' $'-5 x\n' $'5x\n' $'5 x' $'5\n' $'\t5 x\n' $'99999999999999999999999 x\n' ''; do
	is "lines: damaged, $(printf %q "$text")" "$(run lines "$text" 5)" "not told: "
done

printf 'one\r\ntwo\n\nfour' >four.c
is "state: good" "$(run state four.c)" "good: 4 lines"
is "line: its end is not part of it" "$(run line four.c 1)" one
is "line: empty" "$(run line four.c 3)" ""
is "line: the last one without an end" "$(run line four.c 4)" four
is "line: none" "$(run line four.c 5) $(run line four.c 0) $(run line four.c 18446744073709551615)" "nothing nothing nothing"
is "state: missing" "$(run state missing.c)" "does not exist: 0 lines"
is "state: a folder" "$(run state here)" "is not a file: 0 lines"
mkfifo fifo
is "state: a FIFO" "$(run state fifo)" "is not a file: 0 lines"
is "state: a device" "$(run state /dev/zero)" "is not a file: 0 lines"
: >empty.c
is "state: empty" "$(run state empty.c)" "is empty: 0 lines"
printf 'a\0b\n' >binary.c
is "state: no text" "$(run state binary.c)" "is not a text file: 0 lines"
truncate -s 65M large.c
is "state: too large" "$(run state large.c)" "is larger than 64 MB: 0 lines"
is "state: a file that says it has no size" "$(run state /proc/self/status | sed 's/[0-9]\+/N/')" "good: N lines"
head -c 100000 /dev/urandom | tr -d '\0' >noise.c
like "state: noise" "$(run state noise.c)" '^good: [0-9]+ lines$'

mkdir -p tree/project/src tree/project/build/bin other/src
touch tree/project/src/a.c tree/project/b.c other/src/a.c tree/project/build/bin/prog
cd other || exit 1
p=$work/tree/project/build/bin/prog
is "find: as it is named" "$(run find src/a.c . -- "$p")" src/a.c
is "find: absolute" "$(run find "$work/tree/project/src/a.c" . -- "$p")" "$work/tree/project/src/a.c"
is "find: above the program" "$(run find b.c . -- "$p")" "$work/tree/project/b.c (elsewhere)"
cd "$work/here" || exit 1
is "find: another folder" "$(run find src/a.c . "$work/other")" "$work/other/src/a.c (elsewhere)"
is "find: the tree is elsewhere" "$(run find /build/x/project/src/a.c . -- "$p")" "$work/tree/project/src/a.c (elsewhere)"
is "find: the tree is elsewhere, and here" "$(cd "$work/other" && run find /build/x/src/a.c . -- "$p")" "src/a.c (elsewhere)"
is "find: seen from elsewhere" "$(run find ../../src/a.c . -- "$p")" "${p%/*}/../../src/a.c (elsewhere)"
is "find: a bare name is not anybody's" "$(run find /build/b.c . -- "$p")" nothing
is "find: nor a header of the system" "$(run find /usr/include/src/a.c . -- "$p")" nothing
is "find: nothing" "$(run find no.c . -- "$p") $(run find /no/no.c . -- no/prog) $(run find '' .)" "nothing nothing nothing"
is "find: what is no file is told" "$(run find src . -- "$p")" src
is "no repository" "$(run root)" nothing
mkdir .git && mkdir -p deep/er && cd deep/er || exit 1
is "a repository" "$(run root)" "$work/here"
done_testing
