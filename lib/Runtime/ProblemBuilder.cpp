//===- ProblemBuilder.cpp - From a pack's function to a problem -----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pack's manifest is verified: names have a target of the right type and
// rank. Rules that depend on sizes are checked here, without overflow.
//
//===----------------------------------------------------------------------===//

#include "ProblemBuilder.h"
#include "BufferLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

ProblemBuffer &ProblemBuilder::addBuffer(BufferKind kind, unsigned index,
                                         ScalarType type) {
  ProblemBuffer &buffer = problem.buffers.emplace_back();
  buffer.name = getBufferPrefix(kind).str() + std::to_string(index);
  buffer.type = type;
  return buffer;
}

unsigned ProblemBuilder::getBuffer(BufferRef ref) const {
  switch (ref.kind) {
  case BufferKind::Argument:
    return ref.index;
  case BufferKind::Temporary:
    return function.arguments.size() + ref.index;
  case BufferKind::Constant:
    return function.arguments.size() + function.temporaries.size() +
           (llvm::find(constants, ref.index) - constants.begin());
  case BufferKind::View:
    break;
  }
  return getBuffer(function.views[ref.index].buffer);
}

unsigned ProblemBuilder::getBuffer(StringRef name) const {
  return getBuffer(*parseBufferRef(name));
}

/// Adds the constants that the function uses. Other constants need no memory.
void ProblemBuilder::addConstants() {
  auto add = [&](StringRef name) {
    BufferRef ref = *parseBufferRef(name);
    if (ref.kind == BufferKind::View)
      ref = *parseBufferRef(function.views[ref.index].buffer);
    if (ref.kind == BufferKind::Constant &&
        !llvm::is_contained(constants, ref.index))
      constants.push_back(ref.index);
  };
  for (const ViewInfo &view : function.views)
    add(view.buffer);
  for (const FunctionLaunch &item : function.launches) {
    if (const auto *launch = std::get_if<LaunchInfo>(&item))
      llvm::for_each(launch->operands, add);
    if (const auto *copy = std::get_if<CopyInfo>(&item))
      add(copy->source);
  }
  for (unsigned index : constants) {
    const PackConstant &constant = manifest.constants[index];
    ProblemBuffer &buffer =
        addBuffer(BufferKind::Constant, index, constant.type);
    buffer.constant = &constant;
    buffer.constantBytes = &pack.constants[index];
    buffer.isRead = true;
  }
}

void ProblemBuilder::noteUse(StringRef name, const OperandInfo *operand,
                             bool isWritten) {
  ProblemBuffer &buffer = problem.buffers[getBuffer(name)];
  if (operand && buffer.operandName.empty())
    buffer.operandName = operand->name;
  buffer.isWritten |= isWritten;
}

void ProblemBuilder::describeBuffers() {
  for (auto [i, argument] : llvm::enumerate(function.arguments)) {
    ProblemBuffer &buffer = addBuffer(BufferKind::Argument, i, argument.type);
    buffer.isScalar = argument.access == AccessKind::Scalar;
    buffer.isRead = argument.access == AccessKind::Read ||
                    argument.access == AccessKind::ReadWrite;
  }
  for (auto [i, temporary] : llvm::enumerate(function.temporaries))
    addBuffer(BufferKind::Temporary, i, temporary.type);
  addConstants();
  for (const FunctionLaunch &item : function.launches) {
    if (const auto *launch = std::get_if<LaunchInfo>(&item)) {
      const KernelInfo *kernel = manifest.findKernel(launch->kernel);
      for (auto [name, operand] : llvm::zip(launch->operands, kernel->operands))
        noteUse(name, &operand, operand.role == OperandUse::Output);
    } else if (const auto *fill = std::get_if<FillInfo>(&item)) {
      noteUse(fill->target, nullptr, /*isWritten=*/true);
    } else {
      noteUse(std::get<CopyInfo>(item).target, nullptr, /*isWritten=*/true);
    }
  }
  for (ProblemBuffer &buffer : problem.buffers)
    if (buffer.operandName.empty())
      buffer.operandName = buffer.name;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Sets the fixed shapes of the function and those in the options.
Error ProblemBuilder::takeArgumentShapes() {
  for (auto [i, argument] : llvm::enumerate(function.arguments)) {
    shapes.push_back(argument.shape);
    const ProblemBuffer &buffer = problem.buffers[i];
    const std::vector<int64_t> *given = findOption(options.shapes, buffer);
    if (!given)
      continue;
    if (given->size() != argument.shape.size())
      return llvm::createStringError(
          buffer.name + " has " + Twine(argument.shape.size()) +
          " dimensions, the shape given has " + Twine(given->size()));
    for (auto [j, size] : llvm::enumerate(*given)) {
      if (argument.shape[j] && *argument.shape[j] != size)
        return llvm::createStringError(
            buffer.name + ": dimension " + Twine(j) + " is fixed to " +
            Twine(*argument.shape[j]) + ", not " + Twine(size));
      shapes[i][j] = size;
    }
  }
  return Error::success();
}

std::optional<int64_t> ProblemBuilder::lookUp(StringRef symbol) const {
  std::optional<ArgumentDim> place = parseArgumentDim(function, symbol);
  return place ? shapes[place->argument][place->dim] : std::nullopt;
}

Error ProblemBuilder::layOut(ProblemBuffer &buffer, const Shape &shape) {
  std::vector<int64_t> sizes;
  for (const std::optional<int64_t> &size : shape) {
    if (!size)
      return llvm::createStringError("the shape of " + buffer.name +
                                     " is not known: give it");
    if (*size < 0)
      return llvm::createStringError("the shape of " + buffer.name +
                                     " has a negative size");
    sizes.push_back(*size);
  }
  const int64_t *given = findOption(options.rowPaddings, buffer);
  int64_t padding = given ? *given : options.defaultRowPadding;
  const int64_t *offset = findOption(options.offsets, buffer);
  buffer.offset = offset ? *offset : options.defaultOffset;
  if (buffer.offset < 0 || padding < 0)
    return llvm::createStringError("offsets and paddings of " + buffer.name +
                                   " must not be negative");
  if (const std::vector<int64_t> *strides =
          findOption(options.strides, buffer)) {
    if (given)
      return llvm::createStringError(buffer.name +
                                     " has strides and a row padding, but "
                                     "strides include paddings");
    buffer.shape = {sizes, *strides};
    return checkStrides(buffer);
  }
  if (Error error = checkLayout(buffer, sizes, padding))
    return error;
  buffer.shape = StridedShape::rowMajor(sizes, padding);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Expected<int64_t> ProblemBuilder::evaluate(const Expr &expr, StringRef name,
                                           StringRef what) const {
  Expected<int64_t> value =
      expr.evaluate([&](StringRef symbol) { return lookUp(symbol); });
  if (!value)
    return llvm::createStringError(name + ": " + what + ": " +
                                   llvm::toString(value.takeError()));
  if (*value < 0)
    return llvm::createStringError(name + ": " + what + " '" + expr.str() +
                                   "' = " + Twine(*value) + " is negative");
  return *value;
}

/// The number of elements from the buffer's first to one past the view's last;
/// nothing if that overflows.
static std::optional<int64_t> getEnd(const BufferPart &part) {
  if (llvm::is_contained(part.shape.sizes, 0))
    return part.offset;
  int64_t end = part.offset;
  for (auto [size, stride] :
       llvm::zip_equal(part.shape.sizes, part.shape.strides)) {
    int64_t distance = 0;
    if (llvm::MulOverflow(size - 1, stride, distance) ||
        llvm::AddOverflow(end, distance, end))
      return std::nullopt;
  }
  if (llvm::AddOverflow(end, int64_t(1), end))
    return std::nullopt;
  return end;
}

/// Returns true if the shape has at most `limit` elements.
static bool hasAtMost(llvm::ArrayRef<int64_t> sizes, int64_t limit) {
  if (llvm::is_contained(sizes, 0))
    return true;
  int64_t count = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(count, size, count) || count > limit)
      return false;
  return true;
}

Error ProblemBuilder::createView(const ViewInfo &view,
                                 const std::string &name) {
  BufferPart &part = views.emplace_back();
  part.buffer = getBuffer(view.buffer);
  const ProblemBuffer &buffer = problem.buffers[part.buffer];
  Expected<int64_t> offset = evaluate(view.offset, name, "offset");
  if (!offset)
    return offset.takeError();
  part.offset = *offset;
  if (int64_t packed = getPackedElements(buffer.type); *offset % packed)
    return llvm::createStringError(
        name + " begins at element " + Twine(*offset) + " of " + buffer.name +
        " (" + buffer.operandName + "), whose elements of " +
        getTypeName(buffer.type) + " share bytes: it must be a multiple of " +
        Twine(packed));
  for (auto [sizeExpr, strideExpr] :
       llvm::zip_equal(view.sizes, view.strides)) {
    Expected<int64_t> size = evaluate(sizeExpr, name, "size");
    if (!size)
      return size.takeError();
    Expected<int64_t> stride = evaluate(strideExpr, name, "stride");
    if (!stride)
      return stride.takeError();
    part.shape.sizes.push_back(*size);
    part.shape.strides.push_back(*stride);
  }
  int64_t numElements = buffer.shape.getNumElements();
  // The view's strides are those of a dense array.
  if (buffer.shape.getExtent() != numElements)
    return llvm::createStringError(
        name + " is a view of " + buffer.name + " (" + buffer.operandName +
        "), whose rows must be contiguous: neither a row padding nor strides "
        "are possible");
  std::optional<int64_t> end = getEnd(part);
  if (end && *end <= numElements) {
    if (hasAtMost(part.shape.sizes, numElements))
      return Error::success();
    return llvm::createStringError(name + " has more elements than " +
                                   buffer.name + " (" + buffer.operandName +
                                   "), which has " + Twine(numElements));
  }
  return llvm::createStringError(
      name + " ends " +
      (end ? "at element " + std::to_string(*end)
           : std::string("beyond element 2^63 - 1")) +
      " of " + buffer.name + " (" + buffer.operandName + "), which has " +
      Twine(numElements));
}

BufferPart ProblemBuilder::getPart(StringRef name) const {
  BufferRef ref = *parseBufferRef(name);
  if (ref.kind == BufferKind::View)
    return views[ref.index];
  unsigned index = getBuffer(ref);
  return {index, 0, problem.buffers[index].shape};
}

Error ProblemBuilder::checkWritten(StringRef name) const {
  if (hasDistinctElements(getPart(name).shape))
    return Error::success();
  return llvm::createStringError(
      name + " is written, but its elements overlap each other");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Error ProblemBuilder::addStep(const LaunchInfo &info) {
  problem.steps.push_back(
      LaunchStep{static_cast<unsigned>(problem.launches.size())});
  ProblemLaunch &launch = problem.launches.emplace_back();
  launch.kernel = manifest.findKernel(info.kernel);
  for (auto [operand, name] :
       llvm::zip_equal(launch.kernel->operands, info.operands)) {
    launch.operands.push_back(getPart(name));
    if (operand.role == OperandUse::Output)
      if (Error error = checkWritten(name))
        return error;
  }
  return Error::success();
}

Error ProblemBuilder::addStep(const FillInfo &fill) {
  problem.steps.push_back(
      FillStep{getPart(fill.target), encodeScalar(fill.type, fill.value)});
  return checkWritten(fill.target);
}

static std::string printSizes(const StridedShape &shape) {
  std::string text;
  for (int64_t size : shape.sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// The launch of a pack is for buffers without gaps between their rows.
Expected<CopyPlan> ProblemBuilder::planCopy(const CopyInfo &copy,
                                            const CopyStep &step) const {
  auto isDense = [&](const BufferPart &part) {
    const StridedShape &shape = problem.buffers[part.buffer].shape;
    return shape.strides == StridedShape::rowMajor(shape.sizes).strides;
  };
  if (copy.step && isDense(step.source) && isDense(step.target))
    return tcgemm::planCopy(*copy.step,
                            [&](StringRef symbol) { return lookUp(symbol); });
  return tcgemm::planCopy(
      step.source.shape, step.target.shape,
      getByteSize(problem.buffers[step.source.buffer].type));
}

Error ProblemBuilder::addStep(const CopyInfo &copy) {
  CopyStep step{getPart(copy.source), getPart(copy.target), {}};
  if (step.source.shape.sizes != step.target.shape.sizes)
    return llvm::createStringError(
        "a copy of " + copy.source + " (" + printSizes(step.source.shape) +
        ") to " + copy.target + " (" + printSizes(step.target.shape) +
        "): the shapes must be the same");
  Expected<CopyPlan> plan = planCopy(copy, step);
  if (plan)
    step.plan = std::move(*plan);
  else if (copy.step)
    return plan.takeError();
  else
    llvm::consumeError(plan.takeError());
  problem.steps.push_back(std::move(step));
  return checkWritten(copy.target);
}

Error ProblemBuilder::resolve() {
  if (Error error = takeArgumentShapes())
    return error;
  for (const Temporary &temporary : function.temporaries)
    shapes.emplace_back(temporary.shape.size());
  for (unsigned index : constants)
    shapes.emplace_back(manifest.constants[index].shape.begin(),
                        manifest.constants[index].shape.end());
  for (const ViewInfo &view : function.views)
    viewShapes.emplace_back(view.sizes.size());
  if (Error error = inferAllShapes())
    return error;
  for (auto [buffer, shape] : llvm::zip_equal(problem.buffers, shapes))
    if (Error error = layOut(buffer, shape))
      return error;
  for (auto [i, view] : llvm::enumerate(function.views))
    if (Error error = createView(view, getBufferPrefix(BufferKind::View).str() +
                                           std::to_string(i)))
      return error;
  for (const FunctionLaunch &item : function.launches)
    if (Error error =
            std::visit([&](const auto &info) { return addStep(info); }, item))
      return error;
  return Error::success();
}
