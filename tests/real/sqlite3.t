#!/bin/bash
# sqlite3: one very large translation unit. Its own test program with some of its own tests, its own thread test, a
# script through the shell, and four threads on one database.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh sqlite3
need_plain
check_woven "$woven/sqlite3"
check_static "$woven/sqlite3"
check_size "$plain/sqlite3" "$woven/sqlite3"

own_tests="alter autoinc bind blob cast collate1 date expr func in index insert join json101 like lock minmax mutex1 notnull
	null pragma savepoint select1 select2 select3 select4 select5 subquery thread001 trans trigger1 types update upsert1
	vacuum view wal where window1 with1"
libraries="-lpthread -ldl -lm -lz"
compiler=${HEDDLE_CC:-$bin/heddle-cc}
# That of control-sqlite3.t, which links it in the same way: weaving sqlite3 once more takes longer than much of the rest.
if [ "$woven/sqlthreads" -nt "$woven/sqlite3.o" ] && [ "$woven/sqlthreads" -nt tests/real/sqlthreads.c ]; then
	cp "$woven/sqlthreads" "$work/sqlthreads"
else
	ok "a program links with the woven object" \
		"$compiler" -O2 -g -I"$woven" tests/real/sqlthreads.c "$woven/sqlite3.o" $libraries -o "$work/sqlthreads"
fi
clang-19 -O2 -I"$plain" tests/real/sqlthreads.c "$plain/sqlite3.o" $libraries -o "$work/sqlthreads-plain" ||
	fail "the program links with the plain object"

fresh_folder() {
	rm -rf "$work/run"
	mkdir "$work/run"
	cd "$work/run" || exit 1
}
fresh_folder
shell_want=$("$plain/sqlite3" test.db ".read $top/tests/real/workload.sql" 2>/dev/null)
like "plain: the script runs to its end" "$shell_want" "ok$"
threads_want=$("$work/sqlthreads-plain" threads.db 2>&1)
like "plain: the threads run to their end" "$threads_want" "ok$"

# One process per test file, as its own suite does it; prints what failed.
cat >"$work/own-tests" <<'END'
#!/bin/bash
folder=$1
shift
for name; do
	result=$("$folder/testfixture" "$folder/test/$name.test" 2>&1)
	case $result in
	*"0 errors out of "*) ;;
	*) printf '%s failed:\n%s\n' "$name" "$(printf '%s\n' "$result" | tail -n 12)" ;;
	esac
done
echo "$# files"
END
chmod +x "$work/own-tests"

# Counting switches all functions as well.
[ -n "${TEST_LONG:-}" ] || modes=${modes/switched /}
for mode in $modes; do
	fresh_folder
	got=$(in_mode "$mode" 120 "$woven/sqlite3" test.db ".read $top/tests/real/workload.sql" 2>"$work/$mode.err")
	same "$mode: the shell prints the same" "$got" "$shell_want"
	got=$(in_mode "$mode" 200 "$work/sqlthreads" threads.db 2>"$work/$mode.threads")
	same "$mode: four threads leave the same data" "$got" "$threads_want" || diag "$(tail -n 20 "$work/$mode.threads")"
	output=$(in_mode "$mode" 300 "$work/own-tests" "$woven" $own_tests 2>/dev/null)
	is "$mode: its own tests" "$output" "$(echo $own_tests | wc -w) files"
	like "$mode: its thread test" "$(in_mode "$mode" 120 "$woven/threadtest3" walthread5 create_drop_index_1 2>&1)" "^0 errors out of 2 tests"
done
cd "$top" || exit 1
check_counts "$work/counted.err"
done_testing
