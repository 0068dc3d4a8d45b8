//===- LaunchProgram.cpp - A product's launches with open addresses -------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchProgram.h"
#include "Failure.h"
#include "ProductTerms.h"
#include "tcgemm/Runtime/StridedCopy.h"
#include "tcgemm/Target/AddressDependence.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tcgemm::library {

/// The place of an operand: behind a slot's address, or in the workspace.
struct Place {
  unsigned slot = 0;
  uint64_t offset = 0;
};

/// The most launches that copy an operand.
constexpr int64_t kMostCopyLaunches = 64;

/// One side of a copy.
struct CopySide {
  StridedShape shape;
  Place place;
};

/// Translates a plan of the runtime.
class LaunchBuilder {
public:
  LaunchBuilder(LaunchProgram &result, const Description &description,
                CopyKernels &copies)
      : result(result), pack(*result.pack), program(result.program.get()),
        description(description), copies(copies), kernel(pack.getKernel()) {}
  Error build();

private:
  void placeArguments();
  Expected<unsigned> findArgument(size_t operand) const;
  StridedShape getShape(unsigned argument, const OperandInfo &info) const;
  Error bindOperands();
  Error launchCopy(const CopyPlan &plan, const CopySide &from,
                   const CopySide &to, unsigned bytes);
  Error copy(const CopySide &from, const CopySide &to, unsigned bytes,
             int64_t launches);
  Error addCopies(bool ofResult);
  Error addCopy(unsigned argument);
  void addSlots();
  void addRanges();
  StridedShape getMemoryShape(unsigned argument, const OperandInfo &info) const;
  Error checkVariant(const Variant &variant) const;
  Error addLaunch(const PlannedStep &planned);
  Error addMap(const PlannedTensorMap &map);
  Error addArgument(const PlannedStep &planned,
                    const PlannedArgument &argument);
  /// The place of a pointer's operand.
  const Place &getPlace(StringRef operand) const;

  LaunchProgram &result;
  const LoadedPack &pack;
  tcgemmProgram *program;
  const Description &description;
  CopyKernels &copies;
  const KernelInfo &kernel;
  std::vector<Place> arguments; ///< One per slot of the description.
  uint64_t copiedBytes = 0;     ///< The kernel's workspace follows the copies.
  std::vector<BoundOperand> operands;
  std::vector<Place> places;             ///< One per operand of the kernel.
  std::vector<unsigned> argumentNumbers; ///< One per operand of the kernel.
};

} // namespace tcgemm::library

LaunchProgram::LaunchProgram(std::shared_ptr<LoadedPack> loaded)
    : pack(std::move(loaded)),
      program(tcgemmProgramCreate(&pack->getDevice().getDriver().run,
                                  pack->getDevice().getContext(),
                                  tcgemmSlotNames)) {}

/// Copies of operands are the first part of the workspace.
void LaunchBuilder::placeArguments() {
  for (unsigned i = 0; i != description.slots.count; ++i) {
    const tcgemmSlot &slot = description.slots.slots[i];
    const std::optional<OperandCopy> *copy =
        i < description.layouts.size() ? &description.layouts[i].copy : nullptr;
    if (!copy || !*copy) {
      arguments.push_back({slot.slot, 0});
      continue;
    }
    arguments.push_back({TCGEMM_WORKSPACE_SLOT, copiedBytes});
    copiedBytes += llvm::alignTo(
        static_cast<uint64_t>((*copy)->workspace.getNumElements()) *
            tcgemmGetTypeBytes(slot.type),
        TCGEMM_WORKSPACE_ALIGNMENT);
  }
}

/// The position of the argument that is an operand of the kernel.
Expected<unsigned> LaunchBuilder::findArgument(size_t operand) const {
  const LaunchInfo &launch = pack.getLaunch();
  if (operand < launch.operands.size()) {
    std::optional<BufferRef> buffer = parseBufferRef(launch.operands[operand]);
    if (buffer && buffer->kind == BufferKind::Argument &&
        buffer->index < description.slots.count)
      return buffer->index;
  }
  return fail(TCGEMM_NOT_SUPPORTED, "operand " + Twine(operand) +
                                        " of the kernel is no argument of "
                                        "the product");
}

StridedShape LaunchBuilder::getShape(unsigned argument,
                                     const OperandInfo &info) const {
  if (!description.layouts.empty())
    return description.layouts[argument].shape;
  const MatmulSizes &s = description.problem.sizes;
  ProblemSizes sizes = makeSizes(s.m, s.n, s.k, s.batch);
  StridedShape shape;
  for (Dim dim : info.dims) {
    auto d = static_cast<unsigned>(dim);
    shape.sizes.push_back(info.getExtent(dim, sizes[d]));
    shape.strides.push_back(
        d < TCGEMM_NUM_DIMS ? description.slots.slots[argument].strides[d] : 0);
  }
  return shape;
}

Error LaunchBuilder::bindOperands() {
  for (auto [i, info] : llvm::enumerate(kernel.operands)) {
    Expected<unsigned> argument = findArgument(i);
    if (!argument)
      return argument.takeError();
    argumentNumbers.push_back(*argument);
    const Place &place = places.emplace_back(arguments[*argument]);
    uint64_t alignment = place.slot == TCGEMM_WORKSPACE_SLOT
                             ? TCGEMM_WORKSPACE_ALIGNMENT
                             : description.slots.slots[*argument].alignment;
    BoundOperand &operand = operands.emplace_back();
    operand.address = TCGEMM_PLAN_ADDRESS + alignment;
    operand.shape = getShape(*argument, info);
  }
  return Error::success();
}

const Place &LaunchBuilder::getPlace(StringRef operand) const {
  return places[kernel.findOperand(operand) - kernel.operands.data()];
}

void LaunchBuilder::addSlots() {
  for (unsigned i = 0; i != description.slots.count; ++i) {
    const tcgemmSlot &slot = description.slots.slots[i];
    if (slot.slot >= TCGEMM_SLOT_ALPHA && !description.scalarsInMemory)
      continue;
    bool isFactor = slot.slot == TCGEMM_SLOT_A || slot.slot == TCGEMM_SLOT_B ||
                    slot.slot == TCGEMM_SLOT_B2;
    tcgemmNeed need = TCGEMM_NEED_ALWAYS;
    bool isCopied = arguments[i].slot == TCGEMM_WORKSPACE_SLOT;
    if (slot.slot == TCGEMM_SLOT_C && !description.scalarsInMemory && !isCopied)
      need = TCGEMM_NEED_WITH_BETA;
    else if (isFactor && description.problem.sizes.k == 0)
      need = TCGEMM_NEED_NEVER;
    tcgemmProgramAddSlot(program, slot.slot, slot.alignment, need);
  }
}

/// The shape of an argument in the caller's memory.
StridedShape LaunchBuilder::getMemoryShape(unsigned argument,
                                           const OperandInfo &info) const {
  if (argument < description.layouts.size())
    if (const std::optional<OperandCopy> &copy =
            description.layouts[argument].copy)
      return copy->memory;
  return getShape(argument, info);
}

static tcgemmTensor getTensor(const StridedShape &shape, ScalarType type) {
  return {static_cast<unsigned>(shape.sizes.size()),
          static_cast<unsigned>(getBitWidth(type)), shape.sizes.data(),
          shape.strides.data()};
}

/// States the memory of the arguments, so that runs can refuse results that
/// share memory with others. Matrices that the epilogue reads may be D: each
/// element is read before it is written.
void LaunchBuilder::addRanges() {
  std::vector<StridedShape> shapes;
  const OperandInfo *ofD = nullptr;
  const StridedShape *shapeOfD = nullptr;
  for (auto [i, info] : llvm::enumerate(kernel.operands))
    shapes.push_back(getMemoryShape(argumentNumbers[i], info));
  auto getSlot = [&](size_t operand) {
    return description.slots.slots[argumentNumbers[operand]].slot;
  };
  for (auto [i, info] : llvm::enumerate(kernel.operands))
    if (getSlot(i) == TCGEMM_SLOT_D)
      ofD = &info, shapeOfD = &shapes[i];
  for (auto [i, info] : llvm::enumerate(kernel.operands)) {
    unsigned slot = getSlot(i);
    bool isFactor = slot == TCGEMM_SLOT_A || slot == TCGEMM_SLOT_B ||
                    slot == TCGEMM_SLOT_B2;
    if (isFactor && description.problem.sizes.k == 0)
      continue; // No run reads it.
    tcgemmTensor tensor = getTensor(shapes[i], info.type);
    tcgemmRange range{};
    range.slot = slot;
    tcgemmMeasure(&tensor, &range);
    range.isWritten = info.role == OperandUse::Output;
    range.inPlaceOf = TCGEMM_NO_SLOT;
    if (!range.isWritten && ofD && llvm::is_contained(info.dims, Dim::M) &&
        llvm::is_contained(info.dims, Dim::N)) {
      tcgemmTensor d = getTensor(*shapeOfD, ofD->type);
      if (tcgemmHasSamePlaces(&tensor, &d))
        range.inPlaceOf = TCGEMM_SLOT_D;
    }
    tcgemmProgramSetRange(program, &range);
  }
}

Error LaunchBuilder::checkVariant(const Variant &variant) const {
  if (dependsOnAlignmentOnly(variant))
    return Error::success();
  return fail(TCGEMM_NOT_SUPPORTED,
              "variant '" + variant.name + "' depends on addresses");
}

Error LaunchBuilder::addMap(const PlannedTensorMap &planned) {
  const TensorMapDescription &d = planned.description;
  if (d.window)
    return fail(TCGEMM_NOT_SUPPORTED, "tensor map '" + planned.source->name +
                                          "' has a window: the library has no "
                                          "convolutions");
  tcgemmMap map{};
  map.name = planned.source->name.c_str();
  map.type = static_cast<int>(getTensorMapTypeCode(d.type));
  map.swizzle = static_cast<int>(getTensorMapSwizzleCode(d.swizzle));
  map.promotion = static_cast<int>(getTensorMapPromotionCode(d.l2Promotion));
  map.rank = static_cast<uint32_t>(d.dims.size());
  llvm::copy(d.dims, map.dims);
  llvm::copy(d.strides, map.strides);
  llvm::copy(d.box, map.box);
  const Argument &base = planned.source->base;
  bool isInWorkspace = base.kind == ArgumentKind::Workspace;
  tcgemmProgramAddMap(
      program, &map,
      isInWorkspace ? TCGEMM_WORKSPACE_SLOT : getPlace(base.operand).slot,
      isInWorkspace ? copiedBytes + d.base : getPlace(base.operand).offset);
  return Error::success();
}

Error LaunchBuilder::addArgument(const PlannedStep &planned,
                                 const PlannedArgument &argument) {
  const Argument &source = *argument.source;
  switch (source.kind) {
  case ArgumentKind::TensorMap:
    return addMap(planned.tensorMaps[argument.value]);
  case ArgumentKind::Pointer:
    tcgemmProgramAddAddress(program, getPlace(source.operand).slot,
                            getPlace(source.operand).offset);
    break;
  case ArgumentKind::Workspace:
    tcgemmProgramAddAddress(program, TCGEMM_WORKSPACE_SLOT,
                            copiedBytes +
                                static_cast<uint64_t>(argument.value));
    break;
  case ArgumentKind::Scalar:
    tcgemmProgramAddScalar(program,
                           getPlace(source.operand).slot == TCGEMM_SLOT_ALPHA
                               ? TCGEMM_SCALAR_ALPHA
                               : TCGEMM_SCALAR_BETA,
                           getSumType(description.problem.kernel));
    break;
  case ArgumentKind::I32:
  case ArgumentKind::I64:
    tcgemmProgramAddBytes(program, argument.bytes.data(),
                          argument.bytes.size());
    break;
  }
  return Error::success();
}

Error LaunchBuilder::addLaunch(const PlannedStep &planned) {
  Expected<cuda::Function> function = pack.getFunction(*planned.step);
  if (!function)
    return function.takeError();
  result.launches.push_back(planned.step->symbol);
  const LaunchConfig &config = planned.config;
  tcgemmLaunchShape shape{};
  llvm::copy(config.grid, shape.grid);
  llvm::copy(config.block, shape.block);
  llvm::copy(config.cluster, shape.cluster);
  shape.sharedMemory = config.sharedMemory;
  shape.isDependent =
      config.dependent && pack.getDevice().getChip().capability >= 90;
  tcgemmProgramAddLaunch(program, planned.step->symbol.c_str(), *function,
                         &shape);
  for (const PlannedArgument &argument : planned.arguments)
    if (Error error = addArgument(planned, argument))
      return error;
  return Error::success();
}

Error LaunchBuilder::launchCopy(const CopyPlan &plan, const CopySide &from,
                                const CopySide &to, unsigned bytes) {
  if (!plan.runs)
    return Error::success();
  Expected<std::shared_ptr<CopyKernel>> loaded = copies.get(bytes);
  if (!loaded)
    return loaded.takeError();
  result.copies.push_back(*loaded);
  tcgemmLaunchShape shape{};
  llvm::copy(plan.config.grid, shape.grid);
  llvm::copy(plan.config.block, shape.block);
  llvm::copy(plan.config.cluster, shape.cluster);
  shape.sharedMemory = plan.config.sharedMemory;
  tcgemmProgramAddLaunch(program, "copy", (*loaded)->getFunction(), &shape);
  for (const CopyArgument &each : plan.arguments) {
    using Kind = CopyArgument::Kind;
    const Place &place = each.kind == Kind::Source ? from.place : to.place;
    if (each.kind == Kind::Number)
      tcgemmProgramAddBytes(program, each.bytes.data(), each.bytes.size());
    else
      tcgemmProgramAddAddress(program, place.slot, place.offset);
  }
  return Error::success();
}

/// The part of one side of a copy with a value of a dimension.
static CopySide getPart(CopySide side, size_t dim, int64_t index,
                        unsigned bytes) {
  side.place.offset +=
      static_cast<uint64_t>(index * side.shape.strides[dim]) * bytes;
  auto at = static_cast<std::ptrdiff_t>(dim);
  side.shape.sizes.erase(side.shape.sizes.begin() + at);
  side.shape.strides.erase(side.shape.strides.begin() + at);
  return side;
}

/// Copies by one launch, or, if that has too many dimensions, by one for each
/// value of the shortest dimension. `launches` counts those of the whole copy.
Error LaunchBuilder::copy(const CopySide &from, const CopySide &to,
                          unsigned bytes, int64_t launches) {
  Expected<CopyPlan> plan = planCopy(from.shape, to.shape, bytes);
  if (plan)
    return launchCopy(*plan, from, to, bytes);
  std::optional<size_t> shortest;
  llvm::ArrayRef<int64_t> sizes = from.shape.sizes;
  for (size_t i = 0; i != sizes.size(); ++i)
    if (sizes[i] > 1 && (!shortest || sizes[i] < sizes[*shortest]))
      shortest = i;
  if (!shortest || sizes[*shortest] > kMostCopyLaunches / launches)
    return plan.takeError();
  llvm::consumeError(plan.takeError());
  for (int64_t i = 0; i != sizes[*shortest]; ++i)
    if (Error error = copy(getPart(from, *shortest, i, bytes),
                           getPart(to, *shortest, i, bytes), bytes,
                           launches * sizes[*shortest]))
      return error;
  return Error::success();
}

/// The copy of an operand into the workspace, or of the result out of it.
Error LaunchBuilder::addCopy(unsigned argument) {
  const tcgemmSlot &slot = description.slots.slots[argument];
  const OperandCopy &layout = *description.layouts[argument].copy;
  CopySide memory{layout.memory, {slot.slot, 0}};
  CopySide workspace{layout.workspace, arguments[argument]};
  unsigned bytes = tcgemmGetTypeBytes(slot.type);
  std::string name = tcgemmSlotNames[slot.slot];
  result.launches.push_back("copy of " + name);
  if (slot.slot == TCGEMM_SLOT_D)
    std::swap(memory, workspace);
  Error error = copy(memory, workspace, bytes, /*launches=*/1);
  if (!error || error.isA<Failure>())
    return error;
  llvm::consumeError(std::move(error));
  // The reason for several launches, not that for the last one of these.
  Error whole = planCopy(memory.shape, workspace.shape, bytes).takeError();
  return fail(TCGEMM_NOT_SUPPORTED,
              Twine(name) + " must be copied, which takes more than " +
                  Twine(kMostCopyLaunches) +
                  " launches: " + llvm::toString(std::move(whole)));
}

/// The copies ahead of the kernel, or the one behind it.
Error LaunchBuilder::addCopies(bool ofResult) {
  for (unsigned i = 0; i != description.layouts.size(); ++i)
    if (description.layouts[i].copy &&
        (description.slots.slots[i].slot == TCGEMM_SLOT_D) == ofResult)
      if (Error error = addCopy(i))
        return error;
  return Error::success();
}

Error LaunchBuilder::build() {
  if (!program)
    return fail(TCGEMM_DRIVER, "there is no memory");
  placeArguments();
  if (Error error = bindOperands())
    return error;
  PlanOptions options;
  options.smCount = pack.getDevice().getSMCount();
  Expected<LaunchPlan> plan = planLaunch(kernel, operands, options);
  if (!plan)
    return withStatus(TCGEMM_NOT_SUPPORTED, plan.takeError());
  if (Error error = checkVariant(*plan->variant))
    return error;
  tcgemmProgramSetWorkspace(
      program, copiedBytes + static_cast<uint64_t>(plan->workspaceBytes));
  addSlots();
  addRanges();
  if (Error error = addCopies(/*ofResult=*/false))
    return error;
  for (const PlannedStep &planned : plan->steps)
    if (planned.runs)
      if (Error error = addLaunch(planned))
        return error;
  if (Error error = addCopies(/*ofResult=*/true))
    return error;
  return takeFailure(tcgemmProgramGetStatus(program));
}

Expected<LaunchProgram> LaunchProgram::create(std::shared_ptr<LoadedPack> pack,
                                              const Description &description,
                                              CopyKernels &copies) {
  LaunchProgram program(std::move(pack));
  if (Error error = LaunchBuilder(program, description, copies).build())
    return std::move(error);
  return program;
}
