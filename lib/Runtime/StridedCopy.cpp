//===- StridedCopy.cpp - Copies between strided arrays --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/StridedCopy.h"
#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

/// The dimensions of both shapes, from the outside in: the source's order lets
/// most neighbours join.
static llvm::SmallVector<CopiedDim> listDims(const StridedShape &from,
                                             const StridedShape &to) {
  llvm::SmallVector<size_t> order =
      llvm::to_vector(llvm::seq<size_t>(0, from.sizes.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return from.strides[a] > from.strides[b];
  });
  return llvm::map_to_vector(order, [&](size_t i) {
    return CopiedDim{from.sizes[i], from.strides[i], to.strides[i]};
  });
}

/// The index of the dimension with the smallest stride; none without
/// dimensions. Of equal ones the last.
static std::optional<size_t> findInnermost(llvm::ArrayRef<CopiedDim> dims,
                                           Expr CopiedDim::*stride) {
  std::optional<size_t> found;
  for (size_t i = 0; i != dims.size(); ++i)
    if (!found ||
        (dims[i].*stride).getLiteral() <= (dims[*found].*stride).getLiteral())
      found = i;
  return found;
}

static CopyArgument bind(const Argument &argument, int64_t value) {
  using Kind = CopyArgument::Kind;
  if (argument.kind == ArgumentKind::Pointer)
    return {argument.operand == kCopySource ? Kind::Source : Kind::Target, {}};
  KernelArgument bytes(argument.kind == ArgumentKind::I32 ? 4 : 8);
  std::memcpy(bytes.data(), &value, bytes.size());
  return {Kind::Number, std::move(bytes)};
}

/// Evaluates the launch. Fails if it does not fit a grid.
static Error evaluate(const Expr &grid, llvm::ArrayRef<Argument> arguments,
                      Expr::SymbolLookup lookUp, CopyPlan &plan) {
  Expected<int64_t> blocks = grid.evaluate(lookUp);
  if (!blocks)
    return blocks.takeError();
  if (*blocks < 0 || *blocks > std::numeric_limits<int32_t>::max())
    return llvm::createStringError("a copy takes " + Twine(*blocks) +
                                   " blocks, but a launch has at most 2^31 - "
                                   "1");
  plan.runs = *blocks != 0;
  plan.config.grid[0] = static_cast<uint32_t>(*blocks);
  for (const Argument &argument : arguments) {
    Expected<int64_t> value = argument.value.evaluate(lookUp);
    if (!value)
      return value.takeError();
    if (argument.kind == ArgumentKind::I32 && !llvm::isUInt<32>(*value))
      return llvm::createStringError("a copy has " + Twine(*value) +
                                     " elements along a dimension, but at most "
                                     "2^32 - 1 are supported");
    plan.arguments.push_back(bind(argument, *value));
  }
  return Error::success();
}

Expected<CopyPlan> tcgemm::planCopy(const StridedShape &from,
                                    const StridedShape &to, int64_t bytes) {
  CopyPlan plan;
  plan.bytes = bytes;
  plan.runs = !llvm::is_contained(from.sizes, 0);
  if (!plan.runs)
    return plan;
  llvm::SmallVector<CopiedDim> dims = joinDims(listDims(from, to));
  if (dims.size() > kMaxCopiedDims)
    return llvm::createStringError(
        "a copy has " + Twine(dims.size()) +
        " dimensions that are not neighbours, but at most " +
        Twine(kMaxCopiedDims) + " are supported");
  CopyLaunch launch = planCopyLaunch(
      dims, findInnermost(dims, &CopiedDim::from),
      findInnermost(dims, &CopiedDim::to), static_cast<unsigned>(bytes));
  plan.config.block[0] = kCopyThreads;
  auto none = [](llvm::StringRef) { return std::optional<int64_t>(); };
  if (Error error = evaluate(launch.grid, launch.arguments, none, plan))
    return std::move(error);
  return plan;
}

Expected<CopyPlan> tcgemm::planCopy(const Step &step,
                                    Expr::SymbolLookup lookUp) {
  CopyPlan plan;
  plan.step = &step;
  plan.config.block[0] = step.block[0];
  if (Error error = evaluate(step.grid[0], step.arguments, lookUp, plan))
    return std::move(error);
  return plan;
}

Expected<Kernel *> StridedCopier::getKernel(const CopyPlan &plan) {
  if (plan.step)
    return executor->getKernel(*plan.step);
  Loaded &loaded = kernels[plan.bytes];
  if (loaded.kernel)
    return loaded.kernel;
  auto bytes = static_cast<unsigned>(plan.bytes);
  Expected<std::unique_ptr<Module>> module =
      device.loadModule({writeCopyPtx(bytes), ""});
  if (!module)
    return module.takeError();
  loaded.module = std::move(*module);
  Expected<Kernel *> kernel =
      loaded.module->getKernel(getCopyKernelName(bytes));
  if (kernel)
    loaded.kernel = *kernel;
  return kernel;
}

Error StridedCopier::prepare(const CopyPlan &plan) {
  if (!plan.runs)
    return Error::success();
  return getKernel(plan).takeError();
}

Error StridedCopier::enqueue(const CopyPlan &plan, uint64_t source,
                             uint64_t target) {
  if (!plan.runs)
    return Error::success();
  Expected<Kernel *> kernel = getKernel(plan);
  if (!kernel)
    return kernel.takeError();
  std::vector<KernelArgument> arguments;
  for (const CopyArgument &argument : plan.arguments) {
    if (argument.kind == CopyArgument::Kind::Number) {
      arguments.push_back(argument.bytes);
      continue;
    }
    uint64_t address =
        argument.kind == CopyArgument::Kind::Source ? source : target;
    KernelArgument &bytes = arguments.emplace_back(sizeof(address));
    std::memcpy(bytes.data(), &address, sizeof(address));
  }
  return device.launch(**kernel, plan.config, arguments);
}
