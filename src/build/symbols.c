/* symbols.c: symbol tables and dynamic sections, read without trust in the file:
 * every table is checked against the file's size, every name against its table. */
#include "build/symbols.h"

#include <elf.h>
#include <string.h>

struct view {
	const char *data;
	size_t size;
	Elf64_Ehdr header;
	uint64_t sections;
};

static int inside(const struct view *v, uint64_t offset, uint64_t size)
{
	return offset <= v->size && size <= v->size - offset;
}

static int section(const struct view *v, uint64_t i, Elf64_Shdr *s)
{
	if (i >= v->sections)
		return 0;
	memcpy(s, v->data + v->header.e_shoff + i * sizeof *s, sizeof *s);
	return s->sh_type == SHT_NOBITS || inside(v, s->sh_offset, s->sh_size);
}

static int view_init(struct view *v, const void *file, size_t size)
{
	Elf64_Shdr first;

	*v = (struct view){.data = file, .size = size};
	if (size < sizeof v->header || memcmp(file, ELFMAG, SELFMAG))
		return 0;
	memcpy(&v->header, file, sizeof v->header);
	if (v->header.e_ident[EI_CLASS] != ELFCLASS64 || v->header.e_machine != EM_X86_64)
		return 0;
	if (!v->header.e_shoff || v->header.e_shentsize != sizeof first)
		return 1;
	if (!inside(v, v->header.e_shoff, sizeof first))
		return 0;
	memcpy(&first, v->data + v->header.e_shoff, sizeof first);
	v->sections = v->header.e_shnum ? v->header.e_shnum : first.sh_size;
	return v->sections <= size / sizeof first &&
	       inside(v, v->header.e_shoff, v->sections * sizeof first);
}

static const char *name_at(const struct view *v, const Elf64_Shdr *strings, uint64_t offset)
{
	const char *table = v->data + strings->sh_offset;

	if (strings->sh_type == SHT_NOBITS || offset >= strings->sh_size ||
	    !memchr(table + offset, 0, strings->sh_size - offset))
		return "";
	return table + offset;
}

void symbols_defined(const void *object, size_t size, struct strmap *out)
{
	struct view v;
	Elf64_Shdr s, strings;

	if (!view_init(&v, object, size))
		return;
	for (uint64_t i = 0; i < v.sections; i++) {
		if (!section(&v, i, &s) || s.sh_type != SHT_SYMTAB ||
		    !section(&v, s.sh_link, &strings))
			continue;
		for (uint64_t n = 1; n < s.sh_size / sizeof(Elf64_Sym); n++) {
			Elf64_Sym sym;
			const char *name;

			memcpy(&sym, v.data + s.sh_offset + n * sizeof sym, sizeof sym);
			if (sym.st_shndx == SHN_UNDEF || ELF64_ST_BIND(sym.st_info) == STB_LOCAL)
				continue;
			name = name_at(&v, &strings, sym.st_name);
			if (*name)
				strmap_set(out, name, 1);
		}
	}
}

void symbols_dynamic(const void *file, size_t size,
		     void (*f)(void *ctx, long tag, const char *text), void *ctx)
{
	struct view v;
	Elf64_Shdr s, strings;

	if (!view_init(&v, file, size))
		return;
	for (uint64_t i = 0; i < v.sections; i++) {
		if (!section(&v, i, &s) || s.sh_type != SHT_DYNAMIC ||
		    !section(&v, s.sh_link, &strings))
			continue;
		for (uint64_t n = 0; n < s.sh_size / sizeof(Elf64_Dyn); n++) {
			Elf64_Dyn d;

			memcpy(&d, v.data + s.sh_offset + n * sizeof d, sizeof d);
			if (d.d_tag == DT_NEEDED || d.d_tag == DT_SONAME || d.d_tag == DT_RPATH ||
			    d.d_tag == DT_RUNPATH)
				f(ctx, d.d_tag, name_at(&v, &strings, d.d_un.d_val));
		}
	}
}

int symbols_type(const void *file, size_t size)
{
	struct view v;

	return view_init(&v, file, size) ? v.header.e_type : 0;
}
