/* main.c: finds the subcommand in the table of cmd.h and calls it. Invoked under
 * the name muster-cc it is the compiler wrapper.
 *
 * Results go to standard output, so a command whose output could not be written has failed,
 * whatever it found. */
#include "absint/domain.h"
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/proc.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "ir/unit.h"
#include "solve/solve.h"
#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_row commands[] = {
#define X(id, name, help) {name, help, cmd_##id},
    COMMANDS(X)
#undef X
};

const char *const cmd_typed_only[] = {"sandbox", "writable", NULL};

const struct cmd_row *cmd_row(unsigned i)
{
	return i < sizeof commands / sizeof commands[0] ? &commands[i] : NULL;
}

int cmd_has_section(const struct cmd_row *row)
{
	return *row->help && strcmp(row->name, "cc") && strcmp(row->name, "init");
}

static int run_row(char *const argv[], const void *ctx)
{
	char *words[] = {argv[0], argv[1], NULL};

	return ((const struct cmd_row *)ctx)->run(2, words);
}

int cmd_ask(const struct cmd_row *row, const char *argument, int capture, struct proc_result *r)
{
	char *argv[] = {(char *)row->name, (char *)argument, NULL};
	struct proc_opts opts = {.capture_out = capture, .null_input = 1, .call = run_row, .ctx = row};

	fflush(stdout);
	return proc_run(argv, &opts, r);
}

static enum option_section check_section(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		struct proc_result r = {0};
		if (strcmp(commands[i].name, name))
			continue;
		if (!cmd_has_section(&commands[i]))
			return OPTION_SECTION_CLOSED;
		int wrong = !cmd_ask(&commands[i], OPTION_CHECK, 0, &r) && r.status == EXIT_USAGE;
		proc_release(&r);
		return wrong ? OPTION_SECTION_WRONG : OPTION_SECTION_RIGHT;
	}
	return OPTION_SECTION_UNKNOWN;
}

static void help(void)
{
	printf("usage: muster COMMAND [options]\n\n"
	       "muster finds inputs, tests and bugs for C programs. To begin with:\n"
	       "  muster test FILE.c                     its functions: tests, bugs, what is verified\n"
	       "  muster fuzz --time 60 -- PROG.c        a whole program; it reads standard input\n"
	       "  muster cc -O2 *.c -o prog              several files: build them with this, then\n"
	       "  muster fuzz --time 60 -- ./prog @@     @@ stands for the input's file\n\n"
	       "commands:\n");
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (commands[i].help[0])
			printf("  %-10s %s\n", commands[i].name, commands[i].help);
	printf("\n'muster COMMAND --help' explains a command.\n"
	       "exit codes: 0 nothing found, 1 bugs or differences found, 2 wrong usage,\n"
	       "3 inconclusive, 4 internal error or a failed check\n");
}

static const char *nearest_command(const char *name)
{
	struct option_near near = OPTION_NEAR(name);

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (commands[i].help[0])
			option_near(&near, commands[i].name);
	return near.name;
}

/* A closed standard descriptor would become the first file that is opened, and get what is
 * printed. Opened for reading, standard output still fails when written to. */
static void hold_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

static int command(int argc, char **argv)
{
	const char *near;

	if (argc < 2) {
		help();
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		help();
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("muster %s\n%s, %s, %s, %s\n", MUSTER_VERSION, unit_library(), solve_libraries(), domain_library(), store_library());
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "help")) { /* muster help trace */
		char *ask[] = {argv[0], argv[2], "--help", NULL};

		return command(3, ask);
	}
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	near = nearest_command(argv[1]);
	die(EXIT_USAGE, "there is no command '%s'%s%s%s 'muster --help' lists them", argv[1],
	    near ? "; is it '" : ";", near ? near : "", near ? "'?" : "");
}

int main(int argc, char **argv)
{
	int code;

	if (argc > 0 && !strcmp(file_base(argv[0]), "muster-cc"))
		return cmd_cc(argc, argv);
	hold_descriptors();
	terminal_guard();
	file_temp_settle();
	const char *config = getenv("MUSTER_CONFIG");
	option_config(config ? (*config ? config : NULL) : CMD_CONFIG, check_section, cmd_typed_only);
	code = command(argc, argv);
	if (fflush(stdout) || ferror(stdout))
		die(EXIT_INTERNAL, "cannot write to standard output: the result is not complete");
	return code;
}
