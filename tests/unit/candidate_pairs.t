#!/bin/bash
# Candidates of heddle check as pairs of sites: the best ones first, each pair of sites once.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
source_programs=$PWD/tests/unit
. tests/lib/cc.sh
mkdir -p bin lib
ln -s "$build/lib/heddle" lib/heddle
ok "the test builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "-I$root/include" "-I$root/src" "$source_programs/candidate_pairs_test.c" \
	"$build/obj/tools.a" -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o bin/pairs
cp "$root"/bugs/apache-log-buffer.c .
ok "the program builds" "$cc" -O1 -g -pthread apache-log-buffer.c -o program
bin/pairs 1000 0 ./program >out
count=$(sed -n '$s/,.*//p' out)
ok "there are some" test "$count" -ge 4
is "as many as are said" "$(grep -c '^[0-9]* [^ ]*:[0-9]* [^ ]*:[0-9]*$' out)" "$count"
like "the race of the length is one of them" "$(cat out)" 'apache-log-buffer.c:(38|43) .*apache-log-buffer.c:(38|43)$'
same "by falling score" "$(sed '$d' out | cut -d' ' -f1)" "$(sed '$d' out | cut -d' ' -f1 | sort -rn)"
bin/pairs 2 0 ./program >few
same "the first two are the first two" "$(head -n 2 few)" "$(head -n 2 out)"
is "and no more" "$(wc -l <few)" 3
is "none of an impossible score" "$(bin/pairs 10 101 ./program | cut -d, -f1)" 0
like "a program that is not woven" "$(bin/pairs 10 0 /bin/true)" '.'
is "and its status" "$(status bin/pairs 10 0 /bin/true)" 1
done_testing
