#!/bin/bash
# heddle doctor: all is well here, and what it says when things are missing: by a filter of system calls, by limits, by PATH,
# by folders that cannot be written to, by a damaged installation. Where it says that a command does not work, it does not.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
filter_source=$PWD/tests/cli/doctor_filter.c
. tests/lib/cc.sh
gcc -O1 "$filter_source" -o filter || exit 1
"$cc" -O1 main.c part.c -o prog || exit 1
mkdir here && cd here || exit 1

# doctor COMMAND...: runs it, sets $said and $code
doctor() {
	said=$("$@" 2>&1)
	code=$?
}

# lacks NAME LINE: it ended with 1, and has that line
lacks() {
	is "$1: status" "$code" 1
	like "$1: line" "$said" "^missing  $2"
	like "$1: sum" "$said" '^missing: [0-9]+ of the things that Heddle needs$'
}

doctor "$heddle" doctor
is "here all is well: status" "$code" 0
unlike "here all is well: nothing is missing" "$said" '^(missing|unknown) '
like "it says so" "$said" '^everything that Heddle needs is available$'
names="proc dispatch personality memory descriptors seccomp cores ptrace userfaultfd breakpoints evidence temporary runtime weave"
names="$names compiler c++ run gdb"
is "one line each" "$(printf '%s\n' "$said" | sed '$d' | awk '{ print $2 }' | xargs)" "$names"
is "nothing is left here" "$(ls -A)" ""
is_clean "nothing is left in TMPDIR"
json=$("$heddle" doctor --json)
is "JSON: status" $? 0
is "JSON: the same checks" "$(jq -r '[.checks[].name] | join(" ")' <<<"$json")" "$names"
is "JSON: ready" "$(jq -c '[.heddle, .is_ready, .version]' <<<"$json")" "[1,true,\"$("$heddle" --version | cut -d' ' -f2)\"]"
is "JSON: statuses" "$(jq -r '.checks[].status' <<<"$json" | grep -vxE 'limited|unused' | sort -u)" ok
is "what it is given is too much" "$(status "$heddle" doctor now)" 2
is "an option that is not there" "$(status "$heddle" doctor --jsn)" 2

# Filters. 135 is personality, 157 prctl (59: dispatch), 101 ptrace, 323 userfaultfd, 298 perf_event_open.
doctor ../filter deny 135 "$heddle" doctor
lacks "no personality" "personality .*Operation not permitted.*cannot control a program.*seccomp=unconfined"
like "no personality: the run" "$said" '^missing  run .*exit status 3: .*address space randomisation'
like "no personality: the filter is told" "$said" '^ok       seccomp .*are filtered'
is "no personality: so it is" "$(status ../filter deny 135 "$heddle" run -- ../prog)" 3
doctor ../filter kill 135 "$heddle" doctor
lacks "death for personality" "personality .*killed by signal 31"
doctor ../filter deny 157=59 "$heddle" doctor
lacks "no dispatch" "dispatch .*Linux 5.11"
is "no dispatch: so it is" "$(status ../filter deny 157=59 "$heddle" run -- ../prog)" 3
doctor ../filter deny 101 "$heddle" doctor
is "no ptrace: status" "$code" 0
like "no ptrace: line" "$said" '^limited  ptrace .*heddle replay --gdb does not work'
doctor ../filter deny 323 "$heddle" doctor
is "no userfaultfd: status" "$code" 0
like "no userfaultfd: line" "$said" '^unused   userfaultfd .*Operation not permitted; no command uses it yet$'
doctor ../filter deny 298 "$heddle" doctor
like "no perf events: line" "$said" '^unused   breakpoints .*Operation not permitted; no command uses it yet$'
# glibc makes processes with clone, and with clone3 where that is there.
doctor ../filter deny 56 ../filter deny 435 "$heddle" doctor
is "no processes: status" "$code" 3
like "no processes: line" "$said" '^unknown  personality .*cannot create a process'
like "no processes: sum" "$said" '^unknown: [0-9]+ could not be checked$'
is "no processes: JSON" "$(../filter deny 56 ../filter deny 435 "$heddle" doctor --json | jq .is_ready)" false

# Limits.
doctor bash -c 'ulimit -v 8000000; "$1" doctor' - "$heddle"
lacks "little memory" "memory .*Cannot allocate memory.*cannot detect races.*ulimit -v unlimited"
is "little memory: so it is" "$(status bash -c 'ulimit -v 8000000; "$1" run --detect -- ../prog' - "$heddle")" 3
doctor bash -c 'ulimit -n 512; "$1" doctor' - "$heddle"
lacks "few descriptors" "descriptors  a process can open 512"
is "few descriptors: so it is" "$(status bash -c 'ulimit -n 512; "$1" run -- ../prog' - "$heddle")" 3
doctor taskset -c "$(taskset -pc $$ | sed 's/.*: //;s/[,-].*//')" "$heddle" doctor
like "one core" "$said" '^limited  cores .*--jobs brings no speedup'

# Tools and folders.
doctor env PATH=/nowhere "$heddle" doctor
lacks "no clang" 'compiler .*cannot find "clang-19".*heddle-cc cannot build'
like "no clang: programs run" "$said" '^ok       run          a program runs'
like "no gdb" "$said" '^limited  gdb .*gdb is not in PATH: heddle replay --gdb does not work'
mkdir ../fake
printf '#!/bin/sh\necho "Python scripting is not supported in this copy of GDB." >&2\nexit 1\n' >../fake/gdb
chmod +x ../fake/gdb
doctor env PATH="$work/fake:$PATH" "$heddle" doctor
is "a gdb without Python: status" "$code" 0
like "a gdb without Python: line" "$said" '^limited  gdb .*cannot run Python: Python scripting is not supported.*--gdb does not work'
doctor env TMPDIR=/nowhere "$heddle" doctor
lacks "no TMPDIR" 'temporary .*"/nowhere".*heddle-cc cannot build'
is "no TMPDIR: so it is" "$(TMPDIR=/nowhere status "$cc" -c ../main.c -o main.o)" 3
cd /proc/self || exit 1
doctor "$heddle" doctor
lacks "no place for evidence" 'evidence .*heddle test has no place to keep its findings'
is "no place for evidence: so it is" "$(status "$heddle" test --classify no --runs 1 -- "$work/prog")" 3
cd "$work/here" || exit 1
mkdir .heddle
doctor "$heddle" doctor
like "the folder of evidence is looked at" "$said" '^ok       evidence     "\.heddle" is writable'
is "and left as it was" "$(ls -A .heddle)" ""
rmdir .heddle
touch .heddle
doctor "$heddle" doctor
lacks "a file in the place of the folder" 'evidence .*Not a directory'
is "a file in the place of the folder: so it is" "$(status "$heddle" test --classify no --runs 1 -- ../prog)" 3
rm .heddle

# Installations that lack something.
mkdir -p ../copy/lib
cp -R "$build/bin" ../copy/bin
cp -R "$build/lib/heddle" ../copy/lib/heddle
own=$work/copy/bin/heddle library=$work/copy/lib/heddle/libheddle.so
doctor "$own" doctor
is "a copy: status" "$code" 0
version=$("$heddle" --version | cut -d' ' -f2)
cp "$library" ../library
perl -pi -e "s/(HeddleRuntime\\0+)\\Q$version\\E/\${1}9.9.9/" "$library"
doctor "$own" doctor
lacks "a runtime of another version" "runtime .*has version 9\.9\.9, expected ${version//./\\.}"
head -c 2000 ../library >"$library"
doctor "$own" doctor
lacks "a runtime that is cut short" "runtime .*damaged"
rm "$library"
doctor "$own" doctor
lacks "no runtime" "runtime .*No such file.*reinstall Heddle"
mv ../library "$library"
mv ../copy/lib/heddle/gdb.py ..
doctor "$own" doctor
is "no gdb.py: status" "$code" 0
like "no gdb.py: line" "$said" '^limited  gdb .*gdb\.py is not in lib/heddle'
mv ../gdb.py ../copy/lib/heddle
rm ../copy/lib/heddle/heddle-weave
doctor "$own" doctor
lacks "no weave" "weave .*No such file"
like "no weave: the compiler" "$said" "^missing  compiler"

# A system without /proc, and one without room, where we may make one.
if unshare -m true 2>/dev/null; then
	doctor unshare -m sh -c 'mount -t tmpfs none /proc && exec "$1" doctor' - "$heddle"
	lacks "no /proc" "proc .*not mounted.*no command of Heddle works"
	mkdir small
	doctor unshare -m sh -c 'mount -t tmpfs -o size=1m none small && cd small && exec "$1" doctor' - "$heddle"
	is "little room: status" "$code" 0
	like "little room: line" "$said" '^limited  evidence .*has 1 MB left.*may not fit'
else
	skip "no /proc" "mounts cannot be changed here"
	skip "little room" "mounts cannot be changed here"
fi
is_clean "nothing is left in TMPDIR in the end"
done_testing
