#!/bin/sh
# What the runtime may import and export (it is a guest in someone else's process). An allow-list: whatever is
# not named here is a fault, so a new import is a decision and not an accident.
set -u
build=${BUILD:-build}
runtime=$build/lib/heddle/libheddle.so
woven=$build/lib/heddle/woven.o
status=0

fault() {
	echo "lint: $*" >&2
	status=1
}

for file in "$runtime" "$woven"; do
	[ -f "$file" ] || { echo "lint: \"$file\" is missing: run make first" >&2; exit 1; }
done

# What it stands in front of in libc: one list.
interposed=" $(sed -n 's/^[[:space:]]*EACH(\([A-Za-z0-9_]*\)).*/\1/p' src/rt/enter/interpose.h | tr '\n' ' ')"
[ "$interposed" != " " ] || fault "src/rt/enter/interpose.h has no list of functions"

# Data only: environ, errno, and the dynamic linker's list of objects and start of the stack. The weak ones come from the
# compiler's start files and are null or harmless.
for name in $(nm -D --undefined-only "$runtime" | awk '{ print $NF }' | sed 's/@.*//'); do
	case $name in
	environ | __environ | __errno_location | _r_debug | __libc_stack_end | __cxa_finalize | __gmon_start__ | _ITM_registerTMCloneTable | _ITM_deregisterTMCloneTable) ;;
	*) fault "$runtime imports $name" ;;
	esac
done

for name in $(nm -D --defined-only "$runtime" | awk '{ print $NF }' | sed 's/@.*//'); do
	case $name in
	heddle_* | __heddle_* | Annotate* | __tsan_acquire | __tsan_release | __tsan_mutex_*) ;;
	*) case $interposed in *" $name "*) ;; *) fault "$runtime exports $name" ;; esac ;;
	esac
done
exported=" $(nm -D --defined-only "$runtime" | awk '{ print $NF }' | sed 's/@.*//' | tr '\n' ' ')"
for name in $interposed; do
	case $exported in *" $name "*) ;; *) fault "$runtime does not export $name" ;; esac
done

for name in $(readelf -dW "$runtime" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'); do
	case $name in
	libc.so.6 | ld-linux-x86-64.so.2) ;;
	*) fault "$runtime needs $name" ;;
	esac
done

# Thread-local storage of another model than initial-exec may allocate at the first access, in a signal handler.
readelf -rW "$runtime" | grep -Eq 'R_X86_64_(DTPMOD64|TLSDESC)' && fault "$runtime has thread-local storage that is not initial-exec"
readelf -lW "$runtime" | grep -q 'GNU_STACK.*RWE' && fault "$runtime asks for an executable stack"

# Clones rely on vector registers being as they were, and the entries do not save them: only what saves and loads them at
# a switch may name them.
objdump -d --no-show-raw-insn "$runtime" | awk '/^[0-9a-f]+ <.*>:$/ { is_exempt = $2 ~ /^<(vector_|switch_)/ }
	!is_exempt' | grep -Eq '%[xyz]mm|%st|%mm[0-7]' && fault "$runtime uses vector or x87 registers"

# What is linked into woven objects needs nothing but the tables and the weak entry of the runtime.
for name in $(nm --undefined-only "$woven" | awk '{ print $NF }'); do
	case $name in
	__heddle_build | __heddle_register | _GLOBAL_OFFSET_TABLE_) ;;
	*) fault "$woven needs $name" ;;
	esac
done

# Each woven object has its own: nothing that it defines can be seen from another.
for name in $(readelf -sW "$woven" | awk '($5 == "GLOBAL" || $5 == "WEAK") && $7 != "UND" && $6 != "HIDDEN" { print $8 }'); do
	fault "$woven exports $name"
done

[ $status -eq 0 ] && echo "lint: the runtime is clean"
exit $status
