//===- PackSource.cpp - Reads or compiles kernel packs --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackSource.h"
#include "tcgemm/Target/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

std::string PackSource::getChip(StringRef packPath) const {
  if (options.hasChip || !llvm::sys::fs::is_directory(packPath))
    return options.compile.chip;
  Expected<KernelPack> pack = readPack(packPath);
  if (!pack || pack->manifest.modules.empty()) {
    if (!pack) // Whoever runs it will say so.
      llvm::consumeError(pack.takeError());
    return options.compile.chip;
  }
  return pack->manifest.modules.front().chip;
}

bool PackSource::hasOwnKernels() const {
  return options.input.empty() &&
         (options.problems.size() == 1 || !options.compile.records.empty());
}

/// Says which kernels spill, each once: where nobody fixed a configuration that
/// is no error.
static void noteSpills(const KernelPack &pack, llvm::raw_ostream &os) {
  llvm::StringSet<> noted;
  for (const KernelInfo &kernel : pack.manifest.kernels)
    for (const Variant &variant : kernel.variants)
      for (const Step &step : variant.steps)
        if (step.spillBytes.value_or(0) && noted.insert(step.symbol).second)
          os << "tcgemm-run: note: " << step.symbol << " spills "
             << *step.spillBytes << " bytes\n";
}

/// The chip to compile for: that of the device.
static std::string getDeviceChip(const DeviceProperties &p) {
  int64_t capability = int64_t(p.major) * 10 + p.minor;
  return p.isEmulated ? "sm_" + std::to_string(capability)
                      : getNativeChip(capability);
}

std::string
PackSource::getTargetChip(const DeviceProperties &properties) const {
  return options.hasChip ? options.compile.chip : getDeviceChip(properties);
}

/// Fails if the innermost index of an operand of a contraction divides the rows
/// of interleaved elements.
static Error checkInterleavedRows(const GenerateOptions &generate) {
  for (unsigned operand : {0, 1}) {
    ScalarType type = operand ? generate.problem.typeB : generate.problem.typeA;
    char index = generate.contraction->operands[operand].letters.back();
    int64_t extent = generate.contraction->extents.at(index);
    if (isInterleaved(type) && extent % getRowUnit(type))
      return llvm::createStringError(
          "index " + std::string(1, index) + " is " + llvm::Twine(extent) +
          ", but elements of " + getTypeName(type) +
          " are interleaved along it: it must be a multiple of " +
          llvm::Twine(getRowUnit(type)));
  }
  return Error::success();
}

/// The MLIR of a problem, read or generated.
Expected<std::string> PackSource::getSource(const NamedProblem &problem) const {
  if (!options.input.empty()) {
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
    if (!buffer)
      return llvm::createStringError("cannot read '" + options.input +
                                     "': " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }
  GenerateOptions generate = options.generate;
  generate.problem.setSizes(problem.getSizes());
  generate.isBatched |= generate.problem.batch != 1;
  if (generate.problem.k > 0)
    if (Error error = generate.problem.checkDepth())
      return std::move(error);
  if (generate.contraction)
    if (Error error = checkInterleavedRows(generate))
      return std::move(error);
  return generateMLIR(generate);
}

/// Replaces the records of `compile` by their provider, or null. It is made
/// here, so that it can say what it answered.
Expected<std::shared_ptr<RecordProvider>>
PackSource::prepareRecords(const NamedProblem &problem,
                           CompileOptions &compile) const {
  auto records = createRecordProvider(compile.records);
  compile.records = "none";
  if (!records)
    return nullptr;
  compile.providers = {records};
  if (Error error = records->prepare())
    return std::move(error);
  for (const std::string &text : records->takeNotes())
    note(text);
  if (hasOwnKernels())
    records->assumeSizes(problem.getSizes());
  return records;
}

Expected<KernelPack> PackSource::compile(const NamedProblem &problem,
                                         const Device *device) const {
  Expected<std::string> source = getSource(problem);
  if (!source)
    return source.takeError();
  CompileOptions compile = options.compile;
  if (device)
    compile.chip = getTargetChip(device->getProperties());
  // The emulator needs no ptxas, nor that anybody has one.
  if (device && device->getProperties().isEmulated && options.savePack.empty())
    compile.format = OutputFormat::PTX;
  auto records = prepareRecords(problem, compile);
  if (!records)
    return records.takeError();
  // A generated function has a name of its own.
  std::string function =
      options.input.empty() ? std::string() : options.problem.function;
  Expected<KernelPack> pack = compileToPack(*source, compile, function);
  if (*records)
    for (const std::string &answer : (*records)->getAnswers())
      note("config of " + answer);
  if (!pack)
    return pack;
  bool isHalved =
      llvm::any_of(pack->manifest.kernels,
                   [](const KernelInfo &kernel) { return kernel.isSymmetric; });
  if (options.input.empty() && options.generate.problem.isSymmetric &&
      !isHalved)
    return llvm::createStringError(
        "--symmetric: no kernel of " + compile.chip +
        " and this configuration computes the half of the result; schedule "
        "wgmma of sm_90a without pingpong does");
  for (const LeftOutFunction &other : pack->manifest.leftOut)
    note("left out: " + other.reason);
  noteSpills(*pack, err);
  return pack;
}

Expected<KernelPack> PackSource::getPack(const NamedProblem &problem,
                                         const Device *device) const {
  if (!options.input.empty() && llvm::sys::fs::is_directory(options.input))
    return readPack(options.input);
  Expected<KernelPack> pack = compile(problem, device);
  if (!pack || options.savePack.empty())
    return pack;
  if (Error error = writePack(options.savePack, *pack))
    return std::move(error);
  return pack;
}
