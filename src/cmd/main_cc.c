/* main_cc.c: muster-cc, the compiler wrapper as a program of its own, linked without LLVM. */
#include "cmd/cmd.h"

int main(int argc, char **argv)
{
	return cmd_cc(argc, argv);
}
