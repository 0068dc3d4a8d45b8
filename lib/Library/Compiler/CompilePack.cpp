//===- CompilePack.cpp - The entry point of the compiler library ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Library/CompilerInterface.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Store/Fingerprint.h"
#include "tcgemm/Version.h"

#include <cstdio>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Fails unless both libraries are of one build.
Error checkCaller(const tcgemmCompileRequest &request) {
  if (request.interface != TCGEMM_COMPILER_INTERFACE)
    return llvm::createStringError(
        "the caller's interface has number " + llvm::Twine(request.interface) +
        ", but the compiler's has " + llvm::Twine(TCGEMM_COMPILER_INTERFACE));
  if (StringRef(request.version) != TCGEMM_VERSION_STRING ||
      StringRef(request.fingerprint) != TCGEMM_GENERATOR_FINGERPRINT)
    return llvm::createStringError(
        "libtcgemm is version " + llvm::Twine(request.version) + " (" +
        request.fingerprint +
        "), but the compiler is " TCGEMM_VERSION_STRING
        " (" TCGEMM_GENERATOR_FINGERPRINT ")");
  return Error::success();
}

Error compile(const tcgemmCompileRequest &request) {
  if (Error error = checkCaller(request))
    return error;
  CompileOptions options;
  options.chip = request.chip;
  options.configText = request.config;
  options.records = "none"; // The configuration has all parameters.
  options.format = request.isPTX ? OutputFormat::PTX : OutputFormat::Cubin;
  options.remarks = false;
  Expected<KernelPack> pack = compileToPack(request.source, options);
  if (!pack)
    return pack.takeError();
  return writePack(request.directory, std::move(*pack));
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
tcgemmCompilePack(const tcgemmCompileRequest *request, char *message,
                  size_t size) {
  Error error = compile(*request);
  if (!error)
    return 0;
  std::snprintf(message, size, "%s", llvm::toString(std::move(error)).c_str());
  return 1;
}
