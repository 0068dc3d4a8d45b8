/* Checks that the programs of this folder share. */
#include <stdio.h>
#include <stdlib.h>
#include <tcgemm.h>

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

/* Prints what a call returns and says. */
static void report(const char *what, tcgemmStatus status) {
  printf("%s: %s: %s\n", what, tcgemmGetStatusName(status),
         status ? tcgemmGetLastErrorMessage() : "");
}
