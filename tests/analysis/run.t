#!/bin/bash
# What heddle check finds and does not find in the programs here. What is found must be exactly what the program's tail
# comment says: what is missing is a failure, and so is what is there in addition.
#   tests/analysis/run.t [PROGRAM...]    all, or these (names without .c)
#   TEST_LEVELS="-O0 -O2"                levels of optimisation, instead of -O1
#
# Tail comment, each on a line of its own after " * ":
#   race: A-B            a candidate of the lines tagged "// @A" and "// @B"; either may come first
#   may: A-B             may be a candidate: whether it is one cannot be known from the text, or is not found out yet
#   no: A-B: VERDICT...  is none, and --explain says for one of its pairs one of these verdicts (as in the JSON)
#   doubted: A-B: WORD   is a candidate, and has that doubt (not at -O0, where the compiler says nothing of types)
#   trusted: A-B: WORD   is a candidate without it
#   order: A B...        a cycle of locks, with the lines where they are taken
#   flags: WORDS         for the compiler, after the source
#   again: WORDS         the source is compiled once more with these flags, and is another unit
#   only: FILE           candidates with a side in another file do not count
. tests/lib/tap.sh
programs=$PWD/tests/analysis
. tests/lib/cc.sh
limit="timeout -s KILL ${TEST_LIMIT:-120}"

# of KEY: the values of "KEY: ..." in the tail comment of $source
of() {
	sed -n "s/^ \* $1: //p" "$source"
}

build() {
	local driver="$cc -std=gnu11"
	case $source in *.cc) driver="$cxx -std=c++17" ;; esac
	local again
	again=$(of again)
	# shellcheck disable=SC2046,SC2086
	{
		[ -z "$again" ] || $driver -D_GNU_SOURCE $1 -g -w -pthread -c $again "$source" -o "$name-again.o" || return
		$driver -D_GNU_SOURCE $1 -g -w -pthread "$source" ${again:+"$name-again.o"} -o "$name" $(of flags)
	} 2>build.out
}

# line TAG: its number
line() {
	grep -n "// @$1\$" "$source" | cut -d : -f 1
}

# tagged: lines "FILE:LINE FILE:LINE..." become tags; of two the lesser first
tagged() {
	awk -v file="${source##*/}" -v only="$(of only)" 'NR == FNR { if (match($0, /\/\/ @[A-Za-z0-9_]+$/)) tag[FNR] = substr($0, RSTART + 4); next }
	{
		for (i = 1; i <= NF; i++) {
			n = split($i, parts, ":")
			if (only != "" && parts[1] != only)
				next
			if (parts[1] == file && parts[n] in tag)
				$i = tag[parts[n]]
		}
		if (NF == 2 && is_pair)
			print $1 <= $2 ? $1 "-" $2 : $2 "-" $1
		else {
			n = split($0, names, " ")
			for (i = 1; i <= n; i++)
				for (j = i + 1; j <= n; j++)
					if (names[j] < names[i]) {
						name = names[i]
						names[i] = names[j]
						names[j] = name
					}
			for (i = 1; i <= n; i++)
				printf "%s%s", names[i], i < n ? " " : "\n"
		}
	}' is_pair="$1" "$source" - | sort -u
}

# pairs KEY: those of the tail comment, the lesser first
pairs() {
	of "$1" | sed 's/:.*//' | awk -F - '{ print $1 <= $2 ? $1 "-" $2 : $2 "-" $1 }' | sort -u
}

# compare WHAT WANT GOT MAY: one test
compare() {
	local missed more
	missed=$(comm -23 <(printf '%s\n' "$2" | sed '/^$/d') <(printf '%s\n' "$3" | sed '/^$/d') | sed 's/^/missed: /')
	more=$(comm -13 <(printf '%s\n%s\n' "$2" "$4" | sed '/^$/d' | sort -u) <(printf '%s\n' "$3" | sed '/^$/d') | sed 's/^/additional: /')
	if [ -z "$missed$more" ]; then
		pass "$1"
	else
		fail "$1"
		diag "$missed"$'\n'"$more"
	fi
}

# doubts A-B WORD HOW: one test: all candidates of the two lines have the doubt (doubted), or none has (trusted)
doubts() {
	local a b got
	a=$(line "${1%-*}") b=$(line "${1#*-}")
	got=$(jq -r --argjson a "${a:-0}" --argjson b "${b:-0}" --arg word "$2" '[.findings[] | select(.kind == "data-race-candidate" and
		([.sites[].line] | sort) == ([$a, $b] | sort)) | if .doubts | index($word) then "doubted" else "trusted" end] | unique | join(" ")' json)
	is "$name $level: $1 is $3: $2" "$got" "$3"
}

# explained A-B VERDICTS: one test
explained() {
	local a b want
	a=$(line "${1%-*}") b=$(line "${1#*-}")
	[ -n "$a" ] && [ -n "$b" ] || { fail "$name $level: $1: no such tags"; return; }
	$limit "$heddle" check "$name" --explain "${source##*/}:$a" "${source##*/}:$b" --json >explained 2>errors
	want=$(jq -r '[.explained[].verdict] | unique | join(" ")' explained 2>&1)
	for verdict in $2; do
		case " $want " in *" candidate "*) break ;; *" $verdict "*) pass "$name $level: $1 is no candidate: $verdict"; return ;; esac
	done
	fail "$name $level: $1 is no candidate: $2"
	diag "it is said: $want $(head -n 3 errors)"
}

examine() {
	local text status
	name=$1
	source=$programs/$name.c
	[ -e "$source" ] || source=$programs/$name.cc
	for level in ${TEST_LEVELS:--O1}; do
		build "$level" || {
			fail "$name $level is built"
			diag "$(grep -m 5 -E "error|undefined|cannot" build.out)"
			continue
		}
		$limit "$heddle" check "$name" --all --json >json 2>errors
		status=$?
		if [ $status -gt 1 ] || ! jq -e . json >/dev/null 2>&1; then
			fail "$name $level is analysed"
			diag "exit status $status: $(head -n 5 errors)"
			continue
		fi
		text=$(jq -r '.findings[] | select(.kind == "data-race-candidate") | [.sites[] | "\((.file // "?") | split("/")[-1]):\(.line)"] | join(" ")' json | tagged 1)
		compare "$name $level: candidates" "$(pairs race)" "$text" "$(pairs may)"
		text=$(jq -r '.findings[] | select(.kind == "lock-order-candidate") | [.sites[] | "\((.file // "?") | split("/")[-1]):\(.line)"] | sort | join(" ")' json | tagged 0)
		compare "$name $level: orders of locks" "$(of order | sort -u)" "$text" ""
		for how in doubted trusted; do
			[ "$level$how" != -O0doubted ] || continue
			while IFS= read -r line; do
				doubts "${line%%:*}" "${line#*: }" $how
			done < <(of $how)
		done
		while IFS= read -r line; do
			explained "${line%%:*}" "${line#*: }"
		done < <(of no)
	done
}

[ -x "$build/lib/heddle/heddle-analyse" ] || skip_all "there is no heddle-analyse"
if [ $# -eq 0 ]; then
	for source in "$programs"/*.c "$programs"/*.cc; do
		source=${source##*/}
		set -- "$@" "${source%.*}"
	done
fi
for program; do
	examine "$program"
done
done_testing
