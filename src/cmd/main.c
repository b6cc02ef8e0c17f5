/* main.c: finds the subcommand in the table of cmd.h and calls it. Invoked under
 * the name muster-cc it is the compiler wrapper. */
#include "base/error.h"
#include "base/file.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#define MUSTER_VERSION "0.1"

static const struct {
	const char *name, *help;
	int (*run)(int argc, char **argv);
} commands[] = {
#define X(id, name, help) {name, help, cmd_##id},
    COMMANDS(X)
#undef X
};

static void help(void)
{
	printf("usage: muster COMMAND [options]\n\ncommands:\n");
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (commands[i].help[0])
			printf("  %-10s %s\n", commands[i].name, commands[i].help);
	printf("\n'muster COMMAND --help' explains a command.\n"
	       "exit codes: 0 nothing found, 1 bugs or differences found, 2 wrong usage,\n"
	       "3 inconclusive, 4 internal error\n");
}

int main(int argc, char **argv)
{
	if (argc > 0 && !strcmp(file_base(argv[0]), "muster-cc"))
		return cmd_cc(argc, argv);
	if (argc < 2) {
		help();
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help();
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("muster " MUSTER_VERSION "\n");
		return EXIT_OK;
	}
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	die(EXIT_USAGE, "there is no command '%s'; 'muster --help' lists them", argv[1]);
}
