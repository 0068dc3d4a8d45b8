//===- LaunchProgram.cpp - A product's launches with open addresses -------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchProgram.h"
#include "Failure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Limits of the driver for the arguments of a kernel.
constexpr size_t kMaxArgumentBytes = 4096;
constexpr size_t kMaxArguments = 128;
constexpr uint64_t kWorkspaceAlignment = 256;
/// An address for plans. It is a multiple of more than any guard asks for.
constexpr uint64_t kPlanAddress = uint64_t(1) << 40;

void *toPointer(uint64_t address) {
  return reinterpret_cast<void *>(address); // NOLINT(performance-*)
}

bool hasBase(const Expr &expr) {
  return llvm::any_of(expr.collectSymbols(), [](StringRef symbol) {
    return symbol.ends_with(".base");
  });
}

/// Whether a guard that holds for an address holds for all multiples of the
/// power of two that divides the address: addresses are in conditions
/// `X.base % c == 0` only.
bool isMonotone(const Expr &guard) {
  if (!hasBase(guard))
    return true;
  if (guard.getKind() == ExprKind::And)
    return llvm::all_of(guard.getOperands(), isMonotone);
  if (guard.getKind() != ExprKind::Eq || !guard.getOperand(1).isConstant(0))
    return false;
  const Expr &rest = guard.getOperand(0);
  return rest.getKind() == ExprKind::Mod &&
         rest.getOperand(0).getKind() == ExprKind::Symbol &&
         rest.getOperand(1).getConstant();
}

/// Whether a number that the plan fixes depends on an address.
bool dependsOnAddress(const Step &step) {
  auto isOfAddress = [](const Argument &argument) {
    return hasBase(argument.value);
  };
  return llvm::any_of(step.grid, hasBase) ||
         (step.when && hasBase(*step.when)) ||
         llvm::any_of(step.arguments, isOfAddress) ||
         llvm::any_of(step.tensorMaps, [&](const TensorMapInfo &map) {
           return llvm::any_of(map.dims, hasBase) ||
                  llvm::any_of(map.strides, hasBase) || isOfAddress(map.base);
         });
}

} // namespace

namespace tcgemm::library {

/// Translates a plan of the runtime.
class LaunchBuilder {
public:
  LaunchBuilder(LaunchProgram &program, const Description &description)
      : program(program), description(description),
        kernel(program.pack->getKernel()) {}
  Error build();

private:
  Expected<const SlotLayout *> findLayout(size_t operand) const;
  Error bindOperands();
  Error checkVariant(const Variant &variant) const;
  Error addLaunch(const PlannedStep &planned);
  Error encodeMap(const PlannedTensorMap &map, uint8_t *target);
  Error addArguments(const PlannedStep &planned, LaunchProgram::Launch &launch);
  LaunchProgram::Address makeAddress(const Argument &argument,
                                     uint64_t value) const;
  unsigned findSlot(StringRef operand) const;

  LaunchProgram &program;
  const Description &description;
  const KernelInfo &kernel;
  std::vector<BoundOperand> operands;
  std::vector<unsigned> slots; ///< One per operand of the kernel.
};

} // namespace tcgemm::library

Expected<const SlotLayout *> LaunchBuilder::findLayout(size_t operand) const {
  const LaunchInfo &launch = program.pack->getLaunch();
  if (operand < launch.operands.size()) {
    std::optional<BufferRef> buffer = parseBufferRef(launch.operands[operand]);
    if (buffer && buffer->kind == BufferKind::Argument &&
        buffer->index < description.slots.size())
      return &description.slots[buffer->index];
  }
  return fail(TCGEMM_NOT_SUPPORTED, "operand " + Twine(operand) +
                                        " of the kernel is no argument of "
                                        "the product");
}

Error LaunchBuilder::bindOperands() {
  const MatmulSizes &s = description.problem.sizes;
  ProblemSizes sizes = makeSizes(s.m, s.n, s.k, s.batch);
  for (auto [i, info] : llvm::enumerate(kernel.operands)) {
    Expected<const SlotLayout *> layout = findLayout(i);
    if (!layout)
      return layout.takeError();
    slots.push_back((*layout)->slot);
    BoundOperand &operand = operands.emplace_back();
    operand.address = kPlanAddress + (*layout)->alignment;
    for (Dim dim : info.dims) {
      operand.shape.sizes.push_back(sizes[static_cast<unsigned>(dim)]);
      operand.shape.strides.push_back(
          (*layout)->strides[static_cast<unsigned>(dim)]);
    }
  }
  return Error::success();
}

unsigned LaunchBuilder::findSlot(StringRef operand) const {
  return slots[kernel.findOperand(operand) - kernel.operands.data()];
}

Error LaunchBuilder::checkVariant(const Variant &variant) const {
  if (isMonotone(variant.guard) &&
      llvm::none_of(variant.steps, dependsOnAddress))
    return Error::success();
  return fail(TCGEMM_NOT_SUPPORTED,
              "variant '" + variant.name + "' depends on addresses");
}

LaunchProgram::Address LaunchBuilder::makeAddress(const Argument &argument,
                                                  uint64_t value) const {
  LaunchProgram::Address address;
  address.isInWorkspace = argument.kind == ArgumentKind::Workspace;
  if (address.isInWorkspace)
    address.offset = value;
  else
    address.slot = findSlot(argument.operand);
  return address;
}

Error LaunchBuilder::addArguments(const PlannedStep &planned,
                                  LaunchProgram::Launch &launch) {
  for (const PlannedArgument &argument : planned.arguments) {
    const Argument &source = *argument.source;
    bool isMap = source.kind == ArgumentKind::TensorMap;
    size_t size = isMap                    ? sizeof(TensorMapImage)
                  : argument.bytes.empty() ? sizeof(uint64_t)
                                           : argument.bytes.size();
    size_t target = llvm::alignTo(launch.bytes.size(), isMap ? 64 : 8);
    launch.bytes.resize(target + size);
    launch.offsets.push_back(static_cast<unsigned>(target));
    LaunchProgram::Address address;
    if (isMap) {
      const PlannedTensorMap &map = planned.tensorMaps[argument.value];
      address = makeAddress(map.source->base, map.description.base);
      address.target = static_cast<unsigned>(target);
      launch.maps.push_back(address);
      if (Error error = encodeMap(map, launch.bytes.data() + target))
        return error;
    } else if (source.kind == ArgumentKind::Pointer ||
               source.kind == ArgumentKind::Workspace) {
      address = makeAddress(source, static_cast<uint64_t>(argument.value));
      address.target = static_cast<unsigned>(target);
      launch.addresses.push_back(address);
    } else if (source.kind == ArgumentKind::Scalar) {
      launch.scalars.push_back({static_cast<unsigned>(target),
                                findSlot(source.operand) == SlotAlpha,
                                kernel.findOperand(source.operand)->type});
    } else {
      std::memcpy(launch.bytes.data() + target, argument.bytes.data(), size);
    }
  }
  if (launch.bytes.size() <= kMaxArgumentBytes &&
      launch.offsets.size() <= kMaxArguments)
    return Error::success();
  return fail(TCGEMM_NOT_SUPPORTED,
              "'" + launch.name + "' has " + Twine(launch.offsets.size()) +
                  " arguments of " + Twine(launch.bytes.size()) +
                  " bytes, but at most " + Twine(kMaxArguments) + " of " +
                  Twine(kMaxArgumentBytes) + " are supported");
}

/// Encodes a map with an address that each run replaces.
Error LaunchBuilder::encodeMap(const PlannedTensorMap &map, uint8_t *target) {
  const Driver &driver = program.pack->getDevice().getDriver();
  if (!driver.cuTensorMapEncodeTiled || !driver.cuTensorMapReplaceAddress)
    return fail(TCGEMM_NOT_SUPPORTED,
                "tensor maps need a driver of CUDA 12.0 or later");
  const TensorMapDescription &d = map.description;
  if (d.window)
    return fail(TCGEMM_NOT_SUPPORTED, "tensor map '" + map.source->name +
                                          "' has a window: the library has no "
                                          "convolutions");
  llvm::SmallVector<uint64_t, 5> dims(d.dims.begin(), d.dims.end());
  llvm::SmallVector<uint64_t, 4> strides(d.strides.begin(), d.strides.end());
  const uint32_t elementStrides[kMaxTensorMapRank] = {1, 1, 1, 1, 1};
  // The driver requires a place that is a multiple of 64.
  alignas(64) TensorMapImage image{};
  if (Error error = driver.check(
          driver.cuTensorMapEncodeTiled(
              image.data(), static_cast<int>(getTensorMapTypeCode(d.type)),
              static_cast<uint32_t>(d.dims.size()), toPointer(kPlanAddress),
              dims.data(), strides.data(), d.box.data(), elementStrides,
              /*interleave=*/0,
              static_cast<int>(getTensorMapSwizzleCode(d.swizzle)),
              static_cast<int>(getTensorMapPromotionCode(d.l2Promotion)),
              /*fill=*/0),
          "cuTensorMapEncodeTiled of '" + map.source->name + "'"))
    return error;
  llvm::copy(image, target);
  return Error::success();
}

Error LaunchBuilder::addLaunch(const PlannedStep &planned) {
  LaunchProgram::Launch &launch = program.launches.emplace_back();
  launch.name = planned.step->symbol;
  Expected<cuda::Function> function = program.pack->getFunction(*planned.step);
  if (!function)
    return function.takeError();
  launch.function = *function;
  const LaunchConfig &config = planned.config;
  for (unsigned i = 0; i != 3; ++i) {
    launch.config.grid[i] = config.grid[i];
    launch.config.block[i] = config.block[i];
  }
  launch.config.sharedMemory = config.sharedMemory;
  unsigned &count = launch.config.numAttributes;
  if (config.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
    cuda::LaunchAttribute &cluster = launch.attributes[count++];
    cluster.id = cuda::ClusterDimension;
    llvm::copy(config.cluster, cluster.value);
  }
  if (config.dependent &&
      program.pack->getDevice().getChip().capability >= 90) {
    cuda::LaunchAttribute &dependent = launch.attributes[count++];
    dependent.id = cuda::ProgrammaticStreamSerialization;
    dependent.value[0] = 1;
  }
  return addArguments(planned, launch);
}

Error LaunchBuilder::build() {
  if (Error error = bindOperands())
    return error;
  PlanOptions options;
  options.smCount = program.pack->getDevice().getSMCount();
  Expected<LaunchPlan> plan = planLaunch(kernel, operands, options);
  if (!plan)
    return withStatus(TCGEMM_NOT_SUPPORTED, plan.takeError());
  if (Error error = checkVariant(*plan->variant))
    return error;
  program.workspaceBytes = static_cast<uint64_t>(plan->workspaceBytes);
  for (const SlotLayout &layout : description.slots) {
    if (layout.slot >= SlotAlpha && !description.scalarsInMemory)
      continue;
    program.alignments.push_back({layout.slot, layout.alignment});
    bool isOptional = layout.slot == SlotC && !description.scalarsInMemory;
    program.readsC |= isOptional;
    bool isFactor = layout.slot == SlotA || layout.slot == SlotB;
    if (!isOptional && !(isFactor && description.problem.sizes.k == 0))
      program.usedSlots.push_back(layout.slot);
  }
  for (const PlannedStep &planned : plan->steps)
    if (planned.runs)
      if (Error error = addLaunch(planned))
        return error;
  return Error::success();
}

Expected<LaunchProgram> LaunchProgram::create(std::shared_ptr<LoadedPack> pack,
                                              const Description &description) {
  LaunchProgram program(std::move(pack));
  if (Error error = LaunchBuilder(program, description).build())
    return std::move(error);
  return program;
}

static std::string getHex(uint64_t address) {
  return "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
}

tcgemmStatus LaunchProgram::checkValues(const RunValues &values) const {
  for (unsigned slot : usedSlots)
    if (!values.addresses[slot])
      return failNow(TCGEMM_INVALID_VALUE,
                     "the address of " + getSlotName(slot) + " is null");
  if (readsC && values.beta != 0 && !values.addresses[SlotC])
    return failNow(TCGEMM_INVALID_VALUE,
                   "the address of C is null, but beta is not 0");
  for (auto [slot, alignment] : alignments)
    if (values.addresses[slot] & (alignment - 1))
      return failNow(TCGEMM_MISALIGNED,
                     "the address of " + getSlotName(slot) + " is " +
                         getHex(values.addresses[slot]) +
                         ", but it must be a multiple of " + Twine(alignment) +
                         ": of the descriptor's alignment, and of the size of "
                         "an element");
  if (!workspaceBytes)
    return TCGEMM_SUCCESS;
  if (!values.workspace || values.workspaceBytes < workspaceBytes)
    return failNow(TCGEMM_WORKSPACE,
                   "the workspace has " +
                       Twine(values.workspace ? values.workspaceBytes : 0) +
                       " bytes, but the plan needs " + Twine(workspaceBytes));
  if (values.workspace % kWorkspaceAlignment)
    return failNow(TCGEMM_WORKSPACE, "the workspace is at " +
                                         getHex(values.workspace) +
                                         ", but it must be a multiple of " +
                                         Twine(kWorkspaceAlignment));
  return TCGEMM_SUCCESS;
}

tcgemmStatus LaunchProgram::launch(const Launch &launch,
                                   const RunValues &values,
                                   cuda::Stream stream) const {
  const Driver &driver = pack->getDevice().getDriver();
  alignas(64) uint8_t bytes[kMaxArgumentBytes];
  void *arguments[kMaxArguments];
  std::memcpy(bytes, launch.bytes.data(), launch.bytes.size());
  for (size_t i = 0; i != launch.offsets.size(); ++i)
    arguments[i] = bytes + launch.offsets[i];
  auto resolve = [&](const Address &address) {
    return address.offset + (address.isInWorkspace
                                 ? values.workspace
                                 : values.addresses[address.slot]);
  };
  for (const Address &address : launch.addresses) {
    uint64_t value = resolve(address);
    std::memcpy(bytes + address.target, &value, sizeof value);
  }
  for (const Scalar &scalar : launch.scalars)
    storeElement(scalar.type, scalar.isAlpha ? values.alpha : values.beta,
                 bytes + scalar.target);
  for (const Address &map : launch.maps)
    if (cuda::Result result = driver.cuTensorMapReplaceAddress(
            bytes + map.target, toPointer(resolve(map))))
      return failNow(TCGEMM_DRIVER,
                     "cuTensorMapReplaceAddress: " + driver.describe(result));
  cuda::LaunchConfigEx config = launch.config;
  config.attributes =
      const_cast<cuda::LaunchAttribute *>(launch.attributes.data());
  config.stream = stream;
  if (cuda::Result result =
          driver.cuLaunchKernelEx(&config, launch.function, arguments, nullptr))
    return failNow(TCGEMM_DRIVER, "launch of '" + launch.name +
                                      "': " + driver.describe(result));
  return TCGEMM_SUCCESS;
}

tcgemmStatus LaunchProgram::run(const RunValues &values,
                                cuda::Stream stream) const {
  if (tcgemmStatus status = checkValues(values))
    return status;
  const DeviceContext &device = pack->getDevice();
  CurrentContext current(device);
  if (current.getResult() != cuda::Success)
    return failNow(TCGEMM_DRIVER,
                   "cuCtxPushCurrent: " +
                       device.getDriver().describe(current.getResult()));
  for (const Launch &each : launches)
    if (tcgemmStatus status = launch(each, values, stream))
      return status;
  return TCGEMM_SUCCESS;
}
