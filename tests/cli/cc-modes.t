#!/bin/bash
# heddle-cc: every way a build calls a compiler to compile: outputs, dependency files, several sources, -x, -, response
# files.
. tests/lib/tap.sh
. tests/lib/cc.sh

silent "-c says nothing" $cc -O2 -c main.c
silent "-c -o" $cc -O2 -c part.c -o part.o
silent "a link says nothing" $cc main.o part.o -o prog
works "objects, then a link" prog "$want" "$both"

silent "two sources with -c" $cc -c -O1 main.c part.c
silent "their link" $cc part.o main.o -o prog
works "two sources with -c" prog "$want" "$both"
silent "compile and link, one source" $cc -DONE -include part.c main.c -o prog
works "compile and link, one source" prog "$want" "$both"
silent "compile and link, two sources" $cc -O2 -g main.c part.c -o prog
works "compile and link, two sources" prog "$want" "$both"
$cc -c part.c
silent "a source and an object" $cc -O2 main.c part.o -o prog
works "a source and an object" prog "$want" "$both"
mkdir -p "out/a b"
silent "-o in another folder" $cc -O2 main.c part.c -o "out/a b/prog x"
works "-o in another folder" "out/a b/prog x" "$want" "$both"
rm -f a.out
silent "no -o" $cc main.c part.c
works "a.out" a.out "$want" "$both"
mkdir -p "src/deep er" && cp main.c part.c part.h "src/deep er"
(mkdir -p obj && cd obj && $cc -c -O2 "../src/deep er/main.c" "$work/src/deep er/part.c" && $cc main.o part.o -o ../prog)
works "sources in other folders" prog "$want" "$both"
cp main.c 'odd "name$.c'
silent "a name with quotes and a dollar" $cc -O2 'odd "name$.c' part.c -o 'odd "prog$'
works "a name with quotes and a dollar" 'odd "prog$' "$want" "$both"

# -S: the unit travels in the assembly.
silent "-S" $cc -O2 -S main.c part.c
silent "assemble and link" $cc main.s part.s -o prog
works "-S, assembled by heddle-cc" prog "$want" "$both"
$cc -O2 -fno-addrsig -S main.c part.c && as main.s -o main.o && as part.s -o part.o && $cc main.o part.o -o prog
works "-S, assembled by GNU as" prog "$want" "$both"
silent "-S -g" $cc -O2 -g -S main.c part.c
$clang -c main.s part.s && $cc main.o part.o -o prog
works "-S -g, assembled by clang" prog "$want" "$both"
$cc -S -O2 part.c -o - >stdout.s
cp stdout.s part.s && $cc main.o part.s -o prog
works "-S -o -" prog "$want" "$both"
silent "-fno-integrated-as" $cc -O2 -fno-integrated-as main.c part.c -o prog
works "-fno-integrated-as" prog "$want" "$both"
silent "-pipe" $cc -O2 -pipe main.c part.c -o prog
mkdir -p temps && (cd temps && $cc -O2 -save-temps -I.. ../main.c ../part.c -o prog)
works "-save-temps" temps/prog "$want" "$both"
ok "-save-temps leaves them" test -s temps/main.i -a -s temps/main.s
mkdir -p kept && $cc -O2 -save-temps=obj -c "$work/main.c" -o "$work/kept/main.o"
is "-save-temps=obj leaves them, absolute names" "$(ls kept | sort | tr '\n' ' ')" "main.bc main.i main.o main.s "

# Preprocessing and dependency files are clang's.
same "-E" "$($cc -E main.c 2>&1)" "$($clang -E main.c 2>&1)"
same "-E -dM" "$($cc -E -dM - </dev/null)" "$($clang -E -dM - </dev/null)"
same "-M" "$($cc -M main.c 2>&1)" "$($clang -M main.c)"
same "-MM" "$($cc -MM -MP -MT x.o main.c part.c 2>&1)" "$($clang -MM -MP -MT x.o main.c part.c)"
# depends NAME ARGUMENTS...: the same files with the same text, apart from objects and programs
depends() {
	name=$1
	shift
	rm -rf one two && mkdir one two
	(cd one && $clang -I.. "$@") >one.said 2>&1
	(cd two && $cc -I.. "$@") >two.said 2>&1
	is "$name: files" "$(ls two)" "$(ls one)"
	is "$name: said" "$(cat two.said)" "$(cat one.said)"
	(cd one && grep -l : *.d *.su *.json 2>/dev/null) | while read -r file; do
		sed -i 's#/\(one\|two\)\(["/]\)#/folder\2#g' "one/$file" "two/$file"
		cmp "one/$file" "two/$file" || echo "differs: $file"
	done >depends.differ 2>&1
	is "$name: text" "$(cat depends.differ)" ""
}
depends "-MD" -c -MD ../main.c ../part.c
depends "-MMD" -c -MMD ../main.c
depends "-MMD -MP" -c -MMD -MP ../main.c
depends "-MD -MF" -c -MD -MF x.d ../main.c
depends "-MD -MF -MT" -c -MD -MF x.d -MT 'tar get' -MQ 'a$b' -MP ../main.c -o y.o
depends "-Wp,-MD" -c -Wp,-MD,x.d ../main.c
depends "-MD with compile and link" -MD ../main.c ../part.c -o prog
depends "-MD -S" -MD -S ../main.c
depends "-MJ" -MJ x.json -c ../main.c
depends "-H" -H -c ../main.c
depends "-fsyntax-only" -fsyntax-only ../main.c
depends "-emit-llvm" -emit-llvm -c ../main.c
depends "-fstack-usage" -fstack-usage -c ../main.c
depends "-gsplit-dwarf" -g -gsplit-dwarf -c ../main.c
depends "--coverage" --coverage -c ../main.c

# Where the language comes from.
cp main.c plainfile
silent "-x c" $cc -O2 -x c plainfile -x none part.c -o prog
works "-x c" prog "$want" "$both"
$cc -O2 -x c -c - -o main.o <main.c && $cc main.o part.c -o prog
works "from standard input, -c" prog "$want" "$both"
cat part.c main.c | $cc -O2 -I. -x c - -o prog
works "from standard input, compile and link" prog "$want" "$both"
$cc -E main.c -o main.i && $cc -O2 -c main.i && $cc main.o part.c -o prog
works "preprocessed source" prog "$want" "$both"
$clang -O1 -emit-llvm -c main.c -o ir.bc && $clang -O1 -S -emit-llvm part.c -o ir.ll && $cc -O1 ir.bc ir.ll -o prog
works "LLVM IR as input" prog "$want" "$both"
echo '#include <stdio.h>' >pre.h
$cc -O2 -x c-header pre.h -o pre.h.pch && silent "precompiled header" $cc -O2 -include pre.h main.c part.c -o prog
works "precompiled header" prog "$want" "$both"
silent "precompiled header with -g" $cc -O2 -g -include-pch pre.h.pch main.c part.c -o prog
mkdir cxx && sed "s/int part/extern \"C\" int part/" part.h >cxx/part.h
cp part.c cxx/part.cc && cp main.c cxx/main.cc
silent "heddle-c++" $cxx -O2 cxx/main.cc cxx/part.cc -o prog
works "heddle-c++" prog "$want" "$both"
silent "heddle-cc with C++ sources" $cc -O2 -c cxx/main.cc cxx/part.cc
silent "heddle-cc with -lstdc++" $cc main.o part.o -lstdc++ -o prog
works "heddle-cc with C++ sources" prog "$want" "$both"
silent "heddle-c++ with -x c" $cxx -x c main.c part.c -o prog
works "heddle-c++ with -x c" prog "$want" "$both"
is "-m32 is plain clang's business" "$($cc -m32 -ffreestanding -c part.c -o m32.o 2>&1; echo $?)" 0
is "another target is plain clang's business" "$($cc --target=aarch64-linux-gnu -ffreestanding -c part.c -o arm.o 2>&1; echo $?)" 0

# Response files.
echo '-O2 main.c -o prog @nested' >response
printf '%s\n' "'-DNAME=\"a b\"'" '-D"QUOTED=1 + 1"' '-DBACK=\"x\\\"y\"' 'pa\rt.c' '-DEMPTY=' '""-g' >nested
silent "response files, nested, with quotes" $cc @response
works "response files" prog "$want" "$both"
sed 's/main.c -o prog/main.c -E/' response >response.E
is "response files: as clang reads them" "$(echo NAME QUOTED BACK EMPTY | cat main.c - >words.c; sed -i 's/main.c/words.c/' response.E; $cc @response.E 2>&1 | tail -n 1)" \
	"$($clang @response.E 2>&1 | tail -n 1)"
is "a response file that is not there" "$($cc @nowhere -c main.c 2>&1; echo $?)" "$($clang @nowhere -c main.c 2>&1; echo $?)"
echo '@loop main.c' >loop
ok "a response file that includes itself ends" timeout 20 sh -c "! $cc -c @loop"
{ echo '-O2 -c main.c -o main.o'; for i in $(seq 1 6000); do echo "-DA_LONG_MACRO_NAME_NUMBER_$i=$i"; done; } >long
[ "$(wc -c <long)" -gt 200000 ] || diag "the response file is too short"
silent "more than 128 KiB of arguments through a response file" $cc @long
silent "the same on the command line" $cc $(sed 's/main.o/main2.o/' long)
$cc main.o part.c -o prog
works "more than 128 KiB of arguments" prog "$want" "$both"
{ echo '-O2 -c main.c -o main.o'; for i in $(seq 1 20000); do echo "-DA_LONG_MACRO_NAME_NUMBER_$i=$i"; done; } >long
silent "more than 512 KiB of arguments" $cc @long
folder=$(printf 'a_folder_with_a_long_name%.0s' 1 2 3 4 5 6)
mkdir "$folder"
for i in $(seq 1 500); do echo "int filler_$i;"; done | split -l 1 -a 3 --additional-suffix=.c - "$folder/filler"
(cd "$folder" && $clang -c ./*.c && $cc -O2 -c ../main.c ../part.c)
[ "$(echo "$folder"/*.o | wc -c)" -gt 65536 ] || diag "the link line is too short"
silent "a link line of more than 64 KiB" $cc "$folder"/*.o -o prog
works "a link line of more than 64 KiB" prog "$want" "$both"
rm -rf "$folder"
is_clean "no leftovers"
done_testing
