//===- Problem.cpp - A function with its data -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates problems from options and fills their buffers.
//
//===----------------------------------------------------------------------===//

#include "ProblemBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

int64_t ProblemBuffer::getStart() const {
  return kRedZone + getByteOffset(type, offset);
}

int64_t ProblemBuffer::getImageSize() const {
  // A multiple of 16, so that device fills of words cover it.
  int64_t end = getStart() + getByteCount(type, shape.getExtent()) + kRedZone;
  return (end + 15) / 16 * 16;
}

int64_t BufferPart::getStart(const ProblemBuffer &buffer) const {
  return buffer.getStart() + getByteOffset(buffer.type, offset);
}

template <typename T>
static Error checkKeys(const std::map<std::string, T> &map, StringRef what,
                       llvm::ArrayRef<ProblemBuffer> buffers) {
  for (const auto &[key, value] : map)
    if (llvm::none_of(buffers, [&key = key](const ProblemBuffer &buffer) {
          return buffer.name == key || buffer.operandName == key;
        })) {
      std::string names;
      for (const ProblemBuffer &buffer : buffers)
        names += " " + buffer.name + " (" + buffer.operandName + ")";
      return llvm::createStringError(what + ": no argument '" + key +
                                     "'; there are" + names);
    }
  return Error::success();
}

Expected<Problem> Problem::create(const KernelPack &pack,
                                  const ProblemOptions &options) {
  const std::vector<FunctionInfo> &functions = pack.manifest.functions;
  const FunctionInfo *function = nullptr;
  if (!options.function.empty())
    function = pack.manifest.findFunction(options.function);
  else if (!functions.empty())
    function = &functions.front();
  for (const LeftOutFunction &other : pack.manifest.leftOut)
    if (!function && other.name == options.function)
      return llvm::createStringError("the pack does not have function '" +
                                     other.name + "': " + other.reason);
  if (!function)
    return llvm::createStringError(
        options.function.empty()
            ? Twine("the pack has no function")
            : "no function '" + Twine(options.function) + "' in the pack");
  if (pack.constants.size() != pack.manifest.constants.size())
    return llvm::createStringError("the pack does not have the elements of all "
                                   "its constants");
  Problem problem;
  problem.pack = &pack;
  problem.options = options;
  if (options.defaultOffset < 0 || options.defaultRowPadding < 0)
    return llvm::createStringError("offsets and paddings must not be negative");
  ProblemBuilder builder(pack, *function, options, problem);
  builder.describeBuffers();
  llvm::ArrayRef<ProblemBuffer> all = problem.buffers;
  if (Error error = checkKeys(options.shapes, "shape", all))
    return std::move(error);
  if (Error error = checkKeys(options.fills, "fill", all))
    return std::move(error);
  if (Error error = checkKeys(options.rowPaddings, "row padding", all))
    return std::move(error);
  if (Error error = checkKeys(options.strides, "stride", all))
    return std::move(error);
  if (Error error = checkKeys(options.offsets, "offset", all))
    return std::move(error);
  if (Error error = checkKeys(options.scalars, "scalar", all))
    return std::move(error);
  if (Error error = builder.resolve())
    return std::move(error);
  if (Error error = problem.chooseContents())
    return std::move(error);
  return problem;
}

Error Problem::chooseContents() {
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    const FillOptions *fill = findOption(options.fills, buffer);
    if (fill && buffer.constant)
      return llvm::createStringError(
          "fill: " + buffer.name + " (" + buffer.operandName +
          ") is the constant '" + buffer.constant->name + "' of the pack");
    buffer.fill = fill ? *fill : options.defaultFill;
    if (!buffer.isScalar)
      continue;
    // Small powers of two keep sums of integers exact.
    constexpr double choices[] = {1, 2, -1, 0.5};
    const double *scalar = findOption(options.scalars, buffer);
    buffer.scalar = scalar ? *scalar : choices[mixSeed(options.seed, i) % 4];
  }
  return Error::success();
}

/// The elements of a constant, without padding between its rows.
static std::vector<uint8_t> getElements(const PackConstant &constant,
                                        const std::string &bytes) {
  if (!constant.file.empty())
    return std::vector<uint8_t>(bytes.begin(), bytes.end());
  std::vector<uint8_t> element = encodeScalar(constant.type, constant.splat);
  std::vector<uint8_t> elements;
  for (int64_t i = 0; i < *constant.getNumBytes(); i += element.size())
    elements.insert(elements.end(), element.begin(), element.end());
  return elements;
}

Error ProblemBuffer::fillImage(uint64_t seed) {
  // 0xff bytes are NaN in every float type; 0xa5 is the canary.
  image.assign(getImageSize(), isWritten ? 0xa5 : 0xff);
  unsigned bytes = getByteSize(type);
  int64_t row = shape.getRowSize() * bytes; // Rows are contiguous.
  uint8_t *target = image.data() + getStart();
  if (constant) {
    std::vector<uint8_t> elements = getElements(*constant, *constantBytes);
    const uint8_t *source = elements.data();
    shape.forEachRow([&](int64_t offset) {
      std::memcpy(target + offset * bytes, source, row);
      source += row;
    });
    return Error::success();
  }
  HostTensor tensor(type, shape, 0xff);
  if (isRead)
    if (Error error = fillTensor(tensor, fill, seed))
      return llvm::createStringError(name + ": " +
                                     llvm::toString(std::move(error)));
  if (getPackedElements(type) > 1) // Rows may share bytes.
    llvm::copy(tensor.bytes, target);
  else
    shape.forEachRow([&](int64_t offset) {
      std::memcpy(target + offset * bytes, tensor.bytes.data() + offset * bytes,
                  row);
    });
  return Error::success();
}

Error Problem::fill() {
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (!buffer.isScalar)
      if (Error error = buffer.fillImage(mixSeed(options.seed, 1000 + i)))
        return error;
  clearOutsideBands();
  return Error::success();
}

/// Writes zeros outside the band to a part of a buffer.
static void clearOutside(const Band &band, const BufferPart &part,
                         ProblemBuffer &buffer) {
  unsigned bytes = getByteSize(buffer.type);
  uint8_t *target = buffer.image.data() + part.getStart(buffer);
  int64_t rows = part.shape.sizes[part.shape.getRank() - 2], row = 0;
  int64_t columns = part.shape.getRowSize(), step = part.shape.getRowStride();
  part.shape.forEachRow([&](int64_t offset) {
    for (int64_t column = 0; column != columns; ++column)
      if (!band.contains(row % rows, column))
        std::memset(target + (offset + column * step) * bytes, 0, bytes);
    ++row;
  });
}

/// Writes the zeros that kernels rely on to random matrices. Contents that the
/// user gave stay as they are: they are wrong if they do not have these zeros.
void Problem::clearOutsideBands() {
  for (const ProblemLaunch &launch : launches)
    for (unsigned operand : {0, 1}) {
      const std::optional<Band> &band = launch.kernel->operands[operand].band;
      const BufferPart &part = launch.operands[operand];
      ProblemBuffer &buffer = buffers[part.buffer];
      bool isGiven = buffer.constant || buffer.fill.kind == FillOptions::File ||
                     buffer.fill.kind == FillOptions::Values;
      if (band && band->hasZeros && buffer.isRead && !isGiven)
        clearOutside(*band, part, buffer);
    }
}

void Problem::freeImages() {
  for (ProblemBuffer &buffer : buffers)
    std::vector<uint8_t>().swap(buffer.image);
}

uint64_t Problem::getAddress(const BufferPart &part,
                             llvm::ArrayRef<uint64_t> addresses) const {
  return addresses[part.buffer] +
         static_cast<uint64_t>(part.getStart(buffers[part.buffer]));
}

void Problem::apply(const FillStep &fill) {
  ProblemBuffer &buffer = buffers[fill.target.buffer];
  uint8_t *target = buffer.image.data() + fill.target.getStart(buffer);
  int64_t bytes = fill.element.size();
  fill.target.shape.forEachRun([&](int64_t offset, int64_t count) {
    for (int64_t i = offset; i != offset + count; ++i)
      std::memcpy(target + i * bytes, fill.element.data(), bytes);
  });
}

/// Behaves as if the whole source were read before the target is written.
void Problem::apply(const CopyStep &copy) {
  const ProblemBuffer &from = buffers[copy.source.buffer];
  ProblemBuffer &to = buffers[copy.target.buffer];
  int64_t bytes = getByteSize(from.type);
  const uint8_t *source = from.image.data() + copy.source.getStart(from);
  std::vector<uint8_t> elements;
  copy.source.shape.forEachRun([&](int64_t offset, int64_t count) {
    elements.insert(elements.end(), source + offset * bytes,
                    source + (offset + count) * bytes);
  });
  uint8_t *target = to.image.data() + copy.target.getStart(to);
  const uint8_t *next = elements.data();
  copy.target.shape.forEachRun([&](int64_t offset, int64_t count) {
    std::memcpy(target + offset * bytes, next, count * bytes);
    next += count * bytes;
  });
}

static std::string describePart(const Problem &problem,
                                const BufferPart &part) {
  std::string text = problem.buffers[part.buffer].name;
  if (part.offset)
    text += " from element " + std::to_string(part.offset);
  llvm::raw_string_ostream os(text);
  auto print = [&](StringRef word, llvm::ArrayRef<int64_t> numbers) {
    os << word;
    llvm::interleave(numbers, os, "x");
  };
  print(" ", part.shape.sizes);
  print(" strides ", part.shape.strides);
  return text;
}

std::string Problem::describe(const FillStep &fill) const {
  std::string value;
  llvm::raw_string_ostream(value) << llvm::format(
      "%g", loadElement(buffers[fill.target.buffer].type, fill.element.data()));
  return "fill " + describePart(*this, fill.target) + " with " + value + "\n";
}

std::string Problem::describe(const CopyStep &copy) const {
  return "copy " + describePart(*this, copy.source) + " to " +
         describePart(*this, copy.target) + "\n";
}

Expected<LaunchPlan> Problem::plan(unsigned index,
                                   llvm::ArrayRef<uint64_t> addresses,
                                   int64_t smCount) const {
  const ProblemLaunch &launch = launches[index];
  std::vector<BoundOperand> operands;
  operands.reserve(launch.operands.size());
  for (const BufferPart &part : launch.operands)
    operands.push_back(
        {part.shape, getAddress(part, addresses), buffers[part.buffer].scalar});
  return planLaunch(*launch.kernel, operands, {smCount, options.variant});
}

ProblemSizes Problem::getSizes(unsigned index) const {
  ProblemSizes sizes = makeSizes(0, 0, 0);
  const ProblemLaunch &launch = launches[index];
  for (auto [operand, part] :
       llvm::zip(launch.kernel->operands, launch.operands))
    for (auto [i, dim] : llvm::enumerate(operand.dims))
      if (operand.hasSizes())
        sizes[unsigned(dim)] = part.shape.sizes[i];
  if (std::optional<Dim> summed = launch.kernel->findSummedDim()) {
    sizes[unsigned(Dim::K)] *= sizes[unsigned(*summed)];
    sizes[unsigned(*summed)] = 1;
  }
  return sizes;
}

double Problem::getFlops() const {
  double flops = 0;
  for (unsigned i = 0; i != launches.size(); ++i) {
    double product = 2;
    ProblemSizes sizes = getSizes(i);
    // Each row or term is of one group only.
    if (launches[i].kernel->hasDividedGroups())
      sizes[unsigned(Dim::Batch)] = 1;
    if (launches[i].kernel->findSecond())
      product *= 2;
    for (int64_t size : sizes)
      product *= static_cast<double>(size);
    flops += product;
  }
  return flops;
}
