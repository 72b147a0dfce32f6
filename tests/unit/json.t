#!/bin/bash
# Writing JSON: what each call appends, that the reader and jq take it, and that wrong use ends in a BUG instead of a document that is none.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/json" tests/unit/json_test.c || {
	done_testing
	exit
}
ulimit -c 0

# says NAME WANT WORD...: what the driver writes
says() {
	is "$1" "$("$work/json" "${@:3}" 2>&1)" "$2"
}
says "an object of nothing" '{}' '{' '}'
says "an array of nothing" '[]' '[' ']'
says "one value is a document" '7' n:7
says "members" '{"a":1,"b":"x","c":true,"d":false,"e":null}' '{' a= n:1 b= s:x c= true d= false e= null '}'
says "items" '[1,"x",true,null,-3,2.50]' '[' n:1 s:x true null i:-3 d:2.5 ']'
says "inside each other" '{"a":{"b":[[],{"c":[1,2]},3]},"d":4}' '{' a= '{' b= '[' '[' ']' '{' c= '[' n:1 n:2 ']' '}' n:3 ']' '}' d= n:4 '}'
says "the largest numbers" '[18446744073709551615,-9223372036854775808]' '[' n:18446744073709551615 i:-9223372036854775808 ']'
says "no string is null" '{"a":null}' '{' a= none '}'
says "a string in pieces" '{"a":"1 2,3 4,","b":1}' '{' a= '"' 'r:1 2,' 'r:3 4,' '"' b= n:1 '}'
says "strings of a vector" '{"a":["x","y"],"b":[]}' '{' a= v:x,y b= v: '}'
says "another document" '{"a":{"x":[1]},"b":[2]}' '{' a= 'j:{"x":[1]}' b= 'j:[2]' '}'
says "members of another document" '{"a":1,"x":2,"y":[3],"b":4}' '{' a= n:1 'm:{"x":2,"y":[3]}' b= n:4 '}'
says "members of another document alone, and none" '{"x":2}' '{' 'm:{}' 'm:{"x":2}' 'm:{}' '}'
says "lines" $'[\n{"a":1,\n"b":2},\n3]' '[' line '{' a= n:1 line b= n:2 '}' line n:3 ']'
deep=$(printf '[ %.0s' {1..128}) shut=$(printf '] %.0s' {1..128})
says "as deep as may be" "${deep// /}${shut// /}" $deep $shut

# Strings are escaped, keys too; bytes that are no UTF-8 become U+FFFD, and what turns the direction of text cannot.
says "quotes and backslashes" '{"a\"\\":"\"\\/"}' '{' 'a"\=' 's:"\/' '}'
says "control characters" '"\u0001\u0009\u000a\u000d\u001b\u007f"' $'s:\x01\t\n\r\x1b\x7f'
says "UTF-8 stays" '"für 北京 😀"' 's:für 北京 😀'
says "bytes that are no UTF-8" '"\ufffd a\ufffd\ufffd"' $'s:\xff a\xf0\x9f'
says "surrogates and forms that are too long are none" '"\ufffd\ufffd\ufffd \ufffd\ufffd"' $'s:\xed\xa0\x80 \xc0\x80'
says "the direction of text" '"a\u202eb"' $'s:a\u202eb'
for bytes in $'\x01\x02"\\' $'\xff\xc0\x80x' $'a\u2028\u2029b' "$(head -c 3000 /dev/urandom | tr -d '\0')"; do
	got=$("$work/json" '{' "k=" "s:$bytes" '}' | jq -r 'keys[0]' 2>&1)
	is "jq reads it" "$got" k
done

# The reader of Heddle gets back what was written.
says "the reader agrees" same '{' a= 's:x"\y' b= '[' n:1 null true ']' c= '{' '}' '}' reread

# aborts NAME MESSAGE WORD...
aborts() {
	got=$("$work/json" "${@:3}" 2>&1)
	status=$?
	is "$1: aborts" "$status" 134
	like "$1: says what is wrong" "$got" "heddle: BUG at src/base/json_writer.c:[0-9]+: $2"
}
aborts "an object that is not closed" 'a document of JSON ends with 1 values open' '{' a= n:1
aborts "an array that is not closed" 'a document of JSON ends with 2 values open' '[' '[' ']' '['
aborts "nothing at all" 'a document of JSON ends with 0 values open'
aborts "an object closed as an array" 'an array of JSON ends where an object is open' '{' ']'
aborts "an array closed as an object" 'an object of JSON ends where an array is open' '[' '}'
aborts "a string closed as an array" 'an array of JSON ends where a string is open' '[' '"' ']'
aborts "one end too many" 'an object of JSON ends where nothing is open' '{' '}' '}'
aborts "two values" 'a second value in a document of JSON' n:1 n:2
aborts "a member without a key" 'a member of an object of JSON without a key' '{' n:1
aborts "an object in an object without a key" 'a member of an object of JSON without a key' '{' '{'
aborts "a key in an array" 'a key, "a", outside an object of JSON' '[' a= n:1
aborts "a key before the document" 'a key, "a", outside an object of JSON' a= n:1
aborts "a value in a string" 'a value of JSON inside a string' '"' n:1
aborts "members in an array" 'members of JSON outside an object' '[' 'm:{"a":1}'
aborts "members of an array" 'members of what is no object of JSON' '{' 'm:[1]'
aborts "nothing as another document" 'a value of JSON that is nothing' '[' j:
aborts "a line for nothing" 'a line without a value in JSON' '[' n:1 line ']'
aborts "deeper than may be" 'more than 128 values of JSON inside each other' $deep '['
done_testing
