/* initial.c: what global variables have in them when the program starts, from the program's file.
 *
 * The roots of the table are looked up by name in the symbol table, and their bytes in the section
 * that the symbol lies in; what has no bytes in the file (.bss) is zero. Only what is unambiguous
 * counts: two symbols of one name give nothing. Bytes that the loader fills in (addresses) belong
 * to pointers, which nobody asks about.
 *
 * Constructors run before the first call, and may write any of them: where the program has one, beside what the
 * C runtime puts into every program, nothing is known.
 */
#include "base/error.h"
#include "base/file.h"
#include "harness/harness.h"

#include <elf.h>
#include <string.h>

struct file {
	const uint8_t *data;
	size_t size;
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections;
};

static int inside(const struct file *f, uint64_t at, uint64_t n)
{
	return at <= f->size && n <= f->size - at;
}

static int open_file(struct file *f, const struct buf *b)
{
	f->data = (const uint8_t *)b->data;
	f->size = b->size;
	f->header = (const Elf64_Ehdr *)f->data;
	if (f->size < sizeof *f->header || memcmp(f->header->e_ident, ELFMAG, SELFMAG) ||
	    f->header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    f->header->e_shentsize != sizeof *f->sections ||
	    !inside(f, f->header->e_shoff, (uint64_t)f->header->e_shnum * sizeof *f->sections))
		return error_set("no 64-bit ELF file");
	f->sections = (const Elf64_Shdr *)(f->data + f->header->e_shoff);
	return 0;
}

/* The bytes of a variable, in the arena; NULL: not known. */
static const uint8_t *bytes_of(const struct file *f, const Elf64_Sym *s, uint64_t size,
			       struct arena *arena)
{
	const Elf64_Shdr *at =
	    s->st_shndx && s->st_shndx < f->header->e_shnum ? &f->sections[s->st_shndx] : NULL;
	uint64_t offset;

	if (!at || s->st_size != size || s->st_value < at->sh_addr ||
	    s->st_value - at->sh_addr > at->sh_size ||
	    size > at->sh_size - (s->st_value - at->sh_addr))
		return NULL;
	if (at->sh_type == SHT_NOBITS)
		return arena_alloc(arena, size);
	offset = at->sh_offset + (s->st_value - at->sh_addr);
	return inside(f, offset, size) ? arena_copy(arena, f->data + offset, size) : NULL;
}

/* Is it the function that the C runtime has in every program? */
static int is_usual(const struct file *f, const Elf64_Shdr *table, uint64_t address)
{
	const Elf64_Sym *symbols = (const Elf64_Sym *)(f->data + table->sh_offset);
	const Elf64_Shdr *strings = table->sh_link < f->header->e_shnum ? &f->sections[table->sh_link] : NULL;

	if (!strings || !inside(f, table->sh_offset, table->sh_size) || !inside(f, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
	    f->data[strings->sh_offset + strings->sh_size - 1])
		return 0;
	for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++)
		if (symbols[i].st_value == address && symbols[i].st_name < strings->sh_size &&
		    !strcmp((const char *)f->data + strings->sh_offset + symbols[i].st_name, "frame_dummy"))
			return 1;
	return 0;
}

/* What the loader puts at the address; what stands there already, if it puts nothing. */
static uint64_t word_at(const struct file *f, uint64_t address, uint64_t there)
{
	for (unsigned i = 0; i < f->header->e_shnum; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		const Elf64_Rela *r = (const Elf64_Rela *)(f->data + s->sh_offset);

		if (s->sh_type != SHT_RELA || !inside(f, s->sh_offset, s->sh_size))
			continue;
		for (uint64_t k = 0; k < s->sh_size / sizeof *r; k++)
			if (r[k].r_offset == address)
				return ELF64_R_TYPE(r[k].r_info) == R_X86_64_RELATIVE ? (uint64_t)r[k].r_addend : 0;
	}
	return there;
}

/* Does code of the unit run before main? */
static int has_constructors(const struct file *f, const Elf64_Shdr *table)
{
	for (unsigned i = 0; i < f->header->e_shnum; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type == SHT_PREINIT_ARRAY && s->sh_size)
			return 1;
		if (s->sh_type != SHT_INIT_ARRAY)
			continue;
		for (uint64_t k = 0; k + 8 <= s->sh_size; k += 8) {
			uint64_t there = 0;
			if (inside(f, s->sh_offset + k, 8))
				memcpy(&there, f->data + s->sh_offset + k, 8);
			if (!is_usual(f, table, word_at(f, s->sh_addr + k, there)))
				return 1;
		}
	}
	return 0;
}

/* Names of variables to symbols: 1 + number; 0: there are several. */
static void read_symbols(const struct file *f, const Elf64_Shdr *table, struct strmap *names)
{
	const Elf64_Sym *symbols = (const Elf64_Sym *)(f->data + table->sh_offset);
	const Elf64_Shdr *strings =
	    table->sh_link < f->header->e_shnum ? &f->sections[table->sh_link] : NULL;
	const char *text;

	if (!strings || !inside(f, table->sh_offset, table->sh_size) ||
	    !inside(f, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
	    f->data[strings->sh_offset + strings->sh_size - 1])
		return;
	text = (const char *)f->data + strings->sh_offset;
	for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_OBJECT ||
		    symbols[i].st_name >= strings->sh_size)
			continue;
		if (strmap_get(names, text + symbols[i].st_name, NULL))
			strmap_set(names, text + symbols[i].st_name, 0);
		else
			strmap_set(names, text + symbols[i].st_name, i + 1);
	}
}

static void fill(struct harness *h, const struct file *f, const Elf64_Shdr *table,
		 const struct strmap *names)
{
	const Elf64_Sym *symbols = (const Elf64_Sym *)(f->data + table->sh_offset);
	struct map done = {0}; /* global to bytes: a variable is a root of many functions */

	for (size_t i = 0; i < h->roots.size; i++) {
		const struct drive_root *root = &h->roots.data[i];
		uint64_t symbol, bytes = 0;

		if (root->flags & DRIVE_GLOBAL && !map_get(&done, h->root_front.data[i], &bytes)) {
			if (strmap_get(names, h->root_names.data[i], &symbol) && symbol)
				bytes = (uint64_t)(uintptr_t)bytes_of(
				    f, &symbols[symbol - 1], h->types.data[root->type].size,
				    &h->arena);
			map_set(&done, h->root_front.data[i], bytes);
		}
		vec_push(&h->root_initial, (const uint8_t *)(uintptr_t)bytes);
	}
	map_release(&done);
}

/* The table of symbols of a program in which nothing runs before main; NULL: there is none. */
static const Elf64_Shdr *symbol_table(const struct file *f)
{
	for (unsigned i = 0; i < f->header->e_shnum; i++)
		if (f->sections[i].sh_type == SHT_SYMTAB)
			return has_constructors(f, &f->sections[i]) ? NULL : &f->sections[i];
	return NULL;
}

int harness_initial(struct harness *h, const char *program)
{
	struct buf b = {0};
	struct strmap names = {0};
	struct file f;
	int e = file_read(program, &b) || open_file(&f, &b) ? -1 : 0;
	const Elf64_Shdr *table = e ? NULL : symbol_table(&f);

	vec_clear(&h->root_initial);
	if (table) {
		read_symbols(&f, table, &names);
		fill(h, &f, table, &names);
	}
	strmap_release(&names);
	buf_release(&b);
	return e ? error_wrap("the first values of variables cannot be read from '%s'", program)
		 : 0;
}

/* Does the loader fill in one of these bytes? */
static int is_relocated(const struct file *f, uint64_t address, size_t bytes)
{
	for (unsigned i = 0; i < f->header->e_shnum; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		const Elf64_Rela *r = (const Elf64_Rela *)(f->data + s->sh_offset);

		if (s->sh_type == SHT_REL || s->sh_type == SHT_RELR || (s->sh_type == SHT_RELA && !inside(f, s->sh_offset, s->sh_size)))
			return 1;
		for (uint64_t k = 0; s->sh_type == SHT_RELA && k < s->sh_size / sizeof *r; k++)
			if (r[k].r_offset < address + bytes && address < r[k].r_offset + 8)
				return 1;
	}
	return 0;
}

int harness_first_bytes(const char *program, const char *name, uint64_t offset, uint8_t *out, size_t bytes)
{
	struct buf b = {0};
	struct strmap names = {0};
	struct arena arena = {0};
	struct file f;
	int known = 0;
	const Elf64_Shdr *table = file_read(program, &b) || open_file(&f, &b) ? NULL : symbol_table(&f);
	uint64_t number = 0;

	if (table)
		read_symbols(&f, table, &names);
	if (strmap_get(&names, name, &number) && number) {
		const Elf64_Sym *s = &((const Elf64_Sym *)(f.data + table->sh_offset))[number - 1];
		const uint8_t *all = bytes_of(&f, s, s->st_size, &arena);
		known = all && offset <= s->st_size && bytes <= s->st_size - offset && !is_relocated(&f, s->st_value + offset, bytes);
		if (known)
			memcpy(out, all + offset, bytes);
	}
	strmap_release(&names);
	arena_release(&arena);
	buf_release(&b);
	return known;
}
