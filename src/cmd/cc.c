/* cc.c: muster cc, a compiler. All arguments are clang's. */
#include "build/cc.h"
#include "cmd/cmd.h"

int cmd_cc(int argc, char **argv)
{
	return cc_run(argc, argv);
}
