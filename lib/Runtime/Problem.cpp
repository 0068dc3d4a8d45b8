//===- Problem.cpp - A function with its data -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolves the shapes of a function's arguments and fills them.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Problem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

int64_t ProblemBuffer::getStart() const {
  return kRedZone + offset * getByteSize(type);
}

int64_t ProblemBuffer::getImageSize() const {
  // A multiple of 16, so that device fills of words cover it.
  int64_t end = getStart() + shape.getExtent() * getByteSize(type) + kRedZone;
  return (end + 15) / 16 * 16;
}

/// The value for a buffer in an option map: by its own name or its operand's.
template <typename T>
static const T *find(const std::map<std::string, T> &map,
                     const ProblemBuffer &buffer) {
  auto it = map.find(buffer.name);
  if (it == map.end())
    it = map.find(buffer.operandName);
  return it == map.end() ? nullptr : &it->second;
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

/// Names and roles of all buffers, from the launches that use them.
Error Problem::describeBuffers(const FunctionInfo &function) {
  for (auto [i, argument] : llvm::enumerate(function.arguments)) {
    ProblemBuffer &buffer = buffers.emplace_back();
    buffer.name = "arg" + std::to_string(i);
    buffer.type = argument.type;
    buffer.isScalar = argument.access == AccessKind::Scalar;
    buffer.isRead = argument.access == AccessKind::Read ||
                    argument.access == AccessKind::ReadWrite;
  }
  for (auto [i, temporary] : llvm::enumerate(function.temporaries)) {
    ProblemBuffer &buffer = buffers.emplace_back();
    buffer.name = "tmp" + std::to_string(i);
    buffer.type = temporary.type;
  }
  for (const LaunchInfo &info : function.launches) {
    ProblemLaunch &launch = launches.emplace_back();
    launch.kernel = pack->manifest.findKernel(info.kernel);
    for (auto [text, operand] :
         llvm::zip(info.operands, launch.kernel->operands)) {
      BufferRef ref = *parseBufferRef(text);
      unsigned index =
          ref.index + (ref.isTemporary ? function.arguments.size() : 0);
      launch.buffers.push_back(index);
      if (buffers[index].operandName.empty())
        buffers[index].operandName = operand.name;
      buffers[index].isWritten |= operand.role == OperandUse::Output;
    }
  }
  return Error::success();
}

/// Fails if the buffer's image would have more bytes than an address can count.
static Error checkExtent(const ProblemBuffer &buffer,
                         llvm::ArrayRef<int64_t> sizes, int64_t padding) {
  bool overflows = false;
  auto multiply = [&](int64_t a, int64_t b) {
    overflows |= llvm::MulOverflow(a, b, a) != 0;
    return a;
  };
  auto add = [&](int64_t a, int64_t b) {
    overflows |= llvm::AddOverflow(a, b, a) != 0;
    return a;
  };
  int64_t elements = 1, bytes = getByteSize(buffer.type);
  for (size_t i = sizes.size(); i-- > 0;) {
    elements = multiply(elements, sizes[i]);
    if (i + 1 == sizes.size())
      elements = add(elements, padding);
  }
  // The image is rounded up to a multiple of 16.
  add(multiply(add(elements, buffer.offset), bytes),
      2 * ProblemBuffer::kRedZone + 15);
  if (!overflows)
    return Error::success();
  std::string shape;
  for (int64_t size : sizes)
    shape += (shape.empty() ? "" : " x ") + std::to_string(size);
  return llvm::createStringError(
      buffer.name + " (" + buffer.operandName + ") of " + shape + " " +
      getTypeName(buffer.type).str() + " with " + Twine(padding) +
      " elements after each row and " + Twine(buffer.offset) +
      " before the first takes more bytes than the limit of 2^63 - 1");
}

/// Shapes: what the function fixes, what the options say, and what follows
/// launch by launch.
Error Problem::resolve(const FunctionInfo &function) {
  std::vector<std::vector<std::optional<int64_t>>> shapes;
  for (auto [i, argument] : llvm::enumerate(function.arguments)) {
    shapes.push_back(argument.shape);
    const std::vector<int64_t> *given = find(options.shapes, buffers[i]);
    if (!given)
      continue;
    if (given->size() != argument.shape.size())
      return llvm::createStringError(
          buffers[i].name + " has " + Twine(argument.shape.size()) +
          " dimensions, the shape given has " + Twine(given->size()));
    for (auto [j, size] : llvm::enumerate(*given)) {
      if (argument.shape[j] && *argument.shape[j] != size)
        return llvm::createStringError(
            buffers[i].name + ": dimension " + Twine(j) + " is fixed to " +
            Twine(*argument.shape[j]) + ", not " + Twine(size));
      shapes[i][j] = size;
    }
  }
  auto resolveTemporaries = [&] {
    for (auto [t, temporary] : llvm::enumerate(function.temporaries)) {
      auto &shape = shapes[function.arguments.size() + t];
      for (auto [j, size] : llvm::enumerate(temporary.shape)) {
        Expected<int64_t> value =
            size.evaluate([&](StringRef symbol) -> std::optional<int64_t> {
              auto [name, field] = symbol.split('.');
              unsigned dim = 0;
              std::optional<BufferRef> ref = parseBufferRef(name);
              if (!ref || !field.consume_front("dim") ||
                  field.getAsInteger(10, dim))
                return std::nullopt;
              return shapes[ref->index][dim];
            });
        if (value)
          shape[j] = *value;
        else // Not known yet; if it stays so, that is reported below.
          llvm::consumeError(value.takeError());
      }
    }
  };
  for (const Temporary &temporary : function.temporaries)
    shapes.emplace_back(temporary.shape.size());
  for (auto [l, launch] : llvm::enumerate(launches)) {
    resolveTemporaries();
    std::array<std::optional<int64_t>, kNumDims> sizes = launch.kernel->sizes;
    for (auto [operand, index] :
         llvm::zip(launch.kernel->operands, launch.buffers))
      for (auto [i, dim] : llvm::enumerate(operand.dims))
        if (!sizes[unsigned(dim)])
          sizes[unsigned(dim)] = shapes[index][i];
    for (unsigned d = 0; l == 0 && d != kNumDims; ++d) {
      std::optional<int64_t> given = options.sizes[d];
      if (given && sizes[d] && *given != *sizes[d])
        return llvm::createStringError(getSizeName(Dim(d)) + " is fixed to " +
                                       Twine(*sizes[d]) + ", not " +
                                       Twine(*given));
      if (given)
        sizes[d] = given;
    }
    for (auto [operand, index] :
         llvm::zip(launch.kernel->operands, launch.buffers))
      for (auto [i, dim] : llvm::enumerate(operand.dims)) {
        if (!shapes[index][i])
          shapes[index][i] = sizes[unsigned(dim)];
        if (!shapes[index][i])
          return llvm::createStringError(
              getSizeName(dim) + " of kernel '" + launch.kernel->name +
              "' is not known: give it, or the shape of " +
              buffers[index].name);
      }
  }
  resolveTemporaries();
  for (auto [buffer, shape] : llvm::zip(buffers, shapes)) {
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
    const int64_t *given = find(options.rowPaddings, buffer);
    int64_t padding = given ? *given : options.defaultRowPadding;
    const int64_t *offset = find(options.offsets, buffer);
    buffer.offset = offset ? *offset : options.defaultOffset;
    if (buffer.offset < 0 || padding < 0)
      return llvm::createStringError("offsets and paddings of " + buffer.name +
                                     " must not be negative");
    if (Error error = checkExtent(buffer, sizes, padding))
      return error;
    buffer.shape = StridedShape::rowMajor(sizes, padding);
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
  Problem problem;
  problem.pack = &pack;
  problem.options = options;
  if (options.defaultOffset < 0 || options.defaultRowPadding < 0)
    return llvm::createStringError("offsets and paddings must not be negative");
  if (Error error = problem.describeBuffers(*function))
    return std::move(error);
  llvm::ArrayRef<ProblemBuffer> all = problem.buffers;
  if (Error error = checkKeys(options.shapes, "shape", all))
    return std::move(error);
  if (Error error = checkKeys(options.fills, "fill", all))
    return std::move(error);
  if (Error error = checkKeys(options.rowPaddings, "row padding", all))
    return std::move(error);
  if (Error error = checkKeys(options.offsets, "offset", all))
    return std::move(error);
  if (Error error = checkKeys(options.scalars, "scalar", all))
    return std::move(error);
  if (Error error = problem.resolve(*function))
    return std::move(error);
  for (auto [i, buffer] : llvm::enumerate(problem.buffers)) {
    const FillOptions *fill = find(options.fills, buffer);
    buffer.fill = fill ? *fill : options.defaultFill;
    if (!buffer.isScalar)
      continue;
    // Small powers of two keep sums of integers exact.
    constexpr double choices[] = {1, 2, -1, 0.5};
    const double *scalar = find(options.scalars, buffer);
    buffer.scalar = scalar ? *scalar : choices[mixSeed(options.seed, i) % 4];
  }
  return problem;
}

Error ProblemBuffer::fillImage(uint64_t seed) {
  // 0xff bytes are NaN in every float type; 0xa5 is the canary.
  image.assign(getImageSize(), isWritten ? 0xa5 : 0xff);
  unsigned bytes = getByteSize(type);
  HostTensor tensor(type, shape, 0xff);
  if (isRead)
    if (Error error = fillTensor(tensor, fill, seed))
      return llvm::createStringError(name + ": " +
                                     llvm::toString(std::move(error)));
  uint8_t *target = image.data() + getStart();
  int64_t row = shape.getRowSize() * bytes; // Rows are contiguous.
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
  return Error::success();
}

void Problem::freeImages() {
  for (ProblemBuffer &buffer : buffers)
    std::vector<uint8_t>().swap(buffer.image);
}

Expected<LaunchPlan> Problem::plan(unsigned index,
                                   llvm::ArrayRef<uint64_t> addresses,
                                   int64_t smCount) const {
  const ProblemLaunch &launch = launches[index];
  std::vector<BoundOperand> operands;
  for (unsigned buffer : launch.buffers)
    operands.push_back(
        {buffers[buffer].shape,
         addresses[buffer] + static_cast<uint64_t>(buffers[buffer].getStart()),
         buffers[buffer].scalar});
  return planLaunch(*launch.kernel, operands, {smCount, options.variant});
}

ProblemSizes Problem::getSizes(unsigned index) const {
  ProblemSizes sizes = {0, 0, 0, 1};
  const ProblemLaunch &launch = launches[index];
  for (auto [operand, buffer] :
       llvm::zip(launch.kernel->operands, launch.buffers))
    for (auto [i, dim] : llvm::enumerate(operand.dims))
      sizes[unsigned(dim)] = buffers[buffer].shape.sizes[i];
  return sizes;
}

double Problem::getFlops() const {
  double flops = 0;
  for (unsigned i = 0; i != launches.size(); ++i) {
    double product = 2;
    for (int64_t size : getSizes(i))
      product *= static_cast<double>(size);
    flops += product;
  }
  return flops;
}
