//===- SessionDevice.cpp - A session's device -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How it is chosen and opened, and the profiles that it gives.
//
//===----------------------------------------------------------------------===//

#include "ExitCodes.h"
#include "Observed.h"
#include "Session.h"

#include "llvm/Support/FileSystem.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

/// The chip to emulate: what was asked for, else that of the first module.
std::string Session::getChip(StringRef packPath) const {
  if (options.hasChip || !llvm::sys::fs::is_directory(packPath))
    return options.compile.chip;
  Expected<KernelPack> pack = readPack(packPath);
  if (!pack || pack->manifest.modules.empty()) {
    if (!pack) // Whoever runs it will say so.
      llvm::consumeError(pack.takeError());
    return options.compile.chip;
  }
  return pack->manifest.modules.front().chip;
}

int Session::openDevice(const std::string &chip) {
  choice = options.device;
  choice.emulator.chip = chip;
  bool needsEmulator = !options.emulatorOption.empty();
  if (needsEmulator && choice.kind == DeviceChoice::Any)
    choice.kind = DeviceChoice::Emulator;
  constexpr StringRef kNoTime =
      "the emulator has no clock of a GPU; --profile counts what kernels do";
  if (options.benchmark && choice.kind == DeviceChoice::Emulator)
    return fail(llvm::createStringError("--bench: " + kNoTime), kExitBadInput);
  if (needsEmulator && choice.kind == DeviceChoice::Cuda)
    return fail(llvm::createStringError(
                    options.emulatorOption +
                    " is the emulator's; for a GPU there are ncu and "
                    "compute-sanitizer"),
                kExitBadInput);
  std::string note;
  Expected<std::unique_ptr<Device>> opened = tcgemm::openDevice(choice, note);
  bool isEmulator = choice.kind == DeviceChoice::Emulator || !note.empty();
  if (!opened && isEmulator)
    return fail(opened.takeError(), kExitBadInput);
  if (!opened) {
    err << "tcgemm-run: error: no device to run on: "
        << llvm::toString(opened.takeError())
        << "\n  --plan shows what would be launched, --emit-mlir and "
           "--save-pack what would be compiled\n";
    return kExitNoDevice;
  }
  if (!note.empty() && options.benchmark) {
    err << "tcgemm-run: error: no device to measure on: " << note << "\n  "
        << kNoTime << '\n';
    return kExitNoDevice;
  }
  if (!note.empty())
    err << "tcgemm-run: note: the emulator runs it: " << note << '\n';
  device = std::move(*opened);
  // A GPU's launch cannot be ended, and needs no flag to be killed.
  if (device->getProperties().isEmulated)
    catchInterrupts();
  reporter.printDevice(device->getProperties(), choice.ordinal);
  return kExitSuccess;
}

/// After a device error the context is lost: everything on it goes.
int Session::reopenDevice() {
  for (auto &[path, loaded] : packs)
    loaded->executor.reset();
  device.reset();
  std::string note;
  Expected<std::unique_ptr<Device>> opened = tcgemm::openDevice(choice, note);
  if (!opened)
    return fail(opened.takeError(), kExitDeviceError);
  device = std::move(*opened);
  for (auto &[path, loaded] : packs)
    loaded->executor = std::make_unique<Executor>(*device, loaded->pack);
  return kExitSuccess;
}

/// Of every launch: the file grows.
Error Session::annotate(const Observations &observed) {
  if (options.annotate.empty())
    return Error::success();
  std::error_code code;
  llvm::raw_fd_ostream os(options.annotate, code,
                          hasAnnotated ? llvm::sys::fs::OF_Append
                                       : llvm::sys::fs::OF_None);
  if (code)
    return llvm::createStringError("cannot write '" + options.annotate +
                                   "': " + code.message());
  hasAnnotated = true;
  printAnnotated(observed, os);
  return Error::success();
}
