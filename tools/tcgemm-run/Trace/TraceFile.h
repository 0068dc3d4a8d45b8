//===- TraceFile.h - The trace of a session's problem -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_TRACE_TRACEFILE_H
#define TCGEMM_TOOLS_TCGEMM_RUN_TRACE_TRACEFILE_H

#include "../SessionContext.h"

#include "tcgemm/Model/Machine.h"
#include "tcgemm/Runtime/Executor.h"

#include "tcgemm/Runtime/KernelTrace.h"

namespace tcgemm {

/// Writes the files of --trace and --trace-chart. Without --trace its functions
/// do nothing.
class TraceFile {
public:
  TraceFile(const SessionContext &context, Device &device, Executor &executor,
            const KernelPack &pack)
      : context(context), options(context.options), device(device),
        executor(executor), pack(pack) {}

  /// Reads the machine and empties the traces of all programs. Errors: the
  /// machine; the pack has no traces.
  llvm::Error prepare();
  /// Writes what the programs of the launches did, each in its last run, and
  /// what the simulator says. Errors: no program of the launches writes a
  /// trace, a trace is damaged, the machine or the file.
  llvm::Error write(const NamedProblem &problem,
                    llvm::ArrayRef<LaunchResult> launches);

private:
  const Variant &getVariant(const LaunchResult &launch) const;
  llvm::Error addMeasured(const Step &step);
  llvm::Error addLaunch(const LaunchResult &launch);
  llvm::Error addModel(const NamedProblem &problem, const Variant &variant);
  llvm::Expected<std::optional<Machine>> findMachine() const;
  using TimelineWriter = void (*)(const Timeline &, llvm::raw_ostream &);
  llvm::Error writeFile(llvm::StringRef flag, const std::string &path,
                        TimelineWriter write) const;
  /// The unit of measured times. The emulator's clock counts instructions.
  llvm::StringRef getUnit() const {
    return device.getProperties().isEmulated ? "instructions" : "ns";
  }
  void note(const llvm::Twine &text) const {
    context.err << "tcgemm-run: note: " << text << '\n';
  }

  const SessionContext &context;
  const SessionOptions &options;
  Device &device;
  Executor &executor;
  const KernelPack &pack;
  Timeline timeline;
  std::optional<Machine> machine; ///< Whose model the file shows.
  uint64_t missing = 0;           ///< Events for which the traces had no room.
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_TRACE_TRACEFILE_H
