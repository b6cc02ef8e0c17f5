/* calc.c: tokenizer and recursive-descent interpreter of the language in calc.h.
 *
 * One token is looked at ahead of the grammar (c->token). Every function stops at c->error; a loop is run again by going
 * back in the text. `skip` counts the branches around us that are not taken: under it everything is parsed and nothing is done. */
#include "calc.h"

#include <ctype.h>
#include <string.h>

static int64_t expression(struct calc *c, int level);
static void statement(struct calc *c);

static void fail(struct calc *c, enum calc_error error)
{
	if (!c->error)
		c->error = error;
	c->token = CALC_END;
	c->at = c->size;
}

static int peek(const struct calc *c, size_t ahead)
{
	return c->at + ahead < c->size ? (unsigned char)c->text[c->at + ahead] : -1;
}

/* ------------------------------------------------------------- the tokenizer */
static void skip_blanks(struct calc *c)
{
	for (;;) {
		int ch = peek(c, 0);
		if (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r') {
			c->at++;
		} else if (ch == '#' || (ch == '/' && peek(c, 1) == '/')) {
			while (peek(c, 0) >= 0 && peek(c, 0) != '\n')
				c->at++;
		} else if (ch == '/' && peek(c, 1) == '*') {
			c->at += 2;
			while (peek(c, 0) >= 0 && !(peek(c, 0) == '*' && peek(c, 1) == '/'))
				c->at++;
			if (peek(c, 0) < 0)
				return fail(c, CALC_OPEN_COMMENT);
			c->at += 2;
		} else {
			return;
		}
	}
}

static int digit_of(int ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'F')
		return ch - 'A' + 10;
	return 99;
}

static void read_number(struct calc *c)
{
	int base = 10, digits = 0;
	uint64_t value = 0;

	if (peek(c, 0) == '0' && (peek(c, 1) == 'x' || peek(c, 1) == 'X'))
		base = 16;
	else if (peek(c, 0) == '0' && peek(c, 1) == 'b')
		base = 2;
	else if (peek(c, 0) == '0' && isdigit(peek(c, 1)))
		base = 8;
	if (base == 16 || base == 2)
		c->at += 2;
	for (;; c->at++) {
		int d = digit_of(peek(c, 0));
		if (peek(c, 0) == '_' && digits)
			continue;
		if (d >= base)
			break;
		if (value > (UINT64_MAX >> 1) / (unsigned)base)
			return fail(c, CALC_BAD_NUMBER);
		value = value * (unsigned)base + (unsigned)d;
		digits++;
	}
	if (peek(c, 0) == 'k' || peek(c, 0) == 'M') {
		value <<= peek(c, 0) == 'k' ? 10 : 20;
		c->at++;
	}
	if (!digits || isalnum(peek(c, 0) < 0 ? 0 : peek(c, 0)))
		return fail(c, CALC_BAD_NUMBER);
	c->number = (int64_t)(value & INT64_MAX);
	c->token = CALC_NUMBER;
}

static int escape(struct calc *c)
{
	int ch = peek(c, 0), value;

	c->at++;
	switch (ch) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case '0': return 0;
	case '\\': case '"': case '\'': return ch;
	case 'x':
		if (digit_of(peek(c, 0)) > 15 || digit_of(peek(c, 1)) > 15)
			return -1;
		value = digit_of(peek(c, 0)) * 16 + digit_of(peek(c, 1));
		c->at += 2;
		return value;
	case 'u':
		if (peek(c, 0) != '{')
			return -1;
		for (value = 0, c->at++; digit_of(peek(c, 0)) < 16; c->at++) {
			value = value * 16 + digit_of(peek(c, 0));
			if (value > 0x10ffff)
				return -1;
		}
		if (peek(c, 0) != '}' || (value >= 0xd800 && value < 0xe000))
			return -1;
		c->at++;
		return value;
	default: return -1;
	}
}

static void read_string(struct calc *c, int quote)
{
	c->string_hash = 5381;
	c->string_length = 0;
	for (c->at++; peek(c, 0) != quote; c->string_length++) {
		int ch = peek(c, 0);
		if (ch < 0 || ch == '\n')
			return fail(c, CALC_OPEN_STRING);
		c->at++;
		if (ch == '\\' && (ch = escape(c)) < 0)
			return fail(c, CALC_BAD_ESCAPE);
		c->string_hash = c->string_hash * 33 + (uint32_t)ch;
	}
	c->at++;
	c->token = CALC_STRING;
	c->number = c->string_length;
	if (quote == '\'') { /* one character is a number */
		if (c->string_length != 1)
			return fail(c, CALC_OPEN_STRING);
		c->token = CALC_NUMBER;
		c->number = c->string_hash - 5381 * 33u;
	}
}

static void read_name(struct calc *c)
{
	static const struct {
		const char *word;
		enum calc_token token;
	} words[] = {{"if", CALC_IF}, {"else", CALC_ELSE}, {"while", CALC_WHILE}, {"print", CALC_PRINT}, {"return", CALC_RETURN},
		     {"break", CALC_BREAK}, {"continue", CALC_CONTINUE}};

	c->name_length = 0;
	while (isalnum(peek(c, 0) < 0 ? 0 : peek(c, 0)) || peek(c, 0) == '_') {
		if (c->name_length + 1 >= sizeof c->name)
			return fail(c, CALC_LONG_NAME);
		c->name[c->name_length++] = (char)peek(c, 0);
		c->at++;
	}
	c->name[c->name_length] = 0;
	c->token = CALC_NAME;
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(c->name, words[i].word))
			c->token = words[i].token;
}

static void next(struct calc *c)
{
	static const struct {
		char first, second;
		enum calc_token token;
	} pairs[] = {{'=', '=', CALC_EQ}, {'!', '=', CALC_NE}, {'<', '=', CALC_LE}, {'>', '=', CALC_GE}, {'&', '&', CALC_AND},
		     {'|', '|', CALC_OR}, {'<', '<', CALC_SHL}, {'>', '>', CALC_SHR}, {'+', '=', CALC_ADD_TO}, {'-', '=', CALC_SUB_FROM}};

	skip_blanks(c);
	int ch = peek(c, 0);
	if (ch < 0) {
		c->token = CALC_END;
	} else if (ch >= '0' && ch <= '9') {
		read_number(c);
	} else if (isalpha(ch) || ch == '_') {
		read_name(c);
	} else if (ch == '"' || ch == '\'') {
		read_string(c, ch);
	} else if (ch < 0x20 || ch > 0x7e) {
		fail(c, CALC_STRAY);
	} else {
		for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
			if (ch == pairs[i].first && peek(c, 1) == pairs[i].second) {
				c->token = pairs[i].token;
				c->at += 2;
				return;
			}
		}
		c->token = (enum calc_token)(CALC_CHAR + ch);
		c->at++;
	}
}

static int accept(struct calc *c, int token)
{
	if ((int)c->token != token)
		return 0;
	next(c);
	return 1;
}

static void expect(struct calc *c, int token)
{
	if (!accept(c, token))
		fail(c, CALC_UNEXPECTED);
}

/* --------------------------------------------------------------- expressions */
static int64_t *variable(struct calc *c, const char *name, int make)
{
	for (unsigned i = 0; i < c->name_count; i++)
		if (!strcmp(c->names[i].name, name))
			return &c->names[i].value;
	if (!make)
		return NULL;
	if (c->name_count == CALC_NAMES) {
		fail(c, CALC_TOO_MANY_NAMES);
		return NULL;
	}
	strcpy(c->names[c->name_count].name, name);
	c->names[c->name_count].value = 0;
	return &c->names[c->name_count++].value;
}

static int64_t function(struct calc *c, const char *name)
{
	int64_t arguments[3] = {0};
	unsigned count = 0;

	if (c->token != (enum calc_token)(CALC_CHAR + ')')) {
		do {
			int64_t value = expression(c, 0);
			if (count == 3)
				fail(c, CALC_ARGUMENTS);
			else
				arguments[count++] = value;
		} while (accept(c, CALC_CHAR + ','));
	}
	expect(c, CALC_CHAR + ')');
	if (c->error)
		return 0;
	if (!strcmp(name, "max") && count == 2)
		return arguments[0] > arguments[1] ? arguments[0] : arguments[1];
	if (!strcmp(name, "min") && count == 2)
		return arguments[0] < arguments[1] ? arguments[0] : arguments[1];
	if (!strcmp(name, "abs") && count == 1)
		return arguments[0] < 0 ? (int64_t)(0 - (uint64_t)arguments[0]) : arguments[0];
	if (!strcmp(name, "clamp") && count == 3) {
		if (arguments[1] > arguments[2])
			fail(c, CALC_ARGUMENTS);
		return arguments[0] < arguments[1] ? arguments[1] : arguments[0] > arguments[2] ? arguments[2] : arguments[0];
	}
	if (!strcmp(name, "bits") && count == 1) {
		int64_t bits = 0;
		for (uint64_t v = (uint64_t)arguments[0]; v; v &= v - 1)
			bits++;
		return bits;
	}
	fail(c, CALC_UNKNOWN_FUNCTION);
	return 0;
}

static int64_t primary(struct calc *c)
{
	int64_t value = 0, *found;
	char name[16];

	if (++c->depth > CALC_DEPTH || ++c->steps > CALC_STEPS) {
		fail(c, c->depth > CALC_DEPTH ? CALC_TOO_DEEP : CALC_TOO_LONG);
	} else if (c->token == CALC_NUMBER || c->token == CALC_STRING) {
		value = c->number;
		next(c);
	} else if (c->token == CALC_NAME) {
		strcpy(name, c->name);
		next(c);
		if (accept(c, CALC_CHAR + '('))
			value = function(c, name);
		else if ((found = variable(c, name, 0)))
			value = *found;
	} else if (accept(c, CALC_CHAR + '(')) {
		value = expression(c, 0);
		expect(c, CALC_CHAR + ')');
	} else if (accept(c, CALC_CHAR + '-')) {
		value = (int64_t)(0 - (uint64_t)primary(c));
	} else if (accept(c, CALC_CHAR + '!')) {
		value = !primary(c);
	} else if (accept(c, CALC_CHAR + '~')) {
		value = ~primary(c);
	} else {
		fail(c, CALC_UNEXPECTED);
	}
	c->depth--;
	return value;
}

static int64_t apply(struct calc *c, int token, int64_t left, int64_t right)
{
	uint64_t a = (uint64_t)left, b = (uint64_t)right;

	switch (token) {
	case CALC_OR: return left || right;
	case CALC_AND: return left && right;
	case CALC_EQ: return left == right;
	case CALC_NE: return left != right;
	case CALC_LE: return left <= right;
	case CALC_GE: return left >= right;
	case CALC_SHL: return b < 64 ? (int64_t)(a << b) : 0;
	case CALC_SHR: return b < 64 ? (int64_t)(a >> b) : 0;
	case CALC_CHAR + '<': return left < right;
	case CALC_CHAR + '>': return left > right;
	case CALC_CHAR + '|': return left | right;
	case CALC_CHAR + '^': return left ^ right;
	case CALC_CHAR + '&': return left & right;
	case CALC_CHAR + '+': return (int64_t)(a + b);
	case CALC_CHAR + '-': return (int64_t)(a - b);
	case CALC_CHAR + '*': return (int64_t)(a * b);
	default:
		if (c->skip)
			return 0;
		if (!right || (left == INT64_MIN && right == -1)) {
			fail(c, CALC_DIVISION);
			return 0;
		}
		return token == CALC_CHAR + '/' ? left / right : left % right;
	}
}

static int level_of(int token)
{
	switch (token) {
	case CALC_OR: return 1;
	case CALC_AND: return 2;
	case CALC_EQ: case CALC_NE: return 3;
	case CALC_CHAR + '<': case CALC_CHAR + '>': case CALC_LE: case CALC_GE: return 4;
	case CALC_CHAR + '|': case CALC_CHAR + '^': case CALC_CHAR + '&': return 5;
	case CALC_SHL: case CALC_SHR: return 6;
	case CALC_CHAR + '+': case CALC_CHAR + '-': return 7;
	case CALC_CHAR + '*': case CALC_CHAR + '/': case CALC_CHAR + '%': return 8;
	default: return 0;
	}
}

/* Operators of this level and above; level 0 has the conditional operator too. */
static int64_t expression(struct calc *c, int level)
{
	int64_t left = primary(c);

	while (!c->error && level_of(c->token) > level) {
		int token = c->token;
		next(c);
		left = apply(c, token, left, expression(c, level_of(token)));
	}
	if (!level && accept(c, CALC_CHAR + '?')) {
		int64_t then = expression(c, 0);
		expect(c, CALC_CHAR + ':');
		int64_t other = expression(c, 0);
		return left ? then : other;
	}
	return left;
}

/* ---------------------------------------------------------------- statements */
static void guarded(struct calc *c, int taken)
{
	c->skip += !taken;
	statement(c);
	c->skip -= !taken;
}

static void loop(struct calc *c)
{
	size_t start = c->at;
	enum calc_token token = c->token;

	c->loops++;
	for (;;) {
		expect(c, CALC_CHAR + '(');
		int taken = expression(c, 0) != 0 && !c->skip;
		expect(c, CALC_CHAR + ')');
		guarded(c, taken);
		if (c->error || !taken || c->leave == 1 || c->leave == 3)
			break;
		c->leave = 0;
		c->at = start;
		c->token = token;
	}
	if (c->leave == 1)
		c->leave = 0;
	c->loops--;
}

static void assignment(struct calc *c)
{
	char name[16];
	int64_t *to;

	strcpy(name, c->name);
	next(c);
	int token = c->token;
	if (token != CALC_CHAR + '=' && token != CALC_ADD_TO && token != CALC_SUB_FROM) {
		if (token != CALC_CHAR + '(')
			return fail(c, CALC_UNEXPECTED);
		next(c);
		function(c, name);
		return;
	}
	next(c);
	int64_t value = expression(c, 0);
	if (c->error || c->skip || c->leave || !(to = variable(c, name, 1)))
		return;
	if (token == CALC_ADD_TO)
		value = (int64_t)((uint64_t)*to + (uint64_t)value);
	else if (token == CALC_SUB_FROM)
		value = (int64_t)((uint64_t)*to - (uint64_t)value);
	*to = value;
}

static void leave(struct calc *c)
{
	int how = c->token == CALC_BREAK ? 1 : c->token == CALC_CONTINUE ? 2 : 3;

	next(c);
	if (how == 3 && c->token != (enum calc_token)(CALC_CHAR + ';'))
		c->printed += (uint64_t)expression(c, 0);
	else if (how < 3 && !c->loops)
		return fail(c, CALC_UNEXPECTED);
	if (!c->skip && !c->leave)
		c->leave = how;
}

static void block(struct calc *c)
{
	while (!c->error && c->token != CALC_END && c->token != (enum calc_token)(CALC_CHAR + '}')) {
		/* What follows break, continue or return is parsed, not done. */
		int dead = c->leave != 0;
		c->skip += dead;
		statement(c);
		c->skip -= dead;
	}
	expect(c, CALC_CHAR + '}');
}

static void statement(struct calc *c)
{
	if (++c->depth > CALC_DEPTH || ++c->steps > CALC_STEPS) {
		fail(c, c->depth > CALC_DEPTH ? CALC_TOO_DEEP : CALC_TOO_LONG);
	} else if (accept(c, CALC_CHAR + '{')) {
		block(c);
	} else if (accept(c, CALC_IF)) {
		expect(c, CALC_CHAR + '(');
		int taken = expression(c, 0) != 0;
		expect(c, CALC_CHAR + ')');
		guarded(c, taken);
		if (accept(c, CALC_ELSE))
			guarded(c, !taken);
	} else if (accept(c, CALC_WHILE)) {
		loop(c);
	} else if (accept(c, CALC_PRINT)) {
		do {
			int64_t value = expression(c, 0);
			c->printed += c->skip ? 0 : (uint64_t)value;
		} while (accept(c, CALC_CHAR + ','));
		expect(c, CALC_CHAR + ';');
	} else if (c->token == CALC_RETURN || c->token == CALC_BREAK || c->token == CALC_CONTINUE) {
		leave(c);
		expect(c, CALC_CHAR + ';');
	} else if (c->token == CALC_NAME) {
		assignment(c);
		expect(c, CALC_CHAR + ';');
	} else {
		expect(c, CALC_CHAR + ';');
	}
	c->depth--;
}

void calc_init(struct calc *c, const char *text, size_t size)
{
	memset(c, 0, sizeof *c);
	c->text = text;
	c->size = size;
}

enum calc_error calc_run(struct calc *c)
{
	next(c);
	while (!c->error && c->token != CALC_END && c->leave != 3)
		statement(c);
	return c->error;
}
