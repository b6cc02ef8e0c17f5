/* libpng.c: harness of libpng's reader: a picture from memory, its rows one by one.
 *
 * Checksums of chunks are not insisted on and pictures are kept small, both as fuzzing of libpng usually has it;
 * what would take memory in bulk is limited by libpng's own limits. */
#include <png.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const uint8_t *data;
	size_t size, at;
};

static void take(png_structp png, png_bytep to, size_t count)
{
	struct reader *r = png_get_io_ptr(png);

	if (count > r->size - r->at)
		png_error(png, "end of input");
	memcpy(to, r->data + r->at, count);
	r->at += count;
}

static void quiet(png_structp png, png_const_charp text)
{
	(void)png, (void)text;
}

static void fatal(png_structp png, png_const_charp text)
{
	(void)text;
	png_longjmp(png, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = {data, size, 0};
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fatal, quiet);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	png_bytep volatile row = NULL;

	if (info && !setjmp(png_jmpbuf(png))) {
		png_set_read_fn(png, &r, take);
		png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
		png_set_user_limits(png, 2048, 2048);
		png_set_chunk_malloc_max(png, 1 << 20);
		png_read_info(png, info);
		png_set_expand(png);
		png_set_gray_to_rgb(png);
		int passes = png_set_interlace_handling(png);
		png_read_update_info(png, info);
		row = malloc(png_get_rowbytes(png, info));
		for (int pass = 0; row && pass < passes; pass++)
			for (png_uint_32 y = 0; y < png_get_image_height(png, info); y++)
				png_read_row(png, row, NULL);
		png_read_end(png, info);
	}
	free(row);
	png_destroy_read_struct(&png, &info, NULL);
	return 0;
}
