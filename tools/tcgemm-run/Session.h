//===- Session.h - Runs problems and test cases -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSION_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSION_H

#include "Observed.h"
#include "PackSource.h"
#include "SessionDevice.h"

#include "tcgemm/Runtime/Executor.h"

#include <map>
#include <memory>

namespace tcgemm {

class Session {
public:
  explicit Session(SessionContext &context)
      : context(context), options(context.options), source(context),
        device(context), annotated(options.annotate) {}

  /// Each returns an exit code.
  int runProblems();
  int runCases(llvm::StringRef path);

private:
  /// A pack with its modules on the device.
  struct LoadedPack {
    KernelPack pack;
    std::unique_ptr<Executor> executor;
  };

  llvm::Expected<KernelPack> getPack(const NamedProblem &problem) const {
    return source.getPack(problem, device.get());
  }
  int checkInput();
  int reopenDevice();
  int runOne(const NamedProblem &problem, LoadedPack &loaded);
  int runCase(const TestCase &test);
  llvm::Expected<LoadedPack *> load(const std::string &path);
  llvm::Error checkCost(const Problem &problem);
  int check(LoadedPack &loaded, Problem &problem, ProblemRecord &record);
  int measure(LoadedPack &loaded, const Problem &problem,
              ProblemRecord &record);

  SessionContext &context;
  const SessionOptions &options;
  PackSource source;
  SessionDevice device;
  AnnotatedFile annotated;
  std::map<std::string, std::unique_ptr<LoadedPack>> packs;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSION_H
