int header_length(const unsigned char h[4])
{
	unsigned len = h[0] | h[1] << 8, blocks = 0;

	if (h[2] != 0x7f)
		return -1;
	while (len > 16) {
		len -= 16;
		blocks++;
	}
	if (blocks == 3000)
		return 1;
	if (len == 0)
		return 2;
	return 0;
}
