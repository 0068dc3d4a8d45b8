//===- Descriptor.cpp - A checked description of a product ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "Failure.h"
#include "Features/Numbers.h"
#include "Features/Reductions.h"
#include "Features/Scales.h"
#include "ProductTerms.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

class Reader {
public:
  Reader(const tcgemmMatmulDesc &desc, std::optional<GroupKind> groups)
      : desc(desc), groups(groups) {}
  Expected<Description> read();

private:
  Error readTypes();
  void readSizes();
  Error readEpilogue();
  Error readGroups();
  Error readDual();
  Error readFeatures();
  Error layOut();

  KernelSpec &kernel() { return result.problem.kernel; }

  const tcgemmMatmulDesc &desc;
  std::optional<GroupKind> groups;
  Description result;
};

} // namespace

Error Reader::readTypes() {
  StringRef a = getTypeName(desc.typeA), b = getTypeName(desc.typeB);
  std::string operands = (a == b ? Twine(a) : a + "x" + b).str();
  if (Error error = kernel().setOperandTypes(operands))
    return withStatus(TCGEMM_NOT_SUPPORTED, std::move(error));
  if (Error error = kernel().setPrecision(desc.precision))
    return withStatus(TCGEMM_INVALID_VALUE, std::move(error));
  return withStatus(TCGEMM_NOT_SUPPORTED,
                    kernel().setOutputType(getTypeName(desc.typeD)));
}

void Reader::readSizes() {
  result.problem.sizes = {desc.m, desc.n, desc.k, desc.batch};
  result.scaling = desc.scaling;
  kernel().isBatched = desc.batch != 1;
  kernel().hasAlpha = desc.scaling != TCGEMM_UNSCALED;
  kernel().hasBeta = desc.scaling == TCGEMM_ALPHA_BETA;
  kernel().aKContiguous = desc.transA == TCGEMM_N;
  kernel().bKContiguous = desc.transB == TCGEMM_T;
  result.scalarsInMemory = desc.pointerMode == TCGEMM_POINTER_DEVICE;
  result.alpha = desc.alpha;
  result.beta = desc.beta;
  result.config = desc.config ? desc.config : "";
  result.dependentLaunch = desc.dependentLaunch != 0;
}

Error Reader::readEpilogue() {
  Expected<NamedEpilogue> epilogue = NamedEpilogue::parse(desc.epilogue);
  if (!epilogue)
    return withStatus(TCGEMM_INVALID_VALUE, epilogue.takeError());
  kernel().epilogue = std::move(*epilogue);
  if (!desc.epilogueBody)
    return Error::success();
  result.epilogueBody = desc.epilogueBody;
  if (result.epilogueBody.empty())
    return fail(TCGEMM_INVALID_VALUE,
                "epilogueBody is empty, but it must be MLIR text or null");
  for (EpiloguePart part : kernel().epilogue.parts)
    if (!readsOperand(part))
      return fail(TCGEMM_INVALID_VALUE,
                  "epilogue '" + kernel().epilogue.str() +
                      "': with epilogueBody it names operands only, but '" +
                      getPartName(part) + "' has none");
  return Error::success();
}

/// Before the checks of what epilogues need: some read values of groups.
Error Reader::readGroups() {
  if (!groups)
    return Error::success();
  // A single group is a grouped product, too.
  kernel().isBatched = false;
  return withStatus(TCGEMM_NOT_SUPPORTED, kernel().setGrouped(*groups));
}

/// After everything else that a dual product may exclude.
Error Reader::readDual() {
  if (Error error = parseDual(desc.dual).takeError())
    return withStatus(TCGEMM_INVALID_VALUE, std::move(error));
  return withStatus(TCGEMM_NOT_SUPPORTED, kernel().setDual(desc.dual));
}

/// The fields that generated libraries do not have.
Error Reader::readFeatures() {
  if (Error error = readScales(desc, kernel()))
    return error;
  if (Error error = readAlgebra(desc, kernel()))
    return error;
  return readReductions(desc, kernel());
}

Error Reader::layOut() {
  std::vector<tcgemmOperandShape> shapes = getOperandShapes(kernel().epilogue);
  if (Error error = takeFailure(tcgemmLayOut(
          &desc, shapes.data(), static_cast<unsigned>(shapes.size()),
          getSumType(kernel()), &result.slots)))
    return error;
  if (Error error = readNumbers(desc, result))
    return error;
  addScales(desc, kernel(), result.slots);
  addReductions(desc, kernel(), result.slots);
  return Error::success();
}

Expected<Description> Reader::read() {
  if (Error error = takeFailure(tcgemmCheckDesc(&desc)))
    return std::move(error);
  if (Error error = readTypes())
    return std::move(error);
  readSizes();
  if (Error error = readEpilogue())
    return std::move(error);
  if (Error error = readGroups())
    return std::move(error);
  if (Error error = readDual())
    return std::move(error);
  if (Error error = readFeatures())
    return std::move(error);
  if (Error error = layOut())
    return std::move(error);
  return std::move(result);
}

std::string Description::getSource() const {
  const KernelSpec &kernel = problem.kernel;
  GenerateOptions options{
      {kernel, problem.sizes}, kernel.isBatched, kernel.isStatic};
  options.scalarsInMemory = scalarsInMemory;
  options.checksOffsets = checksOffsets;
  options.epilogueBody = epilogueBody;
  options.bilinear = numbers;
  if (contraction) {
    options.contraction = contraction;
    options.isBatched = false; // Its indices have the batch.
  }
  return generateMLIR(options);
}

Expected<Description> library::readDescriptor(const tcgemmMatmulDesc &desc) {
  return Reader(desc, std::nullopt).read();
}

Expected<Description> library::readBatchOfGroups(const tcgemmMatmulDesc &desc,
                                                 GroupKind groups) {
  return Reader(desc, groups).read();
}
