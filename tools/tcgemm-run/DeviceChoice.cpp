//===- DeviceChoice.cpp - Which device, and how it is opened --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of devices and checks.
//
//===----------------------------------------------------------------------===//

#include "DeviceChoice.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

Expected<DeviceChoice> tcgemm::parseDevice(StringRef text) {
  DeviceChoice choice;
  if (text.empty())
    return choice;
  if (text == "emulator") {
    choice.kind = DeviceChoice::Emulator;
    return choice;
  }
  choice.kind = DeviceChoice::Cuda;
  StringRef number = text;
  if (number == "cuda" ||
      (number.consume_front("cuda:"), !number.getAsInteger(10, choice.ordinal)))
    return choice;
  return llvm::createStringError("--device: '" + text +
                                 "' is none of cuda, cuda:N, emulator");
}

static constexpr struct {
  StringRef name;
  bool emu::Checks::*member;
} kChecks[] = {{"bounds", &emu::Checks::bounds},
               {"uninitialised", &emu::Checks::uninitialised},
               {"races", &emu::Checks::races},
               {"barriers", &emu::Checks::barriers}};

Expected<emu::Checks> tcgemm::parseChecks(StringRef text) {
  if (text == "all")
    return emu::Checks();
  emu::Checks checks = emu::Checks::none();
  if (text == "none")
    return checks;
  llvm::SmallVector<StringRef> names;
  text.split(names, ',');
  for (StringRef name : names) {
    bool isKnown = false;
    for (const auto &check : kChecks)
      if (check.name == name)
        isKnown = checks.*check.member = true;
    if (!isKnown)
      return llvm::createStringError(
          "--checks: '" + name +
          "' is none of all, none, bounds, uninitialised, races, barriers");
  }
  return checks;
}

std::string tcgemm::formatChecks(const emu::Checks &checks) {
  std::string text;
  for (const auto &check : kChecks)
    if (checks.*check.member)
      text += (text.empty() ? "" : ",") + check.name.str();
  return text.empty() ? "none" : text;
}

Expected<std::unique_ptr<Device>> tcgemm::openDevice(const DeviceChoice &choice,
                                                     std::string &note) {
  if (choice.kind == DeviceChoice::Emulator)
    return openEmulator(choice.emulator);
  Expected<std::unique_ptr<Device>> device = openDevice(choice.ordinal);
  if (device || choice.kind == DeviceChoice::Cuda)
    return device;
  note = llvm::toString(device.takeError());
  return openEmulator(choice.emulator);
}
