//===- PtxOptions.cpp - How a PTX file is run -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents, arguments and the files of outputs.
//
//===----------------------------------------------------------------------===//

#include "PtxOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

Error tcgemm::readExtent(StringRef flag, StringRef text,
                         std::array<uint32_t, 3> &sizes) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  bool isGood = parts.size() <= 3;
  for (unsigned i = 0; isGood && i != parts.size(); ++i)
    isGood = !parts[i].getAsInteger(10, sizes[i]) && sizes[i] != 0;
  if (isGood)
    return Error::success();
  return llvm::createStringError("--" + flag + ": '" + text +
                                 "' is not one to three sizes, as 8x4x1");
}

Error tcgemm::readArguments(llvm::ArrayRef<std::string> arguments,
                            const OutputFiles &outputs, PtxOptions &options) {
  std::vector<PtxArgument> &all = options.launch.arguments;
  for (auto [i, text] : llvm::enumerate(arguments)) {
    Expected<std::vector<PtxArgument>> parsed = parsePtxArgument(text, i);
    if (!parsed)
      return parsed.takeError();
    for (PtxArgument &argument : *parsed) {
      for (const PtxArgument &other : all)
        if (other.buffer.name == argument.buffer.name)
          return llvm::createStringError("two arguments have the name '" +
                                         other.buffer.name + "'");
      all.push_back(std::move(argument));
    }
  }
  for (const auto &[name, path] : outputs) {
    auto found =
        llvm::find_if(all, [n = StringRef(name)](const PtxArgument &a) {
          return a.buffer.name == n;
        });
    if (found == all.end() || !found->buffer.isWritten)
      return llvm::createStringError("--output: no out or inout argument '" +
                                     name + "'");
  }
  return Error::success();
}
