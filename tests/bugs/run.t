#!/bin/bash
# The programs of bugs/: each is found, by what its comment says is right to find and by nothing else, and the fixed twin is
# silent. bench/run bugs has the figures: how soon, over many seeds.
#   tests/bugs/run.t [PROGRAM...]
#   RUNS=3000    schedules of a program, at most: it ends at the first finding
#   TWINS=100    schedules of a fixed twin
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
runs=${RUNS:-3000} twins=${TWINS:-100}
[ $# -gt 0 ] || for source in "$root"/bugs/*.c "$root"/bugs/*.cc; do
	name=${source##*/}
	set -- "$@" "${name%.*}"
done

# said KEY: its values in the comment at the end of $source
said() {
	sed -n "s/^ \* $1: //p" "$source"
}

# examine: everything about $name; the result goes to $work/$name.result
examine() {
	local kinds kind wrong= finds options compiler=$cc
	finds=$(said finds) options=$(said options)
	[ "${source##*.}" = c ] || compiler=$cxx
	# shellcheck disable=SC2086
	if ! "$compiler" -g -O1 -pthread $options "$source" -o "$name" >"$name.built" 2>&1 ||
		! "$compiler" -g -O1 -pthread -DFIXED $options "$source" -o "$name-fixed" >>"$name.built" 2>&1; then
		echo "is not built: $(head -n 5 "$name.built")" >"$name.result"
		return
	fi
	mkdir "$name.d" && cd "$name.d" || return
	timeout -s KILL 300 "$heddle" test --classify no --quiet --runs "$runs" --stop --json found.json -- "../$name" >said 2>&1 </dev/null
	[ $? -eq 1 ] || wrong+="nothing was found: $(head -n 3 said)"$'\n'
	kinds=$(jq -r '[.findings[].kind] | unique | join(" ")' found.json 2>&1)
	for kind in $kinds; do
		case " $finds " in *" $kind "*) ;; *) wrong+="found $kind, which is not in: $finds"$'\n' ;; esac
	done
	timeout -s KILL 300 "$heddle" test --classify no --quiet --runs "$twins" -- "../$name-fixed" >said 2>&1 </dev/null ||
		wrong+="the fixed twin: $(head -n 3 said)"$'\n'
	cd ..
	printf '%s' "$wrong" >"$name.result"
	rm -rf "$name" "$name-fixed" "$name.d"
}

for name; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
	source=$root/bugs/$name.c
	[ -e "$source" ] || source=$root/bugs/$name.cc
	examine &
done
wait
for name; do
	if [ ! -e "$name.result" ]; then
		fail "$name: was not examined to the end"
	elif [ -s "$name.result" ]; then
		fail "$name"
		diag "$(cat "$name.result")"
	else
		pass "$name"
	fi
done
done_testing
