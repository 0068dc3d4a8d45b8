//===- tcgemm-run.cpp - Launch, check and measure kernels -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line, bound to SessionOptions.
//
//===----------------------------------------------------------------------===//

#include "../common/ToolSetup.h"
#include "ExitCodes.h"
#include "Flags.h"
#include "Plans.h"
#include "Progress.h"
#include "Session.h"
#include "SessionNumerics.h"
#include "SessionPtx.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"

using namespace tcgemm;
using llvm::Error;

static int fail(Error error, int code) {
  llvm::errs() << "tcgemm-run: error: " << llvm::toString(std::move(error))
               << '\n';
  return code;
}

static int runListDevices(const SessionOptions &options) {
  Reporter reporter(options.format, llvm::outs());
  llvm::Expected<std::vector<DeviceProperties>> devices = listDevices();
  if (devices)
    for (auto [i, properties] : llvm::enumerate(*devices))
      reporter.printDevice(properties, i);
  else
    llvm::errs() << "tcgemm-run: note: " << llvm::toString(devices.takeError())
                 << '\n';
  EmulatorOptions emulator = options.device.emulator;
  emulator.chip = options.compile.chip;
  llvm::Expected<std::unique_ptr<Device>> device = openEmulator(emulator);
  if (!device)
    return fail(device.takeError(), kExitBadInput);
  reporter.printDevice((*device)->getProperties(), 0);
  return kExitSuccess;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setToolVersion();
  Flags flags;
  Categories &categories = flags.categories;
  cl::HideUnrelatedOptions({&categories.inputs, &categories.data,
                            &categories.actions, &categories.ptx,
                            &categories.devices});
  if (!parseCommandLine(
          argc, argv,
          "Launches the kernels of a pack, checks their results and measures "
          "them.\n\n"
          "The input is a kernel pack, an MLIR file, or nothing: then a matrix "
          "product is\nwritten as MLIR for --m, --n, --k and compiled. A file "
          "that ends in .ptx is run\nwith --grid, --block and an --arg for "
          "each "
          "parameter.\n\n"
          "It runs on a GPU or, checking every access, on an emulator; nothing "
          "is measured there.\n\n"
          "Exit codes: 0 all is well, 1 a result is wrong, 2 bad input, 3 no "
          "device,\n4 a device or driver error, 5 time-out, 6 the emulator has "
          "findings,\n130 interrupted.\n"))
    return kExitBadInput;
  SessionOptions options;
  if (Error error = readFlags(flags, options))
    return fail(std::move(error), kExitBadInput);
  options.isList = !flags.input.problems.empty();
  std::vector<llvm::StringRef> listed{"problems", "cases"};
  if (options.isList)
    llvm::append_range(
        listed, std::initializer_list<llvm::StringRef>{"m", "n", "k", "batch"});
  options.given =
      formatGivenOptions(llvm::ArrayRef(argv, argc), categories.inputs, listed);
  if (flags.device.listDevices)
    return runListDevices(options);
  if (flags.actions.emitMLIR) {
    GenerateOptions generate = options.generate;
    generate.problem.setSizes(options.problems.front().getSizes());
    llvm::outs() << generateMLIR(generate);
    return kExitSuccess;
  }
  Progress progress;
  options.device.emulator.watcher = &progress;
  options.device.emulator.cancel = &getInterruptFlag();
  SessionContext context(options, llvm::outs(), llvm::errs());
  if (options.ptx.isUsed)
    return runPtxFile(context);
  if (options.numerics.isUsed)
    return runNumerics(context);
  if (!flags.input.cases.empty())
    return Session(context).runCases(flags.input.cases);
  if (flags.actions.plan)
    return printPlans(context);
  return Session(context).runProblems();
}
