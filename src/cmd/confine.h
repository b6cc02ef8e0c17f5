/* confine.h: the options of every command that runs target code: what its runs may do.
 *
 *	const struct option_row rows[] = {..., CONFINE_ROWS, OPTION_END};
 *	option_parse(...);
 *	confine_apply(&spec);      // before the first launcher
 *
 * The choice is one for the whole process (run/sandbox.h): no run of a command is confined less than the others.
 */
#ifndef MUSTER_CMD_CONFINE_H
#define MUSTER_CMD_CONFINE_H

#include "base/json.h"
#include "base/option.h"

extern struct confine {
	const char *sandbox;
	struct option_list writable;
} confine;

#define CONFINE_ROWS                                                                                  \
	OPTION_STR("sandbox", 0, "on|off", &confine.sandbox,                                          \
		   "on (default): runs cannot change files, use the network or reach other processes"), \
	    OPTION_LIST("writable", 0, "DIR", &confine.writable, "runs may write in this directory (repeatable)")

/* Ends the process with words if the options make no sense. */
void confine_apply(const struct option_spec *spec);

/* Of a program that does nothing: what runs on this machine are confined by, in words. NULL: error_text(). */
const char *confine_try(void);

/* "sandbox": {"level", "refused"}, of the runs so far. */
void confine_json(struct json *j);

#endif
