//===- ReferenceInputs.h - Launches of the reference kernels ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// reference/README.md describes the files.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_EMULATOR_REFERENCEINPUTS_H
#define TCGEMM_UNITTESTS_EMULATOR_REFERENCEINPUTS_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace reference {

/// The PTX files and the expected outputs, which the build has unpacked.
inline const char *const generated = REFERENCE_GENERATED;

std::string readFile(const llvm::Twine &path);

/// Null for integers. tf32 is an f32 whose lower mantissa is 0.
const llvm::fltSemantics *getSemantics(llvm::StringRef type);
unsigned getBits(llvm::StringRef type);
double decode(uint64_t bits, llvm::StringRef type);
bool isNaN(uint64_t bits, llvm::StringRef type);

struct Tolerance {
  double relative, absolute;
};

/// An argument of a kernel: bytes, or the address of a buffer.
struct Argument {
  std::vector<uint8_t> bytes;
  // A buffer; `bytes` is empty:
  std::string name, type, fill, table;
  uint64_t count = 0, rowLength = 0, seed = 0;
  uint64_t value = 0;                         ///< `value`
  int64_t min = 0, max = 0;                   ///< `range`
  int64_t log2 = 0;                           ///< `unit`
  uint64_t divisor = 1, until = ~uint64_t{0}; ///< `edges`
  bool isOutput = false, anyNaN = false;
  std::optional<Tolerance> tolerance;
};

struct ReferenceLaunch {
  std::string file, name, entry;
  std::array<uint32_t, 3> grid{}, block{}, cluster{1, 1, 1};
  uint32_t sharedMemory = 0;
  unsigned repeat = 1;
  std::vector<Argument> arguments;
};

void PrintTo(const ReferenceLaunch &launch, std::ostream *os);

std::vector<ReferenceLaunch> readLaunches();
std::vector<uint8_t> fillBuffer(const Argument &argument);
uint64_t readElement(llvm::ArrayRef<uint8_t> data, llvm::StringRef type,
                     uint64_t i);

} // namespace reference

#endif // TCGEMM_UNITTESTS_EMULATOR_REFERENCEINPUTS_H
