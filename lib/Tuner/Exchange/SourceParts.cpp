//===- SourceParts.cpp - Pieces of generated C++ --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/SourceParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {

void fillIn(StringRef text, const SourceParts &parts, raw_ostream &os) {
  constexpr StringLiteral open = "/*@", close = "@*/";
  while (true) {
    size_t at = text.find(open);
    os << text.take_front(at);
    if (at == StringRef::npos)
      return;
    auto [name, rest] = text.drop_front(at + open.size()).split(close);
    auto part = find_if(parts, [&, &wanted = name](const auto &p) {
      return p.first == wanted;
    });
    assert(part != parts.end() && "a mark without its part");
    os << part->second;
    text = rest;
  }
}

bool isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

std::string quote(StringRef text) {
  std::string quoted = "\"";
  raw_string_ostream os(quoted);
  os.write_escaped(text) << '"';
  return quoted;
}

namespace {

struct ExprPrinter : ExprVisitor<ExprPrinter, std::string> {
  std::string visitLiteral(int64_t value) {
    return value < 0 ? "(" + std::to_string(value) + ")"
                     : std::to_string(value);
  }
  std::string visitSymbol(StringRef name) {
    std::string member = "v." + name.str();
    std::replace(member.begin() + 2, member.end(), '.', '_');
    return member;
  }
  std::string visitNode(ExprKind kind, ArrayRef<std::string> operands) {
    auto call = [&](StringRef name) {
      return (name + "(" + join(operands, ", ") + ")").str();
    };
    switch (kind) {
    case ExprKind::Div:
      return call("detail::floorDiv");
    case ExprKind::Mod:
      return call("detail::floorMod");
    case ExprKind::CeilDiv:
      return call("detail::ceilDiv");
    case ExprKind::Min:
      return call("std::min<int64_t>");
    case ExprKind::Max:
      return call("std::max<int64_t>");
    case ExprKind::Not:
      return "!" + operands[0];
    case ExprKind::Select:
      return "(" + operands[0] + " ? " + operands[1] + " : " + operands[2] +
             ")";
    default: // The same as in C++.
      return "(" + operands[0] + " " + getExprSpelling(kind).str() + " " +
             operands[1] + ")";
    }
  }
};

} // namespace

std::string printExpr(const Expr &expr) {
  std::string text = ExprPrinter().visit(expr);
  // The outermost parentheses are redundant.
  bool isBinary = expr.getOperands().size() == 2 && text.front() == '(';
  return isBinary ? text.substr(1, text.size() - 2) : text;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

namespace {

std::string getValueName(unsigned index) { return "v" + std::to_string(index); }

/// An operation's C++ with `$0`, `$1`, `$2` for its operands; empty if unknown.
StringRef getPattern(StringRef op) {
  return StringSwitch<StringRef>(op)
      .Cases({"arith.extf", "arith.truncf"}, "$0") // All values are double.
      .Case("arith.addf", "$0 + $1")
      .Case("arith.subf", "$0 - $1")
      .Case("arith.mulf", "$0 * $1")
      .Case("arith.divf", "$0 / $1")
      .Case("arith.negf", "-$0")
      .Cases({"arith.maximumf", "arith.maxnumf"}, "std::fmax($0, $1)")
      .Cases({"arith.minimumf", "arith.minnumf"}, "std::fmin($0, $1)")
      .Case("arith.select", "$0 != 0 ? $1 : $2")
      .Case("math.absf", "std::fabs($0)")
      .Case("math.erf", "std::erf($0)")
      .Case("math.exp", "std::exp($0)")
      .Case("math.exp2", "std::exp2($0)")
      .Case("math.log", "std::log($0)")
      .Case("math.tanh", "std::tanh($0)")
      .Case("math.sqrt", "std::sqrt($0)")
      .Case("math.rsqrt", "1 / std::sqrt($0)")
      .Case("math.fma", "$0 * $1 + $2")
      .Default("");
}

StringRef getComparison(StringRef predicate) {
  return StringSwitch<StringRef>(predicate)
      .Cases({"oeq", "ueq"}, "==")
      .Cases({"one", "une"}, "!=")
      .Cases({"ogt", "ugt"}, ">")
      .Cases({"oge", "uge"}, ">=")
      .Cases({"olt", "ult"}, "<")
      .Cases({"ole", "ule"}, "<=")
      .Default("");
}

std::string printConstant(const EpilogueOpInfo::Constant &value) {
  std::string text;
  raw_string_ostream os(text);
  if (const auto *integer = std::get_if<int64_t>(&value))
    os << *integer;
  else if (const auto *number = std::get_if<double>(&value)) {
    if (*number != *number)
      os << "std::nan(\"\")";
    else if (*number - *number != 0)
      os << (*number < 0 ? "-HUGE_VAL" : "HUGE_VAL");
    else
      os << format("%.17g", *number);
  }
  return text;
}

std::string fillOperands(StringRef pattern, ArrayRef<unsigned> operands) {
  std::string text;
  for (size_t i = 0; i != pattern.size(); ++i)
    if (pattern[i] == '$')
      text += getValueName(operands[pattern[++i] - '0']);
    else
      text += pattern[i];
  return text;
}

} // namespace

Expected<std::string> printEpilogue(const KernelInfo &kernel) {
  if (kernel.findSecond())
    return createStringError("kernel '" + kernel.name +
                             "' computes two products, which an exported "
                             "program does not have");
  // The arguments' values: the sum, then inputs and scalars in order.
  std::vector<std::string> arguments = {"accumulator"};
  unsigned numInputs = 0;
  for (const OperandInfo &operand : kernel.operands)
    if (operand.role == OperandUse::Input)
      arguments.push_back("x[" + std::to_string(numInputs++) + "]");
    else if (operand.role == OperandUse::Scalar)
      arguments.push_back("p." + operand.name);
  std::string text;
  raw_string_ostream os(text);
  unsigned numArguments = 0;
  for (auto [index, op] : enumerate(kernel.epilogue.ops)) {
    std::string value;
    if (op.op == "argument")
      value = arguments[numArguments++];
    else if (op.op == "arith.constant")
      value = printConstant(op.value);
    else if (op.op == "arith.cmpf")
      value = getValueName(op.operands[0]) + " " +
              getComparison(op.predicate).str() + " " +
              getValueName(op.operands[1]);
    else
      value = fillOperands(getPattern(op.op), op.operands);
    if (value.empty() ||
        (op.op == "arith.cmpf" && getComparison(op.predicate).empty()))
      return createStringError("the epilogue has '" + op.op +
                               "', which a program cannot check: export a "
                               "header");
    os << "  [[maybe_unused]] const double " << getValueName(index) << " = "
       << value << ";\n";
  }
  for (auto [index, value] : enumerate(kernel.epilogue.yields))
    os << "  results[" << index << "] = " << getValueName(value) << ";\n";
  return text;
}

} // namespace tcgemm
