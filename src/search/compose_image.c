/* compose_image.c: where the global variables of a program are, for places in summaries.
 *
 * Programs are loaded without address randomisation, so an address follows from the symbol table. A name that stands for several variables (static ones of several units) is left out.
 */
#include "search/compose_inside.h"

#include "base/elf.h"
#include "base/file.h"

#include <elf.h>
#include <string.h>

#define IMAGE 0x555555554000ull /* no limit: where programs are loaded */

struct image {
	struct compose *c;
	const Elf64_Sym *symbols;
	size_t count, text_size;
	const char *text;
};

static int take_section(void *ctx, const char *name, const void *contents, size_t size)
{
	struct image *x = ctx;
	if (!strcmp(name, ".symtab"))
		x->symbols = contents, x->count = size / sizeof *x->symbols;
	if (!strcmp(name, ".strtab"))
		x->text = contents, x->text_size = size;
	return 0;
}

/* Names that mean one variable. */
static void add_globals(struct image *x, uint64_t base)
{
	struct strmap seen = {0};
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < x->count && x->text_size; i++) {
			Elf64_Sym e;
			uint64_t n = 0;
			memcpy(&e, &x->symbols[i], sizeof e);
			if (ELF64_ST_TYPE(e.st_info) != STT_OBJECT || e.st_name >= x->text_size || !memchr(x->text + e.st_name, 0, x->text_size - e.st_name))
				continue;
			strmap_get(&seen, x->text + e.st_name, &n);
			if (!round)
				strmap_set(&seen, x->text + e.st_name, n + 1);
			else if (n == 1)
				compose_global(x->c, x->text + e.st_name, base + e.st_value);
			if (base + e.st_value + e.st_size > x->c->image_end)
				x->c->image_end = base + e.st_value + e.st_size;
		}
	strmap_release(&seen);
}

int compose_image(struct compose *c, const char *program)
{
	struct image x = {.c = c};
	struct buf b = {0};
	Elf64_Ehdr head;
	int r = file_read(program, &b);
	if (!r && b.size >= sizeof head && elf_sections(b.data, b.size, take_section, &x) >= 0) {
		memcpy(&head, b.data, sizeof head);
		add_globals(&x, head.e_type == ET_DYN ? IMAGE : 0);
	}
	buf_release(&b);
	return r;
}
