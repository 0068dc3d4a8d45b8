//===- RealLibrary.cpp - The replaced libraries ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealLibrary.h"
#include "Log.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <string>

using namespace tcgemm::shim;

namespace {

/// Looks for functions in the places that RealLibrary::getBlas names.
class Finder {
public:
  Finder();
  void *find(const char *name) const;

private:
  void *named = nullptr; ///< That of the variable.
  bool isNamed = false;
  void *blas = nullptr, *lt = nullptr; ///< Loaded ones.
};

/// The path of the first loaded object whose file name begins with `prefix`.
struct Search {
  const char *prefix;
  std::string path;
  unsigned count = 0;
};

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  const char *slash = std::strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  if (std::strncmp(name, search.prefix, std::strlen(search.prefix)) != 0)
    return 0;
  if (search.count++ == 0)
    search.path = info->dlpi_name;
  return 0;
}

/// A library that the program has loaded, also one that is in no global scope.
void *openLoaded(const char *prefix) {
  Search search{prefix, ""};
  dl_iterate_phdr(visit, &search);
  if (search.count > 1)
    log(std::string("error: the program has loaded several ") + prefix +
        "; calls are forwarded to " + search.path);
  return search.count == 0
             ? nullptr
             : dlopen(search.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

} // namespace

Finder::Finder() {
  const char *variable = std::getenv("TCGEMM_CUBLAS_LIBRARY");
  std::string path = variable ? variable : "";
  isNamed = !path.empty();
  if (isNamed) {
    named = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!named)
      complain(std::string("TCGEMM_CUBLAS_LIBRARY: ") + dlerror());
    return;
  }
  blas = openLoaded("libcublas.so");
  lt = openLoaded("libcublasLt.so");
}

void *Finder::find(const char *name) const {
  if (isNamed)
    return named ? dlsym(named, name) : nullptr;
  if (void *next = dlsym(RTLD_NEXT, name))
    return next;
  // cuBLAS depends on cuBLASLt, so that its handle finds both.
  for (void *library : {blas, lt})
    if (void *found = library ? dlsym(library, name) : nullptr)
      return found;
  return nullptr;
}

/// Allocated once or twice in a process, and never freed.
static const RealLibrary *findAll() {
  Finder finder;
  auto *found = new RealLibrary;
#define TCGEMM_FIND(name, parameters)                                          \
  found->name = reinterpret_cast<decltype(found->name)>(finder.find(#name));
#define TCGEMM_FIND_PRODUCT(name, family, Int, type) TCGEMM_FIND(name, )
#define TCGEMM_FIND_TABLE_PRODUCT(name, family, Int) TCGEMM_FIND(name, )
  TCGEMM_CUBLAS_PRODUCTS(TCGEMM_FIND_PRODUCT)
  TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_FIND_TABLE_PRODUCT)
  TCGEMM_CUBLASLT_FUNCTIONS(TCGEMM_FIND)
  TCGEMM_CUBLAS_SETTERS(TCGEMM_FIND)
  TCGEMM_CUBLAS_GETTERS(TCGEMM_FIND)
#undef TCGEMM_FIND_TABLE_PRODUCT
#undef TCGEMM_FIND_PRODUCT
#undef TCGEMM_FIND
  return found;
}

/// The functions that were found last, if `isKnown` accepts them.
static const RealLibrary &getWith(bool (*isKnown)(const RealLibrary &)) {
  static std::mutex mutex;
  static std::atomic<const RealLibrary *> current{nullptr};
  const RealLibrary *found = current.load(std::memory_order_acquire);
  if (found && isKnown(*found))
    return *found;
  std::lock_guard<std::mutex> lock(mutex);
  found = current.load(std::memory_order_relaxed);
  if (!found || !isKnown(*found)) {
    found = findAll();
    current.store(found, std::memory_order_release);
  }
  return *found;
}

const RealLibrary &RealLibrary::getBlas() {
  return getWith([](const RealLibrary &library) {
    return library.cublasGetStream_v2 != nullptr;
  });
}

const RealLibrary &RealLibrary::getLt() {
  return getWith([](const RealLibrary &library) {
    return library.cublasLtMatmul != nullptr;
  });
}
