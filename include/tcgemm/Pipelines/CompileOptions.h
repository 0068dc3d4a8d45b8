//===- CompileOptions.h - Options of a compilation --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_COMPILEOPTIONS_H
#define TCGEMM_PIPELINES_COMPILEOPTIONS_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Target/Trace.h"

#include <functional>
#include <optional>
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace tcgemm {

enum class OutputFormat { PTX, Cubin };

struct CompileOptions {
  std::string chip = "sm_90";
  /// Fixed parameters, such as "cta=128x128x64 stages=3". The compiler chooses
  /// the others.
  std::string configText;
  /// The first sources of configurations, in this order.
  ConfigProviders providers;
  /// The next source of configurations: tuned records of a file (a database, or
  /// lines of JSON), followed by the shipped records. Empty: the shipped
  /// records only. `none`: no records.
  std::string records;
  /// Expected sizes MxNxK or BxMxNxK where they are dynamic.
  std::string sizeHint;
  /// Empty: searched for in the usual places.
  std::string ptxasPath;
  /// PTX needs no ptxas.
  OutputFormat format = OutputFormat::Cubin;
  /// Time limit of ptxas in seconds.
  unsigned timeout = 60;
  /// Threads of ptxas from CUDA 13 on; 0: the number of cores.
  unsigned ptxasThreads = 0;
  bool allowSpills = false, allowRemarks = false;
  /// Use the GPU's approximate instructions for math instead of polynomials.
  bool approximateMath = false;
  /// How products are computed: see Target/Precision.h.
  std::string precision = "ieee";
  /// Report why operations are not taken.
  bool remarks = true;
  /// Take only operations with the attribute `tcgemm.take` or `tcgemm.config`.
  bool onlyMarked = false;
  /// Take only operations that the filter accepts; without a filter, all.
  std::function<bool(mlir::Operation *)> filter;
  /// Move the constants that kernels read to a kernel pack, whose readers copy
  /// them to the device. Otherwise such a constant is an error, because it is
  /// in host memory. compileToPack sets this option.
  bool packConstants = false;
  /// Separate interleaved components of numbers by copies where that saves
  /// time: see the pass tcgemm-raise. A pack then has launches that copy, which
  /// the library and the tuner do not run.
  bool separateComponents = false;
  /// Let the kernels write a trace. They are slower then.
  std::optional<TraceOptions> trace;
  /// Further options of tcgemm-to-cubin as text. They override the options
  /// above.
  std::string mlirPipelineOptions;
};

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_COMPILEOPTIONS_H
