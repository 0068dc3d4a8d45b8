//===- TestPtx.h - Reads bits of PTX for tests ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_EMULATOR_TESTPTX_H
#define TCGEMM_UNITTESTS_EMULATOR_TESTPTX_H

#include "CheckTree.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include "gtest/gtest.h"

namespace tcgemm::ptx {

/// The start of all modules, on line 1; the text after it is on line 2.
constexpr llvm::StringRef kHead =
    ".version 8.0 .target sm_90 .address_size 64\n";

/// Null, and `error` said, where `text` is no PTX.
inline std::unique_ptr<Module> readAll(const llvm::Twine &text,
                                       std::string *error = nullptr) {
  llvm::Expected<std::unique_ptr<Module>> module = parse(text.str());
  if (!module) {
    std::string message = llvm::toString(module.takeError());
    if (error)
      *error = message;
    else
      ADD_FAILURE() << message << "\n" << text.str();
    return nullptr;
  }
  const char *problem = TreeChecker(**module).check();
  EXPECT_EQ(problem, nullptr) << text.str();
  return std::move(*module);
}

inline std::unique_ptr<Module> readModule(const llvm::Twine &text) {
  return readAll(kHead + text);
}

/// The error of a module; "" if it is read.
inline std::string getError(const llvm::Twine &text) {
  std::string error;
  readAll(kHead + text, &error);
  return error;
}

/// A kernel around `body`, which starts on line 5.
inline std::string makeKernel(const llvm::Twine &body) {
  return (".global .b32 g[4]; .const .b32 c[4];\n"
          ".func (.param .b32 r0) f(.param .b32 a0);\n"
          ".entry k(.param .b64 arg) { .reg .b32 %r<9>; .reg .b64 %rd<9>; "
          ".reg .pred %p<9>; .reg .f32 %f<9>; .shared .b32 s[4];\n" +
          body + "\n}")
      .str();
}

inline std::unique_ptr<Module> readBody(const llvm::Twine &body) {
  return readModule(makeKernel(body));
}

inline std::string getBodyError(const llvm::Twine &body) {
  return getError(makeKernel(body));
}

inline std::string print(const Operand &operand);

inline std::string printAll(llvm::ArrayRef<Operand> operands) {
  return llvm::join(llvm::map_range(operands, print), ", ");
}

/// About as PTX has it; floats as the bits of doubles.
inline std::string print(const Operand &operand) {
  using Kind = Operand::Kind;
  std::string offset =
      operand.offset ? "+" + std::to_string(operand.offset) : "";
  switch (operand.kind) {
  case Kind::Register:
  case Kind::Special:
    return ((operand.negated ? "!" : "") + operand.name).str();
  case Kind::Immediate:
    return operand.isFloat ? "0d" + llvm::utohexstr(operand.bits, true, 16)
                           : std::to_string(int64_t(operand.bits));
  case Kind::Symbol:
    return operand.name.str() + offset;
  case Kind::Address: {
    std::string base = print(operand.elements[0]) + offset;
    llvm::ArrayRef<Operand> rest =
        llvm::ArrayRef(operand.elements).drop_front();
    return "[" + base + (rest.empty() ? "" : ", " + printAll(rest)) + "]";
  }
  case Kind::Vector:
    return "{" + printAll(operand.elements) + "}";
  case Kind::Sink:
    return "_";
  case Kind::Pair:
    return print(operand.elements[0]) + "|" + print(operand.elements[1]);
  case Kind::List:
    return "(" + printAll(operand.elements) + ")";
  }
  return "?";
}

/// The operands of the one instruction `text` of a kernel's body, or the error.
inline std::string readOperands(const llvm::Twine &text) {
  std::string error;
  std::unique_ptr<Module> module = readAll(kHead + makeKernel(text), &error);
  if (!module)
    return error;
  return printAll(module->findFunction("k")->instructions.back().operands);
}

} // namespace tcgemm::ptx

#endif // TCGEMM_UNITTESTS_EMULATOR_TESTPTX_H
