/* revision.c: files of a git revision, and a build of them.
 *
 * A revision is read into an index of its own and checked out from there, so that neither the repository's index nor its list of work trees knows of it, and nothing has to be undone. The work tree is copied: what
 * git tracks or would track; a build in place would find objects without records up to date.
 */
#include "campaign/revision.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/shell.h"
#include "base/vec.h"
#include "build/archive.h"
#include "build/image.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CANDIDATES 8  /* programs that a message names */
#define TAIL_LINES 12 /* of a build that failed */

/* ------------------------------------------------------------ git */

/* Its output without the last newline. -1: it could not be started; 1: it failed, out has its words. */
static int git(const char *const *words, const char *const *env, struct buf *out)
{
	VEC(char *) argv = {0};
	struct proc_opts o = {.null_input = 1, .capture_out = 1, .capture_err = 1, .env = env};
	struct proc_result r = {0};

	vec_push(&argv, (char *)"git");
	for (size_t i = 0; words[i]; i++)
		vec_push(&argv, (char *)words[i]);
	vec_push(&argv, NULL);
	int e = proc_run(argv.data, &o, &r);
	if (!e) {
		const struct buf *from = r.status ? &r.err : &r.out;
		buf_clear(out);
		buf_add(out, from->data, from->size);
		while (out->size && out->data[out->size - 1] == '\n')
			out->size--;
		e = r.status != 0;
	}
	vec_release(&argv);
	proc_release(&r);
	return e;
}

int revision_git(const char *const *words, struct buf *out)
{
	return git(words, NULL, out);
}

static char *first_line(struct buf *b)
{
	char *s = buf_str(b);

	s[strcspn(s, "\n")] = 0;
	return s;
}

int revision_open(struct revision *r, const char *name)
{
	const char *top[] = {"rev-parse", "--show-toplevel", NULL}, *prefix[] = {"rev-parse", "--show-prefix", NULL};
	struct buf out = BUF_EMPTY;
	char *object = mem_printf("%s^{tree}", name ? name : "HEAD");
	const char *verify[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", object, NULL};

	*r = (struct revision){.name = name};
	int e = git(top, NULL, &out);
	if (e > 0)
		e = error_set("%s%s%sthis is not the work tree of a git repository (%s)", name ? "'" : "", name ? name : "", name ? "' is no file, and " : "", first_line(&out));
	if (!e)
		r->top = mem_strdup(buf_str(&out));
	if (!e && (e = git(prefix, NULL, &out)) > 0)
		e = error_set("git: %s", first_line(&out));
	if (!e)
		r->prefix = mem_strdup(buf_str(&out));
	if (!e && name && (e = git(verify, NULL, &out)) > 0)
		e = error_set("'%s' is no file, and no revision that git knows", name);
	if (!e && name)
		r->id = mem_strdup(buf_str(&out));
	free(object);
	buf_release(&out);
	if (e)
		revision_release(r);
	return e ? -1 : 0;
}

void revision_release(struct revision *r)
{
	if (r->tree)
		file_remove_tree(r->tree);
	free(r->top);
	free(r->prefix);
	free(r->tree);
	free(r->id);
	free(r->map);
	*r = (struct revision){0};
}

/* ------------------------------------------------------------ files */

static int check_out(struct revision *r)
{
	char *index = file_temp("index"), *env_text = mem_printf("GIT_INDEX_FILE=%s", index), *prefix = mem_printf("--prefix=%s/", r->tree);
	const char *env[] = {env_text, NULL}, *read[] = {"-C", r->top, "read-tree", r->id, NULL}, *write[] = {"-C", r->top, "checkout-index", "--all", "--quiet", prefix, NULL};
	struct buf out = BUF_EMPTY;
	int e = git(read, env, &out);

	if (!e)
		e = git(write, env, &out);
	if (e > 0)
		e = error_set("git cannot check out '%s': %s", r->name, first_line(&out));
	unlink(index);
	buf_release(&out);
	free(index);
	free(env_text);
	free(prefix);
	return e;
}

static int copy_one(const struct revision *r, const char *path)
{
	char *from = file_join(r->top, path), *to = file_join(r->tree, path), *dir = file_dir(to), target[4096];
	struct stat st;
	ssize_t n;
	int e = 0;

	if (lstat(from, &st)) {
		; /* tracked, and removed */
	} else if (file_mkdirs(dir)) {
		e = -1;
	} else if (S_ISLNK(st.st_mode)) {
		n = readlink(from, target, sizeof target - 1);
		target[n > 0 ? n : 0] = 0;
		e = n > 0 && !symlink(target, to) ? 0 : error_errno("cannot copy the link '%s'", from);
	} else if (S_ISREG(st.st_mode)) {
		e = file_copy(from, to);
	}
	free(from);
	free(to);
	free(dir);
	return e;
}

static int copy_work_tree(struct revision *r)
{
	const char *list[] = {"-C", r->top, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", NULL};
	struct buf out = BUF_EMPTY;
	int e = git(list, NULL, &out);

	if (e > 0)
		e = error_set("git cannot list the work tree's files: %s", first_line(&out));
	buf_str(&out);
	for (size_t at = 0; at < out.size && !e; at += strlen(out.data + at) + 1)
		e = copy_one(r, out.data + at);
	buf_release(&out);
	return e;
}

static int need_tree(struct revision *r)
{
	if (r->tree)
		return 0;
	r->tree = file_temp("tree");
	if (!r->tree || file_mkdirs(r->tree))
		return error_wrap("no directory for the files");
	return r->name ? check_out(r) : copy_work_tree(r);
}

char *revision_file(struct revision *r, const char *path)
{
	char *object = mem_printf("%s:%s", r->name ? r->name : "", path);
	const char *verify[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", object, NULL};
	int here = !strncmp(path, "./", 2) || !strncmp(path, "../", 3);
	struct buf out = BUF_EMPTY;
	char *found = NULL;
	int e = git(verify, NULL, &out);

	if (e > 0)
		error_set("there is no '%s' in '%s'", path, r->name);
	if (!e && !need_tree(r))
		found = mem_printf("%s/%s%s", r->tree, here ? r->prefix : "", !strncmp(path, "./", 2) ? path + 2 : path);
	if (found && !file_is_regular(found)) {
		error_set("'%s' is no file in '%s'", path, r->name);
		free(found);
		found = NULL;
	}
	free(object);
	buf_release(&out);
	return found;
}

char *revision_same_file(struct revision *r, const char *file)
{
	char *real = realpath(file, NULL), *top = realpath(r->top, NULL), *found = NULL;
	size_t n = top ? strlen(top) : 0;

	if (real && top && !strncmp(real, top, n) && real[n] == '/')
		found = revision_file(r, real + n + 1);
	else
		error_set("'%s' is not in the work tree '%s'", file, r->top);
	if (found && !r->map) { /* what they end with is the same */
		size_t a = strlen(found), b = strlen(file), same = 0;
		for (size_t i = 1; i <= a && i <= b && found[a - i] == file[b - i]; i++)
			if (found[a - i] == '/' || i == b)
				same = found[a - i] == '/' ? i - 1 : i;
		r->map = mem_printf("%.*s=%.*s", (int)(a - same), found, (int)(b - same), file);
	}
	free(real);
	free(top);
	return found;
}

/* The rest of the word that names a file or directory: "" if it is the next word; NULL: none does. */
static const char *names_path(const char *word)
{
	static const char *const options[] = {"-iquote", "-isystem", "-idirafter", "-include", "-imacros", "-I"};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		size_t n = strlen(options[i]);
		if (!strncmp(word, options[i], n))
			return word + n;
	}
	return NULL;
}

const char *const *revision_arguments(const struct revision *r, const char *const *cflags, struct arena *arena)
{
	size_t n = 0;

	while (cflags && cflags[n])
		n++;
	const char **out = arena_alloc(arena, (n + 2) * sizeof *out);
	for (size_t i = 0, next = 0; i < n; i++) {
		const char *rest = next ? cflags[i] : names_path(cflags[i]);
		int own = next; /* the whole word is the name */

		out[i] = cflags[i];
		next = !own && rest && !*rest;
		if (!rest || !*rest || *rest == '/' || !r->tree)
			continue;
		char *there = mem_printf("%s/%s%s", r->tree, r->prefix, rest), *whole = mem_printf("%.*s%s", own ? 0 : (int)(rest - cflags[i]), cflags[i], there);
		if (file_exists(there))
			out[i] = arena_strdup(arena, whole);
		free(there);
		free(whole);
	}
	if (r->tree) {
		char *map = r->map ? mem_printf("-fmacro-prefix-map=%s", r->map) : mem_printf("-fmacro-prefix-map=%s/%s=", r->tree, r->prefix);
		out[n++] = arena_strdup(arena, map);
		free(map);
	}
	return out;
}

/* ------------------------------------------------------------ the program that was built */

typedef VEC(char *) paths;

static int is_after(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* As files have it. */
static struct timespec file_now(void)
{
	char *mark = file_temp("now");
	struct stat st = {0};

	if (!file_write_atomic(mark, "", 0) && !stat(mark, &st))
		unlink(mark);
	free(mark);
	return st.st_mtim;
}

/* 2: linked, with records; 1: an archive; 0: neither. */
static int kind_of(const char *path)
{
	struct buf head = BUF_EMPTY;
	struct image im;
	FILE *f = fopen(path, "re");
	int kind = 0;

	buf_reserve(&head, 8);
	head.size = f ? fread(head.data, 1, 8, f) : 0;
	if (f)
		fclose(f);
	if (head.size == 8 && archive_is(head.data, head.size)) {
		kind = 1;
	} else if (head.size == 8 && !memcmp(head.data, "\177ELF", 4)) {
		kind = !image_load(&im, path) && im.linked && !im.by_itself ? 2 : 0;
		image_release(&im);
	}
	buf_release(&head);
	return kind;
}

/* Those that came after `since`: the work tree may have others lying about. */
static void find_programs(const char *dir, int kind, const struct timespec *since, paths *out)
{
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		char *path = file_join(dir, e->d_name);
		struct stat st;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || lstat(path, &st))
			;
		else if (S_ISDIR(st.st_mode))
			find_programs(path, kind, since, out);
		else if (S_ISREG(st.st_mode) && is_after(&st.st_mtim, since) && strncmp(e->d_name, "lt-", 3) && kind_of(path) == kind) {
			vec_push(out, path);
			continue;
		}
		free(path);
	}
	if (d)
		closedir(d);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void say_candidates(paths *found, const char *dir)
{
	struct buf names = BUF_EMPTY;

	qsort(found->data, found->size, sizeof *found->data, by_name);
	for (size_t i = 0; i < found->size && i < CANDIDATES; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", found->data[i] + strlen(dir) + 1);
	error_set("the build made %zu programs and libraries (%s%s): say which one with --program", found->size, buf_str(&names), found->size > CANDIDATES ? ", ..." : "");
	buf_release(&names);
}

/* Is one of the program's units a touched file? */
static int is_touched(const char *program, const char *tree, const struct strmap *touched)
{
	struct image im;
	char top[PATH_MAX], *at = realpath(tree, top);
	int some = 0;

	if (!at || image_load(&im, program))
		return 0;
	for (size_t i = 0; i < im.records.frames.size && !some; i++) {
		const struct record *r = &im.records.frames.data[i];
		struct record_value name, dir;
		char real[PATH_MAX];

		if (r->kind != RECORD_UNIT || !record_find(r->payload, r->size, TAG_NAME, &name) || !record_find(r->payload, r->size, TAG_DIR, &dir))
			continue;
		char *file = record_text(&name), *from = record_text(&dir), *path = *file == '/' ? mem_strdup(file) : file_join(from, file);
		size_t n = strlen(top);
		some = realpath(path, real) && !strncmp(real, top, n) && real[n] == '/' && strmap_get(touched, real + n + 1, NULL);
		free(path);
		free(from);
		free(file);
	}
	image_release(&im);
	return some;
}

/* Leaves those that the change is in, if there are any. */
static void keep_touched(paths *found, const char *tree, const struct strmap *touched)
{
	VEC(uint8_t) wanted = {0};
	size_t kept = 0, some = 0;

	for (size_t i = 0; i < found->size; i++) {
		vec_push(&wanted, (uint8_t)is_touched(found->data[i], tree, touched));
		some += wanted.data[i];
	}
	for (size_t i = 0; i < found->size && some; i++)
		if (wanted.data[i])
			found->data[kept++] = found->data[i];
		else
			free(found->data[i]);
	found->size = some ? kept : found->size;
	vec_release(&wanted);
}

static const char *find_like(const paths *found, const char *dir, const char *like)
{
	for (size_t i = 0; i < found->size && like; i++)
		if (!strcmp(found->data[i] + strlen(dir) + 1, like))
			return found->data[i];
	return NULL;
}

static char *only_program(const char *dir, const char *tree, const struct timespec *since, const struct revision_choice *c)
{
	paths found = {0};
	char *program = NULL;

	find_programs(dir, 2, since, &found);
	if (!found.size)
		find_programs(dir, 1, since, &found);
	const char *like = find_like(&found, dir, c->like);
	size_t all = found.size;
	if (!like && all > 1 && c->touched)
		keep_touched(&found, tree, c->touched);
	if (like)
		program = mem_strdup(like);
	else if (!found.size)
		error_set("the build made no program and no library with records: does it use $CC?");
	else if (found.size > 1)
		say_candidates(&found, dir);
	else
		program = mem_strdup(found.data[0]);
	if (program && !like && all > 1)
		log_found("of the %zu programs and libraries that the build made, '%s' has a changed unit and is compared: nothing is said of the others, which a changed header may be in", all, program + strlen(dir) + 1);
	for (size_t i = 0; i < found.size; i++)
		free(found.data[i]);
	vec_release(&found);
	return program;
}

void revision_touched(const char *a, const char *b, struct strmap *out)
{
	const char *words[8] = {"-c", "core.quotePath=off", "diff", "--name-only", "--no-renames"};
	struct buf text = BUF_EMPTY;
	size_t n = 5;

	if (a)
		words[n++] = a;
	if (b)
		words[n++] = b;
	if (n > 5 && !git(words, NULL, &text))
		for (char *rest = buf_str(&text), *line; (line = strtok_r(rest, "\n", &rest));)
			strmap_set(out, line, 1);
	buf_release(&text);
}

/* ------------------------------------------------------------ the build */

static const char *last_lines(struct buf *b)
{
	char *s = buf_str(b), *from = s + b->size;

	for (int lines = 0; from > s; from--)
		if (from[-1] == '\n' && from[0] && ++lines == TAIL_LINES)
			break;
	return from;
}

/* A line of words goes to muster build as it is, which knows make; any other one to a shell, whose makes are told by MAKEFLAGS. */
static int run_build(const char *dir, const char *command, const char *name)
{
	char *muster = file_part("muster"), *cc = file_part("muster-cc"), *flags = mem_printf("MAKEFLAGS= -- CC=%s", cc ? cc : "muster-cc");
	int plain = !command[strcspn(command, ";&|<>$`(){}*?[]~#=\n")];
	const char *env[] = {flags, NULL};
	struct proc_opts o = {.dir = dir, .null_input = 1, .capture_out = 1, .merge_err = 1, .env = plain ? NULL : env};
	struct shell_line line = {0};
	struct proc_result r = {0};

	vec_push(&line.argv, muster);
	vec_push(&line.argv, (char *)"build");
	vec_push(&line.argv, (char *)"--");
	if (plain) {
		shell_split(&line, command);
	} else {
		vec_push(&line.argv, (char *)"sh");
		vec_push(&line.argv, (char *)"-c");
		vec_push(&line.argv, (char *)command);
	}
	vec_push(&line.argv, NULL);
	int e = !muster || !cc ? error_set("muster is not installed whole: run 'make' or 'make install' again") : proc_run(line.argv.data, &o, &r);
	if (!e && r.status)
		e = error_set("the build of %s failed (status %d):\n%s", name, r.status, last_lines(&r.out));
	shell_line_release(&line);
	proc_release(&r);
	free(muster);
	free(cc);
	free(flags);
	return e;
}

char *revision_build(struct revision *r, const char *command, const char *program, const struct revision_choice *choice)
{
	if (need_tree(r))
		return NULL;
	char *dir = mem_printf("%s/%s", r->tree, r->prefix), *found = NULL;
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		dir[--n] = 0;
	struct timespec now = file_now();
	if (!file_is_dir(dir))
		error_set("there is no directory '%s' in '%s'", r->prefix, r->name);
	else if (!run_build(dir, command, r->name ? r->name : "the work tree"))
		found = program ? file_join(dir, program) : only_program(dir, r->tree, &now, choice);
	if (found && !file_exists(found)) {
		error_set("the build of %s made no '%s'", r->name ? r->name : "the work tree", program);
		free(found);
		found = NULL;
	}
	free(dir);
	return found;
}
