//===- Parser.h - Parser of PTX ---------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over text that may come from anywhere: depths, counts and
// sizes are bounded. As in LLVM's parsers, the functions that return a bool
// return true where they failed, having said why by fail().
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_PARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_PARSER_H

#include "Ptx/Lexer.h"
#include "Ptx/Scopes.h"
#include "tcgemm/Emulator/Ptx.h"

#include "llvm/ADT/Twine.h"

namespace tcgemm::ptx {

/// What is not bounded by the text's length itself.
constexpr size_t kMaxText = size_t(64) << 20;
constexpr uint64_t kMaxRegisters = 1 << 19; ///< Of one function.
/// Of the module. A node is about an operand's 100 bytes of memory, which may
/// come of two bytes of text.
constexpr uint64_t kMaxNodes = 1 << 22;
constexpr uint64_t kNodesOfInstruction = 8;
constexpr uint64_t kNodesOfName = 4;
constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 40;
constexpr uint64_t kMaxInitBytes = uint64_t(1) << 26; ///< Of the module.
constexpr uint32_t kMaxAlign = 1 << 20;
constexpr unsigned kMaxScopes = 64;
constexpr unsigned kMaxNesting = 64; ///< Of expressions and initialisers.
constexpr unsigned kMaxOperandNesting = 4;

/// The value of a constant expression. Those of integers are of 64 bits.
struct Constant {
  enum class Kind : uint8_t { Signed, Unsigned, Float };
  Kind kind = Kind::Signed;
  /// Of a float: as an Operand has them.
  uint64_t bits = 0;

  bool isFloat() const { return kind == Kind::Float; }
  bool isTrue() const;
};

class Parser {
public:
  explicit Parser(Module &module) : module(module), lexer(module.text) {
    advance();
  }

  bool parseModule();
  const std::string &getError() const { return error; }

private:
  using Kind = Token::Kind;

  /// A name that may be declared further on: a label, mostly.
  struct PendingName {
    llvm::StringRef name;
    uint32_t line;
    bool isTable;     ///< Else of an instruction.
    bool isLabel;     ///< Names outside of the function do not do.
    uint32_t index;   ///< Of the instruction or table.
    uint32_t element; ///< Of the operand or target.
  };

  //===--------------------------------------------------------------------===//
  // Tokens and errors: PtxParser.cpp
  //===--------------------------------------------------------------------===//

  void advance() { token = lexer.next(); }
  /// The token after the current one.
  Token peek() const { return Lexer(lexer).next(); }
  /// Says at `line`, or where the parser is, `what` is wrong; returns true.
  bool fail(const llvm::Twine &what, uint32_t line = 0);
  /// "expected `what`, found …".
  bool failExpected(const llvm::Twine &what);
  bool consume(llvm::StringRef op);
  bool consumeWord(llvm::StringRef dotWord);
  /// As in "expected ';' after operands".
  bool expect(llvm::StringRef op, const llvm::Twine &where);
  bool parseName(llvm::StringRef &name, const llvm::Twine &what);
  /// A number without sign or operators.
  bool parseCount(uint64_t &value, uint64_t limit, const llvm::Twine &what);
  /// Counts what takes memory.
  bool spend(uint64_t nodes);

  //===--------------------------------------------------------------------===//
  // Modules: PtxParser.cpp
  //===--------------------------------------------------------------------===//

  bool parseHeader();
  bool parseModuleItem();
  bool parseFile();
  bool parseLoc();
  bool parseSection();
  bool parsePragma();
  bool parseAlias();
  /// `.attribute(.managed)`: read and dropped.
  bool parseAttributes();

  //===--------------------------------------------------------------------===//
  // Names: PtxParser.cpp
  //===--------------------------------------------------------------------===//

  llvm::StringRef keep(std::string name);
  /// Declares `name`, in a body by a unique name, which becomes `entity.name`.
  bool declare(llvm::StringRef name, Entity &entity, uint32_t line);
  llvm::StringRef makeUnique(llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // Variables: PtxParserVariables.cpp, PtxParserInitializers.cpp
  //===--------------------------------------------------------------------===//

  /// Linkage, and what variables of one declaration share.
  struct Declarator {
    Variable variable;
    unsigned elementBytes = 0; ///< Of the type, or of a vector's element.
    std::vector<uint64_t> dims;
    bool isUnsized = false; ///< The first dimension is `[]`.
  };
  bool isSpaceWord() const;
  bool parseVariables(bool isExtern);
  bool parseDeclarator(Declarator &declarator);
  bool parseTypeAndWidth(Type &type, uint8_t &width);
  bool parsePointerAttributes();
  bool parseAlign(uint32_t &align);
  bool parseDims(Declarator &declarator);
  bool computeBytes(Declarator &declarator);
  bool declareVariable(Variable &&variable);
  /// `(.param .b32 a, .reg .b32 b)`, after the '('.
  bool parseParams(std::vector<Variable> &params, bool isPrototype,
                   bool mayBeUnsized);

  /// Where the next initial value goes.
  struct InitCursor {
    Declarator &declarator;
    uint64_t at = 0; ///< In elements.
  };
  bool parseInitializer(Declarator &declarator);
  /// Those of `dims[dim]`, in braces.
  bool parseInitList(InitCursor &cursor, size_t dim);
  bool parseInitValue(InitCursor &cursor);
  bool parseInitAddress(InitCursor &cursor, bool isMasked, unsigned shift);
  bool storeInit(InitCursor &cursor, uint64_t bits);
  bool growInit(InitCursor &cursor);
  bool failInitTooLarge();

  //===--------------------------------------------------------------------===//
  // Functions: PtxParserFunctions.cpp
  //===--------------------------------------------------------------------===//

  bool parseFunction(bool isExtern);
  bool parseFunctionHeader(Function &header);
  bool parseFunctionDirective(Function &header);
  bool parseThreads(std::array<uint32_t, 3> &counts);
  /// Finds or makes its place among the module's.
  bool declareFunction(const Function &header, uint32_t &index);
  bool declareParams();
  /// `L: .branchtargets …;` and its kin, after the ':'.
  bool parseBranchTable(llvm::StringRef name, uint32_t line);
  bool parsePrototype(BranchTable &table);

  //===--------------------------------------------------------------------===//
  // Bodies: PtxParserBodies.cpp
  //===--------------------------------------------------------------------===//

  /// After the '{'.
  bool parseBody();
  bool parseStatement();
  bool parseRegisters();
  bool addRegisters(Type type, unsigned width, llvm::StringRef name,
                    uint64_t count, uint32_t line);
  bool addRegister(Type type, unsigned width, llvm::StringRef name,
                   uint32_t line);
  bool parseLabel(llvm::StringRef name, uint32_t line);
  bool parseGuard(std::optional<Guard> &guard);
  bool parseInstruction(std::optional<Guard> guard, const Token &opcode);
  /// Finds what names in the innermost scope were for. Others are left to the
  /// next scope, and wrong where there is none.
  bool resolvePending();

  //===--------------------------------------------------------------------===//
  // Operands: PtxParserOperands.cpp
  //===--------------------------------------------------------------------===//

  bool parseOperand(Operand &operand, unsigned depth);
  bool parseNamed(Operand &operand, unsigned depth);
  bool parseRegister(Operand &operand, const Entity &entity);
  bool parseSymbol(Operand &operand, const Entity *entity, unsigned depth);
  bool parsePair(Operand &operand);
  bool parseIndex(Operand &operand);
  bool parseAddress(Operand &operand, unsigned depth);
  bool parseElement(Operand &operand, unsigned depth);
  bool parseElements(Operand &operand, llvm::StringRef close, unsigned depth);
  /// `+8`, `+-4`, `-4+8` after a base.
  bool parseOffset(int64_t &offset);

  //===--------------------------------------------------------------------===//
  // Constants: PtxParserConstants.cpp
  //===--------------------------------------------------------------------===//

  bool parseConstant(Constant &value);
  bool parseIntegerConstant(Constant &value, const llvm::Twine &what);
  bool parseBinary(Constant &value, unsigned minimum);
  bool applyBinary(Constant &left, llvm::StringRef op, const Constant &right);
  bool parseUnary(Constant &value);
  bool parsePrimary(Constant &value);
  bool parseNumber(Constant &value);
  /// Of the text of a number; null and no error said where it is none.
  static std::optional<Constant> readNumber(llvm::StringRef text);

  Module &module;
  Lexer lexer;
  Token token;
  std::string error;
  Scopes scopes;
  uint64_t nodes = 0;
  uint64_t initBytes = 0;
  unsigned nesting = 0; ///< Of expressions and initialisers.

  //===--------------------------------------------------------------------===//
  // The function at hand
  //===--------------------------------------------------------------------===//

  Function *function = nullptr; ///< Null outside.
  bool isMove = false;          ///< The instruction takes addresses as values.
  bool isCall = false;          ///< The instruction takes lists.
  bool isBranch = false;        ///< The instruction takes labels only.
  uint32_t operandNumber = 0;   ///< In the instruction.
  /// Those of each open scope of the body.
  std::vector<std::vector<PendingName>> pending;
  /// How often each name was used in this function.
  llvm::DenseMap<llvm::StringRef, unsigned> uses;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_PARSER_H
