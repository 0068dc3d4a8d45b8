//===- KernelPack.cpp - A manifest and its compiled modules ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs as directories: reading with every check, and writing.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/KernelPack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;
using llvm::StringRef;
using llvm::Twine;

std::string tcgemm::getSHA256(StringRef bytes) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)),
                     /*LowerCase=*/true);
}

static llvm::Expected<std::string> readFile(StringRef directory,
                                            StringRef name) {
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, name);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path.str() +
                                   "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Reads a file whose contents the manifest describes as `what`.
static llvm::Expected<std::string> readChecked(StringRef directory,
                                               StringRef name, StringRef sha256,
                                               StringRef what) {
  llvm::Expected<std::string> bytes = readFile(directory, name);
  if (!bytes)
    return bytes;
  std::string found = getSHA256(*bytes);
  if (StringRef(found).equals_insensitive(sha256))
    return bytes;
  return llvm::createStringError(
      "'" + directory + "/" + name + "' (" + Twine(bytes->size()) +
      " bytes) is not the " + what +
      " that the manifest describes: its SHA-256 "
      "is " +
      found + ", not " + sha256 + " (truncated or replaced?)");
}

static llvm::Error checkNumBytes(const PackConstant &constant,
                                 StringRef bytes) {
  if (int64_t(bytes.size()) == *constant.getNumBytes())
    return llvm::Error::success();
  return llvm::createStringError(
      "constant '" + constant.name + "' has " + Twine(bytes.size()) +
      " bytes, its type and shape have " + Twine(*constant.getNumBytes()));
}

static llvm::Error readConstants(StringRef directory, KernelPack &pack) {
  for (const PackConstant &constant : pack.manifest.constants) {
    std::string &target = pack.constants.emplace_back();
    if (constant.file.empty())
      continue;
    llvm::Expected<std::string> bytes =
        readChecked(directory, constant.file, constant.sha256, "constant");
    if (!bytes)
      return bytes.takeError();
    if (llvm::Error error = checkNumBytes(constant, *bytes))
      return error;
    target = std::move(*bytes);
  }
  return llvm::Error::success();
}

llvm::Expected<KernelPack> tcgemm::readPack(StringRef directory) {
  llvm::Expected<std::string> text = readFile(directory, "manifest.json");
  if (!text)
    return text.takeError();
  llvm::Expected<Manifest> manifest = parseManifest(*text);
  if (!manifest)
    return llvm::createStringError(directory + ": " +
                                   llvm::toString(manifest.takeError()));
  KernelPack pack;
  pack.manifest = std::move(*manifest);
  for (const ModuleInfo &module : pack.manifest.modules) {
    ModuleImage image;
    llvm::Expected<std::string> ptx = readFile(directory, module.ptx);
    if (!ptx)
      return ptx.takeError();
    image.ptx = std::move(*ptx);
    if (!module.cubin.empty()) {
      llvm::Expected<std::string> cubin =
          readChecked(directory, module.cubin, module.cubinSHA256, "cubin");
      if (!cubin)
        return cubin.takeError();
      image.cubin = std::move(*cubin);
    }
    pack.images.push_back(std::move(image));
  }
  if (llvm::Error error = readConstants(directory, pack))
    return std::move(error);
  return pack;
}

static llvm::Error writeFile(StringRef directory, StringRef name,
                             StringRef bytes) {
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << bytes;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError("cannot write '" + path.str() +
                                   "': " + code.message());
  return llvm::Error::success();
}

llvm::Error tcgemm::writePack(StringRef directory, KernelPack pack) {
  if (pack.images.size() != pack.manifest.modules.size())
    return llvm::createStringError(
        "a pack has one image per module: " + Twine(pack.images.size()) +
        " images, " + Twine(pack.manifest.modules.size()) + " modules");
  for (auto [module, image] : llvm::zip(pack.manifest.modules, pack.images)) {
    if (module.ptx.empty())
      module.ptx = module.name + ".ptx";
    module.cubin = image.cubin.empty()    ? ""
                   : module.cubin.empty() ? module.name + ".cubin"
                                          : module.cubin;
    module.cubinSHA256 = image.cubin.empty() ? "" : getSHA256(image.cubin);
  }
  if (pack.constants.size() != pack.manifest.constants.size())
    return llvm::createStringError(
        "a pack has the elements of each constant: " +
        Twine(pack.constants.size()) + " arrays, " +
        Twine(pack.manifest.constants.size()) + " constants");
  for (auto [constant, bytes] :
       llvm::zip(pack.manifest.constants, pack.constants))
    if (!constant.file.empty())
      constant.sha256 = getSHA256(bytes);
  if (llvm::Error error = verifyManifest(pack.manifest))
    return error;
  for (auto [constant, bytes] :
       llvm::zip(pack.manifest.constants, pack.constants))
    if (!constant.file.empty())
      if (llvm::Error error = checkNumBytes(constant, bytes))
        return error;
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return llvm::createStringError("cannot make the directory '" + directory +
                                   "': " + code.message());
  for (auto [module, image] : llvm::zip(pack.manifest.modules, pack.images)) {
    if (llvm::Error error = writeFile(directory, module.ptx, image.ptx))
      return error;
    if (!image.cubin.empty())
      if (llvm::Error error = writeFile(directory, module.cubin, image.cubin))
        return error;
  }
  for (auto [constant, bytes] :
       llvm::zip(pack.manifest.constants, pack.constants))
    if (!constant.file.empty())
      if (llvm::Error error = writeFile(directory, constant.file, bytes))
        return error;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.value(toJSON(pack.manifest));
  os << '\n';
  return writeFile(directory, "manifest.json", text);
}
