/*
 * weave_main.c: heddle-weave, the part of the compiler driver that loads LLVM. Called by heddle-cc only:
 *   heddle-weave prepare text|file debug|strip closed|open LEVEL BITCODE OUTPUT UNIT [OLD=NEW]...
 *   heddle-weave weave program|library PROOF JOBS LINKED FOLDER LIST [TAG | =WRAPPED | @ALLOCATOR | +PRIVATE]...
 * PROOF is a number of enum proof_level. Exit 4: the weave is at fault, not its input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/prove.h"
#include "base/err.h"
#include "ir/prepare.h"
#include "ir/program.h"

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int code;
	if (argc >= 9 && strcmp(argv[1], "prepare") == 0) {
		struct prepare_options options = {
			.is_text = strcmp(argv[2], "text") == 0,
			.has_debug = strcmp(argv[3], "debug") == 0,
			.is_closed = strcmp(argv[4], "closed") == 0,
			.opt_level = (unsigned)atoi(argv[5]),
			.input = argv[6],
			.output = argv[7],
			.unit_file = argv[8],
		};
		for (int i = 9; i < argc; i++)
			strings_add(&options.maps, argv[i]);
		code = prepare_unit(&options, &err);
		strings_release(&options.maps);
	} else if (argc >= 8 && strcmp(argv[1], "weave") == 0) {
		struct program_options options = {
			.is_library = strcmp(argv[2], "library") == 0,
			.prove = prove_sites,
			.proof_level = (enum proof_level)atoi(argv[3]),
			.job_count = (unsigned)atoi(argv[4]),
			.linked = argv[5],
			.folder = argv[6],
			.list = argv[7],
			.names = argv + 8,
		};
		code = program_weave(&options, &err);
	} else {
		fputs("heddle-weave is part of heddle-cc and is run by it\n", stderr);
		return EXIT_USAGE;
	}
	if (code)
		err_print(&err, "heddle-cc");
	return code == -PROGRAM_FAULT ? 4 : code ? EXIT_CANNOT : 0;
}
