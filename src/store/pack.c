/* pack.c: summaries of one function name the same places and have the same shapes, so one of them is a good dictionary for the others (zstd); those of one unit have much in common, too.
 *
 * The first summary of a function is its *base* (BASE_KIND). The others are compressed with the dictionary of the unit, if there was one, and the base after it. The dictionary of a unit is what its first summaries said,
 * made when these have FIRST bytes, and once more when later ones have LATER: values of the store (campaign 0) named `dictionary UNIT 1` and `2`, which never change. A base is compressed with that alone, or not at all.
 * A packed row has the number of the dictionary (0: none) in a byte, and a frame of zstd's without its first four bytes, which are always the same. The frame has the sizes of pre and post, in four bytes each, then all three forms.
 * Bases go when all of their function's go (store_summary_clear).
 */
#include "store/pack.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define FIRST 2048
#define LATER 16384
#define MOST_BYTES (16u << 20) /* of an unpacked row: more is damaged */
#define LEVEL 12
#define MAGIC_BYTES 4

struct pack_unit {
	struct hash128 unit;
	struct buf seen;     /* forms since the last dictionary */
	struct buf bytes[3]; /* dictionaries 1 and 2, those that are there */
	unsigned newest;     /* 0: none */
};

/* The function whose rows were written or read last. */
struct pack_function {
	uint64_t function; /* 0: none */
	struct buf base;   /* its forms; empty: it has none */
	unsigned number;   /* of the dictionary that `to` and `from` begin with */
	ZSTD_CDict *to;
	ZSTD_DDict *from;
};

struct packing {
	VEC(struct pack_unit) units;
	struct pack_function now;
	ZSTD_CCtx *to;
	ZSTD_DCtx *from;
};

static struct packing *packing_of(struct store *s)
{
	if (!s->packing) {
		s->packing = mem_zalloc(sizeof *s->packing);
		s->packing->to = ZSTD_createCCtx();
		s->packing->from = ZSTD_createDCtx();
	}
	return s->packing;
}

static void forget_dictionaries(struct pack_function *f)
{
	ZSTD_freeCDict(f->to);
	ZSTD_freeDDict(f->from);
	f->to = NULL;
	f->from = NULL;
}

void pack_forget(struct store *s)
{
	if (!s->packing)
		return;
	forget_dictionaries(&s->packing->now);
	buf_clear(&s->packing->now.base);
	s->packing->now.function = 0;
}

void packing_free(struct packing *p)
{
	if (!p)
		return;
	forget_dictionaries(&p->now);
	buf_release(&p->now.base);
	for (size_t i = 0; i < p->units.size; i++) {
		buf_release(&p->units.data[i].seen);
		for (unsigned k = 0; k < 3; k++)
			buf_release(&p->units.data[i].bytes[k]);
	}
	vec_release(&p->units);
	ZSTD_freeCCtx(p->to);
	ZSTD_freeDCtx(p->from);
	free(p);
}

/* ------------------------------------------------------------ dictionaries */

/* 1: it is there; 0; -1 with words. */
static int load(struct store *s, struct pack_unit *u, unsigned number)
{
	char name[80], hex[HASH_HEX_SIZE];

	if (!number || u->bytes[number].size)
		return 1;
	snprintf(name, sizeof name, "dictionary %s %u", hash_hex(u->unit, hex), number);
	return store_value_get(s, 0, name, &u->bytes[number]);
}

/* NULL with words. */
static struct pack_unit *unit_of(struct store *s, struct hash128 unit)
{
	struct packing *p = packing_of(s);
	struct pack_unit u = {.unit = unit};
	int there = 1;

	for (size_t i = 0; i < p->units.size; i++)
		if (p->units.data[i].unit.a == unit.a && p->units.data[i].unit.b == unit.b)
			return &p->units.data[i];
	while (u.newest < 2 && (there = load(s, &u, u.newest + 1)) > 0)
		u.newest++;
	vec_push(&p->units, u);
	return there < 0 ? NULL : &vec_last(&p->units);
}

/* What was seen becomes the next dictionary of the unit, unless another process has made one. */
static int make_dictionary(struct store *s, struct pack_unit *u)
{
	char name[80], hex[HASH_HEX_SIZE];
	int there = load(s, u, u->newest + 1);

	snprintf(name, sizeof name, "dictionary %s %u", hash_hex(u->unit, hex), u->newest + 1);
	if (there < 0 || (!there && store_value_set(s, 0, name, u->seen.data, u->seen.size)))
		return -1;
	u->newest++;
	if (!there)
		buf_add(&u->bytes[u->newest], u->seen.data, u->seen.size);
	buf_clear(&u->seen);
	return 0;
}

/* The dictionary and the base, as zstd wants them to compress, or to expand. 0; -1 with words. */
static int ready(struct store *s, struct pack_unit *u, unsigned number, int base, int writes)
{
	struct pack_function *f = &s->packing->now;
	struct buf all = BUF_EMPTY;

	if (number > 2 || load(s, u, number) <= 0)
		return sql_damaged(s, "dictionary %u of a unit is missing", number);
	forget_dictionaries(f);
	f->number = number;
	if (number)
		buf_add(&all, u->bytes[number].data, u->bytes[number].size);
	if (base)
		buf_add(&all, f->base.data, f->base.size);
	if (writes)
		f->to = ZSTD_createCDict(buf_str(&all), all.size, LEVEL);
	else
		f->from = ZSTD_createDDict(buf_str(&all), all.size);
	buf_release(&all);
	return 0;
}

/* ------------------------------------------------------------------ rows */

static void put_u32(struct buf *out, uint64_t v)
{
	for (unsigned i = 0; i < 4; i++)
		buf_addc(out, (char)(v >> (8 * i)));
}

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void join_forms(const struct store_summary *m, struct buf *out)
{
	put_u32(out, m->pre_size);
	put_u32(out, m->post_size);
	buf_add(out, m->pre, m->pre_size);
	buf_add(out, m->post, m->post_size);
	buf_add(out, m->support, m->support_size);
}

static int compress(struct packing *p, const struct buf *whole, size_t raw, struct buf *out)
{
	size_t room = ZSTD_compressBound(whole->size);
	char *frame = mem_alloc(room);
	size_t n = ZSTD_compress_usingCDict(p->to, frame, room, whole->data, whole->size, p->now.to);
	int smaller = !ZSTD_isError(n) && n < raw;

	if (smaller) {
		buf_addc(out, (char)p->now.number);
		buf_add(out, frame + MAGIC_BYTES, n - MAGIC_BYTES);
	}
	free(frame);
	return smaller;
}

static int expand(struct store *s, const uint8_t *bytes, size_t size, struct buf *out)
{
	static const uint8_t magic[MAGIC_BYTES] = {0x28, 0xb5, 0x2f, 0xfd};
	struct packing *p = packing_of(s);
	struct buf frame = BUF_EMPTY;

	buf_clear(out);
	buf_add(&frame, magic, sizeof magic);
	buf_add(&frame, bytes, size);
	unsigned long long n = ZSTD_getFrameContentSize(frame.data, frame.size);
	if (n >= 8 && n <= MOST_BYTES) {
		buf_reserve(out, (size_t)n);
		size_t got = ZSTD_decompress_usingDDict(p->from, out->data, (size_t)n, frame.data, frame.size, p->now.from);
		out->size = ZSTD_isError(got) ? 0 : got;
	}
	buf_release(&frame);
	return out->size >= 8 ? 0 : sql_damaged(s, "the formulas of a summary cannot be unpacked");
}

static int split_forms(struct store *s, struct store_summary *m, const struct buf *whole)
{
	const uint8_t *w = (const uint8_t *)whole->data;
	size_t rest = whole->size - 8;

	m->pre_size = get_u32(w), m->post_size = get_u32(w + 4);
	if (m->pre_size > rest || m->post_size > rest - m->pre_size)
		return sql_damaged(s, "the formulas of a summary have other sizes than it says");
	m->support_size = rest - m->pre_size - m->post_size;
	m->pre = w + 8, m->post = w + 8 + m->pre_size, m->support = w + 8 + m->pre_size + m->post_size;
	return 0;
}

/* ------------------------------------------------------------------ bases */

/* The base of a function, from the store. 0; -1 with words. */
static int find_base(struct store *s, struct pack_unit *u, uint64_t function)
{
	struct pack_function *f = &packing_of(s)->now;
	struct store_summary m = {0};
	int e = 0;

	if (f->function == function)
		return 0;
	pack_forget(s);
	sqlite3_stmt *st = sql_query(s, SQL_SUMMARY_BASE, "i", SQL_INT(function));
	int row = st ? sql_step(s, st) : -1;
	if (row < 0)
		return -1;
	if (row) {
		int packed = (sqlite3_column_int64(st, 0) & PACK_KIND) != 0;
		struct buf data = BUF_EMPTY;
		m.pre_size = (size_t)sqlite3_column_bytes(st, 1), m.post_size = (size_t)sqlite3_column_bytes(st, 2), m.support_size = (size_t)sqlite3_column_bytes(st, 3);
		m.pre = m.pre_size ? sqlite3_column_blob(st, 1) : "", m.post = m.post_size ? sqlite3_column_blob(st, 2) : "";
		m.support = m.support_size ? sqlite3_column_blob(st, 3) : "";
		if (!packed)
			join_forms(&m, &f->base);
		else
			buf_add(&data, m.pre, m.pre_size);
		sql_end(st);
		if (packed)
			e = data.size < 2 ? sql_damaged(s, "a summary has %zu bytes", data.size)
					  : ready(s, u, (uint8_t)data.data[0], 0, 0) || expand(s, (const uint8_t *)data.data + 1, data.size - 1, &f->base) ? -1 : 0;
		forget_dictionaries(f);
		buf_release(&data);
	}
	f->function = e ? 0 : function;
	return e;
}

int pack_summary(struct store *s, struct hash128 unit, const struct store_summary *m, struct buf *out, int *base)
{
	struct packing *p = packing_of(s);
	struct pack_unit *u = unit_of(s, unit);
	struct buf whole = BUF_EMPTY;
	size_t raw = m->pre_size + m->post_size + m->support_size;
	int packed = 0;

	*base = 0;
	if (!u || find_base(s, u, m->function))
		return -1;
	if (raw > MOST_BYTES / 2)
		return 0;
	join_forms(m, &whole);
	*base = !p->now.base.size;
	if (*base) {
		packed = !u->newest ? 0 : ready(s, u, u->newest, 0, 1) ? -1 : compress(p, &whole, raw, out);
		forget_dictionaries(&p->now);
		buf_add(&p->now.base, whole.data, whole.size);
	} else {
		packed = (!p->now.to || p->now.number != u->newest) && ready(s, u, u->newest, 1, 1) ? -1 : compress(p, &whole, raw, out);
	}
	if (u->newest < 2)
		buf_add(&u->seen, whole.data, whole.size);
	if (packed >= 0 && u->newest < 2 && u->seen.size >= (u->newest ? LATER : FIRST) && make_dictionary(s, u))
		packed = -1;
	buf_release(&whole);
	return packed;
}

int unpack_summary(struct store *s, struct hash128 unit, int base, struct store_summary *m, struct buf *out)
{
	struct pack_function *f = &packing_of(s)->now;
	struct pack_unit *u = unit_of(s, unit);
	const uint8_t *bytes = m->pre;

	if (!u || find_base(s, u, m->function))
		return -1;
	if (m->pre_size < 2)
		return sql_damaged(s, "a summary has %zu bytes", m->pre_size);
	if (base) {
		buf_clear(out);
		buf_add(out, f->base.data, f->base.size);
	} else if (((!f->from || f->number != bytes[0]) && ready(s, u, bytes[0], 1, 0)) || expand(s, bytes + 1, m->pre_size - 1, out)) {
		return -1;
	}
	return out->size < 8 ? sql_damaged(s, "a function has no first summary") : split_forms(s, m, out);
}
