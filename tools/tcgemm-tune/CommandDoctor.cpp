//===- CommandDoctor.cpp - Whether the machine is fit --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "tcgemm/Tuner/Doctor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;

static void print(const Check &check, OutputStyle style) {
  llvm::StringRef status = getCheckStatusName(check.status);
  if (style == OutputStyle::JSONLines) {
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"check", check.name},
                        {"status", status},
                        {"message", llvm::json::fixUTF8(check.message)},
                        {"advice", llvm::json::fixUTF8(check.advice)}})
                 << '\n';
    return;
  }
  llvm::outs() << llvm::formatv("{0,-8} {1,-12} {2}\n", status, check.name,
                                check.message);
  if (!check.advice.empty())
    llvm::outs() << llvm::formatv("{0,-8} {0,-12} {1}\n", "",
                                  "-> " + check.advice);
}

int tcgemm::runDoctor(const Flags &flags) {
  // The same checks of flags as for a search.
  llvm::Expected<EngineOptions> engine = readEngineOptions(flags);
  if (!engine)
    return fail(engine.takeError(), kExitBadInput);
  DoctorOptions options;
  options.device = engine->device;
  options.ptxasPath = engine->compile.ptxasPath;
  options.database = flags.output.database;
  Diagnosis diagnosis = diagnose(options);
  for (const Check &check : diagnosis.checks)
    print(check, flags.output.format);
  if (!diagnosis.hasDevice)
    return kExitNoDevice;
  return diagnosis.hasErrors() ? kExitRunFailed : kExitSuccess;
}
