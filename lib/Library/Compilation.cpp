//===- Compilation.cpp - Kernels from the compiler library ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "Failure.h"
#include "Log.h"
#include "tcgemm/Library/CompilerInterface.h"
#include "tcgemm/Store/Fingerprint.h"
#include "tcgemm/Target/KernelPack.h"
#include "tcgemm/Version.h"

#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

std::string KernelKey::getHash() const {
  // No part contains the separator.
  std::string text;
  for (StringRef part :
       {StringRef(source), StringRef(chip), StringRef(config),
        StringRef(isPTX ? "ptx" : "cubin"), StringRef(TCGEMM_VERSION_STRING),
        StringRef(TCGEMM_GENERATOR_FINGERPRINT)})
    text += part.str() + '\0';
  return getSHA256(text);
}

/// The path of the compiler library.
static std::string findCompiler() {
  if (const char *path = std::getenv("TCGEMM_COMPILER"); path && *path)
    return path;
  Dl_info info{};
  llvm::SmallString<256> path;
  if (dladdr(reinterpret_cast<void *>(&tcgemmCreate), &info) && info.dli_fname)
    path = llvm::sys::path::parent_path(info.dli_fname);
  llvm::sys::path::append(path, "libtcgemm-compiler.so");
  return path.str().str();
}

static Expected<tcgemmCompileFunction> loadCompiler() {
  std::string path = findCompiler();
  // The system's loader returns the same library each time.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(TCGEMM_COMPILER,
                "a kernel must be compiled, but the compiler cannot be loaded "
                "(TCGEMM_COMPILER names it): " +
                    llvm::Twine(dlerror()));
  if (void *function = dlsym(library, TCGEMM_COMPILER_FUNCTION))
    return reinterpret_cast<tcgemmCompileFunction>(function);
  return fail(TCGEMM_COMPILER,
              path + " has no function " TCGEMM_COMPILER_FUNCTION);
}

Error library::compilePack(const KernelKey &key, StringRef directory) {
  Expected<tcgemmCompileFunction> compile = loadCompiler();
  if (!compile)
    return compile.takeError();
  std::string target = directory.str();
  tcgemmCompileRequest request{};
  request.interface = TCGEMM_COMPILER_INTERFACE;
  request.version = TCGEMM_VERSION_STRING;
  request.fingerprint = TCGEMM_GENERATOR_FINGERPRINT;
  request.source = key.source.c_str();
  request.chip = key.chip.c_str();
  request.config = key.config.c_str();
  request.isPTX = key.isPTX;
  request.directory = target.c_str();
  log("compiles " + key.config + " for " + key.chip);
  char message[4096] = "";
  if ((*compile)(&request, message, sizeof message) == 0)
    return Error::success();
  return fail(TCGEMM_COMPILER, message);
}
