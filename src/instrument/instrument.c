/* instrument.c: the steps from a unit's bitcode to an object of a variant.
 *
 *   load (normal form) - write the site table - strip debug info - fold checks - settle what is
 *   undefined - drop the user's wish to inline - the kind's own pass - drop promises that no longer hold - for the unit, or
 *   for each part of a large one (parts.h): link the inline helpers, optimise, generate code - append the site table.
 *
 * The site table is made before anything is edited, and passes walk the list of
 * instructions that was made with it, so a site means the same instruction in every
 * variant. The table is added to the finished object rather than sent through the
 * code generator: it is not loaded at run time, and large ones would dominate the
 * compile time.
 */
#include "instrument/instrument.h"

#include "base/buf.h"
#include "base/elf.h"
#include "base/error.h"
#include "base/map.h"
#include "instrument/emit.h"
#include "instrument/fold.h"
#include "instrument/missing.h"
#include "instrument/outline.h"
#include "instrument/parts.h"
#include "instrument/pass.h"
#include "instrument/settle.h"
#include "instrument/trace_loop.h"
#include "instrument/trace_segment.h"
#include "ir/site.h"
#include "muster/abi.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

/* runtime/inline.c as bitcode, put into the executable by the build. */
extern const char muster_inline_bc[], muster_inline_bc_end[];

int instrument_wants_fast(const struct instrument_options *options, LLVMValueRef function)
{
	size_t n;

	return !options->slow_only || (options->fast && strmap_get(options->fast, LLVMGetValueName2(function, &n), NULL));
}

static int run_pass(struct unit *u, enum instrument_kind kind,
		    const struct instrument_options *options)
{
	switch (kind) {
	case INSTRUMENT_TRACE:
		return trace_instrument(u, options);
	case INSTRUMENT_MARK:
		return trace_mark(u, options);
	case INSTRUMENT_COV:
		return cov_instrument(u, options);
	case INSTRUMENT_PATH:
		return path_instrument(u, options);
	}
	BUG("instrument kind %d", (int)kind);
}

static int dump(struct unit *u, const char *path)
{
	char *text = NULL;

	if (!LLVMPrintModuleToFile(u->module, path, &text))
		return 0;
	error_set("%s: %s", path, text);
	LLVMDisposeMessage(text);
	return -1;
}

static int edit(struct unit *u, enum instrument_kind kind, const struct instrument_options *options)
{
	if (u->count >> MUSTER_SITE_BITS)
		return error_set("the unit has %u instructions; the limit is %u", u->count, 1u << MUSTER_SITE_BITS);
	LLVMStripModuleDebugInfo(u->module);
	fold_checks(u, options->checks, kind != INSTRUMENT_COV);
	settle_inline(u->module, options->wrapped);
	settle_fortified(u->module, options->wrapped);
	settle_constants(u);
	settle_undefined(u);
	if (kind != INSTRUMENT_COV)
		outline_functions(u->module, options->calls);
	if (run_pass(u, kind, options))
		return -1;
	fold_forget(u->module);
	instrument_drop_memory_attributes(u->module);
	settle_behaviour(u->module);
	if (options->dump_ir && dump(u, options->dump_ir))
		return -1;
	return options->verify && unit_verify(u) ? -1 : 0;
}

/* What is done for each part of a unit. */
static int finish(struct unit *u, enum instrument_kind kind, const struct instrument_options *options, struct buf *object)
{
	if (kind == INSTRUMENT_TRACE &&
	    emit_link_helpers(u, muster_inline_bc,
			      (size_t)(muster_inline_bc_end - muster_inline_bc)))
		return -1;
	settle_functions(u->module);
	if (kind == INSTRUMENT_TRACE)
		trace_describe_hooks(u);
	return emit_object(u, options, object);
}

static int instrument(const void *bitcode, size_t size, uint32_t unit_id, enum instrument_kind kind, const struct instrument_options *options, struct buf *object)
{
	struct instrument_options own;
	struct trace_entries entries = {0};
	struct trace_cuts cuts = {0};
	struct unit u;
	struct buf table = {0};
	int result;

	if (unit_load(&u, bitcode, size, unit_id))
		return -1;
	buf_clear(object);
	result = site_table_write(&u, &table);
	if (!result && kind == INSTRUMENT_TRACE && !options->library && !options->all_decisions && !options->segments) {
		trace_entries_find(&entries, &u);
		own = *options;
		own.entries = &entries;
		options = &own;
	}
	if (!result && kind == INSTRUMENT_TRACE && options->segments) {
		trace_cuts_find(&cuts, &u);
		trace_cuts_put(&cuts, &u);
		own = *options;
		own.cuts = &cuts;
		options = &own;
	}
	if (!result && options->missing)
		result = missing_put(&u, options->missing);
	if (!result)
		result = edit(&u, kind, options);
	if (!result)
		result = parts_emit(&u, kind, options, finish, object);
	if (!result)
		result = elf_add_section(object, MUSTER_SITES_SECTION, table.data, table.size, 8);
	trace_entries_release(&entries);
	trace_cuts_release(&cuts);
	buf_release(&table);
	unit_release(&u);
	return result;
}

int instrument_unit(const void *bitcode, size_t size, uint32_t unit_id, enum instrument_kind kind,
		    const struct instrument_options *options, struct buf *object)
{
	static const struct instrument_options defaults;
	struct instrument_options whole;
	int result;

	if (!options)
		options = &defaults;
	result = instrument(bitcode, size, unit_id, kind, options, object);
	if (result != PARTS_NONE)
		return result;
	whole = *options;
	whole.missing = NULL;
	options->missing->whole = 1;
	return instrument(bitcode, size, unit_id, kind, &whole, object);
}
