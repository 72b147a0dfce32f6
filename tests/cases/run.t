#!/bin/bash
# Semantic cases: each program must do the same as plain clang makes it do: dormant, with every clone on, counted, with
# a random half of its functions switched (SEED=N chooses which, default 1), trained, and with each site guarded, where no access is a
# violation and where each is.
# Comments at the head of a case: "options: ..." for the compiler, "units: N" when it is compiled N times with -DUNIT=1..N
# and linked, "gcc: K" when unit K is compiled by gcc, "needs: FLAG" for a flag of the processor.
#   tests/cases/run.t [CASE...]     only these (names without suffix); LEVELS="-O1 -O2+-fPIC" for other levels (+ for a blank)
. tests/lib/tap.sh
. tests/lib/cc.sh

seed=${SEED:-1}
(cd "$root" && . tests/lib/unit.sh && unit_build tools.a "$work/guard_all" tests/unit/guard_all.c) || {
	fail "guard_all is built"
	done_testing
	exit 1
}
# half FILE: a random half of the names of the functions that have clones, at least one, one a line
half() {
	"$heddle" sites --json "$1" | jq -r '.functions[] | select(.plain == null) | .linkage_name // .function' | sort -u |
		awk -v seed="$seed" 'BEGIN { srand(seed) }
			NR == 1 { first = $0 }
			rand() < 0.5 { print; count++ }
			END { if (!count) print first }' | sed 's/[*?\\[]/?/g'
}
# outcome COMMAND...: its output and how it ended
outcome() {
	timeout 60 "$@" 2>&1 </dev/null
	echo "exit status $?"
}
head_of() { sed -n "1,6s/.*[* ]$1: \([^*]*[^* ]\).*/\1/p" "$2"; }

# make_case COMPILER OUTPUT SOURCE LEVEL: sets nothing; the units are compiled one by one
make_case() {
	make_options=$(head_of options "$3") make_units=$(head_of units "$3") make_gcc=$(head_of gcc "$3")
	make_objects= make_flags= make_libraries=
	for make_option in $make_options; do
		case $make_option in -l* | -Wl,* | -rdynamic) make_libraries="$make_libraries $make_option" ;; *) make_flags="$make_flags $make_option" ;; esac
	done
	for make_unit in $(seq 1 "${make_units:-1}"); do
		make_compiler=$1
		case " $make_gcc " in *" $make_unit "*) case $3 in *.cc) make_compiler=g++ ;; *) make_compiler=gcc ;; esac ;; esac
		$make_compiler $4 -w -D_GNU_SOURCE $make_flags -DUNIT="$make_unit" -c "$3" -o "$2.$make_unit.o" || return
		make_objects="$make_objects $2.$make_unit.o"
	done
	$1 $4 -pthread $make_objects $make_libraries -o "$2"
}

if [ $# -gt 0 ]; then
	sources=
	for name in "$@"; do sources="$sources $(ls "$root/tests/cases/$name".c* | tr '\n' ' ')"; done
else
	sources=$(ls "$root"/tests/cases/*.c "$root"/tests/cases/*.cc)
fi
for source in $sources; do
	name=$(basename "${source%.*}")
	case $source in *.cc) theirs=$clangxx ours=$cxx ;; *) theirs=$clang ours=$cc ;; esac
	for need in $(head_of needs "$source"); do
		grep -qw "$need" /proc/cpuinfo || { skip "$name" "this processor has no $need"; continue 2; }
	done
	for level in ${LEVELS:--O0 -O2 -O3}; do
		level=${level//+/ }
		rm -f plain woven
		make_case $theirs plain "$source" "$level" || { fail "$name $level: plain clang cannot build it"; continue; }
		outcome ./plain >want
		! grep -Eq '^exit status (1[2-9][0-9]|2..)$' want || { fail "$name $level: the case itself is broken"; diag "$(tail -n 3 want)"; continue; }
		if ! make_case "$ours" woven "$source" "$level" >said 2>&1; then
			fail "$name $level: build"
			diag "$(tail -n 20 said)"
			continue
		fi
		is "$name $level: the build says nothing" "$(cat said)" ""
		outcome ./woven >got
		cmp -s want got && pass "$name $level: dormant" || { fail "$name $level: dormant"; diag "$(diff want got | head -n 20)"; }
		outcome "$heddle" run --free --switch all -- ./woven >got
		cmp -s want got && pass "$name $level: all on" || { fail "$name $level: all on"; diag "$(diff want got | head -n 20)"; }
		(outcome "$heddle" run --count --json counts.json -- ./woven 2>&1) >got
		sed '/^heddle: [0-9]* access/,/^exit status/{/^exit status/!d}' got >got.program
		cmp -s want got.program && pass "$name $level: counted" || { fail "$name $level: counted"; diag "$(diff want got.program | head -n 20)"; }
		ok "$name $level: something was counted" test "$(jq .accesses counts.json)" -gt 0
		half woven >functions
		outcome "$heddle" run --free --switch "@$work/functions" -- ./woven >got
		cmp -s want got && pass "$name $level: a random half" ||
			{ fail "$name $level: a random half"; diag "SEED=$seed"; diag "$(diff want got | head -n 20)"; }
		# A case may look at its environment and descriptors, so what differs there is checked elsewhere.
		[ "$level" = -O2 ] || continue
		for set in all none; do
			HEDDLE_RUNTIME=$build/lib/heddle/libheddle.so outcome "$work/guard_all" $set ./woven >got
			cmp -s want got && pass "$name $level: guarded, $set" ||
				{ fail "$name $level: guarded, $set"; diag "$(diff want got | head -n 20)"; }
		done
	done
done
is_clean "no leftovers"
done_testing
