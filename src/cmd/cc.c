/* cc.c: muster cc, a compiler. All arguments are clang's, but that --help alone says first what this is. As muster-cc, which
 * stands in CC, clang's own help follows: configure scripts look for options in it. */
#include "base/error.h"
#include "base/file.h"
#include "build/cc.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

static const char about[] =
    "usage: muster cc ARGUMENTS-OF-CLANG       (or muster-cc, for CC: it starts faster)\n"
    "\n"
    "muster cc is clang-19: it takes the same arguments and makes the same code. Beside the code it keeps what muster\n"
    "needs to build the program once more with instrumentation: the bitcode and the preprocessed source of each unit,\n"
    "in a section that is not loaded, and the command that linked it.\n"
    "\n"
    "  muster cc -O2 prog.c -o prog            compile and link\n"
    "  muster doctor ./prog                    see what was recorded\n"
    "  muster fuzz -o out -- ./prog @@         and use it\n"
    "  CC=muster-cc ./configure && make        a whole project; or: muster build -- make\n"
    "  muster strip ./prog                     remove the records\n"
    "\n"
    "'clang-19 --help' has the arguments, docs/building.md the rest.\n";

int cmd_cc(int argc, char **argv)
{
	int alone = argc == 2 && !strcmp(argv[1], "--help");

	if (alone)
		fputs(about, stdout);
	if (alone && !strcmp(file_base(argv[0]), "cc"))
		return EXIT_OK;
	fflush(stdout);
	int status = cc_run(argc, argv);

	if (argc < 2)
		fputs("try 'muster cc --help'\n", stderr);
	return status;
}
