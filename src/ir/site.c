/* site.c: reading site tables.
 *
 * A section holds one frame for each unit, concatenated by the linker, perhaps
 * with padding between them; a frame is found by its magic. When it is added, its
 * counts are checked against its length and its contents against its hash, so
 * every record lies inside the frame; offsets inside records are checked when they
 * are followed. Records are sorted by ordinal, so a lookup is two binary searches:
 * the site, and the function whose range holds it. Fields are copied out rather
 * than pointed at, since nothing aligns a section in a file.
 */
#include "ir/site.h"

#include "base/elf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "ir/site_format.h"
#include "muster/abi.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *site_kind_text(enum site_kind kind)
{
	static const char *const texts[] = {
#define X(name, text) text,
	    SITE_KINDS(X)
#undef X
	};

	return (unsigned)kind < SITE_KIND_COUNT ? texts[kind] : "unknown";
}

void site_tables_release(struct site_tables *t)
{
	for (size_t i = 0; i < t->file_count; i++)
		munmap(t->files[i].data, t->files[i].size);
	free(t->files);
	free(t->tables);
	memset(t, 0, sizeof *t);
}

static const char *string_at(const struct site_table *t, uint32_t offset)
{
	return offset < t->strings ? (const char *)t->base + t->string_at + offset : "";
}

/* First of `count` tables whose unit is not below. */
static size_t lower_bound(const struct site_tables *t, uint32_t unit)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->tables[middle].unit < unit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct site_table *site_tables_find(const struct site_tables *t, uint32_t unit)
{
	size_t i = lower_bound(t, unit);

	return i < t->count && t->tables[i].unit == unit ? &t->tables[i] : NULL;
}

static void insert(struct site_tables *t, const struct site_table *table)
{
	size_t i = lower_bound(t, table->unit);
	struct site_table *grown;

	if (i < t->count && t->tables[i].unit == table->unit)
		return;
	grown = mem_realloc(t->tables, t->count + 1, sizeof *grown);
	t->tables = grown;
	memmove(grown + i + 1, grown + i, (t->count - i) * sizeof *grown);
	grown[i] = *table;
	t->count++;
}

/* Fills in where the arrays stand; -1 if they do not fit the frame. */
static int lay_out(struct site_table *t, const struct site_header *h)
{
	uint64_t at = sizeof *h;

	t->case_at = at;
	at += h->cases * (uint64_t)sizeof(uint64_t);
	t->site_at = at;
	at += h->sites * (uint64_t)sizeof(struct site_record);
	t->function_at = at;
	at += h->functions * (uint64_t)sizeof(struct site_function_record);
	t->decision_at = at;
	at += h->decisions * (uint64_t)sizeof(struct site_decision_record);
	t->file_at = at;
	at += h->files * (uint64_t)sizeof(struct site_file_record);
	t->string_at = at;
	at += h->strings;
	return at > h->length || !h->strings || t->base[at - 1] ? -1 : 0;
}

static int read_frame(const unsigned char *p, size_t size, struct site_table *t, size_t *length)
{
	struct site_header h;
	struct site_decision last;

	if (size < sizeof h)
		return error_set("a site table is cut off in its header");
	memcpy(&h, p, sizeof h);
	if (h.version != SITE_VERSION)
		return error_set("a site table has version %u; this program reads version %u: "
				 "rebuild the variant",
				 h.version, SITE_VERSION);
	if (h.length < sizeof h || h.length > size || h.length % 8)
		return error_set("the site table of unit %08x is cut off", h.unit);
	if (hash64(p + sizeof h, h.length - sizeof h, h.unit) != h.hash)
		return error_set("the site table of unit %08x is damaged", h.unit);
	memset(t, 0, sizeof *t);
	t->base = p;
	if (lay_out(t, &h))
		return error_set("the site table of unit %08x contradicts itself", h.unit);
	t->unit = h.unit;
	t->instructions = h.instructions;
	t->cases = h.cases;
	t->sites = h.sites;
	t->functions = h.functions;
	t->decisions = h.decisions;
	t->files = h.files;
	t->strings = h.strings;
	t->source = string_at(t, h.source);
	if (t->decisions && site_table_decision(t, t->decisions - 1, &last))
		t->outcomes = last.first_outcome + (last.check ? 0 : last.outcomes);
	*length = h.length;
	return 0;
}

int site_tables_add(struct site_tables *t, const void *section, size_t size)
{
	const unsigned char *p = section, *end = p + size;
	int added = 0;

	while (p < end && (p = memmem(p, (size_t)(end - p), SITE_MAGIC, 8))) {
		struct site_table table;
		size_t length;

		if (read_frame(p, (size_t)(end - p), &table, &length))
			return -1;
		insert(t, &table);
		added++;
		p += length;
	}
	return added;
}

struct add {
	struct site_tables *t;
	int added;
};

static int add_section(void *ctx, const char *name, const void *data, size_t size)
{
	struct add *a = ctx;
	int n;

	if (strcmp(name, MUSTER_SITES_SECTION))
		return 0;
	n = site_tables_add(a->t, data, size);
	if (n < 0)
		return -1;
	a->added += n;
	return 0;
}

static int map_file(const char *path, struct site_file *f)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set("%s: cannot open it: %m", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return error_set("%s: not an ELF file", path);
	}
	f->size = (size_t)st.st_size;
	f->data = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (f->data == MAP_FAILED)
		return error_set("%s: cannot map it: %m", path);
	return 0;
}

int site_tables_add_elf(struct site_tables *t, const char *path)
{
	struct add a = {t, 0};
	struct site_file f;

	if (map_file(path, &f))
		return -1;
	t->files = mem_realloc(t->files, t->file_count + 1, sizeof *t->files);
	t->files[t->file_count++] = f;
	if (elf_sections(f.data, f.size, add_section, &a))
		return error_wrap("%s", path);
	return a.added;
}

/* Sites, functions and decisions are sorted by their first field or `first`: the
 * last of n records of `size` bytes whose key at `key` is not above index, or -1. */
static int64_t search(const unsigned char *records, uint32_t n, size_t size, size_t key,
		      uint32_t index)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, found;

		memcpy(&found, records + middle * size + key, sizeof found);
		if (found <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low - 1;
}

static void file_of(const struct site_table *t, uint32_t file, const char **name,
		    const char **directory)
{
	struct site_file_record r = {0, 0};

	if (file < t->files)
		memcpy(&r, t->base + t->file_at + file * sizeof r, sizeof r);
	*name = string_at(t, r.name);
	*directory = string_at(t, r.directory);
}

int site_table_function(const struct site_table *t, uint32_t i, struct site_function *out)
{
	struct site_function_record r;

	if (i >= t->functions)
		return 0;
	memcpy(&r, t->base + t->function_at + i * sizeof r, sizeof r);
	out->unit = t->unit;
	out->name = string_at(t, r.name);
	file_of(t, r.file, &out->file, &out->directory);
	out->line = r.line;
	out->first = r.first;
	out->count = r.count;
	out->first_decision = r.first_decision;
	out->decisions = r.decisions;
	out->internal = r.flags & 1;
	return r.first_decision <= t->decisions && r.decisions <= t->decisions - r.first_decision;
}

int site_table_decision(const struct site_table *t, uint32_t i, struct site_decision *out)
{
	struct site_decision_record r;

	if (i >= t->decisions)
		return 0;
	memcpy(&r, t->base + t->decision_at + i * sizeof r, sizeof r);
	out->index = r.index;
	out->outcomes = r.outcomes;
	out->first_outcome = r.first_outcome;
	out->check = (r.flags & SITE_CHECK) != 0;
	out->fails = r.flags & SITE_FAILS_0   ? 0
		     : r.flags & SITE_FAILS_1 ? 1
					      : SITE_NO_OUTCOME;
	out->checker = r.flags >> SITE_CHECKER_SHIFT & 0xff;
	if (out->checker >= MUSTER_CHECK_COUNT)
		out->checker = MUSTER_CHECK_NONE;
	return 1;
}

int64_t site_table_decision_at(const struct site_table *t, uint32_t index)
{
	struct site_decision d;
	int64_t i =
	    search(t->base + t->decision_at, t->decisions, sizeof(struct site_decision_record),
		   offsetof(struct site_decision_record, index), index);

	return i >= 0 && site_table_decision(t, (uint32_t)i, &d) && d.index == index ? i : -1;
}

int site_table_case(const struct site_table *t, uint32_t decision, uint32_t outcome,
		    uint64_t *value)
{
	struct site_decision_record r;
	uint64_t at;

	if (decision >= t->decisions)
		return 0;
	memcpy(&r, t->base + t->decision_at + decision * sizeof r, sizeof r);
	if (r.first_case == SITE_NO_CASES || !outcome || outcome >= r.outcomes)
		return 0;
	at = (uint64_t)r.first_case + outcome - 1;
	if (at >= t->cases)
		return 0;
	memcpy(value, t->base + t->case_at + at * sizeof *value, sizeof *value);
	return 1;
}

/* Functions have at least one instruction, so that only the last one not
 * above can hold the index. */
static int function_of(const struct site_table *t, uint32_t index, struct site_function *out)
{
	int64_t i =
	    search(t->base + t->function_at, t->functions, sizeof(struct site_function_record),
		   offsetof(struct site_function_record, first), index);

	return i >= 0 && site_table_function(t, (uint32_t)i, out) && index - out->first < out->count;
}

int site_find_function(const struct site_tables *t, uint32_t unit, uint32_t index, struct site_function *out)
{
	const struct site_table *table = site_tables_find(t, unit);

	return table && function_of(table, index, out);
}

static void fill_function(const struct site_table *t, uint32_t index, struct site *out)
{
	struct site_function f;

	if (function_of(t, index, &f)) {
		out->function = f.name;
		out->file = f.file;
		out->directory = f.directory;
	}
}

int site_table_site(const struct site_table *t, uint32_t i, struct site *out)
{
	struct site_record r;
	struct site_decision d;
	int64_t decision;

	*out =
	    (struct site){.unit = t->unit, .file = "", .directory = "", .function = "", .what = ""};
	if (i >= t->sites)
		return 0;
	memcpy(&r, t->base + t->site_at + i * sizeof r, sizeof r);
	out->index = r.index;
	fill_function(t, r.index, out);
	out->kind = (uint8_t)r.line_kind < SITE_KIND_COUNT ? (uint8_t)r.line_kind : SITE_OTHER;
	out->line = r.line_kind >> 8;
	out->column = r.column;
	if (r.file)
		file_of(t, r.file, &out->file, &out->directory);
	out->what = string_at(t, r.what);
	decision = site_table_decision_at(t, r.index);
	if (decision >= 0 && site_table_decision(t, (uint32_t)decision, &d))
		out->outcomes = d.outcomes, out->check = d.check, out->checker = d.checker;
	return 1;
}

int site_find(const struct site_tables *t, uint32_t unit, uint32_t index, struct site *out)
{
	const struct site_table *table = site_tables_find(t, unit);
	int64_t i;

	*out = (struct site){
	    .unit = unit, .index = index, .file = "", .directory = "", .function = "", .what = ""};
	if (!table)
		return 0;
	i = search(table->base + table->site_at, table->sites, sizeof(struct site_record),
		   offsetof(struct site_record, index), index);
	if (i >= 0 && site_table_site(table, (uint32_t)i, out) && out->index == index)
		return 1;
	*out = (struct site){
	    .unit = unit, .index = index, .file = "", .directory = "", .function = "", .what = ""};
	fill_function(table, index, out);
	return 0;
}
