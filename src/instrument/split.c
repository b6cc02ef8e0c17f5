/* split.c: which function goes where, and what the parts see of each other.
 *
 * Functions are dealt out in the order of the module, so that neighbours stay together, by the number of their instructions; a small static
 * function that one part alone uses goes there. Functions whose blocks have their address taken stay with the variables that may hold it,
 * and so do members of COMDAT groups. The parts do not depend on the machine: the same unit gives the same object everywhere.
 *
 * A unit of which only some functions are made (missing.c) is split by what is made now, was made before or is not made. What the passes added
 * for functions (texts, stubs) is then in each part that uses it.
 *
 * A body that has to be inlined is in every part, as a copy that is not emitted (available_externally): where it is not a matter
 * of calls, its address is that of the one in its home.
 *
 * Modules with aliases, ifuncs, assembly outside of functions, assembly that names a static symbol, or functions that the linker may drop
 * stay whole: each of these ties definitions to one object, and large units do not have them.
 */
#include "instrument/split.h"

#include "base/error.h"
#include "base/hash.h"
#include "instrument/missing.h"

#include <llvm-c/Comdat.h>

#include <stdio.h>
#include <string.h>

#define SMALL 200 /* instructions of a static function that is moved to the part that uses it: the balance does not suffer */
#define MANY 64	  /* parts; more would only join objects for longer */

static uint64_t key(LLVMValueRef v)
{
	return (uint64_t)(uintptr_t)v;
}

static uint32_t weight_of(LLVMValueRef f)
{
	uint32_t n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	return n;
}

static int is_local(LLVMValueRef v)
{
	LLVMLinkage l = LLVMGetLinkage(v);

	return l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
}

static int must_inline(LLVMValueRef f)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);

	return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind) != NULL;
}

static int has_block_address(LLVMValueRef f)
{
	for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
		if (LLVMIsABlockAddress(LLVMGetUser(use)))
			return 1;
	return 0;
}

/* ------------------------------------------------------------ can it be split */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$"

/* Does a text of assembly have the name of a static function or variable in it? No use list knows of that. */
static int names_local(LLVMModuleRef m, const char *text)
{
	while (*(text += strcspn(text, LETTERS))) {
		size_t n = strspn(text, LETTERS);
		char name[256];
		LLVMValueRef v;

		snprintf(name, sizeof name, "%.*s", (int)n, text);
		v = LLVMGetNamedFunction(m, name);
		if (!v)
			v = LLVMGetNamedGlobal(m, name);
		if (n >= sizeof name || (v && is_local(v)))
			return 1;
		text += n;
	}
	return 0;
}

static int asm_names_local(LLVMModuleRef m, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = LLVMIsACallInst(i) || LLVMIsACallBrInst(i) ? LLVMGetCalledValue(i) : NULL;
			size_t n;
			struct buf text = BUF_EMPTY;
			int yes;

			if (!callee || !LLVMIsAInlineAsm(callee))
				continue;
			const char *code = LLVMGetInlineAsmAsmString(callee, &n);
			buf_add(&text, code, n);
			yes = names_local(m, buf_str(&text));
			buf_release(&text);
			if (yes)
				return 1;
		}
	return 0;
}

static int can_be_elsewhere(LLVMModuleRef m, LLVMValueRef f)
{
	switch (LLVMGetLinkage(f)) {
	case LLVMExternalLinkage:
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
	case LLVMWeakAnyLinkage:
	case LLVMWeakODRLinkage:
		return !asm_names_local(m, f);
	default:
		return LLVMIsDeclaration(f);
	}
}

/* Its name is spelt out: whoever names it does so by another one. */
static int is_spelt(LLVMValueRef v)
{
	size_t n;

	return is_local(v) && *LLVMGetValueName2(v, &n) == 1;
}

/* Nothing ties the module's definitions to one object. */
static int can_split(LLVMModuleRef m)
{
	size_t length = 0;

	LLVMGetModuleInlineAsm(m, &length);
	if (length || LLVMGetFirstGlobalAlias(m) || LLVMGetFirstGlobalIFunc(m))
		return 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_spelt(g))
			return 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_spelt(f) || !can_be_elsewhere(m, f))
			return 0;
	return 1;
}

/* --------------------------------------------------------------- who uses it */

#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

struct users {
	const struct split *s;
	struct map seen; /* constants on the way */
	uint32_t part;	 /* that uses it; NOBODY or SEVERAL */
};

static void used_in(struct users *u, uint32_t part)
{
	u->part = u->part == NOBODY || u->part == part ? part : SEVERAL;
}

static void used_by_function(struct users *u, LLVMValueRef f)
{
	uint64_t home;

	if (map_get(&u->s->copied, key(f), NULL))
		u->part = SEVERAL;
	else
		used_in(u, map_get(&u->s->home, key(f), &home) ? (uint32_t)home - 1 : 0);
}

/* Up from a value to the functions and variables that name it, through constants. */
static void find_users(struct users *u, LLVMValueRef v)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use && u->part != SEVERAL; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAInstruction(user))
			used_by_function(u, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
		else if (LLVMIsAFunction(user))
			used_by_function(u, user); /* prefix data and the like */
		else if (LLVMIsAGlobalVariable(user))
			used_in(u, 0);
		else if (map_set(&u->seen, key(user), 1))
			find_users(u, user);
	}
}

static uint32_t part_that_uses(const struct split *s, LLVMValueRef v)
{
	struct users u = {.s = s, .part = NOBODY};

	find_users(&u, v);
	map_release(&u.seen);
	return u.part;
}

/* ---------------------------------------------------------------- the plan */

static int is_named(const struct strmap *names, LLVMValueRef f)
{
	size_t n;

	return names && strmap_get(names, LLVMGetValueName2(f, &n), NULL);
}

static void deal_out(struct split *s, LLVMModuleRef m, const struct strmap *fast)
{
	unsigned count = s->fast ? s->fast : s->count; /* of the others */
	uint64_t total = 0, before = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		total += weight_of(f);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint32_t weight = weight_of(f);
		uint64_t part = (before + weight / 2) * count / (total ? total : 1);

		if (LLVMIsDeclaration(f))
			continue;
		before += weight;
		if (is_named(fast, f))
			part = s->fast;
		if (LLVMGetComdat(f) || has_block_address(f))
			part = 0;
		map_set(&s->home, key(f), part + 1);
		if (must_inline(f) && !has_block_address(f))
			map_set(&s->copied, key(f), 1);
	}
}

/* In the order of the module, and of what passes added after it: what a function calls comes before it more often than not, so backwards. */
static void move_small(struct split *s, LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetLastFunction(m); f; f = LLVMGetPreviousFunction(f)) {
		uint32_t part;

		if (LLVMIsDeclaration(f) || !is_local(f) || LLVMGetComdat(f) || has_block_address(f) || weight_of(f) > SMALL)
			continue;
		part = part_that_uses(s, f);
		if (part < s->count)
			map_set(&s->home, key(f), (uint64_t)part + 1);
	}
}

/* Made by a pass for the code at hand, and nobody else's. */
static int is_added(LLVMValueRef v)
{
	size_t n;
	const char *name = LLVMGetValueName2(v, &n);

	return is_local(v) && (!strncmp(name, "__muster_", 9) || !strncmp(name, ".muster", 7));
}

/* A name that stands in a list of names and in an object as it is. */
static int is_plain(const char *name)
{
	return *name && !name[strspn(name, LETTERS)];
}

static void share_as(struct split *s, LLVMValueRef v, const char *name)
{
	size_t n;

	if (!is_plain(LLVMGetValueName2(v, &n)))
		LLVMSetValueName2(v, name, strlen(name));
	buf_addf(&s->locals, "%s\n", LLVMGetValueName2(v, &n));
	LLVMSetLinkage(v, LLVMExternalLinkage);
	LLVMSetVisibility(v, LLVMHiddenVisibility);
}

static void share(struct split *s, LLVMValueRef v, unsigned *serial)
{
	size_t n;
	char text[48];

	snprintf(text, sizeof text, "__muster_shared.%u", *serial);
	*serial += !is_plain(LLVMGetValueName2(v, &n));
	share_as(s, v, text);
}

static void share_all(struct split *s, LLVMModuleRef m)
{
	unsigned serial = 0;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
		uint32_t part = LLVMIsDeclaration(g) || !is_local(g) ? NOBODY : part_that_uses(s, g);

		if (part != NOBODY && part != 0)
			share(s, g, &serial);
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint32_t part = LLVMIsDeclaration(f) || !is_local(f) ? NOBODY : part_that_uses(s, f);
		uint64_t home = 0;

		map_get(&s->home, key(f), &home);
		if (part != NOBODY && part != home - 1)
			share(s, f, &serial);
	}
}

void split_plan(struct split *s, struct unit *u, uint32_t size, const struct strmap *fast)
{
	*s = (struct split){.count = 1};
	if (!size || (u->count / 2 < size && !fast) || !can_split(u->module))
		return;
	if (u->count / 2 >= size)
		s->count = u->count / size < MANY ? u->count / size : MANY;
	if (fast)
		s->fast = s->count++;
	deal_out(s, u->module, fast);
	move_small(s, u->module);
	share_all(s, u->module);
}

/* ------------------------------------------------- of some of the functions */

#define ELSEWHERE UINT32_MAX /* home + 1 of a function that was made before */

static int is_made_now(LLVMValueRef f, const struct missing *m)
{
	return is_named(m->now, f) && !is_named(&m->always, f);
}

/* How many parts what is made now has. */
static unsigned count_made(const struct unit *u, uint32_t size, const struct missing *m)
{
	uint32_t n = 0, parts;

	for (uint32_t i = 0; i < u->count; i++)
		n += u->instructions[i] != NULL;
	parts = size ? n / size : 1;
	return !m->now->size ? 0 : parts < 1 ? 1 : parts < MANY ? parts : MANY - 1;
}

static void deal_out_made(struct split *s, LLVMModuleRef m, const struct missing *made)
{
	uint64_t total = 0, before = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		total += is_made_now(f, made) ? weight_of(f) : 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint64_t part = 0;

		if (LLVMIsDeclaration(f) || is_added(f))
			continue;
		if (is_made_now(f, made)) {
			uint32_t weight = weight_of(f);

			part = 1 + (before + weight / 2) * (s->count - 1) / (total ? total : 1);
			before += weight;
		} else if (missing_is(f) && is_named(made->before, f)) {
			part = ELSEWHERE - 1;
		}
		map_set(&s->home, key(f), part + 1);
		if (must_inline(f) && !has_block_address(f))
			map_set(&s->copied, key(f), 1);
	}
}

/* The same name whatever else is in the module: other makings of the unit see other parts of it. */
static void share_static(struct split *s, LLVMValueRef v)
{
	size_t n;
	const char *name = LLVMGetValueName2(v, &n);
	char text[64], hex[HASH_HEX_SIZE];

	snprintf(text, sizeof text, "__muster_shared.%s", hash_hex(hash128(name, n), hex));
	share_as(s, v, text);
}

static int is_unit_static(LLVMValueRef v)
{
	return !LLVMIsDeclaration(v) && is_local(v) && !is_added(v);
}

/* Without a name it cannot be found again. What was cut off (settle_inline) has none, and is not used. */
static int is_nameless(LLVMValueRef v)
{
	size_t n;

	LLVMGetValueName2(v, &n);
	return is_unit_static(v) && !n;
}

/* A traced function names itself. */
static int others_use(LLVMValueRef v)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsAInstruction(user) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != v)
			return 1;
	}
	return 0;
}

static int has_nameless(LLVMModuleRef m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_nameless(g) && others_use(g))
			return 1;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_nameless(f) && others_use(f))
			return 1;
	return 0;
}

static void share_statics(struct split *s, LLVMModuleRef m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_unit_static(g) && !is_nameless(g))
			share_static(s, g);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_unit_static(f) && !is_nameless(f))
			share_static(s, f);
}

int split_plan_missing(struct split *s, struct unit *u, uint32_t size, const struct missing *m)
{
	*s = (struct split){.count = 1};
	if (!can_split(u->module) || has_nameless(u->module))
		return -1;
	s->count = 1 + count_made(u, size, m);
	s->missing = 1;
	deal_out_made(s, u->module, m);
	share_statics(s, u->module);
	return 0;
}

void split_release(struct split *s)
{
	map_release(&s->home);
	map_release(&s->copied);
	buf_release(&s->locals);
}

/* --------------------------------------------------------------- one part */

/* The definition is elsewhere: what is left of it is a declaration, after the pass that split_take runs. */
static void leave_out(LLVMValueRef v)
{
	LLVMSetComdat(v, NULL);
	LLVMSetLinkage(v, LLVMAvailableExternallyLinkage);
}

static void leave_out_variables(const struct split *s, LLVMModuleRef m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMGetLinkage(g) == LLVMAppendingLinkage)
			LLVMDeleteGlobal(g); /* constructors, and what must not be dropped */
		else if (!LLVMIsDeclaration(g) && !(s->missing && is_added(g)))
			leave_out(g);
	}
}

int split_take(const struct split *s, struct unit *u, unsigned part)
{
	LLVMModuleRef m = u->module;

	if (part)
		leave_out_variables(s, m);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint64_t home;

		if (map_get(&s->home, key(f), &home) && home - 1 != part && !map_get(&s->copied, key(f), NULL))
			leave_out(f);
	}
	if (unit_passes(u, "elim-avail-extern"))
		return -1;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint64_t home;

		/* One that no other part uses is static still, and is dropped where nothing calls it. */
		if (map_get(&s->home, key(f), &home) && home - 1 != part && map_get(&s->copied, key(f), NULL) && !is_local(f))
			leave_out(f);
	}
	return 0;
}
