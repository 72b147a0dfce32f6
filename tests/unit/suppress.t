#!/bin/bash
# Suppressions: the matcher of patterns, and the reader of files.
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset HEDDLE_SUPPRESSIONS

ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -Wno-format-truncation -O1 -g -fsanitize=address,undefined \
	tests/unit/suppress_test.c src/judge/suppress.c src/judge/suppress_file.c src/judge/finding.c src/model/kinds.c src/trace/report.c src/trace/report_detect.c src/symbols/names.c src/symbols/names_short.c src/base/path.c src/store/id.c src/base/err.c \
	src/base/mem.c src/base/map.c src/base/hash.c src/base/text.c -l:libstdc++.so.6 -o "$work/test" || {
	done_testing
	exit
}

# PATTERN TEXT WANT; @ is the empty string
while read -r pattern text want; do
	[ "$text" != @ ] || text=
	[ "$pattern" != @ ] || pattern=
	is "pattern \"$pattern\" and \"$text\"" "$("$work/test" match "$pattern" "$text" 2>&1)" "$want"
done <<'END_OF_CASES'
push push yes
push queue_push_back yes
push pus no
push @ no
@ anything yes
@ @ no
* anything yes
** a yes
^push push_back yes
^push queue_push no
push$ queue_push yes
push$ push_back no
push$ pushpush yes
^push$ push yes
^push$ pushpush no
^push$ queue_push no
^$ a no
$ a no
*$ a yes
^*$ a yes
^*push queue_push yes
^*push$ queue_push yes
^*push$ push_back no
q*push queue_push yes
q*push$ queue_push yes
^q*push$ queue_push yes
^u*push$ queue_push no
q*x*push queue_push no
^a*a$ a no
^a*a$ aa yes
^ab*ba$ aba no
a*$ ba yes
push$ignored queue_push yes
a^b a^b yes
a^b b no
.*\.c .*\.c yes
[ab] a no
std::vector<*>::push_back std::vector<int,std::allocator<int>>::push_back yes
*/third_party/* /src/third_party/z.c yes
END_OF_CASES

is "patterns and texts at random: as when all ways are tried" "$(timeout -s KILL 60 "$work/test" random 200000 2>&1)" "some match"
is "many stars take no more than their length" "$(timeout -s KILL 20 "$work/test" long 200000 2>&1)" "no yes"

# reads NAME BYTES WANT: of printf
reads() {
	printf "$2" >"$work/file"
	is "$1" "$(cd "$work" && ./test read file 2>&1)" "$3"
}
reads "a file of nothing" '' ''
reads "one line" 'race:push\n' '1 [race:push] [push] 0'
reads "the last line has no end" 'race:a\nrace:b' $'1 [race:a] [a] 0\n2 [race:b] [b] 0'
reads "comments, blanks, empty lines" '# x\n\n  \t\n \trace:a b \t\n  # race:c\n' '4 [race:a b] [a b] 0'
reads "lines as in DOS" '# x\r\n\r\nrace:a\r\n' '3 [race:a] [a] 0'
reads "a colon in the pattern" 'race:std::vector' '1 [race:std::vector] [std::vector] 0'
reads "a # in the pattern" 'race:a#b' '1 [race:a#b] [a#b] 0'
reads "no pattern" 'race:' '1 [race:] [] 0'
reads "a blank before the pattern is part of it" 'race: a' '1 [race: a] [ a] 0'
reads "all types of ThreadSanitizer" 'race:a\nrace_top:a\nthread:a\nmutex:a\nsignal:a\ndeadlock:a\ncalled_from_lib:a\n' \
	$'1 [race:a] [a] 0\n2 [race_top:a] [a] 0\n3 [thread:a] [a] 0\n4 [mutex:a] [a] 0\n5 [signal:a] [a] 0\n6 [deadlock:a] [a] 0\n7 [called_from_lib:a] [a] 0'
reads "an id" 'id:H12' '1 [id:H12] [H12] 12'
reads "a name" 'id:data-race-1f3a09bc' '1 [id:data-race-1f3a09bc] [data-race-1f3a09bc] 0'
for bad in H H0 H1x h1 12 data-race data-race-1f3a09b data-race-1f3a09bcd data-race-1F3A09BC push '' H99999999999999999999; do
	reads "no id: \"$bad\"" "id:$bad" "file:1: not a possible id: \"$bad\""
done
reads "a kind" 'kind:lock-order' '1 [kind:lock-order] [lock-order] 0'
reads "no kind" '\nkind:race' 'file:2: unknown kind of finding "race"'
reads "a consequence" 'consequence:crash' '1 [consequence:crash] [crash] 0'
reads "no consequence" 'consequence:data-race' 'file:1: unknown consequence "data-race"'
reads "no type" 'race:a\n\npush' 'file:3: missing type in "push"'
reads "an unknown type" 'rcae:push' 'file:1: unknown type of suppression "rcae"'
reads "types are in small letters" 'Race:push' 'file:1: unknown type of suppression "Race"'
reads "a zero byte" 'race:a\nrace:b\0c\n' 'file:2: line with a zero byte: "race:b"'
reads "a byte that a terminal would interpret" 'x\033[2J:a' 'file:1: unknown type of suppression "x\x1b[2J"'

head -c 1000000 /dev/zero | tr '\0' a >"$work/as"
{ printf 'race:' && cat "$work/as"; } >"$work/file"
is "a long line" "$("$work/test" read "$work/file" | wc -c)" 2000015
cp "$work/as" "$work/file"
is "a long line that is wrong is cut off" "$(cd "$work" && ./test read file)" "file:1: missing type in \"$(printf 'a%.0s' {1..80})...\""
head -c 17000000 /dev/zero | tr '\0' '\n' >"$work/file"
is "a file that is too large" "$(cd "$work" && ./test read file)" 'the suppressions "file" are larger than 16 MiB'
is "a file that is not there" "$(cd "$work" && ./test read none)" 'cannot read the suppressions "none": No such file or directory'
is "a folder" "$(cd "$work" && ./test read .)" 'cannot read the suppressions ".": Is a directory'
is "files of garbage" "$(timeout -s KILL 60 "$work/test" garbage 3000 2>&1)" "some are good"
done_testing
