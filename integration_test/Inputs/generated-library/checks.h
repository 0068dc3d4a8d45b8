/* Checks that the programs of this folder share. */
#include <tcgemm.h>

#include "../checks.h"

/* Prints what a call returns and says. */
static void report(const char *what, tcgemmStatus status) {
  printf("%s: %s: %s\n", what, tcgemmGetStatusName(status),
         status ? tcgemmGetLastErrorMessage() : "");
}
