//===- PtxLaunch.cpp - One kernel of any PTX, with given arguments --------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch is compared with the PTX first: a CUDA driver would read arguments
// that are not there.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/PtxLaunch.h"

#include "DeviceImage.h"

#include "tcgemm/Emulator/Ptx.h"

#include "llvm/ADT/STLExtras.h"

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
                                     " is no multiple of the cluster " +
                                     format(config.cluster));
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
  if (function.params.size() != launch.arguments.size())
    return llvm::createStringError(
        "kernel '" + launch.kernel + "' has " + Twine(function.params.size()) +
        " parameters, " + Twine(launch.arguments.size()) + " are given");
  for (auto [i, argument] : llvm::enumerate(launch.arguments)) {
    uint64_t bytes = argument.isScalar ? argument.scalar.size() : 8;
    if (function.params[i].bytes != bytes)
      return llvm::createStringError(
          "parameter " + Twine(i) + " of '" + launch.kernel + "' has " +
          Twine(function.params[i].bytes) + " bytes, " + argument.buffer.name +
          " has " + Twine(bytes));
  }
  if (Error error = checkBlock(function, launch.config))
    return std::move(error);
  return (*module)->target.str();
}

static KernelArgument toBytes(uint64_t value) {
  KernelArgument bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

Expected<PtxResult> tcgemm::runPtx(Device &device, PtxLaunch &launch) {
  std::vector<DeviceImage> images(launch.arguments.size());
  std::vector<KernelArgument> values;
  for (auto [i, argument] : llvm::enumerate(launch.arguments)) {
    ProblemBuffer &buffer = argument.buffer;
    if (argument.isScalar) {
      values.push_back(argument.scalar);
      continue;
    }
    if (Error error = buffer.fillImage(mixSeed(launch.seed, i)))
      return std::move(error);
    Expected<DeviceImage> image =
        DeviceImage::create(device, buffer, buffer.name);
    if (!image)
      return addContext(buffer.name, image.takeError());
    images[i] = std::move(*image);
    if (Error error =
            images[i].prepare(device, buffer, buffer.isRead, buffer.isWritten))
      return std::move(error);
    values.push_back(toBytes(images[i].getAddress() +
                             static_cast<uint64_t>(buffer.getStart())));
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
    Expected<std::vector<uint8_t>> after =
        images[i].download(device, buffer, result.missed[i]);
    if (!after)
      return after.takeError();
    if (!buffer.isWritten && *after != buffer.image)
      result.damage = buffer.name + " is an input and was written";
    else if (std::string damage = findDamage(buffer, buffer.image, *after);
             !damage.empty())
      result.damage = damage;
    buffer.image = std::move(*after);
  }
  return result;
}
