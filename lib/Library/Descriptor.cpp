//===- Descriptor.cpp - A checked description of a product ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "Failure.h"
#include "ProductTerms.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

class Reader {
public:
  explicit Reader(const tcgemmMatmulDesc &desc) : desc(desc) {}
  Expected<Description> read();

private:
  Error readTypes();
  void readSizes();
  Error readEpilogue();
  Error layOut();

  KernelSpec &kernel() { return result.problem.kernel; }

  const tcgemmMatmulDesc &desc;
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
  kernel().isBatched = desc.batch != 1;
  kernel().hasAlpha = desc.scaling != TCGEMM_UNSCALED;
  kernel().hasBeta = desc.scaling == TCGEMM_ALPHA_BETA;
  kernel().aKContiguous = desc.transA == TCGEMM_N;
  kernel().bKContiguous = desc.transB == TCGEMM_T;
  result.scalarsInMemory = desc.pointerMode == TCGEMM_POINTER_DEVICE;
  result.vectorsOfOutput = desc.typeVectors != TCGEMM_DEFAULT_TYPE;
  result.alpha = desc.alpha;
  result.beta = desc.beta;
  result.config = desc.config ? desc.config : "";
}

Error Reader::readEpilogue() {
  Expected<NamedEpilogue> epilogue = NamedEpilogue::parse(desc.epilogue);
  if (!epilogue)
    return withStatus(TCGEMM_INVALID_VALUE, epilogue.takeError());
  kernel().epilogue = std::move(*epilogue);
  return Error::success();
}

Error Reader::layOut() {
  std::vector<tcgemmOperandShape> shapes = getOperandShapes(kernel().epilogue);
  return takeFailure(tcgemmLayOut(&desc, shapes.data(),
                                  static_cast<unsigned>(shapes.size()),
                                  getSumType(kernel()), &result.slots));
}

Expected<Description> Reader::read() {
  if (Error error = takeFailure(tcgemmCheckDesc(&desc)))
    return std::move(error);
  if (Error error = readTypes())
    return std::move(error);
  readSizes();
  if (Error error = readEpilogue())
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
  options.vectorsOfOutput = vectorsOfOutput;
  return generateMLIR(options);
}

Expected<Description> library::readDescriptor(const tcgemmMatmulDesc &desc) {
  return Reader(desc).read();
}
