/* gif.c: harness of examples/gif: a whole file from memory, frame by frame. */
#include "gif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum gif_status status = GIF_OK;
	struct gif_report report;
	struct gif *g = gif_open(data, size, &status);

	if (g)
		(void)gif_describe(g, &report);
	gif_close(g);
	return 0;
}
