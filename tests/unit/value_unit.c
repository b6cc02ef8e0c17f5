/* value_unit.c: functions of every kind of parameter for test_value.c. Each returns a hash of all that it can reach, by members, so
 * that two ways of building the same arguments can be compared; some write as well. Compiled by the test, not by itself. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;
enum color { RED, GREEN = 5, BLUE = -3 };

struct node {
	char tag;
	int n;
	struct node *next;
	unsigned low : 3;
	int high : 5;
	enum color paint : 4;
	_Bool flag;
};

typedef struct {
	short x, y;
} point;

struct mixed {
	byte b;
	double d;
	point p[2];
	char name[6];
	struct {
		int left;
		union {
			float f;
			uint32_t u;
		};
	};
	const char *text;
	unsigned : 4;
	long long big;
	int many[40];
};

union value {
	uint8_t one;
	uint64_t all;
	struct {
		uint16_t a, b;
	} pair;
};

union holder {
	struct node *node;
	long number;
	struct {
		int kind;
		char *text;
	} tagged;
};

struct ops {
	int (*apply)(int);
	void *self;
	struct ops *parent;
};

typedef int (*operation)(int);

static int twice(int x)
{
	return (int)(2u * (unsigned)x);
}

static int negate(int x)
{
	return (int)-(unsigned)x;
}

operation all_operations[] = {twice, negate};

int counter = 41;
static struct mixed state = {.b = 7, .d = 1.5, .name = "ab", .many = {[3] = 9}};
static struct node *list;
char letters[8] = "xyz";
static operation chosen = twice;
float ratio = 0.25f;
union value any = {.all = 0x1234};
_Bool ready = 1;

int opaque_number(int x);
struct node *opaque_node(void);

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * 0x100000001b3u + (h >> 29);
}

static uint64_t mix_bytes(uint64_t h, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = mix(h, ((const byte *)p)[i]);
	return h;
}

static uint64_t mix_string(uint64_t h, const char *s)
{
	return s ? mix_bytes(mix(h, 1), s, strlen(s) + 1) : mix(h, 2);
}

static uint64_t mix_node(uint64_t h, const struct node *p, int depth)
{
	if (!p)
		return mix(h, 3);
	h = mix(mix(mix(h, (uint64_t)p->tag), (uint64_t)p->n), p->low);
	h = mix(mix(mix(h, (uint64_t)p->high), (uint64_t)p->paint), p->flag);
	return depth ? mix_node(h, p->next, depth - 1) : h;
}

static uint64_t mix_mixed(uint64_t h, const struct mixed *m)
{
	h = mix_bytes(mix(h, m->b), &m->d, sizeof m->d);
	h = mix_bytes(h, m->p, sizeof m->p);
	h = mix_bytes(h, m->name, sizeof m->name);
	h = mix(mix(mix(h, (uint64_t)m->left), m->u), (uint64_t)m->big);
	return mix_string(mix_bytes(h, m->many, sizeof m->many), m->text);
}

uint64_t numbers(char c, signed char sc, byte b, short s, unsigned short us, int i, unsigned u, long l,
		 unsigned long ul, enum color e, _Bool flag)
{
	uint64_t h = mix(mix(mix(1, (uint64_t)c), (uint64_t)sc), b);

	h = mix(mix(mix(mix(h, (uint64_t)s), us), (uint64_t)i), u);
	return mix(mix(mix(mix(h, (uint64_t)l), ul), (uint64_t)e), flag);
}

unsigned __int128 wide(__int128 a, unsigned __int128 b)
{
	return (unsigned __int128)a + b;
}

double floats(float f, double d, long double *l, double *list)
{
	uint64_t h = mix_bytes(mix_bytes(3, &f, sizeof f), &d, sizeof d);

	if (l)
		h = mix_bytes(h, l, 10);
	if (list)
		h = mix_bytes(h, list, sizeof *list);
	return (double)(h >> 20);
}

uint64_t records(struct mixed m, struct node n, point p)
{
	return mix_mixed(mix_node(mix(mix(5, (uint64_t)p.x), (uint64_t)p.y), &n, 3), &m);
}

point moved(const point *p, int dx)
{
	point q = {1, 2};

	if (p) {
		q.x = (short)(p->x + (short)dx);
		q.y = p->y;
	}
	return q;
}

uint64_t lists(struct node *a, struct node *b, struct node **c)
{
	uint64_t h = mix_node(mix_node(mix(7, a == b), a, 5), b, 5);

	return c ? mix_node(mix(h, *c == a), *c, 2) : h;
}

struct node *reverse(struct node *p)
{
	struct node *last = NULL;

	for (int i = 0; p && i < 10; i++) {
		struct node *next = p->next;
		p->next = last;
		p->n ^= i;
		last = p;
		p = next;
	}
	return last;
}

size_t strings(char *s, const char *t, char **list)
{
	uint64_t h = mix_string(mix_string(9, s), t);

	if (s && *s && s[0] != '"')
		s[0]++;
	return list ? mix_string(h, *list) : h;
}

uint64_t arrays(int a[4], short (*q)[3], const long *one, byte *raw, void *any_memory)
{
	uint64_t h = 11;

	if (a) {
		h = mix_bytes(h, a, 4 * sizeof *a);
		a[2] = -1;
	}
	if (q)
		h = mix_bytes(h, q, sizeof *q);
	if (one)
		h = mix(h, (uint64_t)*one);
	if (raw)
		h = mix(h, raw[0]);
	return any_memory ? mix(h, *(byte *)any_memory) : h;
}

uint64_t span(const int *begin, const int *end)
{
	uint64_t h = 13;

	if (!begin || !end)
		return mix(h, !begin);
	if (begin == end)
		return mix(h, 2);
	return mix(h, (uint64_t)begin[0]);
}

uint64_t calls(operation op, struct ops *o)
{
	uint64_t h = 15;

	if (op == twice || op == negate)
		h = mix(h, (uint64_t)op(21));
	if (o)
		h = mix(mix(h, o->apply == twice), (o->parent == o) + 2 * (o->self == NULL));
	return h;
}

uint64_t unions(union value v, union value *p, union holder *q)
{
	uint64_t h = mix(17, v.all);

	if (p)
		h = mix(h, p->all);
	if (q && q->node)
		h = mix_node(h, q->node, 1);
	if (q)
		h = mix_string(h, q->tagged.text);
	return h;
}

uint64_t globals(int set)
{
	uint64_t h = mix_mixed(mix(mix(19, (uint64_t)counter), ready), &state);

	h = mix_bytes(mix_node(h, list, 3), letters, sizeof letters);
	h = mix(mix_bytes(h, &ratio, sizeof ratio), any.all);
	if (chosen == twice || chosen == negate)
		h = mix(h, (uint64_t)chosen(3));
	if (set > 0) {
		counter = set;
		state.p[1].y = 3;
		list = NULL;
	}
	return h;
}

uint64_t opaque(int x)
{
	uint64_t h = mix(21, (uint64_t)opaque_number(x));
	struct node *p = opaque_node();

	h = mix(h, (uint64_t)opaque_number(x + 1));
	return mix_node(h, p, 1);
}

void releases(struct node *p, char *s)
{
	if (p && p->n > 0)
		free(p);
	if (s && s[0] == 1)
		free(s);
}

int counts(int by)
{
	static int total;

	return total += by & 0xff;
}

void leaves(int code)
{
	if (code & 1)
		exit(code & 7);
}

int fail(int state, int printf)
{
	return state - (printf & 1);
}
