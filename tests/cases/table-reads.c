/* Symbolic table reads: a constant table, a local array, a heap table with labelled contents, a
 * table of structures, a two-dimensional one, at several widths.
 *
 * INPUT \x03\x01\x02\x00\x05
 */
#include "case.h"

static const unsigned char squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static const short shorts[8] = {-5, -4, -3, -2, -1, 0, 1, 2};
static const struct {
	char name[4];
	int value;
} table[4] = {{"one", 1}, {"two", 2}, {"six", 6}, {"ten", 10}};
static const int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static unsigned counts[8];

int main(void) {
	load();
	IF(squares[in[0]] == 9);               // branch
	IF(squares[squares[in[2]] & 15] == 16); // branch
	IF(shorts[in[0] & 7] < -1);            // branch
	IF(table[in[1] & 3].value == 2);       // branch
	IF(table[in[1] & 3].name[0] == 't');   // branch
	IF(grid[in[1] % 3][in[2] % 4] == 7);   // branch
	unsigned char local[8];
	for (int i = 0; i < 8; i++)
		local[i] = i * 3;
	IF(local[in[4] & 7] == 15);            // branch
	unsigned char *heap = malloc(6);
	for (int i = 0; i < 5; i++)
		heap[i] = in[i];
	heap[5] = 77;
	IF(heap[in[1]] == 1);                  // branch
	IF(heap[in[4]] == 77);                 // branch
	heap[1] = 200;
	IF(heap[in[1]] == 200);                // branch
	counts[5] = 12;
	IF(counts[in[4] & 7] == 12);           // branch
	free(heap);
	return 0;
}
