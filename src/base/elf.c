/* elf.c: walking the sections of an ELF file, and adding one.
 *
 * Every offset is checked against the file's size before it is used, and headers
 * are copied out because nothing aligns them. A section is added by appending its
 * contents, a new section-name table and a new header table to the file: nothing
 * that stands in it moves, so no offset needs mending but the header's three. The
 * old tables stay behind as unused bytes.
 */
#include "base/elf.h"

#include "base/buf.h"
#include "base/error.h"

#include <elf.h>
#include <string.h>

struct layout {
	Elf64_Ehdr header;
	uint64_t count; /* sections */
	uint64_t names; /* number of the section with the names */
	Elf64_Shdr name_table;
};

static int inside(uint64_t offset, uint64_t length, size_t size)
{
	return offset <= size && length <= size - offset;
}

static void header_at(const void *data, const struct layout *l, uint64_t i, Elf64_Shdr *out)
{
	memcpy(out, (const char *)data + l->header.e_shoff + i * sizeof *out, sizeof *out);
}

static int lay_out(const void *data, size_t size, struct layout *l)
{
	Elf64_Ehdr *h = &l->header;
	Elf64_Shdr first;

	memset(l, 0, sizeof *l);
	if (size < sizeof *h || memcmp(data, ELFMAG, SELFMAG))
		return error_set("not an ELF file");
	memcpy(h, data, sizeof *h);
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set("an ELF file, but not a 64-bit little-endian one");
	if (!h->e_shoff)
		return 0;
	if (h->e_shentsize != sizeof first || !inside(h->e_shoff, sizeof first, size))
		return error_set("an ELF file with a damaged section table");
	l->count = 1;
	header_at(data, l, 0, &first);
	l->count = h->e_shnum ? h->e_shnum : first.sh_size;
	l->names = h->e_shstrndx == SHN_XINDEX ? first.sh_link : h->e_shstrndx;
	if (l->count > size / sizeof first || !inside(h->e_shoff, l->count * sizeof first, size) ||
	    l->names >= l->count)
		return error_set("an ELF file with a damaged section table");
	header_at(data, l, l->names, &l->name_table);
	if (l->name_table.sh_type == SHT_NOBITS ||
	    !inside(l->name_table.sh_offset, l->name_table.sh_size, size))
		return error_set("an ELF file with damaged section names");
	return 0;
}

static const char *name_of(const void *data, const struct layout *l, const Elf64_Shdr *s)
{
	const char *names = (const char *)data + l->name_table.sh_offset;
	uint64_t size = l->name_table.sh_size;

	if (s->sh_name >= size || !memchr(names + s->sh_name, 0, size - s->sh_name))
		return "";
	return names + s->sh_name;
}

int elf_sections(const void *data, size_t size,
		 int (*f)(void *ctx, const char *name, const void *contents, size_t size),
		 void *ctx)
{
	struct layout l;

	if (lay_out(data, size, &l))
		return -1;
	for (uint64_t i = 1; i < l.count; i++) {
		Elf64_Shdr s;
		int result;

		header_at(data, &l, i, &s);
		if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL)
			continue;
		if (!inside(s.sh_offset, s.sh_size, size))
			return error_set("an ELF file that is cut off");
		result = f(ctx, name_of(data, &l, &s), (const char *)data + s.sh_offset, s.sh_size);
		if (result)
			return result;
	}
	return 0;
}

static void align_to(struct buf *b, size_t align)
{
	while (b->size % align)
		buf_add(b, "", 1);
}

int elf_add_section(struct buf *object, const char *name, const void *contents, size_t size,
		    uint64_t align)
{
	struct layout l;
	Elf64_Shdr added = {.sh_type = SHT_PROGBITS, .sh_size = size, .sh_addralign = align};
	struct buf old;

	if (lay_out(object->data, object->size, &l))
		return -1;
	if (!l.count || l.count + 1 >= SHN_LORESERVE)
		return error_set("the object has %s",
				 l.count ? "too many sections" : "no sections");
	/* Growing the buffer moves what the tables are copied from. */
	buf_init(&old);
	buf_add(&old, object->data, object->size);
	align_to(object, align);
	added.sh_offset = object->size;
	buf_add(object, contents, size);
	added.sh_name = (uint32_t)l.name_table.sh_size;
	l.header.e_shnum = (uint16_t)(l.count + 1);
	uint64_t names_at = object->size;
	buf_add(object, old.data + l.name_table.sh_offset, l.name_table.sh_size);
	buf_add(object, name, strlen(name) + 1);
	l.name_table.sh_offset = names_at;
	l.name_table.sh_size += strlen(name) + 1;
	align_to(object, 8);
	uint64_t table_at = object->size;
	buf_add(object, old.data + l.header.e_shoff, l.count * sizeof added);
	buf_add(object, &added, sizeof added);
	memcpy(object->data + table_at + l.names * sizeof added, &l.name_table, sizeof added);
	l.header.e_shoff = table_at;
	memcpy(object->data, &l.header, sizeof l.header);
	buf_release(&old);
	return 0;
}
