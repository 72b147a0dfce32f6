#!/bin/bash
# heddle-cc: what clang says, heddle-cc says, with clang's exit status; and a normal build says nothing.
. tests/lib/tap.sh
. tests/lib/cc.sh

# Names of temporary files, of the program itself and of the folder differ, and so do offsets; nothing else may.
neutral() {
	sed -E 's#^(clang-19|heddle-cc): #PROGRAM: #; s#/(one|two)/#/FOLDER/#g; s#\.text\+0x[0-9a-f]+#.text+OFFSET#g; s#(/[^ :"]*/)?[a-z0-9_]+-[0-9a-f]{6}\.(o|s)#TEMPORARY.\2#g; s#'"$TMPDIR"'/heddle-[^/]*/[0-9]+\.(o|s)#TEMPORARY.\1#g'
}
# same NAME ARGUMENTS...: the same exit status, the same text on both streams, the same files
same() {
	name=$1
	shift
	rm -rf one two && mkdir one two
	(cd one && $clang -I.. "$@" >../one.out 2>../one.err </dev/null; echo $? >../one.status)
	(cd two && $cc -I.. "$@" >../two.out 2>../two.err </dev/null; echo $? >../two.status)
	is "$name: exit status" "$(cat two.status)" "$(cat one.status)"
	is "$name: standard error" "$(neutral <two.err)" "$(neutral <one.err)"
	is "$name: standard output" "$(cat two.out)" "$(cat one.out)"
	is "$name: files" "$(ls two)" "$(ls one)"
}
cat >error.c <<'END'
int f(void) { return undeclared; }
int g(void) { return 1 + ; }
END
cat >warning.c <<'END'
#include <stdio.h>
int f(int x) { int unused; if (x = 1) return 2; printf("%d\n", 1L); }
int main(void) { return 0; }
END
cat >both.c <<'END'
int f(int x) { int unused; return x; }
int g(void) { return undeclared; }
END
cat >asm.c <<'END'
int f(int x)
{
	int unused;
	__asm__ volatile("frobnicate %0" : "+r"(x));
	return x;
}
END
cat >asmtop.c <<'END'
__asm__("frobnicate all");
int f(void) { return 1; }
END
cat >constraint.c <<'END'
int f(int x) { __asm__("nop" : : "i"(x)); return x; }
END
cat >frame.c <<'END'
void use(char *);
void large(void)
{
	char room[4096];
	use(room);
}
END
cat >undefined.c <<'END'
int nowhere(void);
int main(void) { return nowhere(); }
END
echo '#error this cannot be' >hash.c
echo '#include "nowhere.h"' >header.c
printf '#warning take care\nint x;\n' >care.c
printf '#pragma message("hello")\nint x;\n' >pragma.c
echo 'int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }' >remark.c
echo '__attribute__((error("never call this"))) void never(void); void f(void) { never(); }' >attribute.c
echo '__attribute__((warning("rather not"))) void rather(void); void f(void) { rather(); }' >attrwarn.c
echo 'int good_variable; int good(void) { return good_variable; }' >good.c
cat >template.cc <<'END'
#include <vector>
#include <string>
std::vector<std::string> v{1, 2, 3.0};
int f() { return v; }
END

same "an error" -c ../error.c
same "an error with -O2 -g" -O2 -g -c ../error.c
same "a warning" -Wall -Wextra -c ../warning.c
same "a warning when linking too" -Wall ../warning.c -o prog
same "-Werror" -Wall -Werror -c ../warning.c
same "-w" -w -c ../warning.c
same "a warning and an error" -Wall -c ../both.c
same "-fmax-errors" -ferror-limit=1 -c ../error.c
same "colours" -fcolor-diagnostics -Wall -c ../both.c
same "-fdiagnostics-format" -fdiagnostics-format=msvc -fno-caret-diagnostics -c ../both.c
same "no such file" -c ../nowhere.c
same "no such file, compile and link" ../nowhere.c -o prog
same "no such object" nowhere.o -o prog
same "no such library" ../main.c ../part.c -lnowhere_at_all -o prog
same "a missing header" -c ../header.c
same "#error" -c ../hash.c
same "#warning" -c ../care.c
same "#pragma message" -c ../pragma.c
same "an undefined symbol" ../undefined.c -o prog
same "an undefined symbol, -O2 -g" -O2 -g ../undefined.c -o prog
same "an undefined symbol, lld" -fuse-ld=lld ../undefined.c -o prog
same "a symbol twice" ../main.c ../main.c ../part.c -o prog
same "no main" ../part.c -o prog
same "an unknown option" -fno-such-option-at-all -c ../main.c
same "an unknown option, compile and link" --no-such-option ../main.c ../part.c -o prog
same "an unknown warning option" -Wno-such-warning-at-all -Wsuch-warning -c ../main.c
same "a bad value" -std=c1789 -c ../main.c
same "-O9" -O9 -c ../main.c
same "an unused linker option" -lm -c ../main.c
same "an option with no value" -c ../main.c -o
same "-o with several sources" -c ../main.c ../part.c -o x.o
same "nothing"
same "-c alone" -c
same "a bad linker option" -Wl,--no-such-option ../main.c ../part.c -o prog
same "no such linker" -fuse-ld=nowhere ../main.c ../part.c -o prog
same "-Wl,--fatal-warnings" -Wl,--fatal-warnings -Wl,-z,nosuchthing ../main.c ../part.c -o prog
same "a warning of the linker" -Wl,-z,nosuchthing ../main.c ../part.c -o prog
same "inline assembly" -c ../asm.c
same "inline assembly with warnings" -Wall -O2 -c ../asm.c
same "inline assembly, -g" -g -O2 -c ../asm.c
same "inline assembly, compile and link" ../asm.c -o prog
same "inline assembly, -S is not assembled" -S ../asm.c
same "inline assembly of the file" -c ../asmtop.c
same "an impossible constraint" -O2 -c ../constraint.c
same "-Wframe-larger-than" -Wframe-larger-than=1000 -O2 -c ../frame.c
same "-Wframe-larger-than -g" -Wframe-larger-than=1000 -O2 -g -c ../frame.c
same "-Wframe-larger-than -Werror" -Wframe-larger-than=1000 -Werror -O2 -c ../frame.c
same "__attribute__((error))" -O2 -c ../attribute.c
same "__attribute__((warning))" -O2 -c ../attrwarn.c
same "-Rpass" -O3 -Rpass=loop-vectorize -c ../remark.c
same "one bad source among good ones" -c ../good.c ../error.c ../main.c
same "a bad one first" -c ../error.c ../good.c
same "a bad one, compile and link" ../error.c ../main.c ../part.c -o prog
same "errors of C++" -x c++ -c ../template.cc
same "assembly with an error" -x assembler -c ../main.c
same "-fsyntax-only" -fsyntax-only -Wall ../warning.c
same "-E with a missing header" -E ../header.c
same "--analyze" --analyze -Xclang -analyzer-output=text ../warning.c
is "the same from standard input" "$(echo 'int f(void) { return x; }' | $cc -x c -c - -o x.o 2>&1; echo $?)" \
	"$(echo 'int f(void) { return x; }' | $clang -x c -c - -o x.o 2>&1; echo $?)"
is "inline assembly from standard input: exit status" "$($cc -x c -c - -o x.o <asm.c >said 2>&1; echo $?)" 1
like "inline assembly from standard input: said" "$(cat said)" "error: invalid instruction mnemonic 'frobnicate'"

# An old output does not survive a failure where clang's does not, and does where clang's does.
for source in error.c asm.c; do
	for compiler in $clang $cc; do
		echo old >old.o
		$compiler -c $source -o old.o 2>/dev/null
		eval "$( [ $compiler = $cc ] && echo ours || echo theirs)=\"\$(cat old.o 2>&1)\""
	done
	is "an old object after a failure, $source" "$ours" "$theirs"
done
$cc -o old.prog main.c part.c && $cc -o old.prog undefined.c 2>/dev/null
ours=$(test -e old.prog; echo $?)
$clang -o old.prog main.c part.c && $clang -o old.prog undefined.c 2>/dev/null
is "an old program after a failure" "$ours" "$(test -e old.prog; echo $?)"
is_clean "no leftovers"
done_testing
