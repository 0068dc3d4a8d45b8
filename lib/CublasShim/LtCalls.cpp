//===- LtCalls.cpp - Products of cuBLASLt ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exports.h"
#include "LtDescriptors.h"
#include "Plans.h"
#include "Serve.h"

#include <algorithm>

using namespace tcgemm::shim;

Status cublasLtMatmul(LtHandle handle, MatmulDesc desc, const void *alpha,
                      const void *a, MatrixLayout layoutA, const void *b,
                      MatrixLayout layoutB, const void *beta, const void *c,
                      MatrixLayout layoutC, void *d, MatrixLayout layoutD,
                      const Algorithm *algorithm, void *workspace,
                      size_t workspaceBytes, Stream stream) {
  const RealLibrary &real = RealLibrary::getLt();
  auto attempt = [&](Outcome &outcome) {
    outcome.reason = Reason::Off;
    if (getMode() == Mode::Off)
      return;
    Product product;
    outcome.reason =
        handle ? readProduct(real, desc, {layoutA, layoutB, layoutC, layoutD},
                             product)
               : Reason::State;
    if (outcome.reason != Reason::None)
      return;
    product.alpha = alpha;
    product.beta = beta;
    product.a.address = a;
    product.b.address = b;
    product.c.address = c;
    product.d.address = d;
    // The program states how much memory the product may use.
    serve(product, {workspace, workspaceBytes, /*mayAllocate=*/false}, stream,
          outcome);
  };
  return dispatch(Function::cublasLtMatmul, attempt, [&] {
    return callReal("cublasLtMatmul", real.cublasLtMatmul, handle, desc, alpha,
                    a, layoutA, b, layoutB, beta, c, layoutC, d, layoutD,
                    algorithm, workspace, workspaceBytes, stream);
  });
}

/// The algorithms are cuBLASLt's, so that it can compute the product, too. They
/// ask for as much workspace as tcgemm needs, within the program's limit.
Status cublasLtMatmulAlgoGetHeuristic(LtHandle handle, MatmulDesc desc,
                                      MatrixLayout layoutA,
                                      MatrixLayout layoutB,
                                      MatrixLayout layoutC,
                                      MatrixLayout layoutD,
                                      Preference preference, int requested,
                                      HeuristicResult *results, int *found) {
  const RealLibrary &real = RealLibrary::getLt();
  Status status = callReal("cublasLtMatmulAlgoGetHeuristic",
                           real.cublasLtMatmulAlgoGetHeuristic, handle, desc,
                           layoutA, layoutB, layoutC, layoutD, preference,
                           requested, results, found);
  if (status != StatusSuccess || NestedCall::isInside() ||
      getMode() == Mode::Off || !real.cublasLtMatmulPreferenceGetAttribute)
    return status;
  NestedCall nested;
  Product product;
  uint64_t limit = 0;
  size_t written = 0;
  if (readProduct(real, desc, {layoutA, layoutB, layoutC, layoutD}, product) !=
          Reason::None ||
      real.cublasLtMatmulPreferenceGetAttribute(preference,
                                                PreferenceMaxWorkspaceBytes,
                                                &limit, sizeof limit, &written))
    return status;
  size_t bytes = predictWorkspace(product);
  if (bytes > limit)
    return status;
  for (int i = 0; i < *found; ++i)
    if (results[i].state == StatusSuccess)
      results[i].workspaceSize = std::max(results[i].workspaceSize, bytes);
  return status;
}
