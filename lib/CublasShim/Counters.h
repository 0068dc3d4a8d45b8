//===- Counters.h - How many calls were served ---------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_COUNTERS_H
#define TCGEMM_LIB_CUBLASSHIM_COUNTERS_H

#include "CublasFunctions.h"
#include "Reasons.h"

#include <string>

namespace tcgemm::shim {

/// The functions whose calls are counted.
enum class Function : unsigned {
#define TCGEMM_ENUMERATOR(name, family, Int, type) name,
#define TCGEMM_TABLE_ENUMERATOR(name, family, Int) name,
  TCGEMM_CUBLAS_PRODUCTS(TCGEMM_ENUMERATOR)
      TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_TABLE_ENUMERATOR)
#undef TCGEMM_TABLE_ENUMERATOR
#undef TCGEMM_ENUMERATOR
          cublasLtMatmul,
  Count
};

/// The outcome of a call.
struct Outcome {
  Reason reason = Reason::None;                  ///< None: served.
  cublas::Status status = cublas::StatusSuccess; ///< Of a served call.
  std::string product; ///< What it computes, if there is a log.
  std::string detail;  ///< More about the reason.
};

/// Counts the call and writes its line to the log. The process prints a summary
/// when it ends if TCGEMM_CUBLAS_SUMMARY names a file.
void count(Function function, const Outcome &outcome);

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_COUNTERS_H
