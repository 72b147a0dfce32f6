#!/bin/bash
# Text for terminals: how wide it is, and how it is cut, folded and quoted so that nothing is broken.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/text" tests/unit/text_test.c || {
	done_testing
	exit
}
cd "$work" || exit 1

is "width: letters" "$(./text width abc '' 'für')" "3
0
3"
is "width: wide ones and combining ones" "$(./text width 北京 $'e\xcc\x81' $'\xf0\x9f\x98\x80')" "4
1
2"
is "width: what is no UTF-8" "$(./text width $'\xff\xfe' $'\xe5\x8c' $'a\xf0\x9f')" "2
2
3"
is "fit: what fits stays" "$(./text fit middle 5 abcde)" abcde
is "fit: right" "$(./text fit right 5 abcdefgh)" abc..
is "fit: left" "$(./text fit left 5 abcdefgh)" ..fgh
is "fit: middle" "$(./text fit middle 6 abcdefgh)" ab..gh
is "fit: wide characters stay whole" "$(./text fit right 5 北京大学)" 北..
is "fit: in the middle, too" "$(./text fit middle 7 北京大学)" 北..学
for width in 0 1 2; do
	is "fit: hardly any room: $width" "$(./text fit middle $width abcdefgh | tr -d '\n' | wc -c)" "$width"
done
for width in $(seq 3 20); do
	for cut in left middle right; do
		got=$(./text fit $cut "$width" '北京überprüft大学, die längste')
		printf '%s' "$got" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 && [ "$(./text width "$got")" -le "$width" ] ||
			fail "fit: $cut $width: $got"
	done
done
is "fold: at spaces, later lines further in" "$(./text fold 30 2 'one two three four five six seven eight')" \
"  one two three four five six
      seven eight"
is "fold: spaces in front count" "$(./text fold 30 2 '  one two three four five six')" \
"    one two three four five
        six"
is "fold: a word that is too long" "$(./text fold 40 2 "to $(printf 'x%.0s' $(seq 60)) and on")" \
"  to
      xxxxxxxxxxxxxxxx..xxxxxxxxxxxxxxxx
      and on"
is "fold: no width, no fold" "$(./text fold 0 2 "$(seq -s ' ' 60)")" "  $(seq -s ' ' 60)"
is "fold: nothing" "$(./text fold 30 0 '')" ""

printf 'one\n\tint x = y;\n\t\tz();\r\nlast without an end' >source.c
is "quote: tabs, the common margin, the column" "$(./text quote source.c 2 6 0)" \
"     1 | one
>    2 |         int x = y;
       |             ^
     3 |                 z();"
is "quote: the last line" "$(./text quote source.c 4 0 0)" \
"     2 |         int x = y;
     3 |                 z();
>    4 | last without an end"
is "quote: cut" "$(./text quote source.c 4 0 21 | tail -n 1)" ">    4 | last witho.."
./text quote source.c 5 0 0
is "quote: no such line" "$?" 1
./text quote source.c 0 0 0
is "quote: no line" "$?" 1
./text quote none.c 1 0 0
is "quote: no such file" "$?" 1
./text quote . 1 0 0
is "quote: a folder" "$?" 1
: >empty.c
./text quote empty.c 1 0 0
is "quote: an empty file" "$?" 1
is "quote: a column behind the line" "$(./text quote source.c 1 99 0 | head -n 2)" \
">    1 | one
     2 |         int x = y;"
printf 'a\0b \033[31m \342\200\256 \377\n' >hostile.c
is "quote: hostile" "$(./text quote hostile.c 1 0 0)" '>    1 | a       b \x1b[31m \xe2\x80\xae \xff'
head -c 200000 /dev/zero >zeros.c
is "quote: zeros are no source" "$(./text quote zeros.c 1 7 80)" ""
done_testing
