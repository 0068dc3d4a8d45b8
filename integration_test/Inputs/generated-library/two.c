/* Two libraries in one process: each takes its own handles and plans only.
 *
 *   two A.so B.so */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>

struct Library {
  tcgemmStatus (*create)(tcgemmHandle_t *, int);
  tcgemmStatus (*destroy)(tcgemmHandle_t);
  tcgemmStatus (*init)(tcgemmMatmulDesc *, size_t);
  tcgemmStatus (*plan)(tcgemmHandle_t, const tcgemmMatmulDesc *,
                       tcgemmPlan_t *);
  tcgemmStatus (*destroyPlan)(tcgemmPlan_t);
  const char *(*getMessage)(void);
};

static void load(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    exit(2);
  memcpy(function, &symbol, sizeof symbol);
}

static struct Library open(const char *path) {
  struct Library result;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  load(library, "tcgemmCreate", &result.create);
  load(library, "tcgemmDestroy", &result.destroy);
  load(library, "tcgemmMatmulDescInitSized", &result.init);
  load(library, "tcgemmPlan", &result.plan);
  load(library, "tcgemmPlanDestroy", &result.destroyPlan);
  load(library, "tcgemmGetLastErrorMessage", &result.getMessage);
  return result;
}

int main(int argc, char **argv) {
  struct Library libraries[2];
  tcgemmHandle_t handles[2];
  if (argc != 3)
    return 2;
  for (int i = 0; i != 2; ++i) {
    libraries[i] = open(argv[1 + i]);
    if (libraries[i].create(&handles[i], 0))
      return 1;
  }
  for (int i = 0; i != 2; ++i)
    for (int j = 0; j != 2; ++j) {
      tcgemmMatmulDesc desc;
      tcgemmPlan_t plan = NULL;
      libraries[i].init(&desc, sizeof desc);
      desc.transB = TCGEMM_T;
      desc.m = desc.n = desc.k = 64;
      desc.batch = i ? 3 : 1;
      tcgemmStatus status = libraries[i].plan(handles[j], &desc, &plan);
      printf("library %d, handle %d: %d %s\n", i, j, (int)status,
             status ? libraries[i].getMessage() : "");
      libraries[i].destroyPlan(plan);
    }
  for (int i = 0; i != 2; ++i)
    libraries[i].destroy(handles[i]);
  return 0;
}
