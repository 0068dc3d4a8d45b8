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
#include "GenerateBand.h"
#include "GenerateBilinear.h"
#include "GenerateBody.h"
#include "GenerateConvolution.h"
#include "GenerateGrouped.h"
#include "GenerateInterleaved.h"
#include "GenerateReduction.h"
#include "GeneratedEpilogue.h"
#include "ProductIndices.h"
#include "ScaledOperands.h"
#include "TensorTypes.h"
#include "tcgemm/Problem/IndexLetters.h"
#include "tcgemm/Target/BlockScales.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <vector>

using namespace tcgemm;
using llvm::StringRef;

namespace {
std::string join(const std::vector<std::string> &parts) {
  return llvm::join(parts, ", ");
}

class Generator {
public:
  explicit Generator(const GenerateOptions &options)
      : options(options), problem(options.problem),
        contraction(options.contraction ? *options.contraction
                                        : describeProduct(options)),
        tensors(options, contraction),
        accumulator(getTypeName(problem.accumulator)),
        out(getTypeName(problem.output)) {
    epilogue.type = isFloatType(problem.accumulator) ? accumulator : "f32";
    epilogue.scalarsInMemory = options.scalarsInMemory;
  }

  std::string run();

private:
  void addFactors();
  std::string getPartDims(EpiloguePart part) const;
  std::string addGroupRows(const std::string &name, const std::string &dims,
                           StringRef elementType);
  void addPart(EpiloguePart part);
  std::string makeName(StringRef part);
  std::string writeSizes(std::string &sizes) const;
  /// Returns whether the epilogue computes something.
  bool isScaled() const {
    return problem.hasAlpha || problem.hasBeta || problem.isDual() ||
           !problem.epilogue.parts.empty() || hasOperations();
  }
  bool hasOperations() const { return !options.epilogueBody.empty(); }
  void convertResult();
  bool hasNamedOp() const;
  std::string writeOneProduct(StringRef result, StringRef right) const;
  std::string writeProduct(bool needsEmpty) const;
  std::string writeSum(const std::string &sizes) const;
  std::string writeGrouped(const std::string &sizes) const;
  std::string writeEpilogue();
  void noteReduced(size_t part);
  std::string writeReduction(const NamedReduction &reduction);
  void addOperands();

  const GenerateOptions &options;
  const MatmulProblem &problem;
  const Contraction contraction;
  const TensorTypes tensors;
  std::string accumulator, out;
  GeneratedEpilogue epilogue;
  std::string groupRows; ///< The operations that repeat tensors of groups.
  std::vector<std::string> parameters, results, resultTypes;
  /// The value in the epilogue that reductions combine, and its type.
  std::string reduced, reducedType;
  llvm::StringMap<unsigned> numOperands; ///< By the name of a part.
};
} // namespace

/// The dimensions of the tensor that a part reads.
std::string Generator::getPartDims(EpiloguePart part) const {
  EpilogueOperand operand = getPartOperand(part);
  if (operand == EpilogueOperand::Matrix)
    return contraction.operands[2].letters;
  std::string letters;
  if (operand == EpilogueOperand::AlongN || operand == EpilogueOperand::AlongM)
    letters = getResultIndices(contraction, operand == EpilogueOperand::AlongN
                                                ? IndexKind::N
                                                : IndexKind::M);
  // All groups share a vector, or each has its own tensor.
  if (problem.isGrouped)
    llvm::erase(letters, 'b');
  return isOfGroups(part) ? "b" + letters : letters;
}

/// Repeats tensors of groups, `name` with the dimensions `dims`, for the rows
/// of a result without the dimension b. Returns the dimensions of these rows.
std::string Generator::addGroupRows(const std::string &name,
                                    const std::string &dims,
                                    StringRef elementType) {
  std::string rows = "m" + dims.substr(1), sizes;
  for (char letter : rows)
    if (!tensors.isFixed(letter))
      sizes += (sizes.empty() ? "%" : ", %") + std::string(1, letter);
  groupRows += writeGroupBroadcast(name, sizes,
                                   {tensors.getType(dims, elementType),
                                    tensors.getOffsetsType(),
                                    tensors.getType(rows, elementType)});
  return rows;
}

void Generator::addPart(EpiloguePart part) {
  if (!readsOperand(part))
    return epilogue.addActivation(part);
  std::string bound = makeName(getPartName(part));
  // The user's operations have the short name.
  std::string name = bound + (hasOperations() ? "_tensor" : "");
  std::string elementType = hasOutputType(part) ? out : epilogue.type;
  std::string dims = getPartDims(part);
  std::string type = tensors.getType(dims, elementType);
  parameters.push_back("%" + name + ": " + type);
  if (isOfGroups(part) && !contraction.operands[2].has('b')) {
    dims = addGroupRows(name, dims, elementType);
    type = tensors.getType(dims, elementType);
    name += "_rows";
  }
  std::string element =
      epilogue.addInput(name, tensors.map(separate(dims)), type, elementType);
  if (hasOutputType(part))
    element = epilogue.widen(element, problem.output);
  if (hasOperations())
    return epilogue.bind(bound, element);
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
    if (tensors.isFixed(letter))
      continue;
    std::string name = prefix + letter;
    // Groups along k are counted by their ends only.
    size_t index = 0;
    std::string value = "%offsets", type = tensors.getOffsetsType();
    for (unsigned operand : {1, 0})
      if (contraction.operands[operand].has(letter)) {
        index = contraction.operands[operand].letters.find(letter);
        value = getMatrixName(problem, operand);
        type = tensors.getMatrixType(operand);
      }
    text += (llvm::Twine("  %c") + name + " = arith.constant " +
             llvm::Twine(index) + " : index\n  %" + name + " = tensor.dim " +
             value + ", %c" + name + " : " + type + "\n")
                .str();
    sizes += (sizes.empty() ? "%" : ", %") + name;
  }
  return text;
}

/// Returns whether linalg's named operations mean the product: they extend both
/// operands alike.
bool Generator::hasNamedOp() const {
  return !options.contraction && problem.typeA == problem.typeB &&
         !isUnsignedType(problem.typeA) && !problem.hasScales() &&
         !problem.transforms(0) && !problem.transforms(1) &&
         problem.algebra.isDefault();
}

/// The product of A and `right`.
std::string Generator::writeOneProduct(StringRef result,
                                       StringRef right) const {
  std::string accType = tensors.getResultType(accumulator), scaleMaps,
              scaleValues, scaleTypes;
  for (const ScaledOperand &operand : getScaledOperands(problem)) {
    scaleMaps += ",\n                     " + tensors.getScalesMap(operand);
    scaleValues += (", %" + operand.scales->name).str();
    scaleTypes += ", " + tensors.getScalesType(operand);
  }
  if (options.bilinear) {
    auto [q, r, p] = options.bilinear->letters;
    scaleMaps +=
        ",\n                     " +
        tensors.map(separate(std::string{q, r, p}), /*reduction=*/true);
    scaleValues += ", %T";
    scaleTypes += ", " + getConstantsType(options);
  }
  return ("  " + result + " = linalg.").str() +
         (hasNamedOp() ? options.isBatched ? "batch_matmul" : "matmul"
                       : "generic {") +
         "\n    indexing_maps = [" + tensors.getMap(0, true) +
         ",\n                     " + tensors.getMap(1, true) + scaleMaps +
         ",\n                     " + tensors.getMap(2, true) + "]" +
         (hasNamedOp() ? ""
                       : ",\n    " +
                             tensors.getIteratorTypes(
                                 /*reduction=*/true) +
                             "}") +
         getProductAttributes(options, contraction) + "\n    ins(" +
         getFactor(problem, 0) + ", " + right.str() + scaleValues + " : " +
         tensors.getMatrixType(0) + ", " + tensors.getMatrixType(1) +
         scaleTypes + ") outs(%zeros : " + accType + ")" +
         (hasNamedOp() ? "" : writeProductBody(options)) + " -> " + accType +
         "\n";
}

/// The dimensions' values, the product, and the tensors that the epilogue
/// overwrites.
std::string Generator::writeProduct(bool needsEmpty) const {
  std::string sizes, text = writeSizes(sizes);
  if (problem.isGrouped)
    text += writeGrouped(sizes);
  else
    text += writeSum(sizes);
  if (needsEmpty)
    text += "  %empty = tensor.empty(" + sizes +
            ") : " + tensors.getResultType(out) + "\n";
  if (needsEmpty && !reduced.empty() && reduced != "%x")
    text += "  %empty_reduced = tensor.empty(" + sizes +
            ") : " + tensors.getResultType(reducedType) + "\n";
  return text;
}

/// The product `%acc` of groups, and what scales its factors.
std::string Generator::writeGrouped(const std::string &sizes) const {
  std::array<std::string, 2> letters, types;
  for (unsigned operand : {0, 1}) {
    letters[operand] = contraction.operands[operand].letters;
    types[operand] = problem.hasScales()
                         ? tensors.getType(letters[operand], "f32")
                         : tensors.getMatrixType(operand);
  }
  std::string accType = tensors.getResultType(accumulator);
  return writeInterleaved(problem, tensors, contraction) +
         writeScaledFactors(tensors, problem, letters) +
         "  %init = tensor.empty(" + sizes + ") : " + accType + "\n" +
         writeGroupedProduct(
             options, {types[0], types[1], tensors.getOffsetsType(), accType},
             getProductAttributes(options, contraction));
}

/// The initial zeros, the product `%acc` and, of a dual product, `%acc2`.
std::string Generator::writeSum(const std::string &sizes) const {
  std::string accType = tensors.getResultType(accumulator);
  std::string text =
      "  %zero = arith.constant " +
      writeConstant(problem.algebra.getNeutral(problem.accumulator),
                    problem.accumulator) +
      " : " + accumulator + "\n  %init = tensor.empty(" + sizes +
      ") : " + accType + "\n  %zeros = linalg.fill ins(%zero : " + accumulator +
      ") outs(%init : " + accType + ") -> " + accType + "\n" +
      writeBands(problem,
                 {tensors.getMatrixType(0), tensors.getMatrixType(1)}) +
      writeInterleaved(problem, tensors, contraction) +
      (options.bilinear ? writeConstants(options) : "") +
      writeOneProduct("%acc", getFactor(problem, 1));
  if (problem.isDual())
    text += writeOneProduct(
        "%acc2", isInterleaved(problem.typeB) ? "%B2_in_order" : "%B2");
  return text;
}

/// Alpha, and C with beta.
void Generator::addFactors() {
  if (problem.hasAlpha)
    epilogue.current =
        epilogue.binary("arith.mulf", epilogue.current,
                        epilogue.addFactor("alpha", tensors.map("")));
  if (!problem.hasBeta)
    return;
  std::string type = tensors.getResultType(out);
  parameters.push_back("%C: " + type);
  std::string element = epilogue.addInput("C", tensors.getMap(2), type, out);
  epilogue.addScaled(epilogue.load(options.transformC, element, problem.output),
                     epilogue.addFactor("beta", tensors.map("")));
}

/// Converts the result from the epilogue's type to the output's.
void Generator::convertResult() {
  ScalarType type = problem.output;
  if (type == ScalarType::E4M3)
    epilogue.clamp("-448.0", "448.0");
  if (type == ScalarType::E5M2)
    epilogue.clamp("-57344.0", "57344.0");
  if (type == ScalarType::I8)
    epilogue.requantize();
  else if (out != epilogue.type && isFloatType(type))
    epilogue.current = epilogue.emit("arith.truncf " + epilogue.current +
                                     " : " + epilogue.type + " to " + out);
  else if (type == ScalarType::I32 && isScaled())
    epilogue.current =
        epilogue.emit("arith.fptosi " + epilogue.current + " : f32 to i32");
}

/// Keeps the value ahead of a part for the reductions, if only scales follow.
void Generator::noteReduced(size_t part) {
  llvm::ArrayRef<EpiloguePart> rest =
      llvm::ArrayRef(problem.epilogue.parts).drop_front(part);
  if (problem.reductions.empty() || !reduced.empty() ||
      llvm::any_of(
          rest, [](EpiloguePart part) { return part != EpiloguePart::Scale; }))
    return;
  reduced = epilogue.current;
  reducedType = reduced == "%x" ? accumulator : epilogue.type;
}

/// A reduction of the value that noteReduced has kept. Adds its result.
std::string Generator::writeReduction(const NamedReduction &reduction) {
  bool isAll = reduction.axis == ReductionAxis::All;
  bool isRow = reduction.axis == ReductionAxis::Row;
  auto getLoop = [](bool isParallel) -> std::string {
    return isParallel ? "\"parallel\"" : "\"reduction\"";
  };
  GeneratedReduction r;
  r.name = "%R" + std::to_string(results.size()), r.element = reducedType;
  r.source = reduced == "%x" ? "%acc" : "%reduced";
  r.sourceType = tensors.getResultType(reducedType);
  std::string kept;
  // Each batch has an index.
  bool isIndex = isAll && reduction.kind == ReductionKind::ArgMax;
  bool keepsBatch = options.isBatched && (!isAll || isIndex);
  if (isIndex) {
    kept = StringRef(tensors.getBatchIndex()).rtrim(", "),
    r.shape = tensors.getShape({});
    r.sizes = keepsBatch && !options.isStatic ? "%b" : "";
    r.rowLength = options.isStatic ? std::to_string(problem.n) : "%n";
  } else if (!isAll) {
    kept = tensors.getBatchIndex() + (isRow ? "m" : "n");
    r.shape = tensors.getShape({isRow ? problem.m : problem.n});
    if (!options.isStatic)
      r.sizes =
          std::string(options.isBatched ? "%b, " : "") + (isRow ? "%m" : "%n");
  }
  r.sourceMap = tensors.map(tensors.getBatchIndex() + "m, n");
  r.map = tensors.map(kept);
  r.loop = (options.isBatched ? 1 : 0) + (isRow ? 1 : 0);
  r.iteratorTypes = (options.isBatched ? getLoop(keepsBatch) + ", " : "") +
                    getLoop(isRow) + ", " + getLoop(!isAll && !isRow);
  GeneratedReduction::Text text = r.write(reduction);
  results.push_back(text.result), resultTypes.push_back(text.type);
  return text.operation;
}

/// The linalg.generic that computes `%D` of `%acc`, and also the value that
/// reductions combine unless it is `%acc`.
std::string Generator::writeEpilogue() {
  convertResult();
  std::string outType = tensors.getResultType(out);
  std::vector<std::string> names = {"%D"}, values = {epilogue.current},
                           empty = {"%empty"}, elements = {out},
                           types = {outType}, arguments = {"%o: " + out};
  if (!reduced.empty() && reduced != "%x") {
    names.push_back("%reduced");
    values.push_back(reduced);
    empty.push_back("%empty_reduced");
    elements.push_back(reducedType);
    types.push_back(tensors.getResultType(reducedType));
    arguments.push_back("%p: " + reducedType);
  }
  for (const std::string &argument : arguments) {
    epilogue.maps.push_back(tensors.getMap(2));
    epilogue.blockArguments.push_back(argument);
  }
  bool isOne = types.size() == 1;
  return groupRows + "  " + join(names) +
         " = linalg.generic {\n    indexing_maps = [" + join(epilogue.maps) +
         "],\n    " + tensors.getIteratorTypes() + "}\n    ins(" +
         join(epilogue.values) + " : " + join(epilogue.types) + ") outs(" +
         join(empty) + " : " + join(types) + ") {\n  ^bb0(" +
         join(epilogue.blockArguments) + "):\n" + epilogue.body +
         "    linalg.yield " + join(values) + " : " + join(elements) +
         "\n  } -> " + (isOne ? "" : "(") + join(types) + (isOne ? "" : ")") +
         "\n";
}

/// Adds the function's parameters and what the epilogue computes.
void Generator::addOperands() {
  parameters.push_back("%A: " + tensors.getMatrixType(0));
  if (!problem.isSymmetric)
    parameters.push_back("%B: " + tensors.getMatrixType(1));
  if (problem.isDual())
    parameters.push_back("%B2: " + tensors.getMatrixType(1));
  if (problem.isGrouped)
    parameters.push_back("%offsets: " + tensors.getOffsetsType());
  for (const ScaledOperand &operand : getScaledOperands(problem))
    parameters.push_back(("%" + operand.scales->name + ": ").str() +
                         tensors.getScalesType(operand));
  epilogue.maps.push_back(tensors.getMap(2));
  epilogue.values.push_back("%acc");
  epilogue.types.push_back(tensors.getResultType(accumulator));
  epilogue.blockArguments.push_back("%x: " + accumulator);
  if (!isFloatType(problem.accumulator) &&
      (isScaled() || problem.output != ScalarType::I32))
    epilogue.current = epilogue.emit("arith.sitofp %x : i32 to f32");
  if (problem.isDual())
    epilogue.combine(getDualInfo(problem.dual),
                     epilogue.addInput("acc2", tensors.getMap(2),
                                       tensors.getResultType(accumulator),
                                       accumulator),
                     problem.accumulator);
  addFactors();
  if (hasOperations())
    epilogue.bind("sum", epilogue.current);
  for (auto [i, part] : llvm::enumerate(problem.epilogue.parts)) {
    noteReduced(i);
    addPart(part);
  }
  noteReduced(problem.epilogue.parts.size());
  if (hasOperations())
    epilogue.addOperations(options.epilogueBody);
  if (problem.hasAlpha)
    parameters.push_back("%alpha: " + epilogue.getFactorType());
  if (problem.hasBeta)
    parameters.push_back("%beta: " + epilogue.getFactorType());
}

std::string Generator::run() {
  addOperands();
  // Without an epilogue the product is the result.
  bool needsEpilogue =
      problem.output != problem.accumulator || epilogue.current != "%x";
  results = {needsEpilogue ? "%D" : "%acc"};
  resultTypes = {tensors.getResultType(out)};
  std::string body = writeProduct(needsEpilogue);
  if (needsEpilogue)
    body += writeEpilogue();
  for (const NamedReduction &reduction : problem.reductions.list)
    body += writeReduction(reduction);
  std::string types = join(resultTypes);
  return "func.func @main(" + join(parameters) + ") -> " +
         (results.size() == 1 ? types : "(" + types + ")") + " {\n" + body +
         "  return " + join(results) + " : " + types + "\n}\n";
}

/// Returns whether a product of numbers with components writes its result in
/// the type of A. An operation that rounds it would keep its components
/// together, and with them blocks of zeros.
static bool isRoundedByProduct(const GenerateOptions &options) {
  const MatmulProblem &problem = options.problem;
  return options.bilinear && problem.output == problem.typeA &&
         problem.epilogue.parts.empty() && !problem.hasAlpha &&
         !problem.hasBeta;
}

std::string tcgemm::generateMLIR(const GenerateOptions &options) {
  if (options.convolution)
    return generateConvolution(options);
  if (isRoundedByProduct(options)) {
    GenerateOptions rounded = options;
    rounded.problem.accumulator = rounded.problem.output;
    return Generator(rounded).run();
  }
  return Generator(options).run();
}
