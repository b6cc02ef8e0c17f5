/* budget: runs a command until it and everything it started have used so much CPU time:
 *
 *	budget [-l LOG] [-w WALL] [-u GLOB] SECONDS COMMAND...
 *
 * Then it is asked to stop (SIGINT, to it alone), and after 20 seconds everything is killed. Its last line, on standard
 * error, is "budget: CPU WALL STATUS". LOG gets a line "WALL CPU" four times a second, by which a time of the clock can be
 * turned into CPU time. WALL ends it after so many seconds of the clock in any case (ten times SECONDS).
 * GLOB ends it as soon as a file matches; a line "budget: reached CPU WALL" then says when that was.
 *
 * The CPU time of a tree of processes: what was waited for is in its parent's account, what runs is read from /proc,
 * and what has lost its parent becomes our child (PR_SET_CHILD_SUBREAPER). So nothing is counted twice, and nothing
 * is lost but the children of processes that ignore SIGCHLD. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
	pid_t id, parent;
	double cpu;
	int ours;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int read_process(const char *id, struct process *p)
{
	char path[64], line[1024], *rest;
	unsigned long user, system;
	long child_user, child_system;
	int parent;

	snprintf(path, sizeof path, "/proc/%.20s/stat", id);
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	rest = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	fclose(f);
	if (!rest || sscanf(rest + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &parent, &user, &system,
			    &child_user, &child_system) != 5)
		return 0;
	p->id = (pid_t)strtol(id, NULL, 10);
	p->parent = parent;
	p->ours = p->id == getpid();
	p->cpu = (double)(user + system + (unsigned long)(child_user + child_system)) / (double)sysconf(_SC_CLK_TCK);
	return 1;
}

/* All descendants, marked; sends them a signal if there is one. A process is found before its parent now and then, so the
 * marking is repeated until nothing changes. */
static double descendants(int signal_number)
{
	static struct process all[65536];
	DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;
	double cpu = 0;
	int changed = 1;

	while (d && (e = readdir(d)) && n < sizeof all / sizeof *all)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			n += (unsigned)read_process(e->d_name, &all[n]);
	closedir(d);
	while (changed) {
		changed = 0;
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; !all[i].ours && j < n; j++)
				if (all[j].ours && all[j].id == all[i].parent)
					all[i].ours = changed = 1;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!all[i].ours || all[i].id == getpid())
			continue;
		cpu += all[i].cpu;
		if (signal_number)
			kill(all[i].id, signal_number);
	}
	return cpu;
}

static double waited(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Waits for whatever has ended; 1 if the command is among it. */
static int reap(pid_t child, int *status)
{
	int s, ended = 0;
	pid_t id;

	while ((id = waitpid(-1, &s, WNOHANG)) > 0) {
		if (id == child) {
			*status = WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
			ended = 1;
		}
	}
	return ended;
}

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static int matches(const char *pattern)
{
	glob_t found;
	int yes = pattern && !glob(pattern, GLOB_NOSORT, NULL, &found);

	if (yes)
		globfree(&found);
	return yes;
}

struct limits {
	double seconds, wall;
	const char *until; /* a pattern, or NULL */
};

static int watch(pid_t child, const struct limits *limits, FILE *log, double *cpu)
{
	double start = now(), asked = 0, last = 0;
	int status = 0;

	while (!reap(child, &status)) {
		/* The account of the dead is read on both sides: a process that ends in between is counted in either. */
		*cpu = descendants(0) + waited();
		double t = now() - start;
		if (log && t - last >= 0.25) {
			fprintf(log, "%.3f %.3f\n", t, *cpu);
			fflush(log);
			last = t;
		}
		int reached = !asked && matches(limits->until);
		if (reached)
			fprintf(stderr, "budget: reached %.2f %.2f\n", *cpu, t);
		if (!asked && (*cpu >= limits->seconds || t >= limits->wall || interrupted || reached)) {
			kill(child, SIGINT);
			asked = t;
		} else if (asked && t - asked > 20) {
			descendants(SIGKILL);
		}
		usleep(50000);
	}
	return status;
}

int main(int argc, char **argv)
{
	FILE *log = NULL;
	struct limits limits = {0};
	double cpu = 0, start = now();
	int option, status;

	while ((option = getopt(argc, argv, "+l:w:u:")) > 0) {
		if (option == 'l' && !(log = fopen(optarg, "w"))) {
			perror(optarg);
			return 2;
		} else if (option == 'w') {
			limits.wall = strtod(optarg, NULL);
		} else if (option == 'u') {
			limits.until = optarg;
		} else if (option == '?') {
			return 2;
		}
	}
	if (argc - optind < 2) {
		fprintf(stderr, "usage: budget [-l LOG] [-w WALL] [-u GLOB] SECONDS COMMAND...\n");
		return 2;
	}
	limits.seconds = strtod(argv[optind], NULL);
	if (limits.wall <= 0)
		limits.wall = limits.seconds * 10;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t child = fork();
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		execvp(argv[optind + 1], argv + optind + 1);
		perror(argv[optind + 1]);
		_exit(127);
	}
	if (child < 0) {
		perror("budget");
		return 2;
	}
	status = watch(child, &limits, log, &cpu);
	/* What it left behind: killed, and waited for until there is nothing to wait for. */
	for (;;) {
		pid_t id = waitpid(-1, NULL, WNOHANG);
		if (id < 0 && errno == ECHILD)
			break;
		if (id <= 0) {
			descendants(SIGKILL);
			usleep(10000);
		}
	}
	cpu = waited();
	if (log)
		fprintf(log, "%.3f %.3f\n", now() - start, cpu);
	fprintf(stderr, "budget: %.2f %.2f %d\n", cpu, now() - start, status);
	return status;
}
