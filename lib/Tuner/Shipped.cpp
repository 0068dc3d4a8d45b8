//===- Shipped.cpp - The files of tuning/, in the program ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Shipped.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tcgemm {

Expected<std::string> readFileOrShipped(StringRef name, StringRef extension) {
  for (const ShippedFile &file : getShippedFiles())
    if (file.name == name || file.name == (name + extension).str())
      return file.text.str();
  auto buffer = MemoryBuffer::getFile(name, /*IsText=*/true);
  if (buffer)
    return (*buffer)->getBuffer().str();
  SmallVector<StringRef> names;
  for (const ShippedFile &file : getShippedFiles())
    // `x.model.yaml` is of another kind than `x.yaml`.
    if (StringRef stem = file.name;
        stem.consume_back(extension) && !stem.contains('.'))
      names.push_back(stem);
  return createStringError("cannot read '" + name +
                           "': " + buffer.getError().message() +
                           "; shipped are " + join(names, ", "));
}

Expected<Space> readSpace(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, ".yaml");
  if (!text)
    return text.takeError();
  return Space::parse(*text, name);
}

Expected<std::vector<TuningProblem>> readSuite(StringRef name,
                                               const KernelSpec &kernel) {
  Expected<std::string> text = readFileOrShipped(name, ".txt");
  if (!text)
    return text.takeError();
  return parseTuningProblems(*text, name, kernel);
}

std::vector<std::string> getDefaultSpaces(const ChipInfo &chip,
                                          StringRef type) {
  if (type == "f32")
    return {"simt-quick"};
  if (chip.features.wgmma)
    return {"wgmma-quick", "wgmma-waves",    "wgmma-clusters",
            "wgmma-short", "mma_sync-quick", "gemv"};
  return {"mma_sync-quick", "gemv"};
}

} // namespace tcgemm
