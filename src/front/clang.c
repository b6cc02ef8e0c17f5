/* clang.c: finds libclang at run time.
 *
 * Linking with it would map 38 MB into every start of the tool, of which only `muster test` has any
 * use. The headers are those of version 19 and its interface is stable, but the tool takes no other
 * version: what libclang accepts must be what clang-19 accepts, which compiles the unit afterwards.
 */
#include "front/clang.h"

#include "base/error.h"

#include <dlfcn.h>

static const char *const places[] = {
    "libclang-19.so.1",
    "libclang-19.so.19",
    "/usr/lib/llvm-19/lib/libclang-19.so.1",
    "/usr/lib/llvm-19/lib/libclang.so.1",
};

static struct clang table;

const struct clang *clang_load(void)
{
	static const struct clang *loaded;
	void *library = NULL;

	if (loaded)
		return loaded;
	for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++)
		library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		error_set("libclang 19 is missing: install the package libclang1-19");
		return NULL;
	}
#define X(name)                                                                                    \
	if (!(table.name = (__typeof__(table.name))dlsym(library, "clang_" #name))) {              \
		error_set("libclang 19 has no clang_" #name ": install the package libclang1-19"); \
		return NULL;                                                                       \
	}
	CLANG_FUNCTIONS(X)
#undef X
	return loaded = &table;
}
