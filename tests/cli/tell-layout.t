#!/bin/bash
# Findings in any layout: widths, colours, strings that are hostile, sources that are gone or changed, progress.
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v sqlite3 >/dev/null || skip_all "there is no sqlite3: ./setup build installs it"
unset COLUMNS NO_COLOR

command -v script >/dev/null || skip_all "there is no script"

cat >wide.c <<'END'
#include <pthread.h>

struct a_structure_with_quite_a_long_name {
	int a_member_with_a_name_that_is_longer_than_others;
};
static struct a_structure_with_quite_a_long_name the_only_one_of_its_kind;

/* 北京 überprüft */
static void *a_function_that_begins_a_thread(void *argument)
{
	the_only_one_of_its_kind.a_member_with_a_name_that_is_longer_than_others++; /* 北京大学的一个非常长的注释 överflöd */
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, a_function_that_begins_a_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread wide.c -o wide || fail "wide.c is built"
"$heddle" test --classify no --runs 20 -- ./wide >piped 2>/dev/null </dev/null

# longest: the width of the longest line on standard input, in columns of a terminal
longest() {
	python3 -c 'import sys, unicodedata
print(max(sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
	for c in line.rstrip("\n")) for line in sys.stdin.buffer.read().decode("utf-8").split("\n")))'
}

# The command that replays it is there to be copied, so only that may be wider.
for width in 60 80 120 200; do
	COLUMNS=$width "$heddle" show H1 >shown
	ok "width $width: what is shown is UTF-8" iconv -f UTF-8 -t UTF-8 shown
	most=$(grep -v '^  replay: ' shown | longest)
	ok "width $width: nothing is wider ($most)" test "$most" -le "$width"
	like "width $width: both accesses are marked" "$(cat shown)" '^ +[0-9]+> +'
	is "width $width: two of them" "$(grep -Ec '^ +[0-9]+> ' shown)" 2
	COLUMNS=$width "$heddle" replay --columns H1 >shown 2>/dev/null
	ok "width $width: columns fit" test "$(longest <shown)" -le "$width"
	ok "width $width: columns are UTF-8" iconv -f UTF-8 -t UTF-8 shown
done
like "narrow: a list instead of columns" "$(COLUMNS=60 "$heddle" show H1)" '^   event  thread  event$'
like "wide: columns" "$(COLUMNS=200 "$heddle" show H1)" '^   event  thread 1 main +thread 2 a_function_that_begins_a_thread '
like "a long name is cut in the middle" "$(COLUMNS=60 "$heddle" show H1)" '^ +the_only_one_[a-z_.]*[a-z_]\.\.[a-z_]*_others'
like "in a column, too" "$(COLUMNS=90 "$heddle" show H1)" '  thread 2 a_fu[a-z_]*\.\.[a-z_]*_thread  '
ok "a pipe has no width: lines are whole" test "$(longest <piped)" -gt 120
same "a width that is none" "$(COLUMNS=rubbish "$heddle" show --brief H1)" "$("$heddle" show --brief H1)"
same "no width at all" "$(COLUMNS=0 "$heddle" show --brief H1)" "$("$heddle" show --brief H1)"
ok "a width that is far too small" env COLUMNS=1 "$heddle" show H1

# Colours.
escape=$(printf '\033')
colored() {
	grep -c "$escape\[" "$1"
}
is "a pipe: no colours" "$(colored piped)" 0
"$heddle" show --color=always H1 >shown
ok "--color=always: colours" test "$(colored shown)" -gt 5
same "colours change nothing else" "$(sed "s/$escape\[[0-9;]*m//g" shown)" "$("$heddle" show H1)"
is "each line ends as it began" "$(awk -v e="$escape" '{ n = gsub(e "\\[[1-9][0-9;]*m", ""); m = gsub(e "\\[0m", ""); if (n != m) print }' shown)" ""
TERM=xterm script -qec "'$heddle' show H1" /dev/null >shown
ok "a terminal: colours" test "$(colored shown)" -gt 5
TERM=xterm NO_COLOR=1 script -qec "'$heddle' show H1" /dev/null >shown
is "NO_COLOR: none" "$(colored shown)" 0
TERM=xterm NO_COLOR= script -qec "'$heddle' show H1" /dev/null >shown
ok "an empty NO_COLOR counts as none" test "$(colored shown)" -gt 5
TERM=dumb script -qec "'$heddle' show H1" /dev/null >shown
is "a dumb terminal: none" "$(colored shown)" 0
NO_COLOR=1 "$heddle" show --color=always H1 >shown
ok "--color=always has the last word" test "$(colored shown)" -gt 5
TERM=xterm script -qec "'$heddle' show --color=never H1" /dev/null >shown
is "--color=never: none" "$(colored shown)" 0
for command in "show --color=blue H1" "replay --color blue H1" "test --color= -- ./wide"; do
	got=$("$heddle" $command 2>&1)
	is "wrong: heddle $command: status" "$?" 2
	like "wrong: heddle $command: said" "$got" '^heddle: error: --color expects auto, always or never, not "(blue)?"$'
done
"$heddle" replay --columns --color=always H1 2>/dev/null >shown
ok "replay: colours" test "$(colored shown)" -gt 1
"$heddle" test --classify no --runs 2 --color=always -- ./wide >shown 2>/dev/null </dev/null
ok "test: colours" test "$(colored shown)" -gt 5

# Progress: on a terminal a line that goes away, elsewhere nothing that soon; none at all with --quiet.
TERM=xterm script -qec "stty cols 120; '$heddle' test --time 4 -- ./wide" /dev/null >shown </dev/null
line=$(tr '\r' '\n' <shown | grep -a ' schedules, .* per second; 1 finding; new behaviour in ' | tail -n 1)
like "progress: on a terminal" "$line" '[0-9]+ schedules, [0-9.]+ per second; 1 finding; new behaviour in [0-9]+ of the last [0-9]+$'
TERM=xterm script -qec "stty cols 50; '$heddle' test --time 3 -- ./wide" /dev/null >shown </dev/null
ok "progress: as wide as the terminal" test "$(tr '\r' '\n' <shown | sed "s/$escape\[K//" | grep -a ' per second; ' | longest)" -le 49
like "progress: it goes away" "$(cat -v shown)" '\^\[\[K'
"$heddle" test --classify no --runs 50 -- ./wide 2>errors >/dev/null </dev/null
is "progress: none in a short test without a terminal" "$(grep -v "^heddle: H[0-9]" errors)" ""
TERM=xterm script -qec "'$heddle' test --classify no --quiet --time 1 -- ./wide" /dev/null >shown </dev/null
is "progress: none with --quiet" "$(tr -d '\r' <shown | grep -c schedules,)" 0
is "--quiet: a line for each finding" "$(tr -d '\r' <shown | wc -l)" 1

# Sources: gone, changed, without the line, a folder, a FIFO.
mkdir elsewhere
cp wide elsewhere
mv wide.c kept.c
shown=$("$heddle" show --brief H1)
like "no source: it is said" "$shown" '^    \(wide\.c does not exist, so its lines are not shown\)$'
unlike "no source: no lines" "$shown" ' \| '
mkfifo wide.c
like "a FIFO is no source" "$(timeout 20 "$heddle" show --brief H1)" 'wide\.c is not a file, so its lines are not shown'
rm wide.c
sed 1,5d kept.c >wide.c
touch wide.c
like "a changed source: it is said" "$("$heddle" show --brief H1)" \
	'^    \(wide\.c was changed after the program was built, so its lines are not shown\)$'
unlike "a changed source: no lines" "$("$heddle" show --brief H1)" ' \| '
touch -d '2001-01-01' wide.c
like "a changed source that is older: it is said" "$("$heddle" show --brief H1)" 'wide\.c was changed after the program was built'
printf 'int x;\n' >wide.c
touch -d '2001-01-01' wide.c
unlike "a source without the line: none is shown" "$("$heddle" show --brief H1)" ' \| '
rm wide.c
cp kept.c wide.c
like "a newer source with the same line: it is shown" "$("$heddle" show --brief H1)" '^    > +11 \|'
unlike "a newer source with the same line: nothing to say" "$("$heddle" show --brief H1)" 'was changed'
touch -d '2001-01-01' wide.c
unlike "an older source: nothing to say" "$("$heddle" show --brief H1)" 'was changed'
rm -rf .heddle

# A program elsewhere: its sources are beside it.
mkdir -p far/src
cp kept.c far/near.c
(cd far && "$cc" -g -O1 -pthread near.c -o near) || fail "near.c is built"
like "sources beside the program" "$("$heddle" test --classify no --runs 3 -- far/near 2>/dev/null </dev/null)" '^    >   11 \| .*_others\+\+;'

# A build outside of the sources, by whole paths as CMake does it.
mkdir -p far/out/bin
(source=$PWD/far/near.c && cd far/out && "$cc" -g -O1 -pthread "$source" -o bin/apart) || fail "apart is built"
said=$(cd far/out && "$heddle" test --classify no --runs 3 -- bin/apart 2>/dev/null </dev/null)
like "sources of a build outside of them" "$said" '^    >   11 \| .*_others\+\+;'
like "they are where they are named" "$said" 'read at \.\./near\.c:11'
unlike "so nothing is said of that" "$said" 'is the file that the lines were taken from'
rm -rf far/out/.heddle

# Text without end: lines are folded in time that grows as the text does.
"$heddle" test --classify no --runs 3 -- far/near >/dev/null 2>&1 </dev/null
sqlite3 .heddle/heddle.db "UPDATE finding SET details = replace(hex(zeroblob(100000)), '00', 'x y ')"
is "a long text is folded at once" \
	"$( (ulimit -t 20 && COLUMNS=100 "$heddle" show --brief H1) | awk '/x y x/ { lines++; wide += length($0) > 100 } END { print (lines > 4000), wide + 0 }')" "1 0"
rm -rf .heddle

# Hostile: names of files, contents of sources, names of threads.
mkdir "$escape[31mfolder"
name="$escape[31mfolder/ev${escape}]0;title$(printf '\007')il.c"
{
	sed 's/static void \*a_f/#include <sys\/prctl.h>\nstatic void *a_f/; s/	return argument;/	prctl(15, "x\\033[2Jy");\n	return argument;/' kept.c
	printf '// \033[2J \233 \342\200\256 \377\376 end\n'
} | sed "s|/\* 北京大学.*|// $escape[2J$escape]0;t$(printf '\007') $(printf '\342\200\256')reversed$(printf '\330\234')|" >"$name"
"$cc" -g -O1 -pthread "$name" -o evil || fail "evil is built"
"$heddle" test --classify no --runs 10 -- ./evil >shown 2>errors </dev/null
"$heddle" show H1 >>shown 2>>errors
"$heddle" replay H1 >>shown 2>>shown
"$heddle" replay --columns H1 >>shown 2>>shown
"$heddle" list >>shown 2>>errors
is "hostile: no control character is shown" "$(tr -d '\n' <shown | LC_ALL=C grep -c '[[:cntrl:]]')" 0
is "hostile: nor one that reverses text" "$(grep -c "$(printf '\342\200\256')" shown)" 0
is "hostile: nor the mark of Arabic letters" "$(grep -c "$(printf '\330\234')" shown)" 0
like "hostile: escapes are shown as such" "$(cat shown)" '^    >   12 \| .*_others\+\+; // \\x1b\[2J\\x1b\]0;t\\x07 '
done_testing
