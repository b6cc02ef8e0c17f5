/* shell.c: command lines as text: words with the quotes that a shell needs, and lines split into words again.
 *
 * What shell_word writes, shell_split reads back, whatever bytes the word has: that is how the store keeps commands.
 */
#include "base/shell.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *read_word(const char *p, struct buf *word)
{
	for (; *p && !strchr(" \t\n", *p); p++) {
		if (*p == '\\' && p[1]) {
			buf_addc(word, *++p);
		} else if (*p == '\'' || *p == '"') {
			char quote = *p;

			for (p++; *p && *p != quote; p++) {
				if (quote == '"' && *p == '\\' && p[1])
					p++;
				buf_addc(word, *p);
			}
			if (!*p)
				break;
		} else {
			buf_addc(word, *p);
		}
	}
	return p;
}

void shell_split(struct shell_line *l, const char *line)
{
	struct buf word = {0};

	for (;;) {
		line += strspn(line, " \t\n");
		if (!*line)
			break;
		buf_clear(&word);
		line = read_word(line, &word);
		vec_push(&l->argv, arena_strdup(&l->arena, buf_str(&word)));
	}
	buf_release(&word);
}

void shell_word(struct buf *b, const char *s)
{
	if (*s &&
	    strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,=@%") ==
		strlen(s)) {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	}
	buf_addc(b, '\'');
}

static int has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			return 1;
	return 0;
}

/* $(...) drops line feeds at the end, so that a word that ends in one stands in plain quotes, over two lines. */
void shell_paste(struct buf *b, const char *s)
{
	if (!has_control(s) || s[strlen(s) - 1] == '\n') {
		shell_word(b, s);
		return;
	}
	buf_adds(b, "\"$(printf '%b' '");
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 127)
			buf_addf(b, "\\0%03o", (unsigned char)*s);
		else if (*s == '\\')
			buf_adds(b, "\\\\");
		else if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	}
	buf_adds(b, "')\"");
}

void shell_paste_path(struct buf *b, const char *path)
{
	char *plain = *path == '-' ? mem_printf("./%s", path) : mem_strdup(path);

	shell_paste(b, plain);
	free(plain);
}

void shell_paste_line(struct buf *b, const char *line)
{
	struct shell_line l = {0};

	shell_split(&l, line);
	for (size_t i = 0; i < l.argv.size; i++) {
		if (i)
			buf_addc(b, ' ');
		shell_paste(b, l.argv.data[i]);
	}
	shell_line_release(&l);
}

void shell_line_release(struct shell_line *l)
{
	vec_release(&l->argv);
	arena_release(&l->arena);
}
