//===- DeviceFlags.h - Flags that say where to run --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_DEVICEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_DEVICEFLAGS_H

#include "../common/Numbers.h"
#include "Categories.h"
#include "SessionOptions.h"

namespace tcgemm {

/// The device, and what the emulator does.
struct DeviceFlags {
  explicit DeviceFlags(Categories &categories) : categories(categories) {}
  llvm::Error read(SessionOptions &options) const;

  Categories &categories;
  cl::opt<std::string> device{
      "device",
      cl::desc("cuda, cuda:N or emulator (default: cuda if there is a device)"),
      cl::value_desc("device"), cl::cat(categories.devices)};
  cl::opt<bool> listDevices{"list-devices", cl::desc("List the devices"),
                            cl::cat(categories.devices)};
  cl::opt<std::string> checks{
      "checks",
      cl::desc(
          "What the emulator checks: all, none, or some of bounds, "
          "uninitialised, races, barriers, comma-separated (default: all)"),
      cl::init("all"), cl::value_desc("names"), cl::cat(categories.devices)};
  cl::opt<bool> profile{"profile", cl::desc("Count what kernels do (emulator)"),
                        cl::cat(categories.devices)};
  cl::opt<std::string> annotate{
      "profile-annotate",
      cl::desc("Write the PTX with counts in the margin (emulator)"),
      cl::value_desc("file"), cl::cat(categories.devices)};
  NumberOption<unsigned> emulatorThreads{
      "emulator-threads",
      cl::desc("Threads of the emulator (default: all of the machine)"),
      cl::init(0), cl::cat(categories.devices)};
  NumberOption<unsigned> emulatorSMs{
      "emulator-sm-count",
      cl::desc("Multiprocessors of the emulated device (default: the chip's)"),
      cl::init(0), cl::cat(categories.devices)};
  NumberOption<uint64_t> maxInstructions{
      "max-instructions",
      cl::desc("Instructions of warps after which the emulator gives a launch "
               "up (default: 0: none)"),
      cl::init(0), cl::cat(categories.devices)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_DEVICEFLAGS_H
