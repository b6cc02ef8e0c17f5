/* owner.h: whose memory a sanitizer's report is about. */
#ifndef MUSTER_CHECK_OWNER_H
#define MUSTER_CHECK_OWNER_H

enum owner {
	OWNER_NONE,   /* no object, or it is not said which: null, a wild pointer, arithmetic */
	OWNER_CALLER, /* an object that the driver made for the call */
	OWNER_SELF,   /* a variable of the program, or a block that it allocated */
	OWNER_SHARED, /* the function's own doing, unless the caller had passed one object for two: a block of the caller's that the function gave back, or a stack that recursion used up */
};
/* kind and report as a finding of a driven function has them (the report symbolised). */
enum owner owner_of(const char *kind, const char *report);

#endif
