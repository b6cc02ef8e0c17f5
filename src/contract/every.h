/* every.h: what holds of all structures of a type that a call can reach: every(struct item, name != NULL).
 *
 * Places (entry.h) are named by a path from a parameter, two pointers deep and at one index. What fails for the second element of an array, or farther down, is about a structure that has no such name; what callers owe is then
 * that each structure of the type is whole. Stated of the driver's objects: of those that some pointer of the call leads to, by all elements that they have.
 *
 *	every(T, f != NULL)          the member is set
 *	every(T, n <= len(f))        a number that counts, beside the elements from the member to its object's end; `n <= 0 ||` where n has a sign
 *	every(T, ordered(f, g))      both members are null, or point into one object, and g not in front of f
 *	every(T, begins a larger one)  each is the first member of the structure that the unit casts it to
 *	apart(T, f)                  no two of the structures have one object there
 *
 * Where an input has more objects and elements than are looked at (EVERY_ELEMENTS) the term says less than the text: it excludes fewer calls.
 */
#ifndef MUSTER_CONTRACT_EVERY_H
#define MUSTER_CONTRACT_EVERY_H

#include "contract/entry.h"
#include "harness/walk.h"

/* Adds such places, of kind ENTRY_EVERY, without their terms. */
void every_add(struct entry *e, const struct harness *h, struct walk *w);
/* The term of the place, made when it is first asked for. slack: numbers may be larger by one. */
expr_t every_term(const struct entry *e, const struct entry_place *x);
expr_t every_slack_term(const struct entry *e, const struct entry_place *x);
/* A term whose variables are those that the place is about: the member's choices, or the sizes of what it leads to. */
expr_t every_about(const struct entry *e, const struct entry_place *x);
/* every(T, begins a larger one): the access that failed is beyond a structure that the unit takes for a larger one (json_t, which json_array_t begins with). No object of the driver's is one. */
int every_is_begins(const struct entry *e, const struct entry_place *x);
int every_is_apart(const struct entry *e, const struct entry_place *x);
/* Of the input's byte: is it the choice of a pointer that the place says is set? Then the largest choice that is one, else 0. */
unsigned every_choices(const struct entry *e, const struct entry_place *x, size_t at);

#endif
