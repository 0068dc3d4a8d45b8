//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is the text of a Python dictionary with three keys in any order.
// Only the format that NumPy itself writes is accepted.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;
using llvm::StringRef;

static StringRef getDescr(ScalarType type) {
  switch (type) {
  case ScalarType::I1:
    return "|b1";
  case ScalarType::I8:
  case ScalarType::I4: // NumPy has no elements of 4 bits.
  case ScalarType::I4Interleaved:
    return "|i1";
  case ScalarType::U8:
  case ScalarType::U4:
  case ScalarType::U4Interleaved:
  case ScalarType::U1: // One in a byte of the file.
  case ScalarType::E4M3:
  case ScalarType::E5M2:
    return "|u1";
  case ScalarType::I16:
    return "<i2";
  case ScalarType::I32:
    return "<i4";
  case ScalarType::I64:
  case ScalarType::Index:
    return "<i8";
  case ScalarType::F16:
  case ScalarType::F16Acc16:
    return "<f2";
  case ScalarType::BF16:
    return "<u2";
  case ScalarType::F32:
  case ScalarType::TF32:
  case ScalarType::TF32X3:
  case ScalarType::BF16X3:
  case ScalarType::BF16X6:
    return "<f4";
  case ScalarType::F64:
    return "<f8";
  }
  return "";
}

/// Returns whether elements of `type` may be unsigned: buffers of whole bytes
/// have integers without a sign.
static bool hasNoSign(ScalarType type) {
  return type == ScalarType::I8 || type == ScalarType::I16 ||
         type == ScalarType::I32 || type == ScalarType::I64;
}

static llvm::Error fail(const llvm::Twine &what) {
  return llvm::createStringError(".npy: " + what);
}

/// The text after `'key':` in the header; empty if there is none.
static StringRef findValue(StringRef header, StringRef key) {
  size_t position = header.find(("'" + key + "'").str());
  if (position == StringRef::npos)
    return {};
  StringRef rest = header.substr(position + key.size() + 2).ltrim();
  return rest.consume_front(":") ? rest.ltrim() : StringRef();
}

static llvm::Error parseShape(StringRef header, std::vector<int64_t> &sizes) {
  StringRef value = findValue(header, "shape");
  size_t end = value.find(')');
  if (!value.consume_front("(") || end == StringRef::npos)
    return fail("no 'shape' in the header");
  llvm::SmallVector<StringRef> parts;
  value.take_front(end - 1).split(parts, ',', -1, /*KeepEmpty=*/false);
  int64_t count = 1;
  for (StringRef part : parts) {
    int64_t size = 0;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, size) || size < 0 ||
        llvm::MulOverflow(count, size, count))
      return fail("'" + part.trim() + "' is not a size");
    sizes.push_back(size);
  }
  return llvm::Error::success();
}

llvm::Expected<HostTensor> tcgemm::parseNpy(StringRef bytes, ScalarType type) {
  if (!bytes.starts_with(StringRef("\x93NUMPY", 6)) || bytes.size() < 12)
    return fail("not a NumPy file");
  auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<uint8_t>(bytes[i]));
  };
  size_t version = byte(6), start = 10, length = byte(8) | byte(9) << 8;
  if (version == 2) {
    start = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  } else if (version != 1) {
    return fail("version " + llvm::Twine(version) + " is not supported");
  }
  if (bytes.size() < start + length)
    return fail("truncated inside its header");
  StringRef header = bytes.substr(start, length);
  StringRef descr = findValue(header, "descr");
  if (!descr.consume_front("'"))
    return fail("no 'descr' in the header");
  descr = descr.take_until([](char c) { return c == '\''; });
  std::string expected = getDescr(type).str(), withoutSign = expected;
  if (hasNoSign(type))
    withoutSign[1] = 'u';
  if (descr != expected && descr != withoutSign)
    return fail("has elements of type '" + descr + "', expected '" + expected +
                "' for " + getTypeName(type));
  if (!findValue(header, "fortran_order").starts_with("False"))
    return fail("must be in C order ('fortran_order': False)");
  std::vector<int64_t> sizes;
  if (llvm::Error error = parseShape(header, sizes))
    return std::move(error);
  StringRef data = bytes.substr(start + length);
  int64_t count = 1, size = 0;
  for (int64_t extent : sizes)
    count *= extent; // Checked by parseShape.
  if (llvm::MulOverflow<int64_t>(count, getByteSize(type), size) ||
      static_cast<uint64_t>(size) != data.size())
    return fail("has " + llvm::Twine(data.size()) +
                " bytes of data, its "
                "shape needs " +
                llvm::Twine(count) + " elements of " +
                llvm::Twine(getByteSize(type)));
  llvm::Expected<StridedShape> shape = StridedShape::createRowMajor(sizes);
  if (!shape)
    return fail(llvm::toString(shape.takeError()));
  HostTensor tensor(type, std::move(*shape));
  if (getPackedElements(type) == 1)
    std::copy(data.begin(), data.end(), tensor.bytes.begin());
  else
    for (int64_t i = 0; i != count; ++i) {
      tensor.set(i, static_cast<int8_t>(data[i]));
      if (tensor.get(i) != static_cast<int8_t>(data[i]))
        return fail("element " + llvm::Twine(i) + " is no value of " +
                    getTypeName(type));
    }
  return tensor;
}

llvm::Expected<HostTensor> tcgemm::readNpy(StringRef path, ScalarType type) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  llvm::Expected<HostTensor> tensor = parseNpy((*buffer)->getBuffer(), type);
  if (!tensor)
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(tensor.takeError()));
  return tensor;
}

std::string tcgemm::formatNpy(const HostTensor &tensor) {
  std::string header = "{'descr': '" + getDescr(tensor.type).str() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape.sizes)
    header += std::to_string(size) + ", ";
  header += "), }";
  // NumPy aligns the data to 64 bytes with spaces and ends with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  unsigned size = getByteSize(tensor.type);
  int64_t stride = tensor.shape.getRowStride();
  bool isPacked = getPackedElements(tensor.type) > 1;
  tensor.shape.forEachRow([&](int64_t offset) {
    for (int64_t i = 0; i != tensor.shape.getRowSize(); ++i)
      if (isPacked)
        bytes += static_cast<char>(tensor.get(offset + i * stride));
      else
        bytes.append(reinterpret_cast<const char *>(tensor.bytes.data()) +
                         (offset + i * stride) * size,
                     size);
  });
  return bytes;
}

llvm::Error tcgemm::writeNpy(StringRef path, const HostTensor &tensor) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << formatNpy(tensor);
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + code.message());
  return llvm::Error::success();
}
