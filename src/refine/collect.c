/* collect.c: finds the refinements of a unit and takes them apart into conjuncts.
 *
 * The tree is walked in order of the source with the local names in sight, so that a name in a refinement is what it would be
 * in code at that place: another parameter, another field, a local variable; or, if none of these, something at file
 * scope, which the predicate's own place resolves. Two refinements of one declaration, or of two declarations of one
 * thing, are both there: they mean their conjunction. Two signatures of one operator as well, but then what they promise
 * must be the same.
 */
#include "refine/unit.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

uint32_t in_sight(struct unit *u, const char *name, size_t size)
{
	for (size_t i = u->scope.size; i--;) {
		const char *other = node(u, u->scope.data[i])->name;

		if (strlen(other) == size && !memcmp(other, name, size))
			return u->scope.data[i];
	}
	return 0;
}

uint32_t enclosing_record(struct unit *u, uint32_t field)
{
	return node(u, node(u, field)->parent)->kind == TREE_RECORD ? node(u, field)->parent : 0;
}

uint32_t function_parameter(struct unit *u, uint32_t function, int index)
{
	for (uint32_t c = node(u, function)->first; c; c = node(u, c)->next)
		if (node(u, c)->kind == TREE_PARAMETER && !index--)
			return c;
	return 0;
}

struct conjunct *conjunct_of(struct unit *u, enum owner owner, uint32_t decl, int index, size_t *i)
{
	for (; *i < u->conjuncts.size; ++*i) {
		struct conjunct *c = &u->conjuncts.data[*i];

		if (c->owner == owner && c->decl == decl && c->index == index) {
			++*i;
			return c;
		}
	}
	return NULL;
}

struct conjunct *conjunct_of_type(struct unit *u, uint32_t type, size_t *i)
{
	const struct tree_type *t = &u->t->types.data[type];

	for (; *i < u->conjuncts.size; ++*i) {
		struct conjunct *c = &u->conjuncts.data[*i];

		for (size_t k = 0; c->owner == OWNER_TYPEDEF && k < t->typedefs.size; k++)
			if (node(u, t->typedefs.data[k])->canon == c->decl) {
				++*i;
				return c;
			}
	}
	return NULL;
}

/* ------------------------------------------------------------------- names */
struct resolve {
	struct unit *u;
	struct conjunct *c;
};

static void add_argument(struct conjunct *c, struct argument a)
{
	for (size_t i = 0; i < c->arguments.size; i++)
		if (!strcmp(c->arguments.data[i].name, a.name))
			return;
	vec_push(&c->arguments, a);
}

static int is_named(struct unit *u, uint32_t n, const char *name, size_t size)
{
	return strlen(node(u, n)->name) == size && !memcmp(node(u, n)->name, name, size);
}

static int of_function(struct resolve *q, const char *name, size_t size)
{
	struct unit *u = q->u;
	struct conjunct *c = q->c;
	uint32_t function = c->owner == OWNER_RESULT ? c->site : node(u, c->site)->parent, p;

	if (node(u, function)->kind != TREE_FUNCTION)
		return 0;
	for (int i = 0; (p = function_parameter(u, function, i)); i++)
		if (is_named(u, p, name, size)) {
			add_argument(c, (struct argument){node(u, p)->name, i, 0, node(u, p)->type});
			return 1;
		}
	return 0;
}

static int of_record(struct resolve *q, const char *name, size_t size)
{
	struct unit *u = q->u;
	uint32_t record = enclosing_record(u, q->c->site);

	for (uint32_t f = node(u, record)->first; f; f = node(u, f)->next)
		if (node(u, f)->kind == TREE_FIELD && is_named(u, f, name, size)) {
			add_argument(q->c, (struct argument){node(u, f)->name, SELF, node(u, f)->canon, node(u, f)->type});
			return 1;
		}
	return 0;
}

static void resolve_name(void *ctx, const char *name, size_t size)
{
	struct resolve *q = ctx;
	struct unit *u = q->u;
	struct conjunct *c = q->c;
	uint32_t d;

	switch (c->owner) {
	case OWNER_PARAMETER:
		of_function(q, name, size);
		return;
	case OWNER_RESULT:
		if (size == 6 && !memcmp(name, "result", 6)) {
			add_argument(c, (struct argument){"result", SELF, 0, u->t->types.data[node(u, c->site)->type].to});
			return;
		}
		of_function(q, name, size);
		return;
	case OWNER_FIELD:
		of_record(q, name, size);
		return;
	case OWNER_TYPEDEF:
		if (is_named(u, c->site, name, size))
			add_argument(c, (struct argument){node(u, c->site)->name, SELF, 0, node(u, c->site)->type});
		return;
	case OWNER_VARIABLE:
		if (is_named(u, c->site, name, size))
			add_argument(c, (struct argument){node(u, c->site)->name, SELF, 0, node(u, c->site)->type});
		else if ((d = in_sight(u, name, size)))
			add_argument(c, (struct argument){node(u, d)->name, 0, node(u, d)->canon, node(u, d)->type});
		return;
	default:
		if (size == 1 && (*name == 'a' || (*name == 'b' && !c->unary)))
			add_argument(c, (struct argument){*name == 'a' ? "a" : "b", *name - 'a', 0, node(u, c->site)->type});
		else if (size == 6 && !memcmp(name, "result", 6) && c->owner == OWNER_PROMISE)
			add_argument(c, (struct argument){"result", SELF, 0, node(u, c->site)->type});
	}
}

/* ---------------------------------------------------------------- conjuncts */
struct found {
	struct unit *u;
	struct conjunct c;
};

static void add_conjunct(void *ctx, const char *part, size_t size)
{
	struct found *f = ctx;
	struct conjunct c = f->c;
	struct resolve q = {f->u, &c};

	c.text = arena_strndup(&f->u->r->arena, part, size);
	words_names(c.text, resolve_name, &q);
	vec_push(&f->u->conjuncts, c);
}

static int has_terms(struct unit *u, uint32_t type)
{
	switch (u->t->types.data[type].kind) {
	case TREE_TYPE_BOOL: case TREE_TYPE_INT: case TREE_TYPE_FLOAT: case TREE_TYPE_POINTER: return 1;
	default: return 0;
	}
}

static const char *subject(struct unit *u, const struct conjunct *c)
{
	struct buf b = BUF_EMPTY;
	const struct tree_node *n = node(u, c->site);
	const char *s;

	switch (c->owner) {
	case OWNER_PARAMETER: buf_addf(&b, "parameter %s of %s", n->name, node(u, n->parent)->name); break;
	case OWNER_RESULT: buf_addf(&b, "result of %s", n->name); break;
	case OWNER_FIELD: buf_addf(&b, "field %s", n->name); break;
	case OWNER_VARIABLE: buf_addf(&b, "variable %s", n->name); break;
	case OWNER_TYPEDEF: buf_addf(&b, "type %s", n->name); break;
	default: break;
	}
	s = arena_strdup(&u->r->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

static int bad(struct unit *u, uint32_t n, const char *text, const char *why)
{
	u->failed = 1;
	return error_set("%s:%u: refinement \"%s\": %s", node(u, n)->file, node(u, n)->line, text, why);
}

static int add_refinement(struct unit *u, uint32_t n, const char *text)
{
	struct found f = {u, {.decl = node(u, n)->canon, .site = n, .index = SELF}};
	uint32_t type = node(u, n)->type, p;

	switch (node(u, n)->kind) {
	case TREE_PARAMETER:
		f.c.owner = OWNER_PARAMETER;
		if (node(u, node(u, n)->parent)->kind != TREE_FUNCTION)
			return bad(u, n, text, "on a parameter of a pointer to functions it has no effect: give it to the functions");
		f.c.decl = node(u, node(u, n)->parent)->canon;
		for (f.c.index = 0; (p = function_parameter(u, node(u, n)->parent, f.c.index)) && p != n;)
			f.c.index++;
		break;
	case TREE_FUNCTION:
		f.c.owner = OWNER_RESULT;
		type = u->t->types.data[type].to;
		break;
	case TREE_FIELD: f.c.owner = OWNER_FIELD; break;
	case TREE_VARIABLE: f.c.owner = OWNER_VARIABLE; break;
	case TREE_TYPEDEF: f.c.owner = OWNER_TYPEDEF; break;
	default: return bad(u, n, text, "stands where nothing has a value");
	}
	if (!has_terms(u, type))
		return bad(u, n, text, "wants an integer, a pointer or a floating number");
	f.c.subject = subject(u, &f.c);
	if (!*(text + strspn(text, " \t\n")))
		return bad(u, n, text, "is empty");
	words_split(text, add_conjunct, &f);
	return 0;
}

/* ---------------------------------------------------------------- operators */
/* "a / b", "-a": the operator. */
static int parse_form(const char *form, enum tree_op *op, int *unary)
{
	static const enum tree_op binary[] = {TREE_OP_MUL, TREE_OP_DIV, TREE_OP_REM, TREE_OP_ADD, TREE_OP_SUB, TREE_OP_SHL,
					      TREE_OP_SHR, TREE_OP_LE, TREE_OP_GE, TREE_OP_LT, TREE_OP_GT, TREE_OP_EQ,
					      TREE_OP_NE, TREE_OP_AND, TREE_OP_XOR, TREE_OP_OR};
	static const enum tree_op one[] = {TREE_OP_MINUS, TREE_OP_NOT, TREE_OP_PLUS, TREE_OP_LNOT};
	char word[8];
	size_t n = 0;

	for (; *form; form++)
		if (!isspace((unsigned char)*form)) {
			if (n == sizeof word - 1)
				return -1;
			word[n++] = *form;
		}
	word[n] = 0;
	*unary = word[0] != 'a';
	for (size_t i = 0; *unary && i < sizeof one / sizeof one[0]; i++)
		if (n == 2 && word[0] == *tree_op_text(one[i]) && word[1] == 'a') {
			*op = one[i];
			return 0;
		}
	for (size_t i = 0; !*unary && i < sizeof binary / sizeof binary[0]; i++) {
		const char *text = tree_op_text(binary[i]);

		if (n == strlen(text) + 2 && !memcmp(word + 1, text, n - 2) && word[n - 1] == 'b') {
			*op = binary[i];
			return 0;
		}
	}
	return -1;
}

/* Two signatures agree on what they promise, or the types of results would differ. */
static int add_result(struct unit *u, uint32_t n, enum tree_op op, int unary, const char *text)
{
	struct tree_type *type = type_of(u, n);

	for (size_t i = 0; i < u->results.size; i++) {
		const struct operator_result *x = &u->results.data[i];
		const struct tree_type *other = &u->t->types.data[x->type];

		if (x->op != op || x->unary != unary || other->kind != type->kind || other->rank != type->rank ||
		    other->is_signed != type->is_signed)
			continue;
		if (strcmp(x->text, text)) {
			u->failed = 1;
			return error_set("%s:%u: two signatures of operator %s on %s differ in the type of the result: "
					 "\"%s\" here, \"%s\" at %s:%u; signatures are combined only if these are the same",
					 node(u, n)->file, node(u, n)->line, tree_op_text(op), type->name, text, x->text,
					 x->file, x->line);
		}
		return 1;
	}
	vec_push(&u->results, (struct operator_result){node(u, n)->type, op, unary, text, node(u, n)->line, node(u, n)->file});
	return 0;
}

static int add_signature(struct unit *u, uint32_t n, const char *text)
{
	struct found f = {u, {.site = n, .decl = node(u, n)->canon, .index = SELF}};
	const char *operands = strchr(text, '\n'), *result = operands ? strchr(operands + 1, '\n') : NULL;
	const char *form;
	int known;

	if (!result || !type_of(u, n)->rank)
		return bad(u, n, text, "a signature is MUSTER_OPERATOR(type of integers, \"a / b\", \"operands\")");
	form = arena_strndup(&u->r->arena, text, (size_t)(operands - text));
	operands = arena_strndup(&u->r->arena, operands + 1, (size_t)(result - operands - 1));
	result = arena_strdup(&u->r->arena, result + 1);
	if (parse_form(form, &f.c.op, &f.c.unary))
		return bad(u, n, form, "the operator is not one of a * b, a / b, a % b, a + b, a - b, a << b, a >> b, comparisons, "
				       "a & b, a ^ b, a | b, -a, ~a, +a, !a");
	f.c.subject = arena_alloc(&u->r->arena, strlen(form) + strlen(type_of(u, n)->name) + 2);
	strcat(strcat(strcpy((char *)f.c.subject, type_of(u, n)->name), " "), form);
	f.c.owner = OWNER_OPERANDS;
	words_split(operands, add_conjunct, &f);
	known = add_result(u, n, f.c.op, f.c.unary, result);
	f.c.owner = OWNER_PROMISE;
	if (!known)
		words_split(result, add_conjunct, &f);
	return known < 0 ? -1 : 0;
}

/* -------------------------------------------------------------------- walk */
/* A later declaration has the attributes of earlier ones as well: those were met. */
static int is_inherited(struct unit *u, uint32_t n, uint32_t annotation)
{
	uint32_t first = node(u, n)->canon, function = node(u, n)->parent;
	uint64_t key = (uint64_t)node(u, annotation)->begin << 32;

	if (node(u, n)->kind == TREE_PARAMETER && node(u, function)->kind == TREE_FUNCTION)
		first = node(u, function)->canon;
	return !map_set(&u->annotations, key | first, 1);
}

static int annotations(struct unit *u, uint32_t n)
{
	for (uint32_t c = node(u, n)->first; c; c = node(u, c)->next) {
		const char *text = node(u, c)->name;

		if (node(u, c)->kind != TREE_ANNOTATION || strncmp(text, "muster.", 7) || is_inherited(u, n, c))
			continue;
		if (!strncmp(text, REFINE_MARK, strlen(REFINE_MARK)) && add_refinement(u, n, text + strlen(REFINE_MARK)))
			return -1;
		if (!strncmp(text, REFINE_OPERATOR_MARK, strlen(REFINE_OPERATOR_MARK)) &&
		    add_signature(u, n, text + strlen(REFINE_OPERATOR_MARK)))
			return -1;
	}
	return 0;
}

static int below(struct unit *u, uint32_t n)
{
	const struct tree_node *x = node(u, n);
	size_t scope = u->scope.size;
	int scoped = x->kind == TREE_FUNCTION || x->kind == TREE_BLOCK || x->kind == TREE_FOR, e = 0;

	if ((x->kind == TREE_VARIABLE && !x->is_global) || x->kind == TREE_PARAMETER)
		vec_push(&u->scope, n);
	if (x->kind >= TREE_FUNCTION && x->kind <= TREE_TYPEDEF)
		e = annotations(u, n);
	for (uint32_t c = node(u, n)->first; c && !e; c = node(u, c)->next)
		e = below(u, c);
	if (scoped)
		u->scope.size = scope;
	return e;
}

int collect(struct unit *u)
{
	vec_clear(&u->scope);
	map_clear(&u->annotations);
	return below(u, 1);
}

void collect_release(struct unit *u)
{
	for (size_t i = 0; i < u->conjuncts.size; i++) {
		vec_release(&u->conjuncts.data[i].arguments);
		vec_release(&u->conjuncts.data[i].globals);
	}
	vec_clear(&u->conjuncts);
	vec_clear(&u->results);
}
