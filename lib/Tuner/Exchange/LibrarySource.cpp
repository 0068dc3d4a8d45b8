//===- LibrarySource.cpp - Generated libraries ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/LibrarySource.h"

#include "Exchange/LibraryParts.h"
#include "Exchange/ProgramFiles.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The files of a folder, by their paths in it. All are made before the first
/// one is written.
class FolderWriter {
public:
  explicit FolderWriter(StringRef folder) : folder(folder) {}
  std::string &add(const Twine &path) {
    return files.emplace_back(path.str(), "").second;
  }
  Error write() const;

private:
  std::string folder;
  std::vector<std::pair<std::string, std::string>> files;
};

/// Collects what the files of a library say.
class LibraryWriter {
public:
  LibraryWriter(const LibraryContents &contents, StringRef folder)
      : contents(contents), files(folder) {}
  Error write();

private:
  unsigned addChip(StringRef name, bool isPTX);
  std::vector<unsigned> addImages(const KernelPack &pack);
  Error addKernel(const LibraryKernel &kernel);
  Error addModule(const LibraryModule &module);
  Error addProduct(const LibraryProduct &product);
  Error writeKernels();
  void writeImages();
  Error writeTables();
  void writeConstantParts();
  void writeBuildFiles();

  const LibraryContents &contents;
  FolderWriter files;
  LibraryTables tables;
  std::vector<SourceKernel> kernels;
  unsigned numKernels = 0; ///< With tables of copies.
  std::vector<SourceFunction> functions;
  /// The file of each image, by the code.
  StringMap<unsigned> imageNumbers;
  std::vector<std::string> sources;
};

} // namespace

Error FolderWriter::write() const {
  for (const auto &[path, text] : files) {
    SmallString<256> whole(folder);
    sys::path::append(whole, path);
    StringRef parent = sys::path::parent_path(whole);
    if (std::error_code code = sys::fs::create_directories(parent))
      return createStringError("cannot make '" + parent +
                               "': " + code.message());
    const std::string &bytes = text;
    Error error = writeOutputFile(whole, [&](raw_ostream &os) {
      os << bytes;
      return Error::success();
    });
    if (error)
      return createStringError("cannot write " + toString(std::move(error)));
  }
  return Error::success();
}

unsigned LibraryWriter::addChip(StringRef name, bool isPTX) {
  for (auto [i, chip] : enumerate(tables.chips))
    if (chip.name == name && chip.isPTX == isPTX)
      return static_cast<unsigned>(i);
  tables.chips.push_back({name.str(), isPTX});
  return static_cast<unsigned>(tables.chips.size() - 1);
}

/// The numbers of a pack's modules; equal code is there once.
std::vector<unsigned> LibraryWriter::addImages(const KernelPack &pack) {
  std::vector<unsigned> numbers;
  for (auto [module, image] : zip_equal(pack.manifest.modules, pack.images)) {
    bool isPTX = image.cubin.empty();
    const std::string &code = isPTX ? image.ptx : image.cubin;
    auto [entry, isNew] =
        imageNumbers.try_emplace(getSHA256(code), tables.images.size());
    numbers.push_back(entry->second);
    if (!isNew)
      continue;
    std::string file =
        "image" + std::to_string(entry->second) + (isPTX ? ".ptx" : ".cubin");
    tables.images.push_back({module.name, file});
    files.add("images/" + file) = code;
  }
  return numbers;
}

static bool isPTX(const KernelPack &pack) {
  return any_of(pack.images,
                [](const ModuleImage &image) { return image.cubin.empty(); });
}

Error LibraryWriter::addKernel(const LibraryKernel &kernel) {
  const Manifest &manifest = kernel.pack.manifest;
  auto fail = [&] {
    return createStringError("a product needs more than the launch of one "
                             "kernel, which a library's products are");
  };
  if (manifest.functions.size() != 1 || manifest.kernels.size() != 1 ||
      !manifest.constants.empty())
    return fail();
  const FunctionInfo &function = manifest.functions.front();
  if (function.launches.size() != 1 || !function.temporaries.empty() ||
      !function.views.empty())
    return fail();
  const auto *launch = std::get_if<LaunchInfo>(&function.launches.front());
  if (!launch)
    return fail();
  SourceKernel source;
  source.manifest = &manifest;
  source.kernel = &manifest.kernels.front();
  source.number = numKernels++;
  source.chip = addChip(kernel.chip, isPTX(kernel.pack));
  source.chipName = kernel.chip;
  source.config = kernel.config;
  source.images = addImages(kernel.pack);
  for (const std::string &operand : launch->operands) {
    std::optional<BufferRef> buffer = parseBufferRef(operand);
    if (!buffer || buffer->kind != BufferKind::Argument)
      return fail();
    source.arguments.push_back(buffer->index);
  }
  kernels.push_back(std::move(source));
  return Error::success();
}

Error LibraryWriter::addModule(const LibraryModule &module) {
  const Manifest &manifest = module.pack.manifest;
  std::vector<unsigned> constants;
  for (auto [constant, elements] :
       zip_equal(manifest.constants, module.pack.constants)) {
    constants.push_back(static_cast<unsigned>(tables.constants.size()));
    std::string file;
    if (!elements.empty()) {
      file = "constant" + std::to_string(tables.constants.size()) + ".bin";
      files.add("images/" + file) = elements;
    }
    tables.constants.push_back({&constant, std::move(file)});
  }
  std::vector<unsigned> images = addImages(module.pack), numbers;
  unsigned chip = addChip(module.chip, isPTX(module.pack));
  for (const KernelInfo &kernel : manifest.kernels) {
    SourceKernel source;
    source.manifest = &manifest;
    source.kernel = &kernel;
    source.number = numKernels++;
    source.chip = chip;
    source.chipName = module.chip;
    source.config = kernel.variants.front().config;
    source.images = images;
    numbers.push_back(source.number);
    kernels.push_back(std::move(source));
  }
  for (const FunctionInfo &function : manifest.functions) {
    if (any_of(functions, [&](const SourceFunction &other) {
          return other.function->name == function.name && other.chip == chip;
        }))
      return createStringError("two modules have a function '" + function.name +
                               "' for " + module.chip);
    functions.push_back(
        {&manifest, &function, static_cast<unsigned>(functions.size()), chip,
         numbers, constants, images, hasCopies(function) ? numKernels++ : 0});
  }
  return Error::success();
}

Error LibraryWriter::addProduct(const LibraryProduct &product) {
  Expected<library::ProductTerms> terms =
      library::getProductTerms(product.kernel);
  if (!terms)
    return createStringError(toString(terms.takeError()) +
                             ": export a module that computes it");
  bool isOfPTX = any_of(product.exact, [&](const auto &entry) {
    return isPTX(contents.kernels[entry.second].pack);
  });
  tables.products.push_back(
      {&product, std::move(*terms), addChip(product.chip, isOfPTX)});
  return Error::success();
}

Error LibraryWriter::writeKernels() {
  for (const SourceKernel &kernel : kernels) {
    std::string name = "kernel" + std::to_string(kernel.number) + ".c";
    raw_string_ostream os(files.add("src/" + name));
    if (Error error = printKernel(kernel, os))
      return error;
    sources.push_back(name);
  }
  for (const SourceFunction &function : functions) {
    std::string name = "function" + std::to_string(function.number) + ".c";
    raw_string_ostream os(files.add("src/" + name));
    if (Error error = printFunction(function, os))
      return error;
    sources.push_back(name);
  }
  return Error::success();
}

void LibraryWriter::writeImages() {
  raw_string_ostream os(files.add("src/images.c"));
  printImages(tables, os);
  sources.push_back("images.c");
}

Error LibraryWriter::writeTables() {
  tables.numKernels = numKernels;
  tables.functions = functions;
  raw_string_ostream os(files.add("src/tables.c"));
  printTables(tables, os);
  sources.push_back("tables.c");
  return Error::success();
}

void LibraryWriter::writeConstantParts() {
  for (const ShippedFile &file : getLibraryFiles()) {
    StringRef name = file.name;
    if (name.ends_with(".in"))
      continue;
    bool isPublic = name.starts_with("tcgemm");
    files.add((isPublic ? "include/" : "src/") + name) = file.text.str();
    if (name.ends_with(".c"))
      sources.push_back(name.str());
  }
}

void LibraryWriter::writeBuildFiles() {
  std::string list, exports;
  for (const std::string &source : sources)
    list += "  src/" + source + "\n";
  for (StringRef name : getLibraryExports())
    exports += ("    " + name + ";\n").str();
  SourceParts parts = {{"NAME", contents.name},
                       {"VERSION", library::getVersionText().str()},
                       {"SOURCES", list},
                       {"EXPORTS", exports}};
  for (const auto &[name, path] :
       {std::pair("CMakeLists.txt.in", std::string("CMakeLists.txt")),
        std::pair("Config.cmake.in", contents.name + "Config.cmake"),
        std::pair("exports.map.in", contents.name + ".map")}) {
    raw_string_ostream os(files.add(path));
    fillIn(getFileText(getLibraryFiles(), name), parts, os);
  }
}

Error LibraryWriter::write() {
  for (const LibraryKernel &kernel : contents.kernels)
    if (Error error = addKernel(kernel))
      return error;
  for (const LibraryModule &module : contents.modules)
    if (Error error = addModule(module))
      return error;
  for (const LibraryProduct &product : contents.products)
    if (Error error = addProduct(product))
      return error;
  if (Error error = writeKernels())
    return error;
  writeImages();
  if (Error error = writeTables())
    return error;
  writeConstantParts();
  writeBuildFiles();
  return files.write();
}

Error checkLibraryName(StringRef name) {
  if (isIdentifier(name))
    return Error::success();
  return createStringError("name '" + name + "' is not a C identifier");
}

Error writeLibrary(const LibraryContents &contents, StringRef folder) {
  if (Error error = checkLibraryName(contents.name))
    return error;
  return LibraryWriter(contents, folder).write();
}

} // namespace tcgemm
