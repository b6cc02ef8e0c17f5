unsigned count_checksum(const unsigned char a[8])
{
	unsigned crc = 0xffff;
	for (int i = 0; i < 8; i++) {
		crc ^= a[i];
		for (int k = 0; k < 8; k++)
			if (crc & 1)
				crc = (crc >> 1) ^ 0xa001;
			else
				crc >>= 1;
	}
	if (crc == 0x1d0f)
		return 1;
	return 0;
}
