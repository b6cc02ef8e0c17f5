/* ani.c: harness of examples/ani: a whole animated cursor from memory, with every step and its time. */
#include "ani.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum ani_status status = ANI_OK;
	struct ani_summary summary;
	struct ani_file *f = ani_open(data, size, &status);

	if (f && !ani_summarise(f, &summary))
		(void)ani_step_at(f, 1000);
	ani_close(f);
	return 0;
}
