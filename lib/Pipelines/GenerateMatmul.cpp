//===- GenerateMatmul.cpp - MLIR for a described product ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text consists of the function's operands, the product, and one
// linalg.generic for all elementwise operations.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "GenerateTransform.h"
#include "GeneratedEpilogue.h"
#include "tcgemm/Target/BlockScales.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

using namespace tcgemm;
using llvm::StringRef;

namespace {

/// Scales or zero points that the product reads, of A (0) or B (1).
struct ScaledOperand {
  unsigned operand;
  const BlockScales *scales;
  ScalarType type;
};

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// `b, m, k`.
std::string separate(StringRef letters) {
  std::string text;
  for (char letter : letters)
    text += (text.empty() ? "" : ", ") + std::string(1, letter);
  return text;
}

/// The product of the options with the indices b, m, n and k.
Contraction describeProduct(const GenerateOptions &options) {
  const MatmulProblem &problem = options.problem;
  std::string batch = options.isBatched ? "b" : "";
  Contraction product;
  product.operands[0].letters = batch + (problem.aKContiguous ? "mk" : "km");
  product.operands[1].letters = batch + (problem.bKContiguous ? "nk" : "kn");
  product.operands[2].letters = batch + "mn";
  product.extents = {{'m', problem.m}, {'n', problem.n}, {'k', problem.k}};
  if (options.isBatched)
    product.extents['b'] = problem.batch;
  return product;
}

/// The type of elements in memory.
StringRef getElementName(ScalarType type) {
  return getTypeName(getBufferType(type));
}

class Generator {
public:
  explicit Generator(const GenerateOptions &options)
      : options(options), problem(options.problem),
        contraction(options.contraction ? *options.contraction
                                        : describeProduct(options)),
        accumulator(getTypeName(problem.accumulator)),
        out(getTypeName(problem.output)),
        batch(options.isBatched ? "b, " : "") {
    epilogue.type = isFloatType(problem.accumulator) ? accumulator : "f32";
  }

  std::string run();

private:
  std::string tensor(std::vector<int64_t> sizes, StringRef type,
                     bool batched = true) const;
  std::string map(const std::string &results, bool reduction = false) const;
  /// The type of a tensor with the shape of A, B or D.
  std::string getType(unsigned operand, StringRef element) const;
  std::string getTypeOfA() const {
    return getType(0, getElementName(problem.typeA));
  }
  std::string getTypeOfB() const {
    return getType(1, getElementName(problem.typeB));
  }
  std::string getResultType(StringRef element) const {
    return getType(2, element);
  }
  /// The map of an operand; that of D also in elementwise operations.
  std::string getMap(unsigned operand, bool reduction = false) const;
  std::string getSumIndices() const;
  void addFactors();
  void addPart(EpiloguePart part);
  std::string makeName(StringRef part);
  std::string writeSizes(std::string &sizes) const;
  /// Whether the epilogue computes something.
  bool isScaled() const {
    return problem.hasAlpha || problem.hasBeta ||
           !problem.epilogue.parts.empty();
  }
  void clamp(const char *low, const char *high);
  void requantize();
  void convertResult();
  bool hasNamedOp() const;
  std::string getScalesType(const ScaledOperand &scaled) const;
  std::string getScalesMap(const ScaledOperand &scaled) const;
  std::string extend(StringRef name, StringRef value, ScalarType type) const;
  std::string getIteratorTypes() const;
  std::string writeProductBody() const;
  std::string writePrecision() const;
  std::string writeProduct(bool needsEmpty) const;
  std::string writeEpilogue();

  const GenerateOptions &options;
  const MatmulProblem &problem;
  const Contraction contraction;
  std::string accumulator, out, batch;
  GeneratedEpilogue epilogue;
  std::vector<std::string> parameters;
  llvm::StringMap<unsigned> numOperands; ///< By the name of a part.
};

} // namespace

std::string Generator::tensor(std::vector<int64_t> sizes, StringRef type,
                              bool batched) const {
  if (batched && options.isBatched)
    sizes.insert(sizes.begin(), problem.batch);
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += (options.isStatic ? std::to_string(size) : "?") + "x";
  return text + type.str() + ">";
}

std::string Generator::map(const std::string &results, bool reduction) const {
  std::string loops = contraction.operands[2].letters;
  if (reduction)
    loops += getSumIndices();
  return "affine_map<(" + separate(loops) + ") -> (" + results + ")>";
}

std::string Generator::getType(unsigned operand, StringRef element) const {
  return tensor(contraction.getShape(operand), element, /*batched=*/false);
}

std::string Generator::getSumIndices() const {
  std::string letters;
  for (char letter : contraction.operands[0].letters)
    if (contraction.getKind(letter) == IndexKind::K)
      letters += letter;
  return letters;
}

std::string Generator::getMap(unsigned operand, bool reduction) const {
  return map(separate(contraction.operands[operand].letters), reduction);
}

void Generator::addPart(EpiloguePart part) {
  if (!readsOperand(part))
    return addActivation(epilogue, part);
  std::string name = makeName(getPartName(part)), element, type;
  if (readsMatrix(part)) {
    type = getResultType(out);
    element = epilogue.addInput(name, getMap(2), type, out);
    element = epilogue.widen(element, problem.output);
  } else {
    EpilogueOperand shape = getPartOperand(part);
    bool isAlongN = shape == EpilogueOperand::AlongN;
    bool isNumber = shape == EpilogueOperand::Number;
    type = isNumber ? "tensor<" + epilogue.type + ">"
                    : tensor({isAlongN ? problem.n : problem.m}, epilogue.type,
                             /*batched=*/false);
    element = epilogue.addInput(name,
                                map(isNumber   ? ""
                                    : isAlongN ? "n"
                                               : "m"),
                                type, epilogue.type);
  }
  parameters.push_back("%" + name + ": " + type);
  epilogue.current =
      epilogue.binary(multiplies(part) ? "arith.mulf" : "arith.addf",
                      epilogue.current, element);
}

/// The name of the next operand of a part: `scale`, `scale1`.
std::string Generator::makeName(StringRef part) {
  unsigned count = numOperands[part]++;
  return part.str() + (count ? std::to_string(count) : "");
}

/// The constants and dimensions that give sizes known at run time only;
/// `sizes` becomes the operands of tensor.empty.
std::string Generator::writeSizes(std::string &sizes) const {
  if (options.isStatic)
    return "";
  std::string text;
  // A value of the body may have the name of an index.
  std::string prefix = options.contraction ? "size_" : "";
  for (char letter : contraction.operands[2].letters) {
    std::string name = prefix + letter;
    bool isOfA = contraction.operands[0].has(letter);
    size_t index = contraction.operands[isOfA ? 0 : 1].letters.find(letter);
    text += "  %c" + name + " = arith.constant " + std::to_string(index) +
            " : index\n  %" + name + " = tensor.dim " + (isOfA ? "%A" : "%B") +
            ", %c" + name + " : " + (isOfA ? getTypeOfA() : getTypeOfB()) +
            "\n";
    sizes += (sizes.empty() ? "%" : ", %") + name;
  }
  return text;
}

/// Whether linalg's named operations mean the product: they extend both
/// operands alike.
bool Generator::hasNamedOp() const {
  return !options.contraction && problem.typeA == problem.typeB &&
         !isUnsignedType(problem.typeA) && !problem.hasBlockScales() &&
         !problem.hasGroupScales() && !problem.transforms(0) &&
         !problem.transforms(1);
}

/// The operands with scales of blocks or groups and with zero points, in their
/// order.
static llvm::SmallVector<ScaledOperand, 2>
getScaledOperands(const MatmulProblem &problem) {
  llvm::SmallVector<ScaledOperand, 2> operands;
  auto add = [&](unsigned row, ScalarType type) {
    operands.push_back({row % 2, &kBlockScales[row], type});
  };
  if (problem.hasScalesA)
    add(0, ScalarType::F32);
  if (problem.hasScalesB)
    add(1, ScalarType::F32);
  if (!problem.hasGroupScales())
    return operands;
  unsigned grouped = problem.getGroupedOperand();
  add(grouped, problem.groups.type);
  if (problem.groups.zeroPoints)
    add(2 + grouped, *problem.groups.zeroPoints);
  return operands;
}

/// Scales of A have m innermost, as its scales of rows; those of B have k.
std::string Generator::getScalesType(const ScaledOperand &scaled) const {
  auto count = [&](int64_t size, char dim) -> int64_t {
    return llvm::divideCeil(size,
                            scaled.scales->getBlock(dim, problem.groups.depth));
  };
  int64_t depth = count(problem.k, 'k');
  StringRef type = getElementName(scaled.type);
  return scaled.operand ? tensor({count(problem.n, 'n'), depth}, type)
                        : tensor({depth, count(problem.m, 'm')}, type);
}

std::string Generator::getScalesMap(const ScaledOperand &scaled) const {
  auto index = [&](char dim) {
    int64_t block = scaled.scales->getBlock(dim, problem.groups.depth);
    return std::string(1, dim) +
           (block == 1 ? "" : " floordiv " + std::to_string(block));
  };
  return map(batch + (scaled.operand ? index('n') + ", " + index('k')
                                     : index('k') + ", " + index('m')),
             /*reduction=*/true);
}

std::string Generator::getIteratorTypes() const {
  std::vector<std::string> types(contraction.operands[2].letters.size(),
                                 "\"parallel\"");
  types.resize(types.size() + getSumIndices().size(), "\"reduction\"");
  return ",\n    iterator_types = [" + join(types) + "]}";
}

/// The line that extends `value` of `type` to the type of the sums.
std::string Generator::extend(StringRef name, StringRef value,
                              ScalarType type) const {
  if (getElementName(type) == accumulator)
    return "";
  StringRef extension = isFloatType(type) ? "extf"
                        : isFloatType(problem.accumulator)
                            ? (isUnsignedType(type) ? "uitofp" : "sitofp")
                        : isUnsignedType(type) ? "extui"
                                               : "extsi";
  return ("    " + name + " = arith." + extension + " " + value + " : " +
          getElementName(type) + " to " + accumulator + "\n")
      .str();
}

/// The body of a generic operation that extends, multiplies and adds. Zero
/// points are subtracted first.
std::string Generator::writeProductBody() const {
  auto scaled = getScaledOperands(problem);
  std::string text =
      " {\n  ^bb0(%left: " + getElementName(problem.typeA).str() +
      ", %right: " + getElementName(problem.typeB).str();
  for (const ScaledOperand &operand : scaled)
    text +=
        (", %" + operand.scales->name + "_e: " + getElementName(operand.type))
            .str();
  text += ", %sum: " + accumulator + "):\n";
  unsigned next = 0;
  std::vector<std::string> factors;
  for (auto [name, type, transform] :
       {std::tuple("left", problem.typeA, &problem.transformA),
        std::tuple("right", problem.typeB, &problem.transformB)}) {
    std::string value = "%" + std::string(name);
    for (TransformPart part : transform->parts)
      value = writeTransformPart(part, value, getElementName(type), next, text);
    std::string wide = "%wide_" + std::string(name);
    std::string extension = extend(wide, value, type);
    text += extension;
    factors.push_back(extension.empty() ? value : wide);
  }
  for (const ScaledOperand &operand : scaled) {
    if (!operand.scales->isZeroPoint)
      continue;
    std::string name = ("%" + operand.scales->name).str();
    std::string &factor = factors[operand.operand];
    text += extend(name + "_w", name + "_e", operand.type);
    text += (llvm::Twine("    %shifted = arith.subf ") + factor + ", " + name +
             "_w : " + accumulator + "\n")
                .str();
    factor = "%shifted";
  }
  const char *kind = isFloatType(problem.accumulator) ? "f" : "i";
  std::string products = "    %product = arith.mul" + std::string(kind) + " " +
                         factors[0] + ", " + factors[1] + " : " + accumulator;
  std::string product = "%product";
  for (const ScaledOperand &operand : scaled) {
    if (operand.scales->isZeroPoint)
      continue;
    StringRef scale = operand.scales->name;
    std::string value = ("%" + scale + "_e").str();
    std::string wide = extend(("%" + scale + "_w").str(), value, operand.type);
    if (!wide.empty())
      value = ("%" + scale + "_w").str();
    products += ("\n" + wide + "    %times_" + scale + " = arith.mulf " +
                 product + ", " + value + " : " + accumulator)
                    .str();
    product = ("%times_" + scale).str();
  }
  return text + products + "\n    %next = arith.add" + kind + " %sum, " +
         product + " : " + accumulator +
         "\n    linalg.yield %next : " + accumulator + "\n  }";
}

/// The attribute of a product that has another precision than the default.
std::string Generator::writePrecision() const {
  Precision precision = getPrecision(problem.typeA);
  if (precision == Precision::IEEE)
    return "";
  return " {tcgemm.precision = \"" + getPrecisionName(precision).str() + "\"}";
}

/// The dimensions' values, the initial zeros and the product `%acc`.
std::string Generator::writeProduct(bool needsEmpty) const {
  std::string accType = getResultType(accumulator), sizes, scaleMaps,
              scaleValues, scaleTypes;
  for (const ScaledOperand &operand : getScaledOperands(problem)) {
    scaleMaps += ",\n                     " + getScalesMap(operand);
    scaleValues += (", %" + operand.scales->name).str();
    scaleTypes += ", " + getScalesType(operand);
  }
  std::string text = writeSizes(sizes);
  bool isFloat = isFloatType(problem.accumulator);
  text +=
      "  %zero = arith.constant " + std::string(isFloat ? "0.0" : "0") + " : " +
      accumulator + "\n  %init = tensor.empty(" + sizes + ") : " + accType +
      "\n  %zeros = linalg.fill ins(%zero : " + accumulator +
      ") outs(%init : " + accType + ") -> " + accType + "\n  %acc = linalg." +
      (hasNamedOp() ? options.isBatched ? "batch_matmul" : "matmul"
                    : "generic {") +
      "\n    indexing_maps = [" + getMap(0, true) + ",\n                     " +
      getMap(1, true) + scaleMaps + ",\n                     " +
      getMap(2, true) + "]" + (hasNamedOp() ? "" : getIteratorTypes()) +
      writePrecision() + "\n    ins(%A, %B" + scaleValues + " : " +
      getTypeOfA() + ", " + getTypeOfB() + scaleTypes +
      ") outs(%zeros : " + accType + ")" +
      (hasNamedOp() ? "" : writeProductBody()) + " -> " + accType + "\n";
  if (needsEmpty)
    text +=
        "  %empty = tensor.empty(" + sizes + ") : " + getResultType(out) + "\n";
  return text;
}

/// Alpha, and C with beta.
void Generator::addFactors() {
  if (problem.hasAlpha)
    epilogue.current =
        epilogue.binary("arith.mulf", epilogue.current, "%alpha");
  if (!problem.hasBeta)
    return;
  std::string type = getResultType(out);
  parameters.push_back("%C: " + type);
  std::string element = epilogue.addInput("C", getMap(2), type, out);
  std::string scaled = epilogue.binary(
      "arith.mulf", epilogue.widen(element, problem.output), "%beta");
  epilogue.current = epilogue.binary("arith.addf", epilogue.current, scaled);
}

/// Saturates the result.
void Generator::clamp(const char *low, const char *high) {
  GeneratedEpilogue &e = epilogue;
  e.current = e.binary("arith.maximumf", e.current, e.constant(low));
  e.current = e.binary("arith.minimumf", e.current, e.constant(high));
}

/// Rounds to the nearest integer, ties to even, and saturates to 8 bits.
void Generator::requantize() {
  epilogue.current = epilogue.unary("math.roundeven", epilogue.current);
  clamp("-128.0", "127.0");
  epilogue.current =
      epilogue.emit("arith.fptosi " + epilogue.current + " : f32 to i8");
}

/// Converts the result from the epilogue's type to the output's.
void Generator::convertResult() {
  ScalarType type = problem.output;
  if (type == ScalarType::E4M3)
    clamp("-448.0", "448.0");
  if (type == ScalarType::E5M2)
    clamp("-57344.0", "57344.0");
  if (type == ScalarType::I8)
    requantize();
  else if (out != epilogue.type && isFloatType(type))
    epilogue.current = epilogue.emit("arith.truncf " + epilogue.current +
                                     " : " + epilogue.type + " to " + out);
  else if (type == ScalarType::I32 && isScaled())
    epilogue.current =
        epilogue.emit("arith.fptosi " + epilogue.current + " : f32 to i32");
}

/// The linalg.generic that computes `%D` of `%acc`.
std::string Generator::writeEpilogue() {
  convertResult();
  epilogue.maps.push_back(getMap(2));
  epilogue.blockArguments.push_back("%o: " + out);
  std::string outType = getResultType(out);
  return "  %D = linalg.generic {\n    indexing_maps = [" +
         join(epilogue.maps) + "],\n    iterator_types = [" +
         join(std::vector<std::string>(contraction.operands[2].letters.size(),
                                       "\"parallel\"")) +
         "]}\n    ins(" + join(epilogue.values) + " : " + join(epilogue.types) +
         ") outs(%empty : " + outType + ") {\n  ^bb0(" +
         join(epilogue.blockArguments) + "):\n" + epilogue.body +
         "    linalg.yield " + epilogue.current + " : " + out + "\n  } -> " +
         outType + "\n";
}

std::string Generator::run() {
  parameters.push_back("%A: " + getTypeOfA());
  parameters.push_back("%B: " + getTypeOfB());
  for (const ScaledOperand &operand : getScaledOperands(problem))
    parameters.push_back(("%" + operand.scales->name + ": ").str() +
                         getScalesType(operand));
  epilogue.maps.push_back(getMap(2));
  epilogue.values.push_back("%acc");
  epilogue.types.push_back(getResultType(accumulator));
  epilogue.blockArguments.push_back("%x: " + accumulator);
  if (!isFloatType(problem.accumulator) &&
      (isScaled() || problem.output != ScalarType::I32))
    epilogue.current = epilogue.emit("arith.sitofp %x : i32 to f32");
  addFactors();
  for (EpiloguePart part : problem.epilogue.parts)
    addPart(part);
  if (problem.hasAlpha)
    parameters.push_back("%alpha: " + epilogue.type);
  if (problem.hasBeta)
    parameters.push_back("%beta: " + epilogue.type);
  std::string outType = getResultType(out);
  // Without an epilogue the product is the result.
  bool needsEpilogue =
      problem.output != problem.accumulator || epilogue.current != "%x";
  std::string text = "func.func @main(" + join(parameters) + ") -> " + outType +
                     " {\n" + writeProduct(needsEpilogue);
  if (needsEpilogue)
    text += writeEpilogue();
  return text + "  return " + (needsEpilogue ? "%D" : "%acc") + " : " +
         outType + "\n}\n";
}

std::string tcgemm::generateMLIR(const GenerateOptions &options) {
  return Generator(options).run();
}
