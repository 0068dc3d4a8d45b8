//===- Ptx.h - Syntax tree of PTX -------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The syntax tree of a PTX module (PTX ISA 8.0 to 9.0): variables, functions
// and instructions with their modifiers and operands. The parser checks the
// grammar and the declaration of names. The decoder gives instructions their
// meaning, and checks whether the emulator supports them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATOR_PTX_H
#define TCGEMM_EMULATOR_PTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tcgemm::ptx {

/// The fundamental types, and types that are instruction modifiers only.
// clang-format off
enum class Type : uint8_t {
  None, Pred,
  B8, B16, B32, B64, B128,
  U8, U16, U32, U64,
  S8, S16, S32, S64,
  F16, F16x2, BF16, BF16x2, F32, F32x2, F64,
  // For operands of conversions and tensor-core instructions only.
  TF32, E4M3, E5M2, E4M3x2, E5M2x2, U4, S4, B1, U16x2, S16x2,
};
// clang-format on

/// The type that the modifier `name` (`u32`, `bf16x2`) names; none if it names
/// no type.
std::optional<Type> parseType(llvm::StringRef name);
llvm::StringRef getName(Type type);
/// Bits of a register or memory element of `type`; 1 for predicates.
unsigned getBitWidth(Type type);
bool isSigned(Type type);  ///< S*; floating-point types are not.
bool isInteger(Type type); ///< U* and S*, not B*.
bool isFloat(Type type);   ///< Packed ones included.

enum class Space : uint8_t {
  Generic,
  Reg,
  Const,
  Global,
  Local,
  Param,
  Shared, ///< `.shared` and `.shared::cta`.
  SharedCluster,
};
llvm::StringRef getName(Space space);

/// The kind of a name. It decides which list `Operand::index` refers to.
enum class SymbolKind : uint8_t {
  None,
  Variable, ///< Module::variables
  Function, ///< Module::functions
  Param,    ///< Function::params, of the function that names it
  Result,   ///< Function::results
  Local,    ///< Function::variables
  Label,    ///< Function::labels
  Table,    ///< Function::branchTables
};

struct Operand {
  enum class Kind : uint8_t {
    Register,  ///< `%r1`; `negated` for `!%p1`.
    Special,   ///< `%tid.x`, `%laneid`, `%clock64`: name with its component.
    Immediate, ///< Bits in `bits`; see `isFloat`.
    Symbol,    ///< A variable, function or label by name: `mov.u64 %rd, tab;`
               ///< with `offset` for `tab+8` and for `tab[1]`.
    Address,   ///< `[base+offset]`, base in `elements[0]` (Register, Symbol or
               ///< Immediate); further `elements` for `[a, {x, y}, b]`. The
               ///< offset is the address's, not its base's. Also `tab[1]` of
               ///< other instructions than mov.
    Vector,    ///< `{a, b, …}` in `elements`; also a whole `.v4` register.
    Sink,      ///< `_`.
    Pair,      ///< `d|p`: `elements[0]` and `elements[1]`.
    List,      ///< `(a, b)` of a call.
  };
  Kind kind = Kind::Sink;
  bool negated = false;
  /// The immediate is a floating-point constant. Its `bits` are those of a
  /// double (a `0f…` is converted exactly: see narrowToFloat).
  bool isFloat = false;
  SymbolKind symbol = SymbolKind::None; ///< The kind of a symbol.
  uint32_t reg = 0;     ///< Register: index into Function::registers.
  uint32_t index = 0;   ///< Symbol: index in the list of its kind.
  int64_t offset = 0;   ///< Address or symbol: offset in bytes.
  uint64_t bits = 0;    ///< Immediate; negative values in two's complement.
  llvm::StringRef name; ///< Name of a register or symbol; see Function.
  /// `b3210` for the register `%r1.b3210` of a video instruction.
  llvm::StringRef selector;
  std::vector<Operand> elements;
};

/// The float nearest to the double of bits `bits`; a NaN that was written as
/// `0f…` comes back bit by bit, which a cast would not ensure.
uint32_t narrowToFloat(uint64_t bits);

struct Guard {
  uint32_t reg = 0; ///< Index into Function::registers.
  bool negated = false;
};

/// `@%p bra.uni L;` has the opcode `bra` and the modifiers {`uni`}. A modifier
/// keeps its colons: `shared::cluster`, `L2::128B`.
struct Instruction {
  llvm::StringRef opcode;
  llvm::SmallVector<llvm::StringRef, 6> modifiers;
  std::optional<Guard> guard;
  llvm::SmallVector<Operand, 4> operands;
  uint32_t line = 0; ///< From 1.
};

struct Variable {
  Space space = Space::Global;
  Type type = Type::B8;
  uint8_t width = 1; ///< Vector width of `.v2` and `.v4`.
  llvm::StringRef name;
  uint32_t align = 1; ///< In bytes.
  uint64_t bytes = 0; ///< 0 for `extern .shared x[]`.
  bool isExtern = false;
  std::vector<uint8_t> init; ///< Initial value of `bytes` bytes, or empty.
  /// Bytes in `init` to be replaced by the address of `symbol` + addend,
  /// shifted right by `shift` bits first (8 for `0xFF00(symbol)`).
  struct Relocation {
    uint64_t at;
    llvm::StringRef symbol;
    int64_t addend;
    unsigned bytes;
    unsigned shift = 0;
    bool isGeneric = false; ///< `generic(symbol)`: its generic address.
    SymbolKind kind = SymbolKind::None; ///< Variable or Function.
    uint32_t index = 0;
  };
  std::vector<Relocation> relocations;
  uint32_t line = 0;
};

struct Register {
  Type type;
  llvm::StringRef name; ///< `%r12`; for `%r<13>`, generated names live in the
                        ///< module. A `.v2 %v` is two, `%v.x` and `%v.y`.
};

struct Label {
  llvm::StringRef name;
  uint32_t at; ///< Index of the instruction that follows; may be the count.
};

/// `L: .branchtargets A, B;`, `L: .calltargets f, g;` and
/// `L: .callprototype (…) _ (…);`
struct BranchTable {
  enum class Kind : uint8_t { Branches, Calls, Prototype };
  Kind kind = Kind::Branches;
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef> targets;
  /// For each of `targets`: in Function::labels or Module::functions.
  llvm::SmallVector<uint32_t> indices;
  std::vector<Variable> params;  ///< Parameters of a prototype.
  std::vector<Variable> results; ///< Results of a prototype.
};

/// Names in nested scopes may hide others and recur in the next scope. The ones
/// here are unique all the same: a name that was used before, or that hides one
/// of the module, gets a number (`param0#2`), in its operands too. A function
/// that was declared and then defined is there once.
struct Function {
  llvm::StringRef name;
  bool isEntry = false;
  bool isDefinition = false;
  /// In order; space Param, or Reg for one that is also among `registers`.
  std::vector<Variable> params;
  std::vector<Variable> results; ///< Results of `.func (…)`.
  std::vector<Register> registers;
  /// Variables of the body of all spaces but Reg: Param ones of call sequences.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<BranchTable> branchTables;
  /// `.maxntid`, `.reqntid`, `.reqnctapercluster`; zeros where absent.
  std::array<uint32_t, 3> maxThreads{};
  std::array<uint32_t, 3> requiredThreads{};
  std::array<uint32_t, 3> requiredCluster{};
  uint64_t minBlocks = 0;  ///< `.minnctapersm`; 0 where absent.
  llvm::StringRef aliasOf; ///< `.alias name, aliasOf;`, else empty.
  uint32_t line = 0;
};

/// A module owns its text. All names point into the text or generatedNames.
struct Module {
  std::string text;
  std::vector<std::unique_ptr<std::string>> generatedNames;
  unsigned versionMajor = 0, versionMinor = 0;
  llvm::StringRef target; ///< `sm_90a`.
  std::vector<Variable> variables;
  std::vector<Function> functions;

  /// Follows aliases; null if there is none of this name.
  const Function *findFunction(llvm::StringRef name) const;
};

/// Returns whether `name` is a special register, its component included
/// (`%tid.x`).
bool isSpecialRegister(llvm::StringRef name);

/// Reads PTX. An error has the form `line 12: expected ';' after operands`.
/// No text crashes the parser.
llvm::Expected<std::unique_ptr<Module>> parse(llvm::StringRef text);

} // namespace tcgemm::ptx

#endif // TCGEMM_EMULATOR_PTX_H
