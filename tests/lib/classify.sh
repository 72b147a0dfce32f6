# classify.sh: what tests/classify/run.t and bench/classify share: the expectations at the end of a program, and what heddle test
# says of its races, in the same words. Source it; $source is the program, $heddle the command.

# said KEY: the values of "KEY: ..." in the comment at the end of $source, one a line
said() {
	sed -n "s/^ \* $1: *//p" "$source"
}

# expected_races: "RACE CLASS REASON FLAG" of each expectation, one a line, sorted. RACE is two tags, as in A-B. CLASS and REASON may be
# several words with "|" between them; "-" is none. FLAG is maybe, if the race need not be found, or "-".
expected_races() {
	said expect | awk '$1 == "race" && $4 == "class" {
		reason = flag = "-"
		for (i = 6; i <= NF; i++) {
			if ($i == "reason")
				reason = $(++i)
			else if ($i == "maybe")
				flag = "maybe"
		}
		print ($2 <= $3 ? $2 "-" $3 : $3 "-" $2), $5, reason, flag
	}' | sort
}

# found_races JSON: "RACE CLASS REASON WITNESSES EVENT STATES CAUSE" of each race in it, one a line, sorted. CAUSE is the Record/Replay Analyzer's. A line without a tag is its
# number; races of the same two lines (an increment has a read and a write) have one RACE.
found_races() {
	jq -r '.findings[] | select(.kind == "data-race") | [(.sites[0].line, .sites[1].line | . // 0), .class // "none", .reason // "-",
		.witnesses // 0, ([.sites[].event // 0] | max), .states // "-", .analyzer.cause // "-"] | @tsv' "$1" |
		awk -F '\t' 'NR == FNR { if (match($0, /\/\*[A-Z]\*\/$/)) tag[FNR] = substr($0, RSTART + 2, 1); next }
		function named(line) { return line in tag ? tag[line] : line }
		{ a = named($1); b = named($2); print (a <= b ? a "-" b : b "-" a), $3, $4, $5, $6, $7, $8 }' "$source" - | sort
}

# is_among WORD WORDS: WORD is one of WORDS, which have "|" between them; any word is among "-"
is_among() {
	[ "$2" = - ] || [[ "|$2|" == *"|$1|"* ]]
}

# judge_race CLASS REASON WANTED-CLASS WANTED-REASON: prints "right", or what is said instead. A reason is compared if there is one.
judge_race() {
	if ! is_among "$1" "$3"; then
		echo "$1"
	elif [ "$2" != - ] && [ "$1" = harmless ] && ! is_among "$2" "$4"; then
		echo "$1/$2"
	else
		echo right
	fi
}

# prepare_inputs: fills the array options with what heddle test needs for $source, and inputs with what it needs to classify with other
# inputs, if there are any; and writes the files to the current folder. The program's arguments are in the array arguments.
prepare_inputs() {
	local line count=0
	options=() inputs=() arguments=()
	read -ra arguments <<<"$(said arguments)"
	line=$(said check)
	[ -z "$line" ] || options+=(--check "$line")
	said stdin >typed
	[ ! -s typed ] || options+=(--input typed)
	[ -z "$(said inputs)$(said input)" ] || {
		mkdir -p inputs
		[ -z "$(said inputs)" ] || said inputs >inputs/arguments.args
		while IFS= read -r line; do
			[ -z "$line" ] || echo "$line" >inputs/input-$((++count))
		done <<<"$(said input)"
		inputs=(--inputs inputs)
	}
}
