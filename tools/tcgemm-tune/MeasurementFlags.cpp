//===- MeasurementFlags.cpp - Flags that say how to measure ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasurementFlags.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

TimingOptions MeasurementFlags::getTiming() const {
  TimingOptions timing;
  if (effort == MeasurementEffort::Usual)
    return timing;
  // A kernel that is 20 % slower than the fastest one is not measured longer.
  timing.minSamples = 1;
  timing.maxSamples = 2;
  timing.relativeError = 0.02;
  timing.firstCut = 1.2;
  timing.chainMilliseconds = 1;
  timing.warmUpMilliseconds = 10;
  timing.wakeMilliseconds = 3;
  return timing;
}

Expected<std::vector<KernelConfig>> MeasurementFlags::readConfigs() const {
  std::vector<KernelConfig> read;
  if (configs.empty())
    return read;
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError("--configs: " + llvm::Twine(configs) + what);
  };
  auto buffer = llvm::MemoryBuffer::getFile(configs, /*IsText=*/true);
  if (!buffer)
    return fail(": " + buffer.getError().message());
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    StringRef text = line.trim();
    if (text.empty() || text.starts_with("#"))
      continue;
    if (llvm::Error error = read.emplace_back().apply(text))
      return fail(":" + llvm::Twine(number + 1) + ": " +
                  llvm::toString(std::move(error)));
  }
  if (read.empty())
    return fail(" has no configuration");
  return read;
}
