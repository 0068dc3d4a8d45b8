//===- ElementwisePtx.cpp - An epilogue as a separate kernel --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value of the program becomes one register for each element of a thread,
// or one register for all elements if it is a constant or a scalar.
//
//===----------------------------------------------------------------------===//

#include "ElementwisePtx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <tuple>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
using llvm::Twine;

/// The operands of the program's arguments after the accumulators.
static std::vector<unsigned> getArgumentOperands(const KernelInfo &kernel) {
  std::vector<unsigned> operands;
  for (auto [i, operand] : llvm::enumerate(kernel.operands))
    if (operand.role == OperandUse::Input || operand.role == OperandUse::Scalar)
      operands.push_back(i);
  return operands;
}

static const OperandInfo &getOutput(const KernelInfo &kernel) {
  return *llvm::find_if(kernel.operands, [](const OperandInfo &operand) {
    return operand.role == OperandUse::Output;
  });
}

/// The operand that equals `value`, directly or widened; none if it is
/// computed.
static std::optional<unsigned> findOperand(const KernelInfo &kernel,
                                           unsigned value) {
  const std::vector<EpilogueOpInfo> &ops = kernel.epilogue.ops;
  if (ops[value].op == "arith.extf")
    value = ops[value].operands[0];
  std::vector<unsigned> operands = getArgumentOperands(kernel);
  if (ops[value].op != "argument" || value == 0 || value > operands.size())
    return std::nullopt;
  return operands[value - 1];
}

/// The only operation that uses `value`; none if there are several.
static std::optional<unsigned> findOnlyUser(const KernelInfo &kernel,
                                            unsigned value) {
  std::optional<unsigned> user;
  for (auto [i, op] : llvm::enumerate(kernel.epilogue.ops)) {
    if (!llvm::is_contained(op.operands, value))
      continue;
    if (user)
      return std::nullopt;
    user = i;
  }
  return user;
}

/// If the only user of `value` combines it with an operand of the kernel by
/// `op`, that user and the operand.
static std::optional<std::pair<unsigned, unsigned>>
findStep(const KernelInfo &kernel, unsigned value, StringRef op) {
  std::optional<unsigned> user = findOnlyUser(kernel, value);
  if (!user || kernel.epilogue.ops[*user].op != op)
    return std::nullopt;
  const std::vector<unsigned> &operands = kernel.epilogue.ops[*user].operands;
  unsigned other = operands[0] == value ? operands[1] : operands[0];
  if (std::optional<unsigned> operand = findOperand(kernel, other))
    return std::pair(*user, *operand);
  return std::nullopt;
}

/// Returns whether cuBLASLt can read the operand as the scale of an FP8 matrix.
static bool isDeviceScale(const OperandInfo &operand) {
  return operand.role == OperandUse::Input && operand.dims.empty() &&
         operand.type == ScalarType::F32;
}

/// If `value` is a matrix of the output's type and size times a scalar, both
/// operands.
static std::optional<std::pair<unsigned, unsigned>>
findScaledMatrix(const KernelInfo &kernel, unsigned value) {
  const EpilogueOpInfo &op = kernel.epilogue.ops[value];
  if (op.op != "arith.mulf")
    return std::nullopt;
  std::optional<unsigned> matrix = findOperand(kernel, op.operands[0]),
                          factor = findOperand(kernel, op.operands[1]);
  if (!matrix || !factor)
    return std::nullopt;
  if (kernel.operands[*matrix].role == OperandUse::Scalar)
    std::swap(matrix, factor);
  const OperandInfo &info = kernel.operands[*matrix];
  const OperandInfo &output = getOutput(kernel);
  if (kernel.operands[*factor].role == OperandUse::Scalar &&
      info.role == OperandUse::Input && info.type == output.type &&
      info.dims == output.dims)
    return std::pair(*matrix, *factor);
  return std::nullopt;
}

/// Finds alpha·A·B + beta·C at the start of the program.
static void findFactors(const KernelInfo &kernel, EpilogueSplit &split) {
  auto step = findStep(kernel, split.start, "arith.mulf");
  if (step && kernel.operands[step->second].role == OperandUse::Scalar)
    std::tie(split.start, split.alpha) = *step;
  std::optional<unsigned> user = findOnlyUser(kernel, split.start);
  if (!user || kernel.epilogue.ops[*user].op != "arith.addf")
    return;
  const std::vector<unsigned> &operands = kernel.epilogue.ops[*user].operands;
  unsigned other = operands[0] == split.start ? operands[1] : operands[0];
  if (auto scaled = findScaledMatrix(kernel, other)) {
    split.addend = scaled->first;
    split.beta = scaled->second;
    split.start = *user;
  }
}

EpilogueSplit tcgemm::splitEpilogue(const KernelInfo &kernel) {
  const std::vector<EpilogueOpInfo> &ops = kernel.epilogue.ops;
  EpilogueSplit split;
  bool takesScales =
      isFP8(kernel.operands[0].type) && isFP8(kernel.operands[1].type);
  while (takesScales && split.scales.size() < 2) {
    auto step = findStep(kernel, split.start, "arith.mulf");
    if (!step || !isDeviceScale(kernel.operands[step->second]))
      break;
    split.start = step->first;
    split.scales.push_back(step->second);
  }
  findFactors(kernel, split);
  auto step = findStep(kernel, split.start, "arith.addf");
  if (step && kernel.operands[step->second].dims == std::vector{Dim::N}) {
    split.bias = step->second;
    split.start = step->first;
  }
  unsigned result = kernel.epilogue.yields[0];
  if (ops[result].op == "arith.truncf")
    result = ops[result].operands[0];
  split.isWhole = result == split.start && kernel.epilogue.yields.size() == 1;
  return split;
}

namespace {

constexpr unsigned kVector = ElementwiseKernel::kVector;
/// Number of 32-bit words that a thread reads from each matrix.
constexpr unsigned kWords = kVector / 2;

/// An operation with `$d`, `$a`, `$b`, `$c` for its registers, and `$t`, `$u`
/// for two that it may write; lines are separated by `|`.
StringRef getTemplate(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addf", "add.f32 $d, $a, $b")
      .Case("arith.subf", "sub.f32 $d, $a, $b")
      .Case("arith.mulf", "mul.f32 $d, $a, $b")
      .Case("arith.divf", "div.approx.f32 $d, $a, $b")
      .Case("arith.negf", "neg.f32 $d, $a")
      .Case("arith.maximumf", "max.NaN.f32 $d, $a, $b")
      .Case("arith.minimumf", "min.NaN.f32 $d, $a, $b")
      .Case("arith.maxnumf", "max.f32 $d, $a, $b")
      .Case("arith.minnumf", "min.f32 $d, $a, $b")
      .Case("math.absf", "abs.f32 $d, $a")
      .Case("math.fma", "fma.rn.f32 $d, $a, $b, $c")
      .Case("math.sqrt", "sqrt.approx.f32 $d, $a")
      .Case("math.rsqrt", "rsqrt.approx.f32 $d, $a")
      .Case("math.tanh", "tanh.approx.f32 $d, $a")
      .Case("math.exp2", "ex2.approx.f32 $d, $a")
      .Case("math.exp", // 2^(a log2 e)
            "mul.f32 $t, $a, 0f3FB8AA3B|ex2.approx.f32 $d, $t")
      // Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26:
      // 1 - (a1 t + ... + a5 t^5) exp(-a^2) with t = 1 / (1 + p |a|), whose
      // error is below 1.5e-7.
      .Case("math.erf",
            "abs.f32 $t, $a|fma.rn.f32 $t, $t, 0f3EA7BA05, 0f3F800000|"
            "rcp.approx.f32 $t, $t|mul.f32 $u, $a, $a|"
            "mul.f32 $u, $u, 0fBFB8AA3B|ex2.approx.f32 $u, $u|"
            "mul.f32 $u, $u, $t|"
            "fma.rn.f32 $d, $t, 0f3F87DC22, 0fBFBA00E3|"
            "fma.rn.f32 $d, $d, $t, 0f3FB5F0E3|"
            "fma.rn.f32 $d, $d, $t, 0fBE91A98E|"
            "fma.rn.f32 $d, $d, $t, 0f3E827906|neg.f32 $u, $u|"
            "fma.rn.f32 $d, $d, $u, 0f3F800000|copysign.f32 $d, $a, $d")
      .Default("");
}

class Writer {
public:
  Writer(const KernelInfo &kernel, const EpilogueSplit &split)
      : kernel(kernel), split(split), ops(kernel.epilogue.ops),
        type(getOutput(kernel).type), operands(getArgumentOperands(kernel)) {}

  Expected<ElementwiseKernel> run();

private:
  void markUsed(unsigned value);
  Error readArgument(unsigned value);
  Error writeOp(unsigned value);
  void writeResult(unsigned value);
  void loadWords(unsigned value, const Twine &base);
  void unpack(unsigned value);
  std::string makeHeader() const;

  /// Adds a line; `values` replace {0}, {1}, ...
  template <typename... Ts> void add(const char *format, Ts &&...values) {
    body += "  " + formatv(format, std::forward<Ts>(values)...).str() + ";\n";
  }
  std::string newRegister() { return "%f" + std::to_string(numRegisters++); }
  /// The register of an element of a value.
  const std::string &get(unsigned value, unsigned element) const {
    const std::vector<std::string> &all = registers[value];
    return all.size() == 1 ? all[0] : all[element];
  }

  const KernelInfo &kernel;
  const EpilogueSplit &split;
  const std::vector<EpilogueOpInfo> &ops;
  ScalarType type;
  std::vector<unsigned> operands;
  ElementwiseKernel result;
  std::vector<bool> isUsed;
  std::vector<std::vector<std::string>> registers; ///< Registers of each value.
  /// The first word of each value that is read, and the register of the next
  /// one.
  std::map<unsigned, unsigned> words;
  unsigned nextWord = 4;
  unsigned numRegisters = 0;
  std::string body;
};

} // namespace

/// Marks the values on which the result depends.
void Writer::markUsed(unsigned value) {
  if (isUsed[value])
    return;
  isUsed[value] = true;
  if (value != split.start)
    for (unsigned operand : ops[value].operands)
      markUsed(operand);
}

/// Loads the words of a thread's elements, at `base` + %rd1 bytes.
void Writer::loadWords(unsigned value, const Twine &base) {
  add("add.s64 %rd2, {0}, %rd1", base.str());
  // Other threads of this kernel write the output, but not these elements.
  add("ld.global.v4.b32 {{%r{0}, %r{1}, %r{2}, %r{3}}, [%rd2]", nextWord,
      nextWord + 1, nextWord + 2, nextWord + 3);
  words[value] = nextWord;
  nextWord += kWords;
}

/// Converts the two elements of each word to f32, so that a following widening
/// is a no-op.
void Writer::unpack(unsigned value) {
  ScalarType from =
      value == split.start ? type : kernel.operands[operands[value - 1]].type;
  for (unsigned word = 0; word != kWords; ++word) {
    unsigned source = words[value] + word;
    std::string low = newRegister(), high = newRegister();
    if (from == ScalarType::BF16) {
      add("shl.b32 %r3, %r{0}, 16", source);
      add("mov.b32 {0}, %r3", low);
      add("and.b32 %r3, %r{0}, 0xffff0000", source);
      add("mov.b32 {0}, %r3", high);
    } else {
      add("mov.b32 {{%h0, %h1}, %r{0}", source);
      add("cvt.f32.f16 {0}, %h0", low);
      add("cvt.f32.f16 {0}, %h1", high);
    }
    registers[value].push_back(low);
    registers[value].push_back(high);
  }
}

Error Writer::readArgument(unsigned value) {
  unsigned operand = operands[value - 1];
  const OperandInfo &info = kernel.operands[operand];
  if (info.role == OperandUse::Scalar) {
    if (info.type != ScalarType::F32)
      return llvm::createStringError("scalar '" + info.name +
                                     "' is not an f32");
    registers[value] = {newRegister()};
    add("ld.param.f32 {0}, [scalar{1}]", registers[value][0],
        result.scalars.size());
    result.scalars.push_back(operand);
    return Error::success();
  }
  if (info.dims != getOutput(kernel).dims)
    return llvm::createStringError("input '" + info.name +
                                   "' is not a matrix of the output's size");
  if (info.type != ScalarType::BF16 && info.type != ScalarType::F16)
    return llvm::createStringError("input '" + info.name +
                                   "' is neither bf16 nor f16");
  add("ld.param.u64 %rd3, [input{0}]", result.inputs.size());
  loadWords(value, "%rd3");
  result.inputs.push_back(operand);
  return Error::success();
}

Error Writer::writeOp(unsigned value) {
  const EpilogueOpInfo &op = ops[value];
  auto fail = [&] {
    return llvm::createStringError(
        "'" + op.op + "' to " + getTypeName(op.type) + " has no translation");
  };
  if (op.op == "arith.extf") {
    registers[value] = registers[op.operands[0]];
    return Error::success();
  }
  if (op.type != ScalarType::F32)
    return fail();
  if (op.op == "arith.constant") {
    const auto *number = std::get_if<double>(&op.value);
    if (!number)
      return fail();
    registers[value] = {newRegister()};
    add("mov.f32 {0}, 0f{1:X-8}", registers[value][0],
        llvm::bit_cast<uint32_t>(static_cast<float>(*number)));
    return Error::success();
  }
  StringRef lines = getTemplate(op.op);
  if (lines.empty())
    return fail();
  llvm::SmallVector<StringRef> parts;
  lines.split(parts, '|');
  for (unsigned element = 0; element != kVector; ++element) {
    std::string target = newRegister();
    std::string temporaries[] = {newRegister(), newRegister()};
    for (StringRef part : parts) {
      std::string text;
      for (size_t i = 0; i != part.size(); ++i) {
        if (part[i] != '$') {
          text += part[i];
          continue;
        }
        char name = part[++i];
        text += name == 'd'   ? target
                : name == 't' ? temporaries[0]
                : name == 'u' ? temporaries[1]
                              : get(op.operands[name - 'a'], element);
      }
      add("{0}", text);
    }
    registers[value].push_back(target);
  }
  return Error::success();
}

/// Rounds and stores; the first operand of a packed conversion is the upper
/// half.
void Writer::writeResult(unsigned value) {
  StringRef name = type == ScalarType::BF16 ? "bf16x2" : "f16x2";
  for (unsigned word = 0; word != kWords; ++word)
    add("cvt.rn.{0}.f32 %r{1}, {2}, {3}", name, 4 + word,
        get(value, 2 * word + 1), get(value, 2 * word));
  add("add.s64 %rd2, %rd0, %rd1");
  add("st.global.v4.b32 [%rd2], {{%r4, %r5, %r6, %r7}");
}

std::string Writer::makeHeader() const {
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n\n"
                     ".visible .entry elementwise(\n  .param .u64 output";
  for (size_t i = 0; i != result.inputs.size(); ++i)
    text += formatv(",\n  .param .u64 input{0}", i);
  for (size_t i = 0; i != result.scalars.size(); ++i)
    text += formatv(",\n  .param .f32 scalar{0}", i);
  text += ",\n  .param .u32 count)\n{\n";
  text += formatv("  .reg .pred %p<1>;\n  .reg .b16 %h<2>;\n"
                  "  .reg .b32 %r<{0}>;\n  .reg .b64 %rd<4>;\n"
                  "  .reg .f32 %f<{1}>;\n",
                  nextWord, numRegisters);
  return text;
}

Expected<ElementwiseKernel> Writer::run() {
  if (kernel.epilogue.yields.size() != 1)
    return llvm::createStringError("there are several outputs");
  if (type != ScalarType::BF16 && type != ScalarType::F16)
    return llvm::createStringError("the output is neither bf16 nor f16");
  unsigned yielded = kernel.epilogue.yields[0];
  if (ops[yielded].op == "arith.truncf")
    yielded = ops[yielded].operands[0];
  isUsed.resize(ops.size());
  registers.resize(ops.size());
  markUsed(yielded);
  add("ld.param.u64 %rd0, [output]");
  add("ld.param.u32 %r0, [count]");
  add("mov.u32 %r1, %ctaid.x");
  add("mov.u32 %r2, %tid.x");
  add("mad.lo.u32 %r1, %r1, {0}, %r2", ElementwiseKernel::kThreads);
  add("setp.ge.u32 %p0, %r1, %r0");
  add("@%p0 bra $END");
  add("mul.wide.u32 %rd1, %r1, {0}", 2 * kVector);
  // All loads are issued before the first use of their results.
  loadWords(split.start, "%rd0");
  auto isArgument = [&](unsigned value) {
    return isUsed[value] && value != split.start && ops[value].op == "argument";
  };
  for (unsigned value = 0; value != ops.size(); ++value)
    if (isArgument(value))
      if (Error error = readArgument(value))
        return std::move(error);
  for (auto [value, word] : words)
    unpack(value);
  for (unsigned value = 0; value != ops.size(); ++value)
    if (isUsed[value] && value != split.start && !isArgument(value))
      if (Error error = writeOp(value))
        return std::move(error);
  writeResult(yielded);
  result.ptx = makeHeader() + body + "$END:\n  ret;\n}\n";
  return std::move(result);
}

Expected<ElementwiseKernel>
tcgemm::writeElementwise(const KernelInfo &kernel, const EpilogueSplit &split) {
  return Writer(kernel, split).run();
}
