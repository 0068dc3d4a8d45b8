//===- OutputFiles.h - Arrays that a run writes to files --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_OUTPUTFILES_H
#define TCGEMM_TOOLS_TCGEMM_RUN_OUTPUTFILES_H

#include "tcgemm/Runtime/Problem.h"

#include <map>

namespace tcgemm {

/// Files by the names of arrays.
using OutputFiles = std::map<std::string, std::string>;

/// Reads texts of --output, `name=file.npy`.
llvm::Expected<OutputFiles> parseOutputFiles(llvm::ArrayRef<std::string> texts);
/// The elements of a buffer's image, row-major.
HostTensor getTensor(const ProblemBuffer &buffer);
/// Returns an error if a name of `files` is that of no written buffer.
llvm::Error checkOutputFiles(const OutputFiles &files,
                             llvm::ArrayRef<ProblemBuffer> buffers);
/// Writes the images of the buffers that `files` names.
llvm::Error writeOutputFiles(const OutputFiles &files,
                             llvm::ArrayRef<ProblemBuffer> buffers);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_OUTPUTFILES_H
