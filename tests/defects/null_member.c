/* The member of a structure that is not there.
 * site: load
 * san: member access within null pointer
 * signal: 11
 */
#include <stddef.h>
struct list {
	struct list *next;
	int value;
};
static int last(struct list *l)
{
	while (l->next)
		l = l->next;
	return l->next->value; /* HERE */
}
int main(void)
{
	struct list end = {NULL, 1}, begin = {&end, 2};
	return last(&begin);
}
