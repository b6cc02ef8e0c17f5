/* home.h: where muster's own parts are. */
#ifndef MUSTER_HOME_H
#define MUSTER_HOME_H

/* The directory with the runtime (libmuster_rt.a, wraps ...) and include/: beside
 * the executable in a build tree (build/runtime), ../lib/muster when installed.
 * NULL with words if it is in neither place. */
const char *home_dir(void);
/* A file in it; allocated. NULL with words if it is missing. */
char *home_file(const char *name);
/* clang-19, or what MUSTER_CLANG names. */
const char *home_clang(void);
/* The directory for results and stores: $MUSTER_DIR or .muster in the current directory. */
const char *home_project(void);

#endif
