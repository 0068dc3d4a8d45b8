//===- Failure.cpp - Errors with a status ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Portable/program.h"

#include <cstdarg>
#include <cstdio>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Twine;

char Failure::ID = 0;

static std::string &getText() {
  thread_local std::string text;
  return text;
}

Error library::fail(tcgemmStatus status, const Twine &text) {
  return llvm::make_error<Failure>(status, text.str());
}

Error library::withStatus(tcgemmStatus status, Error error) {
  if (!error || error.isA<Failure>())
    return error;
  return fail(status, llvm::toString(std::move(error)));
}

tcgemmStatus library::finish(Error error) {
  if (!error)
    return TCGEMM_SUCCESS;
  tcgemmStatus status = TCGEMM_INVALID_VALUE;
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure &failure) {
        status = failure.getStatus();
        getText() = failure.message();
      },
      [&](const llvm::ErrorInfoBase &other) { getText() = other.message(); });
  return status;
}

tcgemmStatus library::failNow(tcgemmStatus status, const Twine &text) {
  getText() = text.str();
  return status;
}

Error library::takeFailure(tcgemmStatus status) {
  return status ? fail(status, getText()) : Error::success();
}

const char *library::getLastMessage() { return getText().c_str(); }

tcgemmStatus tcgemmFail(tcgemmStatus status, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return failNow(status, text);
}

tcgemmStatus tcgemmFailDriver(const tcgemmRunDriver *driver, int result,
                              const char *format, ...) {
  char call[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(call, sizeof call, format, arguments);
  va_end(arguments);
  return failNow(TCGEMM_DRIVER,
                 Twine(call) + ": " + describeResult(*driver, result));
}

std::string library::describeResult(const tcgemmRunDriver &driver, int result) {
  const char *name = nullptr, *text = nullptr;
  if (driver.cuGetErrorName(result, &name) || !name)
    name = "unknown error";
  if (driver.cuGetErrorString(result, &text) || !text)
    text = "no description";
  return (name + Twine(" (") + Twine(result) + "): " + text).str();
}
