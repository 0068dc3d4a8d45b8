//===- LibraryInputs.cpp - Contents of an exported library --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryInputs.h"

#include "KernelChoice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static constexpr Scaling kScalings[] = {
    {"none", false, false, false},
    {"alpha", true, false, false},
    {"alpha-beta", true, true, false},
    {"device", true, true, true},
};

static Expected<std::vector<std::string>> readChips(const Flags &flags) {
  llvm::SmallVector<StringRef> names;
  std::string text = getChip(flags);
  StringRef(text).split(names, ',');
  std::vector<std::string> chips;
  for (StringRef name : names) {
    Expected<const ChipInfo &> chip = lookupChip(name);
    if (!chip)
      return chip.takeError();
    if (!llvm::is_contained(chips, name))
      chips.push_back(name.str());
  }
  return chips;
}

static Expected<std::vector<const Scaling *>> readScalings(StringRef text) {
  llvm::SmallVector<StringRef> words;
  text.split(words, ',');
  std::vector<const Scaling *> scalings;
  for (StringRef word : words) {
    const Scaling *found = llvm::find_if(
        kScalings, [&](const Scaling &each) { return each.name == word; });
    if (found == std::end(kScalings))
      return llvm::createStringError(
          "--scaling has '" + word +
          "', but its words are none, alpha, alpha-beta and device");
    if (!llvm::is_contained(scalings, found))
      scalings.push_back(found);
  }
  return scalings;
}

/// Returns whether an argument names a folder with a pack.
static bool isPack(StringRef path) {
  llvm::SmallString<128> manifest(path);
  llvm::sys::path::append(manifest, "manifest.json");
  return llvm::sys::fs::exists(manifest);
}

/// Reads a module or a pack. A pack is for the chip that it was compiled for.
static Error readModule(const std::string &path, LibraryInputs &inputs) {
  if (isModule(path)) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createStringError("cannot read '" + path +
                                     "': " + buffer.getError().message());
    inputs.modules.push_back({path, (*buffer)->getBuffer().str()});
    return Error::success();
  }
  Expected<KernelPack> pack = readPack(path);
  if (!pack)
    return pack.takeError();
  const Manifest &manifest = pack->manifest;
  if (manifest.functions.empty() || manifest.modules.empty())
    return llvm::createStringError("pack '" + path + "' has no function");
  if (Error error = lookupChip(manifest.modules.front().chip).takeError())
    return error;
  inputs.packs.push_back({path, std::move(*pack)});
  return Error::success();
}

/// Fails for options of products.
static Error checkWithoutProducts(const ExchangeFlags &flags) {
  for (auto [name, isGiven] :
       {std::pair("scaling", flags.scaling.getNumOccurrences() > 0),
        std::pair("any-size", flags.anySize.getValue()),
        std::pair("static", flags.shared.problem.isStatic.getValue())})
    if (isGiven)
      return llvm::createStringError(
          "--" + llvm::Twine(name) +
          " is for products, but there are only modules and packs");
  return Error::success();
}

/// With a module, --m, --n and --k are the expected sizes of its products.
static Expected<std::string> readSizeHint(const Flags &flags) {
  Expected<ModuleProblemOptions> options = flags.problem.readRanges();
  if (!options)
    return options.takeError();
  const MatmulRanges &sizes = *options;
  if (sizes.m.empty() && sizes.n.empty() && sizes.k.empty() &&
      sizes.batch.empty())
    return std::string();
  if (sizes.m.empty() || sizes.n.empty() || sizes.k.empty() ||
      sizes.expand().size() != 1)
    return llvm::createStringError(
        "with a module, --m, --n and --k are the expected sizes of its "
        "products: give one number for each, or none of them");
  return sizes.expand().front().str();
}

Expected<LibraryInputs> tcgemm::readLibraryInputs(const ExchangeFlags &flags) {
  const Flags &shared = flags.shared;
  LibraryInputs inputs;
  Expected<std::vector<std::string>> chips = readChips(shared);
  if (!chips)
    return chips.takeError();
  inputs.chips = std::move(*chips);
  Expected<std::vector<const Scaling *>> scalings = readScalings(flags.scaling);
  if (!scalings)
    return scalings.takeError();
  inputs.scalings = std::move(*scalings);
  if (!flags.config.empty())
    return llvm::createStringError(
        "--config is for one kernel, but a library has a configuration for "
        "each size");
  std::vector<std::string> shapes;
  for (const std::string &text : shared.problem.shapes) {
    bool isFile = isModule(text) || isPack(text);
    if (!isFile)
      shapes.push_back(text);
    else if (Error error = readModule(text, inputs))
      return std::move(error);
  }
  Expected<std::vector<TuningProblem>> problems =
      readProblemsOf(shared, shapes, /*mayBeNone=*/true);
  if (!problems)
    return problems.takeError();
  inputs.problems = std::move(*problems);
  if (inputs.problems.empty() && inputs.modules.empty()) {
    if (shared.device.chip.getNumOccurrences() > 0)
      return llvm::createStringError(
          "--chip is for shapes and modules, but there are only packs");
    inputs.chips.clear();
  }
  if (inputs.problems.empty())
    if (Error error = checkWithoutProducts(flags))
      return std::move(error);
  if (!inputs.modules.empty()) {
    Expected<std::string> hint = readSizeHint(shared);
    if (!hint)
      return hint.takeError();
    inputs.sizeHint = std::move(*hint);
  }
  if (inputs.problems.empty() && inputs.modules.empty() && inputs.packs.empty())
    return llvm::createStringError(
        "a library needs shapes as 4096x4096x4096, --problems, a file.mlir or "
        "the folder of a pack");
  return inputs;
}
