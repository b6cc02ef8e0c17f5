int product_rows(unsigned short rows, unsigned short columns)
{
	unsigned total = 16;

	for (unsigned y = 0; y < rows; y++) {
		for (unsigned x = 0; x < columns; x++)
			total += 3;
		total++;
	}
	if (total == 16 + 101 * (3 * 89 + 1))
		return 1;
	return 2;
}
