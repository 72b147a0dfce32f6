# control.sh: what the tests of real programs under control share. Source it after lib.sh.

# controlled NAME SECONDS [OPTIONS] -- PROG ARGS...: a run under control with its trace in $work/NAME.trace, what it printed
# in NAME.out and NAME.err, its status in NAME.status.
controlled() {
	local name=$1 seconds=$2
	shift 2
	bounded "$seconds" "$bin/heddle" run --stats --trace "$work/$name.trace" "$@" >"$work/$name.out" 2>"$work/$name.err"
	echo $? >"$work/$name.status"
}

# make_server NAME FILE PROG [OPTIONS]: writes the script FILE that runs PROG with its own arguments as controlled does.
make_server() {
	local name=$1 file=$2 program=$3 options=
	shift 3
	[ $# -eq 0 ] || options=$(printf '%q ' "$@")
	cat >"$file" <<-END
		#!/bin/bash
		exec "$bin/heddle" run --stats --trace "$work/$name.trace" $options -- "$program" "\$@" \\
			>"$work/$name.out" 2>"$work/$name.err"
	END
	chmod +x "$file"
	echo 0 >"$work/$name.status"
}

# Without a network, where that can be had.
isolation=
for command in "unshare -n" "unshare -rn"; do
	! $command true 2>/dev/null || { isolation=$command; break; }
done

# replays NAME SECONDS: one test: the same output, the same status, the same number of events and the same hash.
replays() {
	local name=$1 seconds=$2 status
	bounded "$seconds" $isolation "$bin/heddle" replay --stats "$work/$name.trace" >"$work/$name.out2" 2>"$work/$name.err2"
	status=$?
	if [ "$status" = "$(cat "$work/$name.status")" ] && grep -q 'event hash' "$work/$name.err" &&
		cmp -s "$work/$name.out" "$work/$name.out2" && cmp -s "$work/$name.err" "$work/$name.err2"; then
		pass "$name: replays exactly ($(sed -n 's/.*; \([0-9]* events, [0-9]* switches\).*/\1/p' "$work/$name.err"))"
	else
		fail "$name: replays exactly"
		diag "status of the run $(cat "$work/$name.status"), of the replay $status; the ends of their messages:"
		diag "$(tail -n 5 "$work/$name.err")"
		diag "$(tail -n 25 "$work/$name.err2")"
	fi
	rm -f "$work/$name.trace" "$work/$name.out2"
}

# one_hash NAME TIMES COMMAND...: COMMAND prints what heddle run --stats says; each time the same.
one_hash() {
	local name=$1 times=$2 lines
	shift 2
	lines=$(for _ in $(seq "$times"); do "$@" 2>&1 | grep 'event hash'; done | sort | uniq -c)
	is "$name: one hash in $times runs" "$(printf '%s\n' "$lines" | awk '{ print $1 }')" "$times" || diag "$lines"
}
