//===- StridedCopy.cpp - Copies between strided arrays --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/StridedCopy.h"
#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {
struct StridedDim {
  int64_t size, from, to; ///< With the strides on both sides.
};
} // namespace

/// The dimensions without those of size 1, neighbours joined.
static std::vector<StridedDim> joinDims(const StridedShape &from,
                                        const StridedShape &to) {
  std::vector<StridedDim> dims;
  for (size_t i = 0; i != from.sizes.size(); ++i)
    if (from.sizes[i] != 1)
      dims.push_back({from.sizes[i], from.strides[i], to.strides[i]});
  // From the outside in; the source's order lets most neighbours join.
  llvm::stable_sort(dims, [](const StridedDim &a, const StridedDim &b) {
    return a.from > b.from;
  });
  std::vector<StridedDim> joined;
  for (const StridedDim &dim : dims) {
    if (!joined.empty() && joined.back().from == dim.from * dim.size &&
        joined.back().to == dim.to * dim.size) {
      joined.back() = {joined.back().size * dim.size, dim.from, dim.to};
      continue;
    }
    joined.push_back(dim);
  }
  return joined;
}

/// The index of the dimension with the smallest stride; none without
/// dimensions. Of equal ones the last.
static std::optional<size_t> findInnermost(llvm::ArrayRef<StridedDim> dims,
                                           int64_t StridedDim::*stride) {
  std::optional<size_t> found;
  for (size_t i = 0; i != dims.size(); ++i)
    if (!found || dims[i].*stride <= dims[*found].*stride)
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
    plan.arguments.push_back(bind(argument, *value));
  }
  return Error::success();
}

Expected<CopyPlan> tcgemm::planCopy(const StridedShape &from,
                                    const StridedShape &to, int64_t bytes) {
  CopyPlan plan;
  plan.bytes = bytes;
  plan.kernel = getCopyKernelName(static_cast<unsigned>(bytes));
  plan.runs = !llvm::is_contained(from.sizes, 0);
  if (!plan.runs)
    return plan;
  std::vector<StridedDim> dims = joinDims(from, to);
  if (dims.size() > kMaxCopiedDims)
    return llvm::createStringError(
        "a copy has " + Twine(dims.size()) +
        " dimensions that are not neighbours, but at most " +
        Twine(kMaxCopiedDims) + " are supported");
  std::vector<CopiedDim> copied;
  copied.reserve(dims.size());
  for (const StridedDim &dim : dims)
    copied.push_back({dim.size, dim.from, dim.to});
  CopyLaunch launch = planCopyLaunch(
      copied, findInnermost(dims, &StridedDim::from),
      findInnermost(dims, &StridedDim::to), static_cast<unsigned>(bytes));
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
  Expected<std::unique_ptr<Module>> module =
      device.loadModule({writeCopyPtx(static_cast<unsigned>(plan.bytes)), ""});
  if (!module)
    return module.takeError();
  loaded.module = std::move(*module);
  Expected<Kernel *> kernel = loaded.module->getKernel(plan.kernel);
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
