/* outdir.c: the output directory: names and files that AFL++ and libFuzzer read.
 *
 * A file is written as .new.PID.N in the own folder and renamed to its place, so every name in
 * queue/, crashes/ and hangs/ stands for whole contents at any moment, also after a kill; what a
 * kill leaves behind is removed by the next opening. An entry's name is made from the entry alone:
 * writing it again finds the name there and writes nothing.
 *
 * Other users may have put links into the directory (it was downloaded, it is shared): no file of ours is written
 * through a link. Folders may be links, to another disk for instance.
 *
 * Names hold only [A-Za-z0-9._+-] between the colons and commas of AFL++'s form. Values of
 * fuzzer_stats are tamed too, because afl-whatsup hands them to a shell.
 */
#include "store/outdir_parts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP_PREFIX ".new."
#define TEMP_AGE 10 /* seconds */

static const char readme[] =
    "Made by muster fuzz. Every file in these folders is a plain input for the program:\n"
    "\n"
    "queue/    each reached something new when it was found (op: how; src: from which)\n"
    "crashes/  one for each kind of crash and place; 'muster show bugs' explains them\n"
    "hangs/    inputs that ran into the time limit\n"
    "suspected/  should fail, or failed without sanitizers, and passed with them (made when there is one)\n"
    "\n"
    "The folders can be given to afl-fuzz -i, to libFuzzer and to muster fuzz -i. The search "
    "itself\n"
    "is in muster's store: a file removed here comes back when the search goes on. 'campaign' "
    "names\n"
    "the search; removing this directory ends it.\n";

/* ---------------------------------------------------------------------- files */

int outdir_put(struct outdir *o, const char *name, const void *data, size_t size)
{
	static unsigned serial;
	char temp[64];
	int fd, e;

	snprintf(temp, sizeof temp, TEMP_PREFIX "%ld.%u", (long)getpid(),
		 __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
	fd = file_create_new(o->fd, temp, 0644);
	if (fd < 0)
		return error_errno("cannot write in the output directory '%s' (-o names another)",
				   o->path);
	e = file_write_all(fd, data, size);
	if (close(fd) && !e)
		e = error_errno("cannot write");
	if (e && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		error_set("no space left for '%s/%s': free some space there and run the same "
			  "command again",
			  o->path, name);
	else if (e)
		error_wrap("'%s/%s'", o->path, name);
	if (!e && renameat(o->fd, temp, o->fd, name))
		e = error_errno("cannot create '%s/%s'", o->path, name);
	if (e)
		unlinkat(o->fd, temp, 0);
	return e;
}

enum outdir_read outdir_read(int dir, const char *name, size_t limit, struct buf *out,
			     struct timespec *mtime)
{
	struct stat st;
	enum outdir_read r = READ_OK;
	ssize_t n = 0;
	int fd;

	buf_clear(out);
	/* Asked before it is opened: opening a device can already do something. */
	if (fstatat(dir, name, &st, 0))
		return READ_FAILED;
	if (!S_ISREG(st.st_mode))
		return READ_NOT_PLAIN;
	fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return READ_FAILED;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		r = READ_NOT_PLAIN;
	else if ((uint64_t)st.st_size > limit)
		r = READ_LARGE;
	while (r == READ_OK) {
		buf_reserve(out, out->size ? 65536 : st.st_size + 1);
		n = read(fd, out->data + out->size, out->cap - out->size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		out->size += n;
		if (out->size > limit) /* it grew, or had no size to begin with */
			r = READ_LARGE;
	}
	if (n < 0)
		r = READ_FAILED;
	close(fd);
	if (mtime)
		*mtime = st.st_mtim;
	return r;
}

int outdir_number(const char *name, uint64_t *id)
{
	char *end;

	if (strncmp(name, "id:", 3) || !isdigit((unsigned char)name[3]))
		return 0;
	errno = 0;
	*id = strtoull(name + 3, &end, 10);
	return !errno && *id != UINT64_MAX && (*end == ',' || !*end);
}

/* --------------------------------------------------------------------- opening */

/* Temporary files of processes that are gone: of this machine by their process, of others (a shared
 * disk) by their age. */
static void sweep(struct outdir *o)
{
	int fd = openat(o->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d && fd >= 0)
		close(fd);
	while (d && (e = readdir(d))) {
		struct stat st;
		long pid;

		if (strncmp(e->d_name, TEMP_PREFIX, strlen(TEMP_PREFIX)) ||
		    fstatat(o->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		pid = strtol(e->d_name + strlen(TEMP_PREFIX), NULL, 10);
		if (pid > 0 && kill(pid, 0) && errno == ESRCH &&
		    time(NULL) - st.st_mtime > TEMP_AGE)
			unlinkat(o->fd, e->d_name, 0);
	}
	if (d)
		closedir(d);
}

static int parse_key(const struct buf *b, struct hash128 *key)
{
	char part[17] = {0};

	if (b->size < 32)
		return -1;
	for (int i = 0; i < 32; i++)
		if (!isxdigit((unsigned char)b->data[i]))
			return -1;
	memcpy(part, b->data, 16);
	key->a = strtoull(part, NULL, 16);
	memcpy(part, b->data + 16, 16);
	key->b = strtoull(part, NULL, 16);
	return 0;
}

static int read_key(struct outdir *o, struct hash128 *key)
{
	struct buf b = BUF_EMPTY;
	enum outdir_read r = outdir_read(o->fd, "campaign", 4096, &b, NULL);
	int e = 0;

	if (r == READ_FAILED && errno == ENOENT)
		e = 1;
	else if (r == READ_FAILED)
		e = error_errno("cannot read '%s/campaign'", o->path);
	else if (r != READ_OK || parse_key(&b, key))
		e = error_set("'%s/campaign' is no key of a campaign: remove it (a new search "
			      "begins), or name "
			      "another directory with -o",
			      o->path);
	buf_release(&b);
	return e;
}

/* The key of a new campaign. Linked to its name, not renamed: of two processes one wins, and both
 * read its key. */
static int make_key(struct outdir *o, uint64_t seed, struct hash128 *key)
{
	char *where = realpath(o->path, NULL), text[HASH_HEX_SIZE + 1], *temp;
	int e;

	if (seed)
		*key =
		    hash128_join(hash128_str(where ? where : o->path), hash128(&seed, sizeof seed));
	else if (getrandom(key, sizeof *key, 0) != sizeof *key)
		*key = (struct hash128){hash_mix(time(NULL)), hash_mix(getpid())};
	free(where);
	hash_hex(*key, text);
	strcat(text, "\n");
	temp = mem_printf(TEMP_PREFIX "%ld.key", (long)getpid());
	e = outdir_put(o, temp, text, strlen(text));
	if (!e && linkat(o->fd, temp, o->fd, "campaign", 0) && errno != EEXIST &&
	    renameat(o->fd, temp, o->fd, "campaign")) /* no hard links on this disk */
		e = error_errno("cannot create '%s/campaign'", o->path);
	unlinkat(o->fd, temp, 0);
	free(temp);
	return e ? -1 : read_key(o, key);
}

static int make_folders(struct outdir *o)
{
	static const char *const folders[] = {"queue", "crashes", "hangs"};
	struct stat st;

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		if (mkdirat(o->fd, folders[i], 0777) && errno != EEXIST)
			return error_errno(
			    "cannot write in the output directory '%s' (-o names another)",
			    o->path);
		if (fstatat(o->fd, folders[i], &st, 0) || !S_ISDIR(st.st_mode))
			return error_set(
			    "'%s/%s' is not a directory (-o names another output directory)",
			    o->path, folders[i]);
	}
	return 0;
}

static int check_name(const char *name)
{
	struct buf b = BUF_EMPTY;
	int same;

	buf_add_tame(&b, name, 100);
	same = !strcmp(buf_str(&b), name) && *name && *name != '.';
	buf_release(&b);
	return same ? 0
		    : error_set("'%s' is no name for a fuzzer: -S wants letters, digits, '_', '-', "
				"'+' or '.', "
				"100 at most and not beginning with '.'",
				name);
}

/* Another fuzzer's folder, AFL++'s for instance, must not get our files between its own. */
static int check_ours(const struct outdir *o)
{
	if (!faccessat(o->fd, "campaign", F_OK, 0) ||
	    (faccessat(o->fd, "fuzzer_stats", F_OK, 0) && faccessat(o->fd, "fuzzer_setup", F_OK, 0)))
		return 0;
	return error_set("'%s' is another fuzzer's directory: name a new one with -o, or with -S a name that no other "
			 "fuzzer of the campaign has",
			 o->path);
}

static int open_folder(struct outdir *o, uint64_t seed, struct hash128 *key)
{
	int e;

	if (file_mkdirs(o->path))
		return error_wrap("the output directory (-o names another)");
	o->fd = open(o->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->fd < 0)
		return error_errno("cannot open the output directory '%s'", o->path);
	if (check_ours(o) || make_folders(o))
		return -1;
	sweep(o);
	e = read_key(o, key);
	if (e > 0)
		e = make_key(o, seed, key) ? -1 : 0;
	if (!e && faccessat(o->fd, "README", F_OK, 0))
		e = outdir_put(o, "README", readme, strlen(readme));
	return e;
}

int outdir_open(struct outdir **out, const char *dir, const char *secondary, uint64_t seed,
		struct hash128 *key)
{
	struct outdir *o;

	*out = NULL;
	if (!*dir)
		return error_set("the name of the output directory is empty");
	if (secondary && check_name(secondary))
		return -1;
	o = mem_zalloc(sizeof *o);
	o->fd = o->index = -1;
	o->path = secondary ? file_join(dir, secondary) : mem_strdup(dir);
	o->sync = secondary ? mem_strdup(dir) : NULL;
	o->name = secondary ? mem_strdup(secondary) : NULL;
	if (open_folder(o, seed, key)) {
		outdir_close(o);
		return -1;
	}
	*out = o;
	return 0;
}

void outdir_close(struct outdir *o)
{
	if (!o)
		return;
	if (o->fd >= 0) {
		sync_save(o);
		close(o->fd);
	}
	for (size_t i = 0; i < o->peers.size; i++)
		free(o->peers.data[i].name);
	vec_release(&o->peers);
	map_release(&o->files);
	map_release(&o->numbers);
	if (o->index >= 0)
		close(o->index);
	free(o->path);
	free(o->sync);
	free(o->name);
	free(o);
}

/* --------------------------------------------------------------------- entries */

static char *entry_name(struct outdir *o, const char *folder, uint64_t number,
			const struct outdir_entry *e)
{
	struct buf b = BUF_EMPTY;
	const char *op = e->op ? e->op : "";
	uint64_t parent;

	buf_addf(&b, "%s/id:%06llu", folder, (unsigned long long)number);
	if (e->signal)
		buf_addf(&b, ",sig:%02d", e->signal);
	if (e->parent && number_find(o, e->parent, &parent))
		buf_addf(&b, ",src:%06llu", (unsigned long long)parent);
	buf_addf(&b, ",time:%llu,", (unsigned long long)e->milliseconds);
	if (strncmp(op, "sync:", 5))
		buf_adds(&b, "op:");
	else
		buf_adds(&b, "sync:");
	buf_add_tame(&b, strncmp(op, "sync:", 5) ? op : op + 5, 100);
	if (e->cov)
		buf_adds(&b, ",+cov");
	return buf_take(&b);
}

static int put_entry(struct outdir *o, const char *folder, uint64_t number,
		     const struct outdir_entry *e, char **name)
{
	char *path = entry_name(o, folder, number, e);
	struct stat st;
	int r = 0;

	/* A test never changes; a bug's input is made smaller, also without being shorter. */
	if (strcmp(folder, "queue") || fstatat(o->fd, path, &st, 0) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != e->size)
		r = outdir_put(o, path, e->data, e->size);
	if (!r && name)
		*name = path;
	else
		free(path);
	return r;
}

int outdir_queue(struct outdir *o, const struct outdir_entry *e, char **name)
{
	uint64_t number;

	if (number_assign(o, e->id, &number) || put_entry(o, "queue", number, e, name))
		return -1;
	if (o->listed)
		map_set(&o->files, number, 1);
	return 0;
}

int outdir_crash(struct outdir *o, const struct outdir_entry *e, char **name)
{
	return put_entry(o, "crashes", e->id, e, name);
}

int outdir_hang(struct outdir *o, const struct outdir_entry *e, char **name)
{
	return put_entry(o, "hangs", e->id, e, name);
}

int outdir_suspected(struct outdir *o, const struct outdir_entry *e, char **name)
{
	if (mkdirat(o->fd, "suspected", 0777) && errno != EEXIST)
		return error_errno("cannot write in the output directory '%s' (-o names another)", o->path);
	return put_entry(o, "suspected", e->id, e, name);
}

static void list_queue(struct outdir *o)
{
	int fd = openat(o->fd, "queue", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	uint64_t id;

	if (!d && fd >= 0)
		close(fd);
	while (d && (e = readdir(d)))
		if (outdir_number(e->d_name, &id))
			map_set(&o->files, id, 1);
	if (d)
		closedir(d);
	o->listed = 1;
}

int outdir_has(struct outdir *o, uint64_t id)
{
	uint64_t number;

	if (!o->listed)
		list_queue(o);
	return number_find(o, id, &number) && map_get(&o->files, number, NULL);
}

/* ------------------------------------------------------------------ statistics */

int outdir_stats(struct outdir *o, const struct outdir_stat *rows, unsigned count)
{
	struct buf b = BUF_EMPTY;
	int e;

	for (unsigned i = 0; i < count; i++) {
		int skipped = !strcmp(rows[i].key, "command_line"); /* afl-whatsup leaves it out */

		buf_addf(&b, "%-18s: ", rows[i].key);
		for (const char *p = rows[i].value; *p; p++) {
			int bad = (unsigned char)*p < ' ' || *p == 127 ||
				  (!skipped && strchr("\"$`\\", *p));

			buf_addc(&b, bad ? '_' : *p);
		}
		buf_addc(&b, '\n');
	}
	e = outdir_put(o, "fuzzer_stats", b.data, b.size);
	buf_release(&b);
	return e;
}
