//===- Serve.h - A product by tcgemm or by cuBLAS ------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_SERVE_H
#define TCGEMM_LIB_CUBLASSHIM_SERVE_H

#include "Counters.h"
#include "Product.h"

namespace tcgemm::shim {

/// Device memory that the program has set aside for a product.
struct Workspace {
  void *address = nullptr;
  size_t bytes = 0;
  /// True if a product that needs more may take it from the stream's pool.
  bool mayAllocate = false;
};

/// Computes the product with tcgemm, and sets what has become of it. Nothing
/// has been launched where the reason is not Reason::None.
void serve(const Product &product, const Workspace &workspace,
           cublas::Stream stream, Outcome &outcome);

/// The bytes of workspace with which `serve` computes the product at aligned
/// addresses, without alpha and beta; 0 if it does not compute it.
size_t predictWorkspace(Product product);

/// True in calls that the replaced library makes itself. They are neither
/// served nor counted.
class NestedCall {
public:
  NestedCall() { isActive = true; }
  ~NestedCall() { isActive = false; }
  NestedCall(const NestedCall &) = delete;
  NestedCall &operator=(const NestedCall &) = delete;
  static bool isInside() { return isActive; }

private:
  static thread_local bool isActive;
};

/// Serves a call by `attempt`, which sets an Outcome, or else by `forward`,
/// which calls the replaced library.
template <typename Attempt, typename Forward>
cublas::Status dispatch(Function function, Attempt attempt, Forward forward) {
  if (NestedCall::isInside())
    return forward();
  NestedCall nested;
  Outcome outcome;
  attempt(outcome);
  count(function, outcome);
  return outcome.reason == Reason::None ? outcome.status : forward();
}

/// Says that the replaced library lacks a function.
cublas::Status reportMissing(const char *name);

/// Calls a function of the replaced library. One that it lacks is a message on
/// standard error and cublas::StatusNotSupported.
template <typename... Parameters, typename... Arguments>
cublas::Status callReal(const char *name,
                        cublas::Status (*function)(Parameters...),
                        Arguments... arguments) {
  return function ? function(arguments...) : reportMissing(name);
}

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_SERVE_H
