//===- Tcgemm.cpp - The functions of libtcgemm.so -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgemm.h"
#include "Log.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

using namespace tcgemm::shim;

static std::string getPath() {
  const char *variable = std::getenv("TCGEMM_LIBRARY");
  if (variable && *variable)
    return variable;
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void *>(&Tcgemm::get), &info))
    return "libtcgemm.so";
  std::string self = info.dli_fname;
  return self.substr(0, self.rfind('/') + 1) + "libtcgemm.so";
}

static const Tcgemm *load() {
  std::string path = getPath();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    complain(std::string("calls are forwarded: ") + dlerror());
    return nullptr;
  }
  static Tcgemm loaded;
#define TCGEMM_LOAD(name)                                                      \
  loaded.name =                                                                \
      reinterpret_cast<decltype(loaded.name)>(dlsym(library, #name));          \
  if (!loaded.name) {                                                          \
    complain("calls are forwarded: " + path + " has no function " #name);      \
    return nullptr;                                                            \
  }
  TCGEMM_SHIM_LIBRARY_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
  return &loaded;
}

const Tcgemm *Tcgemm::get() {
  static const Tcgemm *const library = load();
  return library;
}
