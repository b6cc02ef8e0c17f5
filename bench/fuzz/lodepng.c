/* lodepng.c: harness of lodepng's decoder: a picture from memory to RGBA.
 *
 * Checksums are not insisted on, as fuzzing of PNG usually has it; pictures are kept small. */
#include <lodepng.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *pixels = NULL;
	unsigned width = 0, height = 0;
	LodePNGState state;

	lodepng_state_init(&state);
	state.decoder.ignore_crc = 1;
	state.decoder.zlibsettings.ignore_adler32 = 1;
	state.decoder.zlibsettings.max_output_size = 1 << 20;
	if (!lodepng_inspect(&width, &height, &state, data, size) && width <= 2048 && height <= 2048)
		lodepng_decode(&pixels, &width, &height, &state, data, size);
	free(pixels);
	lodepng_state_cleanup(&state);
	return 0;
}
