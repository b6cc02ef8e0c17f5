/* init.c: muster init: a file of options for this directory, every line of it a comment, from the option tables of the commands.
 *
 * A command's table is what it prints for --option-table; it is asked for it in a process of its own, since commands exit then. */
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/proc.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "# muster.conf: options that the commands of muster have in this directory. What is typed wins.\n"
    "# Take the # away from a line and give it a value. Flags are yes or no; an option that may be given several times may stand here several times.\n"
    "# 'muster COMMAND --help' says more; docs/config.md describes the file. MUSTER_CONFIG= (empty) in the environment: none is read.\n";

/* It may only be typed. */
static int is_left_out(const char *name)
{
	for (const char *const *t = cmd_typed_only; *t; t++)
		if (!strcmp(*t, name))
			return 1;
	return 0;
}

/* NAME, LETTER, VALUE, HELP, with tabs between. */
static void add_option(struct buf *out, char *line)
{
	char *name = strsep(&line, "\t"), *letter = strsep(&line, "\t"), *value = strsep(&line, "\t");

	if (!letter || !value || !line || is_left_out(name))
		return;
	buf_addf(out, "# %s\n#%s = %s\n", line, name, *value ? value : "yes");
}

static int add_command(struct buf *out, const struct cmd_row *row)
{
	struct proc_result r = {0};
	int e = cmd_ask(row, "--option-table", 1, &r);

	if (!e && r.status)
		e = error_set("'muster %s --option-table' failed", row->name);
	if (!e && r.out.size) {
		char *rest = buf_str(&r.out), *line;
		buf_addf(out, "\n# %s\n[%s]\n", row->help, row->name);
		while ((line = strsep(&rest, "\n")))
			add_option(out, line);
	}
	proc_release(&r);
	return e;
}

int cmd_init(int argc, char **argv)
{
	int print = 0, force = 0, e = 0;
	const struct option_row rows[] = {OPTION_FLAG("print", 'p', &print, "print it instead of writing it"), OPTION_FLAG("force", 'f', &force, "replace a file that is there"), OPTION_END};
	const struct option_spec spec = {"init", "[--print] [--force]",
					 "Writes " CMD_CONFIG " here: a section for each command with its options as comments, from the same tables as --help.\n"
					 "Commands read it in the directory where they are started; what is typed wins over it.",
					 rows};
	struct buf out = BUF_EMPTY;

	if (option_parse(&spec, argc, argv) < argc)
		option_usage(&spec, "takes no file: it is " CMD_CONFIG " in this directory");
	if (!print && !force && file_exists(CMD_CONFIG))
		die(EXIT_USAGE, "'" CMD_CONFIG "' is there already: edit it, or --force replaces it");
	buf_adds(&out, head);
	fflush(stdout);
	for (unsigned i = 0; !e && cmd_row(i); i++)
		if (cmd_has_section(cmd_row(i)))
			e = add_command(&out, cmd_row(i));
	if (!e && print)
		fwrite(out.data, 1, out.size, stdout);
	else if (!e)
		e = file_write_atomic(CMD_CONFIG, out.data, out.size);
	buf_release(&out);
	if (e)
		die(EXIT_INTERNAL, "%s", error_text());
	if (!print)
		printf("wrote " CMD_CONFIG ": every line is a comment; edit it\nnext: muster test FILE.c, or muster ci in a git repository; add .muster to .gitignore; 'muster doctor' says what is missing\n");
	return EXIT_OK;
}
