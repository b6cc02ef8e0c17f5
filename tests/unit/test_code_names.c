/* test_code_names.c: which value a variable of the source has at a point, and where its name means it. */
#include "code_unit.h"

static uint32_t variable(const struct code_function *f, const char *name, unsigned n)
{
	for (uint32_t k = 0; k < f->variable_count; k++)
		if (!strcmp(f->variables[k].name, name) && !n--)
			return k;
	fail_msg("%s: no variable %s", f->name, name);
	return 0;
}

static void test_names(void **unused)
{
	struct code *c = load("int g(int);\n"
			      "int f(int n, unsigned char k) {\n"
			      "  int s = 0, dead = 1, moved = n;\n"
			      "  for (int i = 0; i < n; i++) {\n"
			      "    if (k) dead = 5;\n"
			      "    s += g(moved);\n"
			      "  }\n"
			      "  return s; }\n");
	const struct code_function *f = function(c, "f");
	struct code_names *names = code_names_new(f);
	uint32_t head = f->loops[0].header, s, i, v, join;

	(void)unused;
	assert_string_equal(f->file, "<stdin>");
	assert_int_equal(f->variables[variable(f, "n", 0)].parameter, 0);
	assert_int_equal(f->variables[variable(f, "k", 0)].parameter, 1);
	assert_int_equal(f->variables[variable(f, "moved", 0)].parameter, CODE_NONE);
	assert_true(f->values[1].flags & CODE_UNSIGNED && !(f->values[0].flags & CODE_UNSIGNED));
	assert_int_equal(c->types[f->variables[variable(f, "k", 0)].type].is_unsigned, 1);
	assert_int_equal(c->types[f->variables[variable(f, "k", 0)].type].bytes, 1);
	assert_string_equal(c->types[f->variables[variable(f, "k", 0)].type].name, "unsigned char");
	assert_int_equal(c->types[f->variables[variable(f, "s", 0)].type].is_unsigned, 0);
	s = code_names_value(names, head, variable(f, "s", 0));
	i = code_names_value(names, head, variable(f, "i", 0));
	assert_int_equal(f->values[s].op, CODE_PHI);
	assert_int_equal(f->values[i].op, CODE_PHI);
	assert_int_not_equal(s, i);
	assert_int_equal(code_names_value(names, head, variable(f, "n", 0)), 0);
	assert_int_equal(code_names_value(names, head, variable(f, "moved", 0)), 0);
	/* Nobody reads it, so there is no phi, and after the branch it is 1 or 5. */
	assert_int_equal(code_names_value(names, head, variable(f, "dead", 0)), CODE_NONE);
	join = f->values[nth(f, CODE_CALL, 0)].block;
	assert_int_equal(code_names_value(names, join, variable(f, "dead", 0)), CODE_NONE);
	v = code_names_value(names, f->values[nth(f, CODE_RETURN, 0)].block, variable(f, "s", 0));
	assert_int_equal(v, s);
	code_names_free(names);
	code_free(c);
}

/* At the entry of a block its own first assignments have not happened, even if they leave no instruction. */
static void test_names_at_entry(void **unused)
{
	struct code *c = load("int g(int, int);\n"
			      "int f(int n) {\n"
			      "  int i = 5, x = 3;\n"
			      " again:\n"
			      "  x = n;\n"
			      "  i = 0;\n"
			      "  n = g(i, x);\n"
			      "  if (n) goto again;\n"
			      "  return i; }\n");
	const struct code_function *f = function(c, "f");
	struct code_names *names = code_names_new(f);
	uint32_t head = f->loops[0].header, call = nth(f, CODE_CALL, 0), value;

	(void)unused;
	value = code_names_value(names, head, variable(f, "n", 0));
	assert_int_equal(f->values[value].op, CODE_PHI);
	assert_int_equal(code_names_value(names, head, variable(f, "i", 0)), CODE_NONE); /* 5 or 0 */
	assert_int_equal(code_names_value(names, head, variable(f, "x", 0)), CODE_NONE); /* not n: 3, or the last n */
	assert_int_equal(code_names_before(names, call, variable(f, "x", 0)), value);
	value = code_names_before(names, call, variable(f, "i", 0));
	assert_true(f->values[value].kind == CODE_CONSTANT && code_signed(&f->values[value]) == 0);
	code_names_free(names);
	code_free(c);
}

static void test_visible(void **unused)
{
	struct code *c = load("int g(int);\n"
			      "int f(int x) {\n"
			      "  int r = g(1);\n"
			      "  for (int i = 0; i < x; i++) {\n"
			      "    int x = g(2);\n"
			      "    r += g(x);\n"
			      "  }\n"
			      "  r += g(4);\n"
			      "  return r; }\n");
	const struct code_function *f = function(c, "f");
	uint32_t inner = nth(f, CODE_CALL, 2), last = nth(f, CODE_CALL, 3), i = variable(f, "i", 0), r = variable(f, "r", 0);
	uint32_t parameter = variable(f, "x", 0), shadow = variable(f, "x", 1);

	(void)unused;
	if (f->variables[parameter].parameter == CODE_NONE) {
		parameter = shadow;
		shadow = variable(f, "x", 0);
	}
	assert_int_equal(f->values[inner].line, 6);
	assert_true(code_visible(f, i, f->values[inner].scope, 6));
	assert_true(code_visible(f, r, f->values[inner].scope, 6));
	assert_true(code_visible(f, shadow, f->values[inner].scope, 6));
	assert_false(code_visible(f, parameter, f->values[inner].scope, 6));
	assert_false(code_visible(f, i, f->values[last].scope, 8));
	assert_false(code_visible(f, shadow, f->values[last].scope, 8));
	assert_true(code_visible(f, parameter, f->values[last].scope, 8));
	assert_true(code_visible(f, r, f->values[last].scope, 8));
	code_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_names_at_entry),
	    cmocka_unit_test(test_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
