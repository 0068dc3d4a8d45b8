//===- OperandParser.h - Parser of operands ---------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_OPERANDPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_OPERANDPARSER_H

#include "Ptx/ConstantParser.h"
#include "Ptx/PendingNames.h"

namespace tcgemm::ptx {

class OperandParser {
public:
  OperandParser(TokenStream &in, SymbolTable &symbols, PendingNames &pending)
      : in(in), symbols(symbols), pending(pending), constants(in) {}

  /// Reads the operands of an instruction up to the ';'.
  bool parse(Instruction &instruction);

private:
  using Kind = Token::Kind;

  bool parseOperand(Operand &operand, unsigned depth);
  /// `!%p`, after the '!'.
  bool parseNegated(Operand &operand, unsigned depth);
  bool parseImmediate(Operand &operand);
  bool parseNamed(Operand &operand, unsigned depth);
  bool parseSpecial(Operand &operand);
  bool parseRegister(Operand &operand, const Entity &entity);
  bool parseSymbol(Operand &operand, const Entity *entity, unsigned depth);
  bool parsePair(Operand &operand);
  bool parseIndex(Operand &operand);
  bool parseAddress(Operand &operand, unsigned depth);
  bool parseElement(Operand &operand, unsigned depth);
  bool parseElements(Operand &operand, llvm::StringRef close, unsigned depth);

  TokenStream &in;
  SymbolTable &symbols;
  PendingNames &pending;
  ConstantParser constants;
  bool isMove = false;   ///< The instruction takes addresses as values.
  bool isCall = false;   ///< The instruction takes lists.
  bool isBranch = false; ///< The instruction takes labels only.
  uint32_t operandNumber = 0;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_OPERANDPARSER_H
