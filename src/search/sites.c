/* sites.c: decisions as the search sees them. One look-up in the site tables for each
 * decision, whatever the number of events; a switch gets a map from values to outcomes. */
#include "search/sites.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void sites_init(struct sites *s, const struct site_tables *tables)
{
	memset(s, 0, sizeof *s);
	s->tables = tables;
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->decisions.size; i++) {
		map_release(&s->decisions.data[i].cases);
		free(s->decisions.data[i].values);
	}
	vec_release(&s->decisions);
	vec_release(&s->function_cost);
	vec_release(&s->flipped);
	map_release(&s->known);
	map_release(&s->functions);
}

static uint32_t counter_of(const struct exec *exec, uint32_t unit, uint32_t first,
			   uint32_t outcomes)
{
	uint32_t count;
	const struct exec_unit *units = exec ? exec_units(exec, &count) : NULL;
	for (uint32_t i = 0; units && i < count; i++)
		if (units[i].unit == unit)
			return first + outcomes <= units[i].count ? units[i].first + first
								  : SITES_NOWHERE;
	return SITES_NOWHERE;
}

static uint32_t function_of(struct sites *s, const struct site_table *t, uint32_t index)
{
	uint32_t low = 0, high = t->functions;
	struct site_function f = {0};
	while (high - low > 1) { /* functions ascend with their ordinals */
		uint32_t mid = low + (high - low) / 2;
		if (site_table_function(t, mid, &f) && f.first <= index)
			low = mid;
		else
			high = mid;
	}
	uint64_t key = (uint64_t)t->unit << 32 | low, number;
	if (map_get(&s->functions, key, &number))
		return (uint32_t)number;
	number = s->function_cost.size;
	map_set(&s->functions, key, number);
	vec_push(&s->function_cost, 0.0);
	return (uint32_t)number;
}

static void fill_cases(struct sites_decision *d, const struct site_table *t, uint32_t number)
{
	d->values = mem_zalloc(d->outcomes * sizeof *d->values);
	for (uint32_t i = d->outcomes; i-- > 1;)
		if (site_table_case(t, number, i, &d->values[i]))
			map_set(&d->cases, d->values[i], i);
}

uint32_t sites_find(struct sites *s, uint32_t unit, uint32_t index, const struct exec *exec)
{
	uint64_t key = (uint64_t)unit << 32 | index, number;
	struct sites_decision d = {.unit = unit, .index = index,
				   .counter = SITES_NOWHERE,
				   .kind = SITES_LIBRARY,
				   .fails = SITE_NO_OUTCOME};
	if (map_get(&s->known, key, &number))
		return (uint32_t)number;
	const struct site_table *t = site_tables_find(s->tables, unit);
	int64_t at = t ? site_table_decision_at(t, index) : -1;
	struct site_decision in_table;
	struct site site;
	if (at >= 0 && site_table_decision(t, (uint32_t)at, &in_table)) {
		d.outcomes = in_table.outcomes;
		if (!in_table.check)
			d.counter = counter_of(exec, unit, in_table.first_outcome, d.outcomes);
		if (in_table.check)
			d.kind = SITES_CHECK, d.fails = in_table.fails, d.checker = in_table.checker;
		else if (d.counter != SITES_NOWHERE)
			d.kind = SITES_COUNTED;
		d.function = function_of(s, t, index);
		if (site_find(s->tables, unit, index, &site)) {
			d.line = site.line;
			if (site.kind == SITE_SWITCH)
				fill_cases(&d, t, (uint32_t)at);
		}
	} else {
		if (t)
			d.kind = SITES_PIN;
		if (!s->function_cost.size)
			vec_push(&s->function_cost, 0.0); /* what no table knows counts for function 0 */
	}
	number = s->decisions.size;
	vec_push(&s->decisions, d);
	map_set(&s->known, key, number);
	return (uint32_t)number;
}

void sites_flip(struct sites *s, uint32_t decision)
{
	if (!s->decisions.data[decision].flips++)
		vec_push(&s->flipped, decision);
}

void sites_forget_flips(struct sites *s)
{
	for (size_t i = 0; i < s->flipped.size; i++)
		s->decisions.data[s->flipped.data[i]].flips = 0;
	vec_clear(&s->flipped);
}

uint32_t sites_switch(const struct sites_decision *d, uint64_t value)
{
	uint64_t outcome;
	return map_get(&d->cases, value, &outcome) ? (uint32_t)outcome : 0;
}
