//===- SessionDevice.cpp - The device of a session ------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionDevice.h"
#include "ExitCodes.h"
#include "Progress.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

int SessionDevice::open(const std::string &chip) {
  const SessionOptions &options = context.options;
  choice = options.device;
  choice.emulator.chip = chip;
  bool needsEmulator = !options.emulatorOption.empty();
  if (needsEmulator && choice.kind == DeviceChoice::Any)
    choice.kind = DeviceChoice::Emulator;
  constexpr StringRef kNoTime =
      "the emulator has no clock of a GPU; --profile counts what kernels do";
  if (options.benchmark && choice.kind == DeviceChoice::Emulator)
    return context.fail(llvm::createStringError("--bench: " + kNoTime),
                        kExitBadInput);
  if (needsEmulator && choice.kind == DeviceChoice::Cuda)
    return context.fail(llvm::createStringError(
                            options.emulatorOption +
                            " is the emulator's; for a GPU there are ncu and "
                            "compute-sanitizer"),
                        kExitBadInput);
  std::string note;
  Expected<std::unique_ptr<Device>> opened = tcgemm::openDevice(choice, note);
  bool isEmulator = choice.kind == DeviceChoice::Emulator || !note.empty();
  if (!opened && isEmulator)
    return context.fail(opened.takeError(), kExitBadInput);
  if (!opened) {
    context.err << "tcgemm-run: error: no device to run on: "
                << llvm::toString(opened.takeError())
                << "\n  --plan shows what would be launched, --emit-mlir and "
                   "--save-pack what would be compiled\n";
    return kExitNoDevice;
  }
  if (!note.empty() && options.benchmark) {
    context.err << "tcgemm-run: error: no device to measure on: " << note
                << "\n  " << kNoTime << '\n';
    return kExitNoDevice;
  }
  if (!note.empty())
    context.err << "tcgemm-run: note: the emulator runs it: " << note << '\n';
  device = std::move(*opened);
  bool usesPtxas =
      !device->getProperties().isEmulated || !options.savePack.empty();
  if (!options.compile.ptxasPath.empty() && !usesPtxas)
    context.err << "tcgemm-run: note: --ptxas is not used: the emulator "
                   "executes PTX\n";
  // A GPU's launch cannot be ended, and needs no flag to be killed.
  if (device->getProperties().isEmulated)
    catchInterrupts();
  context.reporter.printDevice(device->getProperties(), choice.ordinal);
  return kExitSuccess;
}

int SessionDevice::reopen() {
  device.reset();
  std::string note;
  Expected<std::unique_ptr<Device>> opened = tcgemm::openDevice(choice, note);
  if (!opened)
    return context.fail(opened.takeError(), kExitDeviceError);
  device = std::move(*opened);
  return kExitSuccess;
}
