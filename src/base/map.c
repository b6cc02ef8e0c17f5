/* map.c: open addressing with linear probing, at most three quarters full.
 *
 * Nothing is ever deleted, so a probe may stop at the first free slot. Keys are
 * mixed before use: consecutive integers would otherwise make long runs when
 * they are multiples of a power of two.
 */
#include "base/map.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static size_t map_slot(const struct map *m, uint64_t key)
{
	size_t i = hash_mix(key) & (m->cap - 1);

	while (m->used[i] && m->entries[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void map_grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? 2 * old.cap : 16;
	m->entries = mem_realloc(NULL, m->cap, sizeof *m->entries);
	m->used = mem_zalloc(m->cap);
	for (size_t i = 0; i < old.cap; i++) {
		if (old.used[i]) {
			size_t at = map_slot(m, old.entries[i].key);

			m->used[at] = 1;
			m->entries[at] = old.entries[i];
		}
	}
	free(old.entries);
	free(old.used);
}

void map_release(struct map *m)
{
	free(m->entries);
	free(m->used);
	*m = (struct map){0};
}

void map_clear(struct map *m)
{
	if (m->cap)
		memset(m->used, 0, m->cap);
	m->size = 0;
}

int map_get(const struct map *m, uint64_t key, uint64_t *value)
{
	size_t i;

	if (!m->cap)
		return 0;
	i = map_slot(m, key);
	if (m->used[i] && value)
		*value = m->entries[i].value;
	return m->used[i];
}

int map_set(struct map *m, uint64_t key, uint64_t value)
{
	size_t i;
	int fresh;

	if (m->size + 1 > m->cap / 4 * 3)
		map_grow(m);
	i = map_slot(m, key);
	fresh = !m->used[i];
	m->used[i] = 1;
	m->entries[i].key = key;
	m->entries[i].value = value;
	m->size += fresh;
	return fresh;
}

int map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t *value)
{
	for (; *at < m->cap; ++*at) {
		if (m->used[*at]) {
			*key = m->entries[*at].key;
			*value = m->entries[*at].value;
			++*at;
			return 1;
		}
	}
	return 0;
}

static size_t strmap_slot(const struct strmap *m, const char *key, uint64_t hash)
{
	size_t i = hash & (m->cap - 1);

	while (m->entries[i].key && (m->entries[i].hash != hash || strcmp(m->entries[i].key, key)))
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void strmap_grow(struct strmap *m)
{
	struct strmap old = *m;

	m->cap = old.cap ? 2 * old.cap : 16;
	m->entries = mem_zalloc(m->cap * sizeof *m->entries);
	for (size_t i = 0; i < old.cap; i++)
		if (old.entries[i].key)
			m->entries[strmap_slot(m, old.entries[i].key, old.entries[i].hash)] =
			    old.entries[i];
	free(old.entries);
}

void strmap_release(struct strmap *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->entries[i].key);
	free(m->entries);
	*m = (struct strmap){0};
}

static const struct strmap_entry *strmap_find(const struct strmap *m, const char *key)
{
	const struct strmap_entry *e;

	if (!m->cap)
		return NULL;
	e = &m->entries[strmap_slot(m, key, hash64(key, strlen(key), 0))];
	return e->key ? e : NULL;
}

int strmap_get(const struct strmap *m, const char *key, uint64_t *value)
{
	const struct strmap_entry *e = strmap_find(m, key);

	if (e && value)
		*value = e->value;
	return e != NULL;
}

const char *strmap_key(const struct strmap *m, const char *key)
{
	const struct strmap_entry *e = strmap_find(m, key);

	return e ? e->key : NULL;
}

int strmap_set(struct strmap *m, const char *key, uint64_t value)
{
	uint64_t hash = hash64(key, strlen(key), 0);
	struct strmap_entry *e;
	int fresh;

	if (m->size + 1 > m->cap / 4 * 3)
		strmap_grow(m);
	e = &m->entries[strmap_slot(m, key, hash)];
	fresh = !e->key;
	if (fresh) {
		e->key = mem_strdup(key);
		e->hash = hash;
		m->size++;
	}
	e->value = value;
	return fresh;
}

int strmap_next(const struct strmap *m, size_t *at, const char **key, uint64_t *value)
{
	for (; *at < m->cap; ++*at) {
		if (m->entries[*at].key) {
			*key = m->entries[*at].key;
			*value = m->entries[*at].value;
			++*at;
			return 1;
		}
	}
	return 0;
}
