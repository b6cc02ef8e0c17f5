/* cJSON's parser over a whole file, as a driver for `make bench`: cjson FILE [REPEAT]. */
#include "cJSON.h"
#include "kernel.h"

static uint32_t kernel(const unsigned char *p, size_t n)
{
	cJSON *json = cJSON_ParseWithLength((const char *)p, n);
	uint32_t kind = json ? (uint32_t)json->type : 0;
	cJSON_Delete(json);
	return kind;
}
