//===- CompileOptions.h - What a compilation can be told -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_COMPILEOPTIONS_H
#define TCGEMM_PIPELINES_COMPILEOPTIONS_H

#include "tcgemm/Config/ConfigProvider.h"

#include <functional>
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace tcgemm {

enum class OutputFormat { PTX, Cubin };

struct CompileOptions {
  std::string chip = "sm_90";
  /// Parameters that are fixed, as "cta=128x128x64 stages=3"; what it leaves
  /// open the compiler chooses.
  std::string configText;
  /// Asked for configurations first, in this order.
  ConfigProviders providers;
  /// Then tuned records are: those of a file (a database, or lines of JSON),
  /// and the shipped ones; with `none` neither.
  std::string records;
  /// Expected sizes MxNxK or BxMxNxK where they are dynamic.
  std::string sizeHint;
  /// Empty: looked for in the usual places.
  std::string ptxasPath;
  /// PTX needs no ptxas.
  OutputFormat format = OutputFormat::Cubin;
  /// Seconds that ptxas may take.
  unsigned timeout = 60;
  /// Threads of ptxas, from CUDA 13 on; 0: as many as there are cores.
  unsigned ptxasThreads = 0;
  bool allowSpills = false, allowRemarks = false;
  /// Math by the GPU's approximate instructions rather than polynomials.
  bool approximateMath = false;
  /// Say why operations are not taken.
  bool remarks = true;
  /// Take only operations that carry `tcgemm.take` or `tcgemm.config`.
  bool onlyMarked = false;
  /// Take only operations that it accepts; none: all.
  std::function<bool(mlir::Operation *)> filter;
  /// The constants that kernels read go to a kernel pack, whose readers copy
  /// them to the device. If not, such a constant is an error: the module has it
  /// in the host's memory. compileToPack sets it.
  bool packConstants = false;
  /// Further options of tcgemm-to-cubin, as text; they win.
  std::string mlirPipelineOptions;
};

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_COMPILEOPTIONS_H
