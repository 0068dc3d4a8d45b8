//===- CublasContender.cpp - cuBLASLt as a contender ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasContender.h"

#include "ElementwisePtx.h"

#include "tcgemm/Runtime/Epilogue.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

std::string tcgemm::findRefused(const KernelInfo &kernel) {
  for (unsigned operand : {0, 1}) {
    if (!kernel.transforms[operand].ops.empty())
      return "a " + kTransformKeys[operand].str() + " of the kernel";
    if (kernel.operands[operand].band)
      return "a band of the kernel";
    if (kernel.operands[operand].representation)
      return "numbers as blocks of the kernel";
  }
  if (!kernel.algebra.isDefault())
    return kernel.algebra.str() + " of the kernel";
  return kernel.findSecond()        ? "two products"
         : kernel.findConvolution() ? "a convolution of the kernel"
         : kernel.isGrouped()       ? "groups of the kernel"
                                    : "";
}

template <typename T> static KernelArgument makeArgument(T value) {
  KernelArgument argument(sizeof value);
  llvm::support::endian::write<T>(argument.data(), value,
                                  llvm::endianness::little);
  return argument;
}

unsigned CublasContender::findOperand(OperandUse role) const {
  const std::vector<OperandInfo> &operands =
      problem.launches.front().kernel->operands;
  return llvm::find_if(
             operands,
             [&](const OperandInfo &info) { return info.role == role; }) -
         operands.begin();
}

uint64_t CublasContender::getElement(llvm::ArrayRef<uint64_t> addresses,
                                     unsigned operand) const {
  return problem.getAddress(problem.launches.front().operands[operand],
                            addresses);
}

/// Rounds the bias to D's type, because cuBLASLt supports no other type. This
/// does not affect the time.
Error CublasContender::createBias(unsigned operand) {
  const ProblemLaunch &launch = problem.launches.front();
  const BufferPart &part = launch.operands[operand];
  const ProblemBuffer &source = problem.buffers[part.buffer];
  ScalarType type =
      launch.kernel->operands[findOperand(OperandUse::Output)].type;
  int64_t count = part.shape.getRowSize();
  std::vector<double> values(count);
  decodeRun(source.type, source.image.data() + part.getStart(source), 0,
            part.shape.getRowStride(), count, values.data());
  HostTensor rounded(type, StridedShape::rowMajor({count}));
  for (int64_t i = 0; i != count; ++i)
    rounded.set(i, values[i]);
  Expected<Buffer> allocated = device.allocate(rounded.bytes.size());
  if (!allocated)
    return allocated.takeError();
  bias = std::move(*allocated);
  return device.copyToDevice(bias.getAddress(), rounded.bytes.data(),
                             rounded.bytes.size());
}

/// Copies the scales of FP8 operands to the device.
Error CublasContender::createScales(llvm::ArrayRef<unsigned> operands,
                                    CublasLtOptions &library) {
  if (operands.empty())
    return Error::success();
  uint64_t *targets[] = {&library.scaleA, &library.scaleB};
  constexpr size_t alignment = 16; // The library requires it.
  Expected<Buffer> allocated = device.allocate(operands.size() * alignment);
  if (!allocated)
    return allocated.takeError();
  scales = std::move(*allocated);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    const BufferPart &part = problem.launches.front().operands[operand];
    const ProblemBuffer &source = problem.buffers[part.buffer];
    *targets[i] = scales.getAddress() + i * alignment;
    if (Error error = device.copyToDevice(
            *targets[i], source.image.data() + part.getStart(source),
            sizeof(float)))
      return error;
  }
  return Error::success();
}

/// Returns whether the elementwise kernel can read it as a contiguous list of
/// vectors.
static bool isFlat(const Problem &problem, const BufferPart &part) {
  constexpr int64_t vector = ElementwiseKernel::kVector;
  const StridedShape &shape = part.shape;
  int64_t offset = problem.buffers[part.buffer].offset + part.offset;
  return shape.getExtent() == shape.getNumElements() &&
         shape.getRowStride() == 1 && shape.getRowSize() % vector == 0 &&
         offset % vector == 0;
}

Error CublasContender::createElementwise(const EpilogueSplit &split) {
  const ProblemLaunch &launch = problem.launches.front();
  Expected<ElementwiseKernel> written = writeElementwise(*launch.kernel, split);
  if (!written)
    return addContext("elementwise kernel", written.takeError());
  unsigned output = findOperand(OperandUse::Output);
  std::vector<unsigned> matrices = written->inputs;
  matrices.push_back(output);
  for (unsigned operand : matrices)
    if (!isFlat(problem, launch.operands[operand]))
      return llvm::createStringError(
          "elementwise kernel: '" + launch.kernel->operands[operand].name +
          "' is not contiguous, or its rows are not multiples of 8 elements");
  int64_t count = launch.operands[output].shape.getNumElements() /
                  ElementwiseKernel::kVector;
  if (count > std::numeric_limits<int32_t>::max())
    return llvm::createStringError("elementwise kernel: too many elements");
  inputs = written->inputs;
  for (unsigned operand : written->scalars)
    values.push_back(makeArgument(static_cast<float>(
        problem.buffers[launch.operands[operand].buffer].scalar)));
  values.push_back(makeArgument(static_cast<uint32_t>(count)));
  config.grid[0] = static_cast<uint32_t>(
      llvm::divideCeil(count, int64_t(ElementwiseKernel::kThreads)));
  config.block[0] = ElementwiseKernel::kThreads;
  Expected<std::unique_ptr<Module>> loaded =
      device.loadModule(ModuleImage{written->ptx, ""});
  if (!loaded)
    return loaded.takeError();
  module = std::move(*loaded);
  Expected<Kernel *> found = module->getKernel("elementwise");
  if (!found)
    return found.takeError();
  kernel = *found;
  return Error::success();
}

/// Gives alpha, beta and C to the library.
void CublasContender::setFactors(const EpilogueSplit &split,
                                 CublasLtOptions &library) {
  const ProblemLaunch &launch = problem.launches.front();
  auto getScalar = [&](unsigned operand) {
    return problem.buffers[launch.operands[operand].buffer].scalar;
  };
  if (split.alpha)
    library.alpha = getScalar(*split.alpha);
  if (split.beta)
    library.beta = getScalar(*split.beta);
  library.addend = addend = split.addend;
}

Expected<std::unique_ptr<CublasContender>>
CublasContender::create(Device &device, const Problem &problem,
                        const BenchmarkOptions &options) {
  std::unique_ptr<CublasContender> made(new CublasContender(device, problem));
  const KernelInfo &info = *problem.launches.front().kernel;
  CublasLtOptions library;
  library.path = options.cublasLtPath;
  library.maxAlgorithms = options.maxAlgorithms;
  library.fastAccumulation = options.fastAccumulation;
  bool reduces = llvm::any_of(info.operands, [](const OperandInfo &operand) {
    return operand.reduction.has_value();
  });
  if (options.fuseCublasLt) {
    if (reduces)
      return llvm::createStringError(
          "cuBLASLt: no comparison with reductions of the result");
    EpilogueSplit split = splitEpilogue(info);
    if (Error error = made->createScales(split.scales, library))
      return std::move(error);
    made->setFactors(split, library);
    if (split.bias) {
      if (Error error = made->createBias(*split.bias))
        return std::move(error);
      library.bias = made->bias.getAddress();
    }
    if (!split.isWhole)
      if (Error error = made->createElementwise(split))
        return std::move(error);
    made->whole = true;
  } else {
    Expected<EpilogueInterpreter> interpreter =
        EpilogueInterpreter::create(info);
    if (!interpreter)
      return interpreter.takeError();
    made->whole = interpreter->isPlainAccumulator(0) && !reduces;
  }
  Expected<std::unique_ptr<CublasLtMatmul>> matmul =
      CublasLtMatmul::create(problem, library);
  if (!matmul)
    return matmul.takeError();
  made->matmul = std::move(*matmul);
  Expected<Buffer> workspace = device.allocate(CublasLtMatmul::kWorkspaceBytes);
  if (!workspace)
    return workspace.takeError();
  made->workspace = std::move(*workspace);
  return std::move(made);
}

Error CublasContender::enqueue(unsigned index,
                               llvm::ArrayRef<uint64_t> addresses) const {
  uint64_t output = getElement(addresses, findOperand(OperandUse::Output));
  if (Error error = matmul->enqueue(
          index, getElement(addresses, findOperand(OperandUse::A)),
          getElement(addresses, findOperand(OperandUse::B)),
          addend ? getElement(addresses, *addend) : output, output,
          workspace.getAddress(), device.getNativeStream()))
    return error;
  if (!kernel)
    return Error::success();
  std::vector<KernelArgument> arguments = {makeArgument(output)};
  for (unsigned operand : inputs)
    arguments.push_back(makeArgument(getElement(addresses, operand)));
  llvm::append_range(arguments, values);
  return device.launch(*kernel, config, arguments);
}
