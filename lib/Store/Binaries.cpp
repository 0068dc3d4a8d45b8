//===- Binaries.cpp - Compiled code on disk -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is a file for each hash. It is written under another name and renamed,
// so that readers never see a partial file, and several writers of the same
// file do not interfere.
//
//===----------------------------------------------------------------------===//

#include "Binaries.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The encoding after the magic number: plain bytes, or zstd.
enum Method : char { Plain = 0, Zstd = 1 };
constexpr StringLiteral kMagic = "tcgb";
constexpr size_t kHeaderSize = 4 + 1 + 8;
constexpr uint64_t kMaxSize = uint64_t(1) << 30;

} // namespace

std::string packBytes(StringRef bytes) {
  bool compresses = compression::zstd::isAvailable();
  std::string packed = kMagic.str();
  packed.push_back(compresses ? Zstd : Plain);
  char size[8];
  support::endian::write64le(size, bytes.size());
  packed.append(size, 8);
  if (!compresses)
    return packed + bytes.str();
  SmallVector<uint8_t> compressed;
  compression::zstd::compress(arrayRefFromStringRef(bytes), compressed);
  packed.append(compressed.begin(), compressed.end());
  return packed;
}

Expected<std::string> unpackBytes(StringRef packed) {
  if (packed.size() < kHeaderSize || !packed.starts_with(kMagic))
    return createStringError("not packed bytes of tcgemm, or cut short");
  char method = packed[4];
  uint64_t size = support::endian::read64le(packed.data() + 5);
  StringRef content = packed.drop_front(kHeaderSize);
  if (method == Plain && content.size() == size)
    return content.str();
  if (method != Zstd || !compression::zstd::isAvailable() || size > kMaxSize)
    return createStringError("packed bytes are damaged, or this tcgemm was "
                             "built without zstd");
  SmallVector<uint8_t> bytes;
  if (Error error = compression::zstd::decompress(
          arrayRefFromStringRef(content), bytes, size))
    return std::move(error);
  return std::string(bytes.begin(), bytes.end());
}

std::string getBinaryFile(StringRef folder, StringRef hash) {
  SmallString<128> path(folder);
  sys::path::append(path, hash.take_front(2), hash);
  return path.str().str();
}

Error storePackedBinary(StringRef folder, StringRef hash, StringRef packed) {
  std::string path = getBinaryFile(folder, hash);
  if (std::error_code code =
          sys::fs::create_directories(sys::path::parent_path(path)))
    return createStringError("cannot make the folder of '" + path +
                             "': " + code.message());
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return file.takeError();
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << packed;
  stream.flush();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return joinErrors(
        createStringError("cannot write '" + path + "': " + code.message()),
        file->discard());
  }
  return file->keep(path);
}

static Error writeBinary(StringRef folder, StringRef hash, StringRef bytes) {
  if (sys::fs::exists(getBinaryFile(folder, hash)))
    return Error::success();
  return storePackedBinary(folder, hash, packBytes(bytes));
}

Expected<std::vector<std::string>> writeBinaries(StringRef folder,
                                                 const KernelPack &pack) {
  std::vector<std::string> hashes;
  for (const ModuleImage &image : pack.images) {
    const std::string &code = image.cubin.empty() ? image.ptx : image.cubin;
    hashes.push_back(getSHA256(code));
    if (Error error = writeBinary(folder, hashes.back(), code))
      return std::move(error);
  }
  return hashes;
}

static Expected<std::string> readBinary(StringRef folder, StringRef hash) {
  std::string path = getBinaryFile(folder, hash);
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read the code in '" + path +
                             "': " + buffer.getError().message());
  Expected<std::string> bytes = unpackBytes((*buffer)->getBuffer());
  if (!bytes)
    return createStringError("'" + path + "': " + toString(bytes.takeError()));
  if (getSHA256(*bytes) != hash)
    return createStringError("'" + path + "' does not hold what its name says");
  return bytes;
}

Expected<KernelPack> readBinaries(StringRef folder, StringRef manifest,
                                  ArrayRef<std::string> hashes) {
  Expected<Manifest> parsed = parseManifest(manifest);
  if (!parsed)
    return parsed.takeError();
  KernelPack pack;
  pack.manifest = std::move(*parsed);
  if (pack.manifest.modules.size() != hashes.size())
    return createStringError("a build has " + Twine(hashes.size()) +
                             " binaries for " +
                             Twine(pack.manifest.modules.size()) + " modules");
  for (auto [module, hash] : zip_equal(pack.manifest.modules, hashes)) {
    Expected<std::string> code = readBinary(folder, hash);
    if (!code)
      return code.takeError();
    ModuleImage &image = pack.images.emplace_back();
    (module.cubin.empty() ? image.ptx : image.cubin) = std::move(*code);
  }
  return pack;
}

Error forEachBinary(StringRef folder,
                    function_ref<Error(const std::string &path)> visit) {
  std::error_code code;
  for (sys::fs::recursive_directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    if (it->type() == sys::fs::file_type::regular_file)
      if (Error error = visit(it->path()))
        return error;
  // The folder does not exist before the first build is stored.
  if (code && code != std::errc::no_such_file_or_directory)
    return createStringError("cannot list '" + folder + "': " + code.message());
  return Error::success();
}

Error copyBinary(StringRef path, StringRef folder) {
  StringRef hash = sys::path::filename(path);
  if (hash.ends_with(".tmp") || sys::fs::exists(getBinaryFile(folder, hash)))
    return Error::success();
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return storePackedBinary(folder, hash, (*buffer)->getBuffer());
}

} // namespace tcgemm
