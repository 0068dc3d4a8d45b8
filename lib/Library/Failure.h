//===- Failure.h - Errors with a status -------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FAILURE_H
#define TCGEMM_LIB_LIBRARY_FAILURE_H

#include "tcgemm.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

struct tcgemmRunDriver;

namespace tcgemm::library {

/// An error of the C API.
class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;
  Failure(tcgemmStatus status, std::string text)
      : status(status), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  tcgemmStatus getStatus() const { return status; }

private:
  tcgemmStatus status;
  std::string text;
};

llvm::Error fail(tcgemmStatus status, const llvm::Twine &text);
/// Gives an error of another library a status; a Failure keeps its own.
llvm::Error withStatus(tcgemmStatus status, llvm::Error error);

/// Sets the thread's message and returns the error's status, or success.
tcgemmStatus finish(llvm::Error error);
/// The thread's message as an error of a call that has set it; success for
/// TCGEMM_SUCCESS.
llvm::Error takeFailure(tcgemmStatus status);
/// The same as `finish` without an allocation for success, for calls that must
/// be fast.
tcgemmStatus failNow(tcgemmStatus status, const llvm::Twine &text);
const char *getLastMessage();
/// The name, the number and the text of a result of the driver.
std::string describeResult(const tcgemmRunDriver &driver, int result);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FAILURE_H
