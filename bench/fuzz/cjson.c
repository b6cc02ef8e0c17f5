/* cjson.c: harness of cJSON's parser: a text is parsed, and printed in both ways.
 *
 * No byte of the input is an option: every input is a JSON text, as a user's file would be. */
#include "cJSON.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cJSON *json = cJSON_ParseWithLength((const char *)data, size);

	if (json) {
		free(cJSON_Print(json));
		free(cJSON_PrintUnformatted(json));
		cJSON_Delete(json);
	}
	return 0;
}
