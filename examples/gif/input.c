/* input.c: bytes and blocks of a GIF. Numbers are little-endian. */
#include "gif.h"

static size_t left(const struct gif_input *in)
{
	return in->size - in->at;
}

int input_u8(struct gif_input *in, uint8_t *out)
{
	if (left(in) < 1)
		return -1;
	*out = in->data[in->at++];
	return 0;
}

int input_u16(struct gif_input *in, uint16_t *out)
{
	if (left(in) < 2)
		return -1;
	*out = (uint16_t)(in->data[in->at] | in->data[in->at + 1] << 8);
	in->at += 2;
	return 0;
}

int input_bytes(struct gif_input *in, size_t count, const uint8_t **out)
{
	if (left(in) < count)
		return -1;
	*out = in->data + in->at;
	in->at += count;
	return 0;
}

int block_next(struct gif_input *in, const uint8_t **data, uint8_t *size)
{
	if (input_u8(in, size))
		return -1;
	if (*size == 0)
		return 0;
	return input_bytes(in, *size, data) ? -1 : 1;
}

int blocks_skip(struct gif_input *in)
{
	const uint8_t *data;
	uint8_t size;
	int more;

	while ((more = block_next(in, &data, &size)) > 0)
		;
	return more;
}
