//===- FunctionDecoder.h - Decoder of functions -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_FUNCTIONDECODER_H
#define TCGEMM_LIB_EMULATOR_MACHINE_FUNCTIONDECODER_H

#include "Machine/Decoder.h"

namespace tcgemm::emu {

class FunctionDecoder {
public:
  FunctionDecoder(ProgramDecoder &parent, const ptx::Function &function,
                  FunctionCode &out)
      : decoder(parent, function, out), parent(parent), function(function),
        out(out) {}

  /// Places the parameters and results.
  void layOutParams();
  /// Decodes the whole function. Sets FunctionCode::error if it is not
  /// supported.
  void run();

private:
  void layOutVariables();
  uint32_t place(uint32_t &end, const ptx::Variable &variable);
  /// False if an instruction is not supported.
  bool decodeInstructions();
  void decode(const ptx::Instruction &inst, Instruction &into);
  void decodeGuard(const ptx::Guard &guard, Instruction &into);
  /// Makes the decoder's error the function's error, at a line.
  void setError(uint32_t line);

  Decoder decoder;
  ProgramDecoder &parent;
  const ptx::Function &function;
  FunctionCode &out;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_FUNCTIONDECODER_H
