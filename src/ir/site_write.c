/* site_write.c: making the site table of a unit.
 *
 * One walk over the normal form fills five arrays (cases, sites, functions,
 * decisions, files) and a pool of strings without repetition; then the frame is put
 * together and hashed. Ordinals ascend along the walk, which is the order the reader
 * searches by.
 */
#include "ir/site.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "ir/site_format.h"
#include "ir/unit.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

struct writer {
	struct unit *u;
	struct buf cases, sites, functions, decisions, files, strings;
	struct strmap string_index; /* text -> offset */
	struct map file_index;	    /* DIFile -> number */
	uint32_t file_count, decision_count, outcome_count;
	LLVMValueRef function; /* of the last site, and its record */
	struct site_function_record record;
};

static uint32_t intern(struct writer *w, const char *text, size_t length)
{
	char copy[256];
	uint64_t offset;

	/* Longer names are cut: the table is for reading by people. */
	if (length >= sizeof copy)
		length = sizeof copy - 1;
	if (length)
		memcpy(copy, text, length);
	copy[length] = 0;
	if (strmap_get(&w->string_index, copy, &offset))
		return (uint32_t)offset;
	offset = w->strings.size;
	buf_add(&w->strings, copy, strlen(copy) + 1);
	strmap_set(&w->string_index, copy, offset);
	return (uint32_t)offset;
}

static uint32_t file_number(struct writer *w, LLVMMetadataRef file)
{
	struct site_file_record r;
	const char *text;
	unsigned length;
	uint64_t number;

	if (!file)
		return 0;
	if (map_get(&w->file_index, (uint64_t)(uintptr_t)file, &number))
		return (uint32_t)number;
	text = LLVMDIFileGetFilename(file, &length);
	r.name = intern(w, text, length);
	text = LLVMDIFileGetDirectory(file, &length);
	r.directory = intern(w, text, length);
	number = w->file_count++;
	buf_add(&w->files, &r, sizeof r);
	map_set(&w->file_index, (uint64_t)(uintptr_t)file, number);
	return (uint32_t)number;
}

static int is_float(LLVMTypeRef type)
{
	while (LLVMGetTypeKind(type) == LLVMVectorTypeKind ||
	       LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind)
		type = LLVMGetElementType(type);
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
	case LLVMPPC_FP128TypeKind:
		return 1;
	default:
		return 0;
	}
}

static enum site_kind call_kind(struct writer *w, LLVMValueRef inst, uint32_t *what)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	const char *name;
	size_t length;

	*what = 0;
	if (LLVMIsAInlineAsm(callee)) {
		*what = intern(w, "asm", 3);
		return SITE_ASM;
	}
	while (LLVMIsAGlobalAlias(callee))
		callee = LLVMAliasGetAliasee(callee);
	if (!LLVMIsAFunction(callee))
		return SITE_CALL;
	name = LLVMGetValueName2(callee, &length);
	/* Asm labels are spelt with a \1 in front. */
	if (length && name[0] == 1)
		name++, length--;
	*what = intern(w, name, length);
	if (length < 5 || memcmp(name, "llvm.", 5))
		return SITE_CALL;
	return length > 8 && !memcmp(name, "llvm.mem", 8) ? SITE_MEMORY : SITE_INTRINSIC;
}

/* X(opcode, text, kind): instructions that have an entry, calls apart. Those that are left out
 * (phi, unconditional branch, unreachable, moves between aggregates) never stand in an event. */
#define OPCODES(X)                                          \
	X(LLVMRet, "ret", SITE_RETURN)                      \
	X(LLVMSwitch, "switch", SITE_SWITCH)                \
	X(LLVMIndirectBr, "indirectbr", SITE_INDIRECT)      \
	X(LLVMSelect, "select", SITE_SELECT)                \
	X(LLVMAlloca, "alloca", SITE_ALLOCA)                \
	X(LLVMLoad, "load", SITE_LOAD)                      \
	X(LLVMStore, "store", SITE_STORE)                   \
	X(LLVMGetElementPtr, "getelementptr", SITE_POINTER) \
	X(LLVMAtomicRMW, "atomicrmw", SITE_ATOMIC)          \
	X(LLVMAtomicCmpXchg, "cmpxchg", SITE_ATOMIC)        \
	X(LLVMFence, "fence", SITE_ATOMIC)                  \
	X(LLVMVAArg, "va_arg", SITE_LOAD)                   \
	X(LLVMAdd, "add", SITE_ARITHMETIC)                  \
	X(LLVMSub, "sub", SITE_ARITHMETIC)                  \
	X(LLVMMul, "mul", SITE_ARITHMETIC)                  \
	X(LLVMUDiv, "udiv", SITE_ARITHMETIC)                \
	X(LLVMSDiv, "sdiv", SITE_ARITHMETIC)                \
	X(LLVMURem, "urem", SITE_ARITHMETIC)                \
	X(LLVMSRem, "srem", SITE_ARITHMETIC)                \
	X(LLVMShl, "shl", SITE_ARITHMETIC)                  \
	X(LLVMLShr, "lshr", SITE_ARITHMETIC)                \
	X(LLVMAShr, "ashr", SITE_ARITHMETIC)                \
	X(LLVMAnd, "and", SITE_ARITHMETIC)                  \
	X(LLVMOr, "or", SITE_ARITHMETIC)                    \
	X(LLVMXor, "xor", SITE_ARITHMETIC)                  \
	X(LLVMICmp, "icmp", SITE_COMPARE)                   \
	X(LLVMFCmp, "fcmp", SITE_FLOAT)                     \
	X(LLVMFNeg, "fneg", SITE_FLOAT)                     \
	X(LLVMFAdd, "fadd", SITE_FLOAT)                     \
	X(LLVMFSub, "fsub", SITE_FLOAT)                     \
	X(LLVMFMul, "fmul", SITE_FLOAT)                     \
	X(LLVMFDiv, "fdiv", SITE_FLOAT)                     \
	X(LLVMFRem, "frem", SITE_FLOAT)                     \
	X(LLVMFPToUI, "fptoui", SITE_FLOAT)                 \
	X(LLVMFPToSI, "fptosi", SITE_FLOAT)                 \
	X(LLVMUIToFP, "uitofp", SITE_FLOAT)                 \
	X(LLVMSIToFP, "sitofp", SITE_FLOAT)                 \
	X(LLVMFPTrunc, "fptrunc", SITE_FLOAT)               \
	X(LLVMFPExt, "fpext", SITE_FLOAT)                   \
	X(LLVMTrunc, "trunc", SITE_CONVERT)                 \
	X(LLVMZExt, "zext", SITE_CONVERT)                   \
	X(LLVMSExt, "sext", SITE_CONVERT)                   \
	X(LLVMPtrToInt, "ptrtoint", SITE_CONVERT)           \
	X(LLVMIntToPtr, "inttoptr", SITE_CONVERT)           \
	X(LLVMBitCast, "bitcast", SITE_CONVERT)             \
	X(LLVMAddrSpaceCast, "addrspacecast", SITE_CONVERT) \
	X(LLVMExtractElement, "extractelement", SITE_OTHER) \
	X(LLVMInsertElement, "insertelement", SITE_OTHER)   \
	X(LLVMShuffleVector, "shufflevector", SITE_OTHER)   \
	X(LLVMFreeze, "freeze", SITE_OTHER)

/* 1 if the instruction has an entry. */
static int classify(struct writer *w, LLVMValueRef inst, enum site_kind *kind, uint32_t *what)
{
	switch (LLVMGetInstructionOpcode(inst)) {
#define X(opcode, text, k)                                \
	case opcode:                                      \
		*kind = k;                                \
		*what = intern(w, text, sizeof text - 1); \
		break;
		OPCODES(X)
#undef X
	case LLVMBr:
		*kind = SITE_BRANCH;
		*what = intern(w, "br", 2);
		return LLVMIsConditional(inst);
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		*kind = call_kind(w, inst, what);
		return 1;
	default:
		return 0;
	}
	if (*kind == SITE_CONVERT &&
	    (is_float(LLVMTypeOf(inst)) || is_float(LLVMTypeOf(LLVMGetOperand(inst, 0)))))
		*kind = SITE_FLOAT;
	return 1;
}

static void add_site(struct writer *w, LLVMValueRef inst, uint32_t ordinal)
{
	struct site_record r = {.index = ordinal};
	enum site_kind kind;
	LLVMMetadataRef location;
	uint32_t line = 0, column, file;

	if (!classify(w, inst, &kind, &r.what))
		return;
	location = LLVMInstructionGetDebugLoc(inst);
	if (location) {
		line = LLVMDILocationGetLine(location);
		column = LLVMDILocationGetColumn(location);
		r.column = (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX);
		file = file_number(w, LLVMDIScopeGetFile(LLVMDILocationGetScope(location)));
		r.file = (uint16_t)(file <= UINT16_MAX ? file : 0);
	}
	r.line_kind = (line < 0xffffff ? line : 0xffffff) << 8 | (uint32_t)kind;
	buf_add(&w->sites, &r, sizeof r);
}

static uint64_t low_bits(LLVMValueRef constant)
{
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(constant));

	if (width > 64)
		constant = LLVMConstTrunc(
		    constant, LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(constant))));
	return LLVMIsAConstantInt(constant) ? LLVMConstIntGetZExtValue(constant) : 0;
}

static void add_decision(struct writer *w, LLVMValueRef inst, uint32_t ordinal, uint32_t outcomes)
{
	struct site_decision_record r = {ordinal, outcomes, w->outcome_count, SITE_NO_CASES, 0};

	if (unit_is_check(inst)) {
		int fails = unit_check_fails(inst);

		r.flags = SITE_CHECK | (fails == 0 ? SITE_FAILS_0 : fails == 1 ? SITE_FAILS_1 : 0) |
			  unit_checker(inst) << SITE_CHECKER_SHIFT;
	}

	if (LLVMGetInstructionOpcode(inst) == LLVMSwitch) {
		r.first_case = (uint32_t)(w->cases.size / sizeof(uint64_t));
		/* Operands: value, default, then pairs of case and block. */
		for (uint32_t i = 1; i < outcomes; i++) {
			uint64_t value = low_bits(LLVMGetOperand(inst, 2 * i));

			buf_add(&w->cases, &value, sizeof value);
		}
	}
	buf_add(&w->decisions, &r, sizeof r);
	w->decision_count++;
	w->outcome_count += unit_counted(inst);
}

static void end_function(struct writer *w)
{
	if (w->function)
		buf_add(&w->functions, &w->record, sizeof w->record);
	w->function = NULL;
}

static void begin_function(struct writer *w, LLVMValueRef function, uint32_t ordinal)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMLinkage linkage = LLVMGetLinkage(function);
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);

	end_function(w);
	w->function = function;
	memset(&w->record, 0, sizeof w->record);
	if (length && name[0] == 1)
		name++, length--;
	w->record.name = intern(w, name, length);
	if (subprogram) {
		w->record.file = file_number(w, LLVMDIScopeGetFile(subprogram));
		w->record.line = LLVMDISubprogramGetLine(subprogram);
	}
	w->record.flags = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
	w->record.first = ordinal;
	w->record.first_decision = w->decision_count;
}

static void visit(void *ctx, LLVMValueRef inst, uint32_t ordinal)
{
	struct writer *w = ctx;
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	uint32_t outcomes = unit_outcomes(inst);

	if (function != w->function)
		begin_function(w, function, ordinal);
	w->record.count++;
	add_site(w, inst, ordinal);
	if (outcomes) {
		add_decision(w, inst, ordinal, outcomes);
		w->record.decisions++;
	}
}

static void add_frame(struct writer *w, struct buf *out)
{
	struct buf *parts[] = {&w->cases,     &w->sites, &w->functions,
			       &w->decisions, &w->files, &w->strings};
	struct site_header h = {.version = SITE_VERSION, .unit = w->u->id};
	size_t start = out->size, length;
	const char *source = LLVMGetSourceFileName(w->u->module, &length);

	memcpy(h.magic, SITE_MAGIC, sizeof h.magic);
	h.source = intern(w, source, length);
	h.instructions = w->u->count;
	h.cases = (uint32_t)(w->cases.size / sizeof(uint64_t));
	h.sites = (uint32_t)(w->sites.size / sizeof(struct site_record));
	h.functions = (uint32_t)(w->functions.size / sizeof(struct site_function_record));
	h.decisions = w->decision_count;
	h.files = w->file_count;
	h.strings = (uint32_t)w->strings.size;
	buf_add(out, &h, sizeof h);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		buf_add(out, parts[i]->data, parts[i]->size);
	while ((out->size - start) % 8)
		buf_add(out, "", 1);
	h.length = out->size - start;
	h.hash = hash64(out->data + start + sizeof h, out->size - start - sizeof h, h.unit);
	memcpy(out->data + start, &h, sizeof h);
}

int site_table_write(struct unit *u, struct buf *out)
{
	struct writer w = {.u = u};
	struct buf *parts[] = {&w.cases,     &w.sites, &w.functions,
			       &w.decisions, &w.files, &w.strings};
	static const struct site_file_record no_file;
	int result = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		buf_init(parts[i]);
	intern(&w, "", 0);
	buf_add(&w.files, &no_file, sizeof no_file);
	w.file_count = 1;
	unit_walk(u, visit, &w);
	end_function(&w);
	if (w.strings.size > UINT32_MAX)
		result = error_set("the unit has more names than a site table can hold");
	else
		add_frame(&w, out);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		buf_release(parts[i]);
	strmap_release(&w.string_index);
	map_release(&w.file_index);
	return result;
}
