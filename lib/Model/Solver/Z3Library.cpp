//===- Z3Library.cpp - Z3's C API, loaded at run time ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Solver/Z3Library.h"

#include <dlfcn.h>

using namespace llvm;

namespace tcgemm {

/// Debian's name of the library, from version 4.4 on.
static constexpr const char *kInstalled = "libz3.so.4";

Expected<Z3Library> Z3Library::load(StringRef path) {
  std::string name = path.empty() ? kInstalled : path.str();
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError("cannot load Z3: " + Twine(dlerror()) +
                             "; install it (Debian's package libz3-4), or name "
                             "the library with --z3");
  Z3Library library;
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(handle, symbol));
    if (!function && !missing)
      missing = symbol;
  };
#define TCGEMM_Z3_FUNCTION(name) find(library.name, "Z3_" #name);
#include "Solver/Z3Functions.def"
  if (missing)
    return createStringError("'" + name +
                             "' is not Z3, or too old: it has no " + missing);
  return library;
}

} // namespace tcgemm
