/* Loads a library that calls cuBLAS, for itself alone, and multiplies:
 *
 *   cublas-program LIBRARY COUNT [exit|fork]
 *
 * It prints which products tcgemm has computed: `s` served, `f` forwarded. With
 * COUNT 0 it multiplies until one is served. `exit`: it ends at once after
 * them, also if a kernel is being compiled. `fork`: a forked process ends
 * first. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  void (*prepare)(void) = (void (*)(void))dlsym(library, "prepare");
  int (*multiply)(void) = (int (*)(void))dlsym(library, "multiply");
  prepare();
  int count = atoi(argv[2]);
  for (int i = 0; count == 0 || i != count; ++i) {
    int served = multiply();
    if (count)
      putchar(served ? 's' : 'f');
    else if (served)
      break;
    else
      usleep(10000);
  }
  if (count == 0)
    printf("served at last");
  putchar('\n');
  fflush(stdout);
  if (argc > 3 && strcmp(argv[3], "fork") == 0) {
    pid_t child = fork();
    if (child == 0)
      exit(0);
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0)
      return 1;
  }
  return 0;
}
