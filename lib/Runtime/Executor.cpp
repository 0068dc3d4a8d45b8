//===- Executor.cpp - Planning and launching kernels ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choice of a variant, evaluation of its expressions.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Executor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <limits>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {

class Planner {
public:
  Planner(const KernelInfo &kernel, llvm::ArrayRef<BoundOperand> operands,
          const PlanOptions &options, const ProblemSizes &sizes)
      : kernel(kernel), operands(operands), options(options), sizes(sizes) {}

  Expected<LaunchPlan> plan();

private:
  Error fail(const Twine &what) const {
    return llvm::createStringError("kernel '" + kernel.name + "': " + what);
  }

  std::optional<int64_t> lookUp(StringRef symbol) const;
  Expected<int64_t> evaluate(const Expr &expr, const Twine &what) const;
  Expected<const Variant *> chooseVariant() const;
  Error planStep(const Step &step, PlannedStep &planned) const;
  Error planArgument(const Argument &argument, PlannedArgument &planned) const;
  Error planTensorMap(const TensorMapInfo &map, const Step &step,
                      PlannedTensorMap &planned) const;

  const KernelInfo &kernel;
  llvm::ArrayRef<BoundOperand> operands;
  const PlanOptions &options;
  const ProblemSizes &sizes;
};

template <typename T> KernelArgument toBytes(T value) {
  KernelArgument bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

} // namespace

std::optional<int64_t> Planner::lookUp(StringRef symbol) const {
  if (symbol == "sm_count")
    return options.smCount;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (symbol == getSizeName(Dim(d)))
      return sizes[d];
  auto [name, field] = symbol.split('.');
  const OperandInfo *info = kernel.findOperand(name);
  if (!info)
    return std::nullopt;
  const BoundOperand &operand = operands[info - kernel.operands.data()];
  if (field == "base")
    return static_cast<int64_t>(operand.address);
  unsigned index = 0;
  if (!field.consume_front("stride") || field.getAsInteger(10, index) ||
      index >= operand.shape.strides.size())
    return std::nullopt;
  return operand.shape.strides[index];
}

Expected<int64_t> Planner::evaluate(const Expr &expr, const Twine &what) const {
  Expected<int64_t> value =
      expr.evaluate([&](StringRef symbol) { return lookUp(symbol); });
  if (!value)
    return fail(what + ": " + llvm::toString(value.takeError()));
  return *value;
}

Expected<const Variant *> Planner::chooseVariant() const {
  for (const Variant &variant : kernel.variants) {
    if (!options.variant.empty() && variant.name != options.variant)
      continue;
    Expected<int64_t> guard =
        evaluate(variant.guard, "guard of variant '" + variant.name + "'");
    if (!guard)
      return guard.takeError();
    if (*guard != 0)
      return &variant;
    if (!options.variant.empty())
      return fail("variant '" + variant.name +
                  "' does not take this problem: its guard '" +
                  variant.guard.str() + "' is 0");
  }
  std::string names;
  for (const Variant &variant : kernel.variants)
    names += (names.empty() ? "'" : ", '") + variant.name + "'";
  if (!options.variant.empty())
    return fail("has no variant '" + options.variant + "', only " + names);
  // The last one takes most.
  std::string guard = kernel.variants.empty()
                          ? ""
                          : "; the guard of the last one is '" +
                                kernel.variants.back().guard.str() + "'";
  return fail("no variant takes this problem (" + names + ")" + guard);
}

Error Planner::planArgument(const Argument &argument,
                            PlannedArgument &planned) const {
  planned.source = &argument;
  const OperandInfo *info = kernel.findOperand(argument.operand);
  if (argument.kind == ArgumentKind::Pointer ||
      argument.kind == ArgumentKind::Scalar) {
    if (!info)
      return fail("no operand '" + argument.operand + "'");
    const BoundOperand &operand = operands[info - kernel.operands.data()];
    if (argument.kind == ArgumentKind::Pointer) {
      planned.value = static_cast<int64_t>(operand.address);
      planned.bytes = toBytes(operand.address);
    } else {
      planned.bytes.resize(getByteSize(info->type));
      storeElement(info->type, operand.scalar, planned.bytes.data());
    }
    return Error::success();
  }
  if (argument.kind == ArgumentKind::TensorMap) {
    planned.value = argument.index;
    return Error::success();
  }
  Expected<int64_t> value = evaluate(argument.value, "argument");
  if (!value)
    return value.takeError();
  planned.value = *value;
  if (argument.kind != ArgumentKind::I32) {
    planned.bytes = toBytes(*value);
    return Error::success();
  }
  if (*value < std::numeric_limits<int32_t>::min() ||
      *value > std::numeric_limits<int32_t>::max())
    return fail("argument '" + argument.value.str() + "' = " + Twine(*value) +
                " does not fit 32 bits");
  planned.bytes = toBytes(static_cast<int32_t>(*value));
  return Error::success();
}

Error Planner::planTensorMap(const TensorMapInfo &map, const Step &step,
                             PlannedTensorMap &planned) const {
  std::string what = "tensor map '" + map.name + "' of '" + step.symbol + "'";
  planned.source = &map;
  planned.isInWorkspace = map.base.kind == ArgumentKind::Workspace;
  TensorMapDescription &description = planned.description;
  description.type = map.type;
  description.box.assign(map.box.begin(), map.box.end());
  description.swizzle = map.swizzle;
  description.l2Promotion = map.l2Promotion;
  description.window = map.window;
  PlannedArgument base;
  if (Error error = planArgument(map.base, base))
    return error;
  description.base = static_cast<uint64_t>(base.value);
  for (const Expr &dim : map.dims) {
    Expected<int64_t> value = evaluate(dim, what);
    if (!value)
      return value.takeError();
    description.dims.push_back(*value);
  }
  for (const Expr &stride : map.strides) {
    Expected<int64_t> value = evaluate(stride, what);
    if (!value)
      return value.takeError();
    description.strides.push_back(*value);
  }
  if (Error error = checkTensorMap(description))
    return fail(what + ": " + llvm::toString(std::move(error)));
  return Error::success();
}

Error Planner::planStep(const Step &step, PlannedStep &planned) const {
  planned.step = &step;
  if (step.when) {
    Expected<int64_t> when = evaluate(*step.when, "when");
    if (!when)
      return when.takeError();
    planned.runs = *when != 0;
    if (!planned.runs)
      return Error::success();
  }
  // The limits of every CUDA device.
  constexpr int64_t limits[] = {(int64_t(1) << 31) - 1, 65535, 65535};
  for (unsigned i = 0; i != 3; ++i) {
    Expected<int64_t> size = evaluate(step.grid[i], "grid");
    if (!size)
      return size.takeError();
    if (*size < 0 || *size > limits[i])
      return fail("grid '" + step.grid[i].str() + "' = " + Twine(*size) +
                  " of '" + step.symbol + "' is not in 0 to " +
                  Twine(limits[i]));
    planned.config.grid[i] = static_cast<uint32_t>(*size);
    planned.config.block[i] = step.block[i];
    planned.config.cluster[i] = step.cluster[i];
    planned.runs &= *size != 0;
    if (*size % step.cluster[i] != 0)
      return fail("grid '" + step.grid[i].str() + "' = " + Twine(*size) +
                  " of '" + step.symbol + "' is not a multiple of its " +
                  "cluster's " + Twine(step.cluster[i]));
  }
  planned.config.sharedMemory = static_cast<uint32_t>(step.sharedMemory);
  planned.config.dependent = step.dependent;
  // The arguments of a skipped step need not be valid.
  if (!planned.runs)
    return Error::success();
  for (const TensorMapInfo &map : step.tensorMaps)
    if (Error error =
            planTensorMap(map, step, planned.tensorMaps.emplace_back()))
      return error;
  for (const Argument &argument : step.arguments)
    if (Error error = planArgument(argument, planned.arguments.emplace_back()))
      return error;
  return Error::success();
}

Expected<LaunchPlan> Planner::plan() {
  Expected<const Variant *> variant = chooseVariant();
  if (!variant)
    return variant.takeError();
  LaunchPlan plan;
  plan.kernel = &kernel;
  plan.variant = *variant;
  plan.sizes = sizes;
  Expected<int64_t> workspace = evaluate((*variant)->workspace, "workspace");
  if (!workspace)
    return workspace.takeError();
  if (*workspace < 0)
    return fail("workspace '" + (*variant)->workspace.str() + "' is negative");
  plan.workspaceBytes = *workspace;
  for (const Step &step : (*variant)->steps)
    if (Error error = planStep(step, plan.steps.emplace_back()))
      return std::move(error);
  return plan;
}

Expected<LaunchPlan> tcgemm::planLaunch(const KernelInfo &kernel,
                                        llvm::ArrayRef<BoundOperand> operands,
                                        const PlanOptions &options) {
  Expected<ProblemSizes> sizes = inferSizes(kernel, operands);
  if (!sizes)
    return sizes.takeError();
  return Planner(kernel, operands, options, *sizes).plan();
}

/// `A dims 4096x300 strides 8192 box 64x128 swizzle 128`.
static void printTensorMap(llvm::raw_ostream &os, const PlannedTensorMap &map) {
  auto printList = [&](StringRef name, const auto &values) {
    os << ' ' << name << ' ';
    llvm::interleave(values, os, "x");
  };
  os << map.source->name;
  printList("dims", map.description.dims);
  printList("strides", map.description.strides);
  printList("box", map.description.box);
  os << " swizzle " << map.description.swizzle << '\n';
}

std::string tcgemm::describePlan(const LaunchPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "kernel " << plan.kernel->name;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (d < kNumPlainDims || plan.kernel->hasDim(Dim(d)))
      os << "  " << getSizeName(Dim(d)) << " = " << plan.sizes[d];
  os << "\n  variant " << plan.variant->name << "  guard "
     << plan.variant->guard << "\n  config " << plan.variant->config
     << "\n  workspace " << plan.workspaceBytes << " bytes\n";
  for (const PlannedStep &planned : plan.steps) {
    os << "  step " << planned.step->symbol;
    if (!planned.runs) {
      os << "  skipped\n";
      continue;
    }
    auto print = [&](StringRef name, const std::array<uint32_t, 3> &sizes) {
      os << "  " << name << ' ' << sizes[0] << 'x' << sizes[1] << 'x'
         << sizes[2];
    };
    print("grid", planned.config.grid);
    print("block", planned.config.block);
    print("cluster", planned.config.cluster);
    os << "  shared memory " << planned.config.sharedMemory << " bytes";
    if (planned.config.dependent)
      os << "  dependent";
    if (planned.step->registers)
      os << "  registers " << *planned.step->registers;
    os << '\n';
    for (const PlannedArgument &argument : planned.arguments) {
      os << "    " << getArgumentKindName(argument.source->kind) << ' ';
      if (argument.source->kind == ArgumentKind::TensorMap)
        printTensorMap(os, planned.tensorMaps[argument.value]);
      else if (argument.source->operand.empty())
        os << argument.source->value << " = " << argument.value << '\n';
      else
        os << argument.source->operand << '\n';
    }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Expected<Module *> Executor::getModule(StringRef name) {
  for (auto [i, info] : llvm::enumerate(pack.manifest.modules)) {
    if (info.name != name)
      continue;
    if (!modules[i]) {
      Expected<std::unique_ptr<Module>> module =
          device.loadModule(pack.images[i]);
      if (!module)
        return addContext("module '" + info.name + "' for " + info.chip,
                          module.takeError());
      modules[i] = std::move(*module);
    }
    return modules[i].get();
  }
  return llvm::createStringError("no module '" + name + "'");
}

Expected<Kernel *> Executor::getKernel(const Step &step) {
  Expected<Module *> module = getModule(step.module);
  if (!module)
    return module.takeError();
  return (*module)->getKernel(step.symbol);
}

Error Executor::prepare(const LaunchPlan &plan) {
  for (const PlannedStep &planned : plan.steps) {
    Expected<Kernel *> kernel = getKernel(*planned.step);
    if (!kernel)
      return kernel.takeError();
  }
  return Error::success();
}

Expected<KernelArgument> Executor::encode(const PlannedStep &planned,
                                          const PlannedTensorMap &map,
                                          uint64_t workspace) {
  TensorMapDescription description = map.description;
  if (map.isInWorkspace)
    description.base += workspace;
  Expected<TensorMapImage> image = device.encodeTensorMap(description);
  if (!image)
    return addContext("tensor map '" + map.source->name + "' of '" +
                          planned.step->symbol + "'",
                      image.takeError());
  return KernelArgument(image->begin(), image->end());
}

Error Executor::launch(const LaunchPlan &plan, uint64_t workspace) {
  for (const PlannedStep &planned : plan.steps) {
    if (!planned.runs)
      continue;
    Expected<Kernel *> kernel = getKernel(*planned.step);
    if (!kernel)
      return kernel.takeError();
    std::vector<KernelArgument> arguments;
    for (const PlannedArgument &argument : planned.arguments) {
      if (argument.source->kind == ArgumentKind::TensorMap) {
        Expected<KernelArgument> map =
            encode(planned, planned.tensorMaps[argument.value], workspace);
        if (!map)
          return map.takeError();
        arguments.push_back(std::move(*map));
        continue;
      }
      arguments.push_back(
          argument.source->kind == ArgumentKind::Workspace
              ? toBytes(workspace + static_cast<uint64_t>(argument.value))
              : argument.bytes);
    }
    if (Error error = device.launch(**kernel, planned.config, arguments))
      return error;
  }
  return Error::success();
}
