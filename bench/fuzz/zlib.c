/* zlib.c: harness of zlib's inflate: a zlib or gzip stream, through a window of output that is small enough to
 * be filled. At most 1 MiB comes out. */
#include <stdint.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char out[4096];
	z_stream s = {0};
	gz_header header = {0};
	int status = Z_OK;

	if (inflateInit2(&s, 15 + 32) != Z_OK)
		return 0;
	inflateGetHeader(&s, &header);
	s.next_in = (unsigned char *)data;
	s.avail_in = (uInt)size;
	while (status == Z_OK && s.total_out < 1 << 20) {
		s.next_out = out;
		s.avail_out = sizeof out;
		status = inflate(&s, Z_NO_FLUSH);
		if (status == Z_OK && !s.avail_in && s.avail_out)
			break;
	}
	inflateEnd(&s);
	return 0;
}
