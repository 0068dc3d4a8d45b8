//===- ShippedMachines.cpp - Machine files by name ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/ShippedMachines.h"
#include "tcgemm/Store/Shipped.h"

using namespace llvm;

namespace tcgemm {

Expected<Machine> readMachine(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, kMachineExtension);
  if (!text)
    return text.takeError();
  return parseMachine(*text, name);
}

Expected<std::optional<Machine>> findShippedMachine(StringRef device) {
  for (const ShippedFile &file : getShippedFiles()) {
    if (!file.name.ends_with(kMachineExtension))
      continue;
    Expected<Machine> machine = parseMachine(file.text, file.name);
    if (!machine)
      return machine.takeError();
    if (machine->name == device)
      return std::optional<Machine>(std::move(*machine));
  }
  return std::nullopt;
}

Expected<StringMap<Machine>> readShippedMachinesByChip() {
  StringMap<Machine> machines;
  for (const ShippedFile &file : getShippedFiles()) {
    StringRef name = file.name;
    if (!name.consume_back(".model.yaml"))
      continue;
    Expected<Machine> machine = readMachine(name);
    if (!machine)
      return machine.takeError();
    machines.try_emplace(machine->chip, std::move(*machine));
  }
  return std::move(machines);
}

ChipSpeeds ShippedSpeeds::find(StringRef chip) const {
  ChipSpeeds speeds;
  if (auto found = constants.find(chip); found != constants.end())
    speeds.constants = &found->second;
  if (auto found = machines.find(chip); found != machines.end())
    speeds.machine = &found->second;
  return speeds;
}

Expected<ShippedSpeeds> readShippedSpeeds() {
  Expected<StringMap<ModelConstants>> constants = readShippedConstants();
  if (!constants)
    return constants.takeError();
  Expected<StringMap<Machine>> machines = readShippedMachinesByChip();
  if (!machines)
    return machines.takeError();
  return ShippedSpeeds{std::move(*constants), std::move(*machines)};
}

} // namespace tcgemm
