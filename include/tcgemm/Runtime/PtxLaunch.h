//===- PtxLaunch.h - One kernel of any PTX, with arguments ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches PTX without a manifest: the caller specifies the kernel, its grid
// and its arguments. There is no reference for the results.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_PTXLAUNCH_H
#define TCGEMM_RUNTIME_PTXLAUNCH_H

#include "tcgemm/Runtime/Problem.h"
#include "tcgemm/Target/TensorMap.h"

#include <optional>

namespace tcgemm {

struct PtxArgument {
  std::string typeName; ///< The name in the specification: `u32`.
  bool isScalar = false;
  KernelArgument scalar; ///< The bytes of a scalar, or raw bytes.
  /// The array behind a pointer, and the argument's name.
  ProblemBuffer buffer;
  /// The tensor map of an array that is passed as one, without its base.
  std::optional<TensorMapDescription> map;
  /// The kernel's parameter, and the offset in it: the fields of a struct share
  /// a parameter.
  unsigned parameter = 0;
  uint64_t offset = 0;
  bool isField = false;

  /// The size of the argument in bytes: of an address, of a map or of the
  /// scalar.
  uint64_t getByteSize() const;
};

/// Reads `[NAME=]SPEC` for the kernel's parameter `index`. The name is
/// `arg<index>` if none is given. A SPEC is one of
///
///   TYPE:VALUE           a scalar: `i32:-5`, `u64:0x10`, `f32:1.5`
///   bytes:HEX            raw bytes: `bytes:00ff10`
///   in:TYPE[2x3][:FILL]  an array that may be read; see parseFill
///   inout:TYPE[6][:FILL] one that may be read and written
///   out:TYPE[6]          one without contents
///   map:BOX[:swizzle=N]:ARRAY  an array as above, passed as a tensor map
///                        with a box of that shape:
///                        `map:64x32:swizzle=64:in:f16[8x8]`
///   struct:FIELD,FIELD…  each field a `[NAME=]SPEC`, at its offset in C; a
///                        name defaults to `arg<index>_<i>`
///
/// with TYPE one of i8 to i64, u8 to u64, f16, bf16, f32, f64. Returns one
/// argument, or the fields of a struct.
llvm::Expected<std::vector<PtxArgument>> parsePtxArgument(llvm::StringRef text,
                                                          unsigned index);

struct PtxLaunch {
  std::string ptx;
  std::string kernel; ///< Empty: the only kernel.
  LaunchConfig config;
  std::vector<PtxArgument> arguments; ///< In the order of their parameters.
  /// The size of each parameter of the kernel; set by checkPtxLaunch.
  std::vector<uint64_t> parameterBytes;
  uint64_t seed = 1;
};

/// Reads the PTX and checks kernel and arguments against it. Sets the kernel's
/// name if it was omitted. Returns the chip that the PTX is for.
llvm::Expected<std::string> checkPtxLaunch(PtxLaunch &launch);

struct PtxResult {
  std::string damage; ///< Memory that was written without permission.
  /// The missed elements of each argument; see LaunchResult.
  std::vector<std::string> missed;
  Observations observed;
};

/// Fills the arrays and runs the kernel once. The images of the arrays then
/// have their contents after the launch. checkPtxLaunch must have succeeded
/// before.
llvm::Expected<PtxResult> runPtx(Device &device, PtxLaunch &launch);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_PTXLAUNCH_H
