#!/bin/bash
# The programs of the controlled world. Each one prints the same and ends the same under every schedule, plain and woven;
# the same seed gives the same events; and a trace replays, from another folder and without the input.
#   tests/control/run.t [PROGRAM...]   all, or these (names without .c)
#   TEST_LONG=1                        more seeds
#   TEST_PROVE=LEVEL                   for heddle-cc --heddle-prove; no if not there
#   TEST_OPERATIONS=1                  natively by heddle run --operations instead of under control
#   TEST_KEEP=FOLDER                   build and work there, and leave it
#
# In a program's tail comment, each on a line of its own after " * ":
#   expect: LINE         of its standard output; all of them in this order
#   match: REGEX         instead: the output depends on the schedule, but every line is like this
#   checksum: SUM SIZE   instead: what cksum says of it
#   output: TEXT         instead: anything, but the same for the same seed
#   ends: HOW or HOW     exit N, signal N, deadlock, livelock, hang, refused, or exec after exit N; exit 0 if not there
#   report: REGEX        a line that Heddle says when it does not exit
#   seen: HOW            under some of the schedules it ends like this
#   arguments: WORDS     as in a shell; the file INPUT is in the working folder
#   input: LINE          of the file INPUT; it is gone when the run is replayed
#   stdin: LINE          of the standard input
#   environment: N=V     for the program
#   flags: WORDS         for the compiler, after the source
#   part: FILE           a library that is built beside it
#   budget: N            events until a run counts as a livelock
#   needs: weave         plain, it may spin where nothing can interrupt it, which is a hang
#   skip: native         it takes too long or depends on real time without control
#   outside: TEXT        what it does beyond its process, so that it is not replayed
#   timing: TEXT         why two runs with the same seed may differ
#   uncounted: TEXT      why it is not run by heddle run --operations
#   strict: TEXT         why it is run with --timing strict: what it relies on that a busy machine does not promise
. tests/lib/tap.sh
programs=$PWD/tests/control
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS # programs look at their environment
. "$root/tests/lib/programs.sh"
[ -z "${TEST_KEEP:-}" ] || { mkdir -p "$TEST_KEEP" && cd "$TEST_KEEP" && work=$PWD; }
trap '[ -n "${TEST_KEEP:-}" ] || rm -rf "$work"' EXIT
# A run that hangs is ended by then. --hang is in processor time, so on a busy machine a right run may take long, too.
limit="timeout -k 2 ${TEST_LIMIT:-120}"
is_long=${TEST_LONG:-}
all_strategies=$(strategies "$heddle")

# once COMMAND...: runs it in $folder/in with the program's input. Sets $status; output in $folder/out and err
once() {
	local variables=()
	[ -z "${said[environment]:-}" ] || mapfile -t variables < <(printf %s "${said[environment]}")
	# shellcheck disable=SC2086
	(cd "$folder/in" && env "${variables[@]}" $limit "$@" <../typed >../out 2>../err) 2>/dev/null
	status=$?
	case $status in 124 | 137) hung=$((hung + 1)) ;; esac
}

# told: from the last line that --stats prints, $told: $ended and $hash
told() {
	local any
	told=''
	while IFS= read -r any; do
		case $any in 'heddle: '*'; event hash '*) told=$any ;; esac
	done <"$folder/err"
	ended=${told#heddle: } ended=${ended%%;*} ended=${ended%% (*} hash=${told##*event hash }
	[ -n "$told" ] || ended="nothing told, status $status" hash=
}

# wrong LABEL TEXT: remembers what went wrong, with the evidence
wrong() {
	why+="$1: $2"$'\n'
	[ ! -s "$folder/err" ] || why+=$({ grep -a -m 2 "^heddle: " "$folder/err"; tail -n 4 "$folder/err"; } | awk "!seen[\$0]++" | cut -c 1-200 | sed "s/^/    /")$'\n'
}

# is_output LABEL: what was printed is what the program has to print
is_output() {
	local value
	if [ -n "${said[match]:-}" ]; then
		one match
		! grep -Eqv -e "$value" "$folder/out" || wrong "$1" "printed $(head -c 200 "$folder/out")"
	elif [ -n "${said[checksum]:-}" ]; then
		one checksum
		[ "$(cksum <"$folder/out")" = "$value" ] || wrong "$1" "printed something with the checksum $(cksum <"$folder/out")"
	elif [ -z "${said[output]:-}" ]; then
		cmp -s "$folder/want" "$folder/out" ||
			wrong "$1" "printed other lines: $(diff "$folder/want" "$folder/out" | head -n 6 | cut -c 1-200)"
	fi
}

# is_end LABEL: $ended and $status are what the program may end with
is_end() {
	local want
	case " or $ends or " in
	*" or $ended or "*) ;;
	*)
		wrong "$1" "ended with $ended, not $ends"
		return
		;;
	esac
	case $ended in
	exit*) want=${ended#exit } ;;
	signal*) want=$((128 + ${ended#signal })) ;;
	exec) want=${ends#exit } want=${want%% *} ;;
	refused) want=3 ;;
	*) want=1 ;;
	esac
	[ "$status" = "$want" ] || wrong "$1" "$ended, but the status is $status"
}

# is_report LABEL: what ended the run is explained
is_report() {
	local pattern
	case $ended in exit* | exec | refused) return ;; esac
	while read -r pattern; do
		[ -z "$pattern" ] || grep -Eq -e "$pattern" "$folder/err" || wrong "$1" "did not say: $pattern"
	done <<<"${said[report]:-}"
}

# controlled OPTIONS...: one run under control that has to be right
controlled() {
	local value
	# What hangs twice hangs always; the others want their turn.
	[ $hung -lt 2 ] || return
	one budget
	once "$heddle" run --stats ${value:+--budget $value} ${said[strict]:+--timing strict} "$@" -- "$folder/$name" "${words[@]}"
	told
	is_end "$*"
	is_report "$*"
	case $ended in exit* | signal* | exec) is_output "$*" ;; esac
	all_ends+="$ended"$'\n'
}

natively() {
	case "${said[skip]:-} $ends" in *native* | *lock*) return ;; esac
	once "$folder/$name" "${words[@]}"
	ended="exit $status"
	[ "$status" -le 128 ] || ended="signal $((status - 128))"
	is_end native
	is_output native
}

# operations: natively, in parallel, with what each thread does counted
operations() {
	case "${said[skip]:-} $ends" in *native* | *lock*) return ;; esac
	once "$heddle" run --operations --json="$folder/operations" -- "$folder/$name" "${words[@]}"
	ended="exit $status"
	[ "$status" -le 128 ] || ended="signal $((status - 128))"
	is_end operations
	is_output operations
	jq -e '.programs_without_system_calls == 0 and .threads_together == 0 and ([.threads[].system_calls[].count] | add > 0) and
		([.threads[].operations[].count] | add) == ([.operations[].count] | add)' "$folder/operations" >/dev/null ||
		wrong operations "counts: $(jq -c 'del(.threads, .not_counted)' "$folder/operations" 2>&1 | head -c 400)"
}

# again OPTIONS...: the same seed once more: the same events, the same output
again() {
	local first=$hash first_line=$told
	cp "$folder/out" "$folder/out1"
	controlled "$@"
	[ -z "${said[timing]:-}" ] || return
	[ "$hash" = "$first" ] || wrong "$* again" "$told, not $first_line"
	cmp -s "$folder/out1" "$folder/out" || wrong "$* again" "another output: $(diff "$folder/out1" "$folder/out" | head -n 4)"
}

# replayed OPTIONS...: a run with a trace, and its replay elsewhere, the input gone
replayed() {
	local first first_line status1 ended1
	rm -f "$folder/trace"
	controlled --trace "$folder/trace" "$@"
	first=$hash first_line=$told status1=$status ended1=$ended
	mv "$folder/out" "$folder/out1"
	cp "$folder/err" "$folder/err1"
	mv "$folder/in" "$folder/gone"
	# shellcheck disable=SC2086
	(cd / && $limit "$heddle" replay --stats "$folder/trace" </dev/null >"$folder/out" 2>"$folder/err") 2>/dev/null
	status=$?
	mv "$folder/gone" "$folder/in"
	told
	[ "$ended" = "$ended1" ] || wrong "replay of $*" "ended with $ended, not $ended1"
	[ "$status" = "$status1" ] || wrong "replay of $*" "status $status, not $status1"
	[ "$hash" = "$first" ] || wrong "replay of $*" "$told, not $first_line"
	cmp -s "$folder/out1" "$folder/out" || wrong "replay of $*" "another output: $(diff "$folder/out1" "$folder/out" | head -n 4)"
	first=$(diff <(grep -av '^heddle: ' "$folder/err1") <(grep -av '^heddle: ' "$folder/err") | head -n 4)
	[ -z "$first" ] || wrong "replay of $*" "another standard error: $first"
}

# campaign RUNS STRATEGY: schedules through the fork server, each twice: right, and none differs from its twin
campaign() {
	local value line count sum=0
	[ $hung -lt 2 ] || return
	one budget
	once "$heddle" run --runs "$1" --repeat 2 --strategy "$2" ${value:+--budget $value} ${said[strict]:+--timing strict} -- "$folder/$name" "${words[@]}"
	[ "$status" -le 1 ] || wrong "$1 runs, $2" "status $status"
	while read -r count _ line; do
		line=${line%% (*} sum=$((sum + count))
		case " or $ends or " in *" or $line or "*) ;; *) wrong "$1 runs, $2" "one ended with $line" ;; esac
	done < <(sed '1,/^ *count  first seed  outcome$/d' "$folder/out" | grep -aE '^ *[0-9]+ +[0-9]+  ')
	[ $sum -eq $(($1 * 2)) ] || wrong "$1 runs, $2" "the outcomes of $sum runs are told, not of $(($1 * 2)): $(head -n 3 "$folder/out")"
}

# examine VARIANT: everything about one program; the result goes to $folder/result
examine() {
	local variant=$1 seed strategy strategies line value seeds=1
	[ -z "$is_long" ] || seeds=10
	folder=$work/$variant/$name why='' all_ends='' hung=0
	rm -rf "$folder"
	mkdir -p "$folder/in"
	one ends
	ends=${value:-exit 0}
	one arguments
	eval "words=($value)"
	printf %s "${said[input]:-}" >"$folder/in/INPUT"
	printf %s "${said[stdin]:-}" >"$folder/typed"
	printf %s "${said[expect]:-}" >"$folder/want"
	build "$variant"
	case $? in
	0) ;;
	2)
		echo "skip the compiler has no OpenMP" >"$folder/result"
		return
		;;
	*)
		why="does not compile: $(head -n 5 "$folder/build")"
		echo "$why" >"$folder/result"
		return
		;;
	esac
	if [ -n "${TEST_OPERATIONS:-}" ]; then
		[ -z "${said[uncounted]:-}" ] || { echo "skip ${said[uncounted]}" >"$folder/result"; return; }
		operations
		printf '%s' "$why" >"$folder/result"
		return
	fi
	[ "$variant" = woven ] || natively
	local is_llvm=
	case "$variant ${said[flags]:-}" in libomp* | woven*-fopenmp*) is_llvm=yes ;; esac
	if [ -n "$is_llvm" ] || { [ "$variant" = plain ] && [ -n "${said[needs]:-}" ]; }; then
		# LLVM's OpenMP spins without a call while it waits for tasks, unless it is told otherwise.
		value=$ends
		ends+=" or hang"
		for strategy in random reverse; do
			controlled --hang 1 --strategy $strategy --seed 1
			[ "$is_llvm $ended" != "yes hang" ] || grep -q KMP_TASKING=0 "$folder/err" || wrong "$strategy" "no hint"
		done
		ends=$value
		[ -z "$is_llvm" ] || said[environment]+=$'KMP_TASKING=0\n'
	fi
	if [ "$variant" = libomp ]; then
		controlled --hang 5 --strategy random --seed 1
		[ -n "${said[outside]:-}" ] || replayed --hang 5 --strategy random --seed 2
	elif [ "$variant" = woven ] || [ -z "${said[needs]:-}" ]; then
		controlled --strategy random --seed 1
		again --strategy random --seed 1
		[ -n "${said[outside]:-}" ] || replayed --strategy random --seed 2
		# Plain programs have few events, at which strategies hardly differ.
		strategies=${all_strategies#random }
		[ "$variant" = woven ] || [ -n "$is_long" ] || strategies="pct priority reverse"
		for strategy in $strategies; do
			for ((seed = 3; seed < 3 + seeds; seed++)); do
				controlled --strategy $strategy --seed $seed
				[ -z "$is_long" ] || again --strategy $strategy --seed $seed
			done
		done
		while read -r line; do
			[ -n "$line" ] || continue
			for ((seed = 10; seed < 60; seed++)); do
				grep -qx -e "$line" <<<"$all_ends" && break
				controlled --strategy random --seed $seed
			done
			[ $seed -lt 60 ] || why+="never ended with $line"$'\n'
		done <<<"${said[seen]:-}"
		if [ -z "${said[timing]:-}${said[stdin]:-}" ] && [ "${ends#*refused}" = "$ends" ]; then
			campaign $((seeds * 20)) random
			[ -z "$is_long" ] || campaign 200 pct
		fi
		if [ -n "$is_long" ]; then
			for ((seed = 100; seed < 120; seed++)); do
				controlled --strategy random --seed $seed
				[ -n "${said[outside]:-}" ] || [ $((seed % 5)) -ne 0 ] || replayed --strategy pct --seed $seed
			done
		fi
	fi
	printf '%s' "$why" >"$folder/result"
	[ -n "${TEST_KEEP:-}" ] || rm -f "$folder/$name" "$folder"/*.so "$folder"/out*
}

if [ $# -eq 0 ]; then
	for source in "$programs"/*.c "$programs"/*.cc; do
		name=${source##*/}
		case $name in *-part.*) ;; *) set -- "$@" "${name%.*}" ;; esac
	done
fi
# Two at a time: building takes the processor, running mostly waits.
for name; do
	source=$programs/$name.c
	[ -e "$source" ] || source=$programs/$name.cc
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
	{
		hear
		examine plain
		examine woven
		case ${said[flags]:-} in *openmp*) examine libomp ;; esac
	} &
done
wait
for name; do
	for variant in plain woven libomp; do
		result=$work/$variant/$name/result
		[ -e "$work/$variant/$name" ] || continue
		if [ ! -e "$result" ]; then
			fail "$name, $variant: was not examined to the end"
		elif [ ! -s "$result" ]; then
			pass "$name, $variant"
		elif grep -q '^skip ' "$result"; then
			skip "$name, $variant" "$(sed 's/^skip //' "$result")"
		else
			fail "$name, $variant"
			diag "$(head -n 30 "$result")"
		fi
	done
done
done_testing
