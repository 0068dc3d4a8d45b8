//===- MachineInputs.cpp - Inputs of calibrations and validations ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineInputs.h"
#include "tcgemm/Store/Shipped.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace tcgemm {

Expected<double> readSeconds(StringRef option, StringRef text, int64_t most) {
  double seconds = 0;
  StringRef number = text;
  number.consume_back("s");
  if (number.getAsDouble(seconds) || !(seconds >= 1 && seconds <= double(most)))
    return llvm::createStringError(llvm::formatv(
        "{0} = {1}, but it must be 1s to {2}s", option, text, most));
  return seconds;
}

Error refuseMachine(StringRef model) {
  if (!model.ends_with(kMachineExtension))
    return Error::success();
  return llvm::createStringError("--model: '" + model +
                                 "' is a machine file, which only searches, "
                                 "replays and explain take");
}

Error refuseSimulated(const EngineOptions &options, StringRef purpose) {
  if (options.device != kSimulatedDevice)
    return Error::success();
  return llvm::createStringError("--device: 'simulated' executes nothing, so "
                                 "that there is nothing to " +
                                 purpose);
}

void printMessage(StringRef kind, const llvm::Twine &text) {
  llvm::errs() << "tcgemm-tune: " << kind << ": " << text << '\n';
}

} // namespace tcgemm
