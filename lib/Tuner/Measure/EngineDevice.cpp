//===- EngineDevice.cpp - The device of a search --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/EngineDevice.h"
#include "Measure/ChildProcess.h"
#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

Expected<std::unique_ptr<Device>>
openEngineDevice(const EngineOptions &options) {
  StringRef name = options.device;
  if (name == "emulator") {
    EmulatorOptions emulator;
    if (!options.chip.empty())
      emulator.chip = options.chip;
    return openEmulator(emulator);
  }
  unsigned ordinal = 0;
  if (name != "cuda" &&
      (!name.consume_front("cuda:") || name.getAsInteger(10, ordinal)))
    return createStringError("device '" + options.device +
                             "' is none of cuda, cuda:N, emulator");
  return openDevice(ordinal);
}

/// Counts the devices of the driver in a process of its own, because this one
/// must not use a device before it forks.
static Expected<int64_t> countInChild() {
  Expected<ChildProcess> child = ChildProcess::start([](Channel &channel) {
    Expected<unsigned> found = countDevices();
    json::Object answer;
    if (found)
      answer["count"] = *found;
    else
      answer["error"] = json::fixUTF8(toString(found.takeError()));
    return channel.send(std::move(answer)) ? 0 : 1;
  });
  if (!child)
    return child.takeError();
  std::optional<json::Object> answer = child->getChannel().receive();
  if (!answer)
    return createStringError(
        "the devices cannot be counted: the process died with " +
        child->describeEnd());
  if (std::optional<StringRef> error = answer->getString("error"))
    return make_error<DeviceError>(("no device to tune on: " + *error).str());
  return answer->getInteger("count").value_or(0);
}

static Expected<std::vector<unsigned>> parseOrdinals(StringRef list,
                                                     StringRef text) {
  std::vector<unsigned> ordinals;
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    unsigned ordinal = 0;
    if (part.getAsInteger(10, ordinal))
      return createStringError(
          "device '" + text +
          "' is none of cuda, cuda:N, cuda:N,N, cuda:all, emulator");
    if (is_contained(ordinals, ordinal))
      return createStringError("device '" + text + "' names ordinal " +
                               Twine(ordinal) +
                               " twice, but each GPU has one process");
    ordinals.push_back(ordinal);
  }
  return ordinals;
}

Expected<std::vector<std::string>> expandDevices(StringRef text) {
  if (text == "cuda" || text == "emulator" || text == kSimulatedDevice)
    return std::vector<std::string>{text.str()};
  StringRef list = text;
  bool isList = list.consume_front("cuda:");
  std::vector<unsigned> ordinals;
  if (list != "all" || !isList) {
    Expected<std::vector<unsigned>> parsed =
        parseOrdinals(isList ? list : "", text);
    if (!parsed)
      return parsed.takeError();
    ordinals = std::move(*parsed);
  }
  // One device that is not there is an error of the engine.
  if (ordinals.size() != 1) {
    Expected<int64_t> count = countInChild();
    if (!count)
      return count.takeError();
    for (unsigned ordinal : ordinals)
      if (ordinal >= *count)
        return createStringError(
            "device '" + text + "' names ordinal " + Twine(ordinal) +
            ", but the ordinals of this machine are 0 to " + Twine(*count - 1));
    if (list == "all")
      for (unsigned i = 0; i != *count; ++i)
        ordinals.push_back(i);
  }
  std::vector<std::string> devices;
  devices.reserve(ordinals.size());
  for (unsigned ordinal : ordinals)
    devices.push_back("cuda:" + std::to_string(ordinal));
  return devices;
}

std::string getDeviceChip(const DeviceProperties &properties) {
  return getNativeChip(int64_t(properties.major) * 10 + properties.minor);
}

} // namespace tcgemm
