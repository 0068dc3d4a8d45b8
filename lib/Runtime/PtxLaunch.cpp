//===- PtxLaunch.cpp - One kernel of any PTX, with given arguments --------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch is checked against the PTX first, because a CUDA driver would read
// missing arguments.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/PtxLaunch.h"

#include "DeviceImage.h"

#include "tcgemm/Emulator/Ptx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Expected<const ptx::Function *> findKernel(const ptx::Module &module,
                                                  StringRef name) {
  std::string names;
  const ptx::Function *found = nullptr;
  unsigned count = 0;
  for (const ptx::Function &function : module.functions) {
    if (!function.isEntry || !function.isDefinition)
      continue;
    names += (names.empty() ? "" : ", ") + function.name.str();
    if (function.name == name)
      return &function;
    found = &function;
    ++count;
  }
  if (count == 0)
    return llvm::createStringError("the PTX has no kernel");
  if (!name.empty())
    return llvm::createStringError("no kernel '" + name +
                                   "' in the PTX, which has " + names);
  if (count > 1)
    return llvm::createStringError(
        "the PTX has several kernels, name one of them: " + names);
  return found;
}

static Error checkBlock(const ptx::Function &function,
                        const LaunchConfig &config) {
  auto format = [](const std::array<uint32_t, 3> &sizes) {
    return Twine(sizes[0]).str() + "x" + std::to_string(sizes[1]) + "x" +
           std::to_string(sizes[2]);
  };
  auto [x, y, z] = config.block;
  if (x > 1024 || y > 1024 || z > 64 || x * y * z > 1024)
    return llvm::createStringError("a block of " + format(config.block) +
                                   " threads exceeds 1024, or 64 along z");
  const std::array<uint32_t, 3> none{};
  if (function.requiredThreads != none &&
      function.requiredThreads != config.block)
    return llvm::createStringError(
        "kernel '" + function.name + "' requires blocks of " +
        format(function.requiredThreads) + ", not " + format(config.block));
  for (unsigned i = 0; i != 3; ++i)
    if (config.grid[i] % config.cluster[i] != 0)
      return llvm::createStringError("the grid " + format(config.grid) +
                                     " is not a multiple of the cluster " +
                                     format(config.cluster));
  return Error::success();
}

static Error checkArguments(const ptx::Function &function, PtxLaunch &launch) {
  const std::vector<PtxArgument> &arguments = launch.arguments;
  size_t count = arguments.empty() ? 0 : arguments.back().parameter + 1;
  if (function.params.size() != count)
    return llvm::createStringError(
        "kernel '" + launch.kernel + "' has " + Twine(function.params.size()) +
        " parameters, " + Twine(count) + " are given");
  launch.parameterBytes.clear();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    // A parameter ends with its last argument.
    if (i + 1 != arguments.size() &&
        arguments[i + 1].parameter == argument.parameter)
      continue;
    const ptx::Variable &param = function.params[argument.parameter];
    uint64_t bytes = argument.offset + argument.getByteSize();
    // A struct's size is a multiple of its alignment.
    if (argument.isField)
      bytes = llvm::alignTo(bytes, std::max(1U, param.align));
    if (param.bytes != bytes)
      return llvm::createStringError(
          "parameter " + Twine(argument.parameter) + " of '" + launch.kernel +
          "' has " + Twine(param.bytes) + " bytes, " +
          (argument.isField ? "the struct that ends with " : "") +
          argument.buffer.name + " has " + Twine(bytes));
    launch.parameterBytes.push_back(bytes);
  }
  return Error::success();
}

Expected<std::string> tcgemm::checkPtxLaunch(PtxLaunch &launch) {
  Expected<std::unique_ptr<ptx::Module>> module = ptx::parse(launch.ptx);
  if (!module)
    return module.takeError();
  Expected<const ptx::Function *> found = findKernel(**module, launch.kernel);
  if (!found)
    return found.takeError();
  const ptx::Function &function = **found;
  launch.kernel = function.name.str();
  if (Error error = checkArguments(function, launch))
    return std::move(error);
  if (Error error = checkBlock(function, launch.config))
    return std::move(error);
  return (*module)->target.str();
}

/// The bytes of an argument for the kernel. `address` is that of its array, if
/// it has one.
static Expected<KernelArgument>
getBytes(Device &device, const PtxArgument &argument, uint64_t address) {
  if (argument.isScalar)
    return argument.scalar;
  KernelArgument bytes(argument.getByteSize());
  if (!argument.map) {
    std::memcpy(bytes.data(), &address, sizeof(address));
    return bytes;
  }
  TensorMapDescription map = *argument.map;
  map.base = address;
  Expected<TensorMapImage> image = device.encodeTensorMap(map);
  if (!image)
    return addContext(argument.buffer.name, image.takeError());
  llvm::copy(*image, bytes.begin());
  return bytes;
}

/// Allocates and fills an array. Returns the address of its first element.
static Expected<uint64_t> prepareArray(Device &device, ProblemBuffer &buffer,
                                       uint64_t seed, DeviceImage &image) {
  if (Error error = buffer.fillImage(seed))
    return std::move(error);
  Expected<DeviceImage> created =
      DeviceImage::create(device, buffer, buffer.name);
  if (!created)
    return addContext(buffer.name, created.takeError());
  image = std::move(*created);
  llvm::SmallVector<BufferPart, 1> undefined;
  if (buffer.isWritten && !buffer.isRead)
    undefined.push_back(getWhole(buffer));
  if (Error error = image.prepare(device, buffer, buffer.isWritten, undefined))
    return std::move(error);
  return image.getAddress() + static_cast<uint64_t>(buffer.getStart());
}

Expected<PtxResult> tcgemm::runPtx(Device &device, PtxLaunch &launch) {
  std::vector<DeviceImage> images(launch.arguments.size());
  std::vector<KernelArgument> values;
  values.reserve(launch.parameterBytes.size());
  for (uint64_t bytes : launch.parameterBytes)
    values.emplace_back(bytes);
  for (auto [i, argument] : llvm::enumerate(launch.arguments)) {
    uint64_t address = 0;
    if (!argument.isScalar) {
      Expected<uint64_t> prepared = prepareArray(
          device, argument.buffer, mixSeed(launch.seed, i), images[i]);
      if (!prepared)
        return prepared.takeError();
      address = *prepared;
    }
    Expected<KernelArgument> bytes = getBytes(device, argument, address);
    if (!bytes)
      return bytes.takeError();
    llvm::copy(*bytes, values[argument.parameter].begin() + argument.offset);
  }
  Expected<std::unique_ptr<Module>> module =
      device.loadModule({launch.ptx, ""});
  if (!module)
    return module.takeError();
  Expected<Kernel *> kernel = (*module)->getKernel(launch.kernel);
  if (!kernel)
    return kernel.takeError();
  if (Error error = device.launch(**kernel, launch.config, values))
    return std::move(error);
  if (Error error = device.synchronize())
    return std::move(error);

  PtxResult result;
  if (AccessChecker *checker = device.getAccessChecker())
    result.observed = checker->takeObservations();
  result.missed.resize(launch.arguments.size());
  for (auto [i, argument] : llvm::enumerate(launch.arguments)) {
    if (argument.isScalar)
      continue;
    ProblemBuffer &buffer = argument.buffer;
    BufferPart whole = getWhole(buffer);
    Expected<std::vector<uint8_t>> after =
        images[i].download(device, buffer, whole, result.missed[i]);
    if (!after)
      return after.takeError();
    if (!buffer.isWritten && *after != buffer.image)
      result.damage = buffer.name + " is an input and was written";
    else if (std::string damage =
                 findDamage(buffer, whole, buffer.image, *after);
             !damage.empty())
      result.damage = damage;
    buffer.image = std::move(*after);
  }
  return result;
}
