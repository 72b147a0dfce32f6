#!/bin/bash
# Training data: written and read, merged, and refused when they are damaged.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/test" tests/unit/learned_test.c || {
	done_testing
	exit
}
t=$work/test
cd "$work" || exit 1

ok "made" "$t" make one 8
is "it has what it was made of: repeated places dropped, each history once" "$("$t" print one)" \
	"1 runs, 8 places, 8 histories, 8 members, 1 objects
1: nil 1
2: 1 2 nil 1
3: 2 3 nil 1
4: 3 4 ? 1
5: 4 5 nil 1"
ok "read and written" "$t" copy one two
ok "the same again" cmp one two

ok "another" "$t" make larger 10
ok "merged" "$t" merge both one larger one
is "places are the same by their keys; histories count the runs" "$("$t" print both)" \
	"3 runs, 10 places, 10 histories, 10 members, 1 objects
1: nil 3
2: 1 2 nil 3
3: 2 3 nil 3
4: 3 4 ? 3
5: 4 5 nil 3"

is "a file that was cut off" "$("$t" cut one)" "many refused, 0 accepted"
is "a file with another byte" "$("$t" turn one)" "many refused, 0 accepted"
is "no file" "$("$t" print none)" 'error: cannot open "none": No such file or directory'

# Documents with a valid digest and other contents.
head='{"heddle":1,"training":2,"program":"p","runs":1,"gains":[1],"objects":[]'
place='{"function":"f","file":"a.c","line":1,"column":1,"access":"read","size":4,"variable":null,"code":"x","ordinal":0,"callers":""}'
# refused NAME WHY TEXT: TEXT is all but the digest
refused() {
	printf '%s' "$3" >hostile
	"$t" seal hostile
	like "refused: $1" "$("$t" print hostile)" "^error: .*$2"
}
printf '%s' "$head,\"places\":[$place],\"histories\":[{\"place\":1,\"after\":[1],\"is_whole\":true,\"runs\":1}]" >good
"$t" seal good
is "the pattern of what follows is good" "$("$t" print good | head -1)" "1 runs, 1 places, 1 histories, 1 members, 0 objects"
history() { printf '%s' "$head,\"places\":[$place],\"histories\":[$1]"; }
refused "another version" "version 3" '{"heddle":1,"training":3'
refused "another kind of file" "another kind of file" '{"heddle":1,"findings":[]'
refused "no places" "a part of it is missing" "$head,\"histories\":[]"
refused "a history of a place that is not there" "a history is not valid" "$(history '{"place":2,"after":[],"is_whole":true,"runs":1}')"
refused "a history of nil" "a history is not valid" "$(history '{"place":0,"after":[],"is_whole":true,"runs":1}')"
refused "after a place that is not there" "not there" "$(history '{"place":1,"after":[2],"is_whole":true,"runs":1}')"
refused "after a number that is too large" "not there" "$(history '{"place":1,"after":[18446744073709551617],"is_whole":true,"runs":1}')"
refused "after a negative number" "not there" "$(history '{"place":1,"after":[-1],"is_whole":true,"runs":1}')"
refused "after text" "not there" "$(history '{"place":1,"after":["1"],"is_whole":true,"runs":1}')"
refused "a history that is too long" "a history is not valid" \
	"$(history '{"place":1,"after":[1,1,1,1,1,1,1,1,1,1,1,1,1],"is_whole":true,"runs":1}')"
refused "a history twice" "occurs twice" \
	"$(history '{"place":1,"after":[],"is_whole":true,"runs":1},{"place":1,"after":[],"is_whole":true,"runs":1}')"
refused "a place twice" "occurs twice" "$head,\"places\":[$place,$place],\"histories\":[]"
refused "an unknown access" "a place is not valid" "$head,\"places\":[${place/\"read\"/\"look\"}],\"histories\":[]"
refused "a place without a function" "a place is not valid" "$head,\"places\":[${place/\"f\"/null}],\"histories\":[]"
refused "a line that is too large" "a place is not valid" "$head,\"places\":[${place/\"line\":1/\"line\":4294967297}],\"histories\":[]"
refused "a build that is none" "an object is not valid" \
	"${head/\"objects\":[]/\"objects\":[{\"path\":\"p\",\"build\":\"xyz\",\"runs\":1\}]},\"places\":[],\"histories\":[]"
refused "runs that are no number" "no number of runs" "${head/\"runs\":1/\"runs\":\"1\"},\"places\":[],\"histories\":[]"
done_testing
