//===- Shipped.cpp - The files of tuning/, in the program -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tcgemm {

static constexpr StringLiteral kModelExtension = ".model.yaml";

StringRef getFileText(ArrayRef<ShippedFile> files, StringRef name) {
  const ShippedFile *file = find_if(
      files, [&](const ShippedFile &file) { return file.name == name; });
  assert(file != files.end() && "the build embeds no such file");
  return file->text;
}

Expected<std::string> readFileOrShipped(StringRef name, StringRef extension) {
  for (const ShippedFile &file : getShippedFiles())
    if (file.name == name || file.name == (name + extension).str())
      return file.text.str();
  auto buffer = MemoryBuffer::getFile(name, /*IsText=*/true);
  if (buffer)
    return (*buffer)->getBuffer().str();
  SmallVector<StringRef> names;
  for (const ShippedFile &file : getShippedFiles())
    // `x.model.yaml` and `x.yaml` are different kinds of files.
    if (StringRef stem = file.name;
        stem.consume_back(extension) && !stem.contains('.'))
      names.push_back(stem);
  return createStringError("cannot read '" + name +
                           "': " + buffer.getError().message() +
                           "; shipped are " + join(names, ", "));
}

Expected<std::vector<TuningProblem>> readSuite(StringRef name,
                                               const KernelSpec &kernel) {
  Expected<std::string> text = readFileOrShipped(name, ".txt");
  if (!text)
    return text.takeError();
  return parseTuningProblems(*text, name, kernel);
}

Expected<ModelConstants> readModelConstants(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, kModelExtension);
  if (!text)
    return text.takeError();
  return parseModelConstants(*text, name);
}

Expected<StringMap<ModelConstants>> readShippedConstants() {
  StringMap<ModelConstants> all;
  for (const ShippedFile &file : getShippedFiles()) {
    if (!file.name.ends_with(kModelExtension))
      continue;
    Expected<ModelConstants> constants =
        parseModelConstants(file.text, file.name);
    if (!constants)
      return constants.takeError();
    all.try_emplace(constants->chip, *constants);
  }
  return std::move(all);
}

} // namespace tcgemm
