/* giflib.c: harness of giflib's decoder: a whole file from memory, with every picture and extension. */
#include "gif_lib.h"

#include <stdint.h>
#include <string.h>

struct reader {
	const uint8_t *data;
	size_t size, at;
};

static int take(GifFileType *gif, GifByteType *to, int count)
{
	struct reader *r = gif->UserData;
	size_t n = (size_t)count < r->size - r->at ? (size_t)count : r->size - r->at;

	memcpy(to, r->data + r->at, n);
	r->at += n;
	return (int)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = {data, size, 0};
	int error = 0;
	GifFileType *gif = DGifOpen(&r, take, &error);

	if (!gif)
		return 0;
	if (DGifSlurp(gif) == GIF_OK) {
		for (int i = 0; i < gif->ImageCount; i++) {
			GraphicsControlBlock block;
			DGifSavedExtensionToGCB(gif, i, &block);
		}
	}
	DGifCloseFile(gif, &error);
	return 0;
}
