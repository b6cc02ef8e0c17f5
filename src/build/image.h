/* image.h: a linked file of the project (the program or one of its shared
 * libraries) with its records. */
#ifndef MUSTER_IMAGE_H
#define MUSTER_IMAGE_H

#include "base/buf.h"
#include "base/vec.h"
#include "build/closure.h"
#include "build/record.h"

struct image {
	char *path;
	const char *soname; /* "" if it has none; for libraries */
	struct buf file;    /* the bytes that everything else points into */
	struct buf driver;  /* likewise, of a harness that gets a main */
	struct record_list records;
	struct closure closure;	    /* of the link that made it */
	VEC(struct closure) nested; /* of the ld -r links that went into it ... */
	struct hash_vec nested_ids; /* ... and their ids */
	int linked;		    /* has a closure */
	int by_itself;		    /* a source or object that is not linked yet */
};

/* The program and, after it, the shared libraries with records it is linked with. */
struct program {
	char *name; /* of its file in a variant: symbolisers and lists of files take it as it stands */
	VEC(struct image) images;
	VEC(char *) foreign_libraries; /* needed, without a record */
};

/* path: an ELF file, a C source file, or libtool's wrapper script. -1 with words. */
int program_load(struct program *p, const char *path);
/* The same for who wants bitcode alone: the record of a source file may lack its source. cflags: arguments for the compiler of one, NULL at the end, or none. */
int program_load_bitcode(struct program *p, const char *path, const char *const *cflags);
void program_release(struct program *p);

/* One file alone; an ELF file without records is no failure here. */
int image_load(struct image *im, const char *path);
void image_release(struct image *im);

#endif
