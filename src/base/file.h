/* file.h: whole files, paths and a temporary directory. Functions that return
 * int give 0, or -1 with error_text() set. */
#ifndef MUSTER_FILE_H
#define MUSTER_FILE_H

#include "base/buf.h"

#include <stddef.h>

int file_read(const char *path, struct buf *out); /* appends the contents */
int file_read_fd(int fd, struct buf *out);	  /* appends up to the end of file */
/* file_read that fails beyond limit bytes: a device or a pipe may never end. All of them fail at a pipe without a writer. */
int file_read_limited(const char *path, size_t limit, struct buf *out);
int file_write_all(int fd, const void *data, size_t size);
/* The file has the old contents or the new ones, never a part: written beside
 * it, then renamed. A device or pipe is written to as it stands. mode is 0644, or what file_write_mode is given. */
int file_write_atomic(const char *path, const void *data, size_t size);
int file_write_mode(const char *path, const void *data, size_t size, unsigned mode);
/* The file in the directory, unless it has these contents already: then it keeps its time, and nothing is compiled again for it. */
int file_update(const char *dir, const char *name, const void *data, size_t size);
/* Opens a new file for writing, below the directory's descriptor (or AT_FDCWD); what had the name is removed, a link never followed.
 * -1 with errno. */
int file_create_new(int dir, const char *name, unsigned mode);
int file_copy(const char *from, const char *to); /* atomic, keeps the mode */
int file_mkdirs(const char *path);		 /* the directory and its parents */
int file_remove_tree(const char *path);
int file_exists(const char *path);
int file_is_dir(const char *path);
int file_is_regular(const char *path); /* follows links */
int file_is_c(const char *path);       /* C source by its name: .c, or .i as the preprocessor leaves it */

/* Paths. Results are allocated. */
char *file_join(const char *dir, const char *name); /* name alone if it is absolute */
char *file_absolute(const char *path);		    /* from the current directory; need not exist */
char *file_dir(const char *path);		    /* "." where there is no slash */
const char *file_base(const char *path);	    /* the part after the last slash */
/* A name for a file of ours from a path's last part: bytes that tools give a meaning to become '_', at most 200 bytes, and
 * none of the names in the list that NULL ends. */
char *file_tame(const char *path, const char *const *taken);
char *file_self(void);				    /* muster's own executable */
char *file_part(const char *name); /* a program of muster's beside it, in a build tree or installed; NULL: it is missing */

/* The file or directory is removed at exit and on SIGINT, SIGTERM and SIGHUP, unless
 * file_temp_done is called first. Only the process that asked for it removes it; if that was killed, the command does at its exit. */
void file_temp_add(const char *path);
void file_temp_done(const char *path);
/* For a signal handler of the command (of the process that called file_temp_settle) that is about to die: a process of its own
 * removes what this one and those it forked have of this kind, once they are gone. */
void file_temp_abandon(void);

/* Removes what processes that are gone left in a directory: files NAME.PID.tmp and NAME.PID.N.tmp. */
void file_sweep_temps(const char *dir);
/* The process that such a name names, 0 if it is none. */
long file_temp_pid(const char *name);

/* A directory of this process that is removed at exit and on SIGINT, SIGTERM and
 * SIGHUP; made on first use. A forked child never removes it. Dies never; NULL on failure. */
const char *file_temp_dir(void);
/* Once, at the start, before anything is forked: TMPDIR becomes a path that the directory of a run does not change; one that helper programs cannot
 * use is replaced by /tmp, with a warning. */
void file_temp_settle(void);
/* The end of a forked child that does not exec: _exit, after what it made for a time is removed. */
void file_exit_child(int status) __attribute__((noreturn));
/* A fresh name in it: temp-directory/N-NAME. */
char *file_temp(const char *name);

#endif
