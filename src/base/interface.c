/* interface.c: the id of the interfaces between muster's parts, which the Makefile computes. */
#include "base/interface.h"

const char interface_id[INTERFACE_ID_SIZE + 1] = MUSTER_INTERFACE_ID;
