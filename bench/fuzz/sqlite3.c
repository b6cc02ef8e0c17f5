/* sqlite3.c: harness of SQLite: the input is SQL text, run on an empty database in memory. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sqlite3 *db;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (sqlite3_open(":memory:", &db) == SQLITE_OK)
		sqlite3_exec(db, text, NULL, NULL, NULL);
	sqlite3_close(db);
	free(text);
	return 0;
}
