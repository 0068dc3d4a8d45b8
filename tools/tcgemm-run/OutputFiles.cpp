//===- OutputFiles.cpp - Arrays that a run writes to files ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFiles.h"

#include "tcgemm/Runtime/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

llvm::Expected<OutputFiles>
tcgemm::parseOutputFiles(llvm::ArrayRef<std::string> texts) {
  OutputFiles files;
  for (StringRef text : texts) {
    auto [name, path] = text.split('=');
    if (path.empty())
      return llvm::createStringError("--output: '" + text +
                                     "' is not name=file.npy");
    files[name.str()] = path.str();
  }
  return files;
}

HostTensor tcgemm::getTensor(const ProblemBuffer &buffer) {
  const StridedShape &shape = buffer.shape;
  HostTensor tensor(buffer.type, StridedShape::rowMajor(shape.sizes));
  unsigned bytes = getByteSize(buffer.type);
  bool isPacked = getPackedElements(buffer.type) > 1;
  const uint8_t *start = buffer.image.data() + buffer.getStart();
  int64_t count = tensor.shape.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t d = shape.sizes.size(); d-- > 0; rest /= shape.sizes[d])
      offset += rest % shape.sizes[d] * shape.strides[d];
    if (isPacked)
      tensor.set(i, loadElement(buffer.type, start, offset));
    else
      std::copy_n(start + offset * bytes, bytes, &tensor.bytes[i * bytes]);
  }
  return tensor;
}

/// The written buffer with this name; null if there is none.
static const ProblemBuffer *findWritten(StringRef name,
                                        llvm::ArrayRef<ProblemBuffer> buffers) {
  const auto *found = llvm::find_if(buffers, [&](const ProblemBuffer &buffer) {
    return buffer.isWritten &&
           (buffer.name == name || buffer.operandName == name);
  });
  return found == buffers.end() ? nullptr : found;
}

Error tcgemm::checkOutputFiles(const OutputFiles &files,
                               llvm::ArrayRef<ProblemBuffer> buffers) {
  for (const auto &[name, path] : files) {
    if (findWritten(name, buffers))
      continue;
    std::vector<std::string> names;
    for (const ProblemBuffer &buffer : buffers)
      if (buffer.isWritten)
        names.push_back(buffer.operandName.empty() ? buffer.name
                                                   : buffer.operandName);
    return llvm::createStringError(
        "--output: no array '" + name +
        "' is written; written are: " + llvm::join(names, ", "));
  }
  return Error::success();
}

Error tcgemm::writeOutputFiles(const OutputFiles &files,
                               llvm::ArrayRef<ProblemBuffer> buffers) {
  for (const auto &[name, path] : files)
    if (const ProblemBuffer *buffer = findWritten(name, buffers))
      if (Error error = writeNpy(path, getTensor(*buffer)))
        return error;
  return Error::success();
}
