//===- TcgemmTypes.cpp - Types of the tile level -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/BlockScales.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tcgemm;

#define GET_TYPEDEF_CLASSES
#include "tcgemm/Dialect/TcgemmTypes.cpp.inc"

void TcgemmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tcgemm/Dialect/TcgemmTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// PrecisionType
//===----------------------------------------------------------------------===//

bool PrecisionType::has(ScalarType type) { return getPartType(type) != type; }

/// Reads the name of a type that `isOne` accepts, in angle brackets.
static std::optional<ScalarType>
parseScalar(AsmParser &parser, function_ref<bool(ScalarType)> isOne,
            StringRef what) {
  StringRef name;
  SMLoc location;
  if (parser.parseLess() || parser.getCurrentLocation(&location) ||
      parser.parseKeyword(&name) || parser.parseGreater())
    return std::nullopt;
  std::optional<ScalarType> scalar = parseScalarType(name);
  if (scalar && isOne(*scalar))
    return scalar;
  parser.emitError(location) << "'" << name << "' is no type of " << what;
  return std::nullopt;
}

Type PrecisionType::parse(AsmParser &parser) {
  std::optional<ScalarType> scalar =
      parseScalar(parser, has, "operands with a precision");
  return scalar ? PrecisionType::get(parser.getContext(), *scalar) : Type();
}

void PrecisionType::print(AsmPrinter &printer) const {
  printer << "<" << getTypeName(getScalar()) << ">";
}

//===----------------------------------------------------------------------===//
// InterleavedType
//===----------------------------------------------------------------------===//

Type InterleavedType::parse(AsmParser &parser) {
  std::optional<ScalarType> scalar =
      parseScalar(parser, isInterleaved, "interleaved operands");
  return scalar ? InterleavedType::get(parser.getContext(), *scalar) : Type();
}

void InterleavedType::print(AsmPrinter &printer) const {
  printer << "<" << getTypeName(getScalar()) << ">";
}

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

static int64_t getSwizzleBytes(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::B128:
    return 128;
  case Swizzle::B64:
    return 64;
  case Swizzle::B32:
    return 32;
  default:
    return 0;
  }
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, Type elementType,
                               Swizzle swizzle) {
  constexpr int64_t limit = 65536;
  if (rows <= 0 || columns <= 0 || rows > limit || columns > limit)
    return emitError() << "a tile's rows and columns must be 1 to " << limit
                       << ", but are " << rows << " x " << columns;
  if (!elementType.isIntOrFloat() || getStorageBits(elementType) % 8)
    return emitError() << "a tile's elements must be whole bytes, but are "
                       << elementType;
  int64_t rowBytes = columns * getStorageBits(elementType) / 8;
  if (rowBytes % 16)
    return emitError()
           << "a tile's row must be a multiple of 16 bytes, but has "
           << rowBytes;
  if (swizzle == Swizzle::Xor && !llvm::isPowerOf2_64(rowBytes))
    return emitError() << "an xor-swizzled tile's row must be a power of two "
                          "bytes, but has "
                       << rowBytes;
  if (swizzle == Swizzle::Sectors &&
      (!llvm::isPowerOf2_64(rowBytes) || rowBytes < 128))
    return emitError() << "a sectors-swizzled tile's row must be a power of "
                          "two bytes from 128, but has "
                       << rowBytes;
  if (int64_t width = getSwizzleBytes(swizzle); width && rowBytes != width)
    return emitError() << "a " << stringifySwizzle(swizzle)
                       << "-swizzled tile's row must be " << width
                       << " bytes, but has " << rowBytes;
  return success();
}

int64_t TileType::getTmaSwizzle() const {
  return getSwizzleBytes(getSwizzle());
}

int64_t TileType::getRowBytes() const {
  int64_t bytes = getColumns() * getStorageBits(getElementType()) / 8;
  return getSwizzle() == Swizzle::Pad ? bytes + 16 : bytes;
}

int64_t TileType::getBytes() const { return getRows() * getRowBytes(); }

TileType tcgemm::getStoreTile(Type element, int64_t rows, int64_t columns) {
  int64_t bytes = columns * getStorageBits(element) / 8;
  auto swizzle = bytes == 128  ? Swizzle::B128
                 : bytes == 64 ? Swizzle::B64
                 : bytes == 32 ? Swizzle::B32
                               : Swizzle::None;
  return TileType::get(element.getContext(), rows, columns, element, swizzle);
}

TileType tcgemm::getStoreBox(AccType acc, Type element, bool transposed,
                             bool hasInputs) {
  if (transposed)
    return getStoreTile(element, std::min<int64_t>(64, acc.getColumns()), 64);
  constexpr int64_t mostColumns = 64;
  int64_t columns = std::min<int64_t>(mostColumns, (hasInputs ? 512 : 1024) /
                                                       getStorageBits(element));
  while (columns > acc.getColumns())
    columns /= 2;
  return getStoreTile(element, 64, columns);
}

//===----------------------------------------------------------------------===//
// RingType
//===----------------------------------------------------------------------===//

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, RingKind,
                               ArrayRef<TileType> tiles) {
  constexpr int64_t limit = 1024;
  if (stages < 1 || stages > limit)
    return emitError() << "a ring's stages must be 1 to " << limit
                       << ", but are " << stages;
  if (tiles.empty())
    return emitError() << "a ring's stage needs at least one tile";
  return success();
}

static int64_t tileAlignment(TileType tile) {
  return tile.getTmaSwizzle() ? 1024 : 128;
}

int64_t RingType::getTileOffset(unsigned index) const {
  int64_t offset = 0;
  for (unsigned i = 0; i < index; ++i)
    offset = llvm::alignTo(offset + getTiles()[i].getBytes(),
                           tileAlignment(getTiles()[i + 1]));
  return offset;
}

int64_t RingType::getStageBytes() const {
  unsigned last = getTiles().size() - 1;
  int64_t alignment = 128;
  for (TileType tile : getTiles())
    alignment = std::max(alignment, tileAlignment(tile));
  return llvm::alignTo(getTileOffset(last) + getTiles()[last].getBytes(),
                       alignment);
}

int64_t RingType::getBarrierBytes() const {
  return getKind() == RingKind::MBarrier ? int64_t(getStages()) * 2 * 8 : 0;
}

int64_t RingType::getBytes() const {
  return getStages() * getStageBytes() + getBarrierBytes();
}

//===----------------------------------------------------------------------===//
// Layouts of wmma
//===----------------------------------------------------------------------===//

std::optional<WmmaShape> tcgemm::getWmmaShape(AccLayout layout) {
  switch (layout) {
  case AccLayout::WmmaM16N16:
    return WmmaShape{16, 16, 16};
  case AccLayout::WmmaM32N8:
    return WmmaShape{32, 8, 16};
  case AccLayout::WmmaM8N32:
    return WmmaShape{8, 32, 16};
  case AccLayout::WmmaM16N16K8:
    return WmmaShape{16, 16, 8};
  case AccLayout::WmmaM8N8K128:
    return WmmaShape{8, 8, 128};
  default:
    return std::nullopt;
  }
}

AccLayout tcgemm::getWmmaLayout(WmmaShape shape) {
  return shape.k == 8     ? AccLayout::WmmaM16N16K8
         : shape.k == 128 ? AccLayout::WmmaM8N8K128
         : shape.m == 16  ? AccLayout::WmmaM16N16
         : shape.m == 32  ? AccLayout::WmmaM32N8
                          : AccLayout::WmmaM8N32;
}

//===----------------------------------------------------------------------===//
// Fragments and accumulators
//===----------------------------------------------------------------------===//

/// Checks runs of `held` rows or columns.
static LogicalResult verifyRuns(function_ref<InFlightDiagnostic()> emitError,
                                int64_t held, int64_t length,
                                int64_t distance) {
  if (length >= 1 && held % length == 0 && distance >= length)
    return success();
  return emitError() << "runs of " << length << ", " << distance
                     << " apart, cannot make " << held
                     << ": a run's length must divide that and not exceed the "
                        "distance";
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FragmentRole role, int64_t rows,
                                   int64_t depth, Type elementType,
                                   AccLayout layout, ArrayRef<int64_t> runs) {
  if (layout == AccLayout::Wgmma &&
      (role != FragmentRole::A || rows <= 0 || rows % 64 || depth <= 0 ||
       depth % 16 || getElementBits(elementType) > 16))
    return emitError() << "a fragment for wgmma must be of A, with a multiple "
                          "of 64 rows, a multiple of 16 k and elements of at "
                          "most 16 bits, but it is of "
                       << stringifyFragmentRole(role) << ", " << rows << " x "
                       << depth << " x " << elementType;
  // Lanes hold whole units of 16 rows and 4 k of such elements.
  if (runs.empty() && layout == AccLayout::MmaSync &&
      elementType.isIntOrFloat() && elementType.getIntOrFloatBitWidth() == 64 &&
      (rows % 16 || depth % 4))
    return emitError() << "a warp's fragment of " << elementType
                       << " must be a multiple of 16 by 4, but is " << rows
                       << " by " << depth;
  if (runs.empty())
    return success();
  if (runs.size() != 2)
    return emitError() << "a fragment's runs are a length and a distance";
  if (elementType.isIntOrFloat() && getStorageBits(elementType) == 8) {
    if (depth <= 0 || depth % 4)
      return emitError() << "a thread's fragment of 8-bit elements must have a "
                            "depth of whole words of 4, but has "
                         << depth;
  } else if (depth != 1 && depth != 2 && depth != 4) {
    return emitError() << "a thread's fragment must have depth 1, 2 or 4, but "
                          "has "
                       << depth;
  }
  return verifyRuns(emitError, rows, runs[0], runs[1]);
}

LogicalResult AccType::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t rows, int64_t columns, Type elementType,
                              AccLayout layout, bool, ArrayRef<int64_t> runs) {
  if (!elementType.isF32() && !elementType.isF64() && !elementType.isF16() &&
      !elementType.isSignlessInteger(32))
    return emitError() << "an accumulator's elements must be f32, f64, f16 or "
                          "i32, but are "
                       << elementType;
  if (elementType.isF16() && layout == AccLayout::Simt)
    return emitError() << "an accumulator of f16 cannot have the layout simt";
  bool isSimt = layout == AccLayout::Simt;
  if (runs.size() != (isSimt ? 4 : 0))
    return emitError() << "runs, a length and a distance of rows and of "
                          "columns, are simt's";
  if (!isSimt)
    return success();
  return success(succeeded(verifyRuns(emitError, rows, runs[0], runs[1])) &&
                 succeeded(verifyRuns(emitError, columns, runs[2], runs[3])));
}

static int64_t getExtent(int64_t held, ArrayRef<int64_t> runs) {
  return (held / runs[0] - 1) * runs[1] + runs[0];
}

int64_t AccType::getRowExtent() const {
  return getRuns().empty() ? getRows()
                           : getExtent(getRows(), getRuns().take_front(2));
}

int64_t AccType::getColumnExtent() const {
  return getRuns().empty() ? getColumns()
                           : getExtent(getColumns(), getRuns().drop_front(2));
}

//===----------------------------------------------------------------------===//
// ScalesType
//===----------------------------------------------------------------------===//

static LogicalResult
verifySideExtent(function_ref<InFlightDiagnostic()> emitError, StringRef what,
                 int64_t extent) {
  constexpr int64_t limit = 65536;
  if (extent > 0 && extent <= limit)
    return success();
  return emitError() << what << " must be of 1 to " << limit
                     << " rows or columns, but are of " << extent;
}

LogicalResult ScalesType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 FragmentRole side, int64_t extent,
                                 AccLayout layout) {
  if (failed(verifySideExtent(emitError, "scales", extent)))
    return failure();
  bool isOfRows = side == FragmentRole::A;
  if (layout == AccLayout::MmaSync) {
    int64_t step = isOfRows ? 16 : 8;
    if (extent % step)
      return emitError() << "scales with the layout mma_sync must be of a "
                            "multiple of "
                         << step << ", but are of " << extent;
    return success();
  }
  if (layout != AccLayout::Wgmma)
    return emitError() << "the layout of scales must be wgmma or mma_sync, but "
                          "is "
                       << stringifyAccLayout(layout);
  if (isOfRows && extent % 64)
    return emitError() << "scales of rows must be of a multiple of 64, but are "
                          "of "
                       << extent;
  if (!isOfRows && extent % 8)
    return emitError() << "scales of columns must be of a multiple of 8, but "
                          "are of "
                       << extent;
  return success();
}

LogicalResult
ScalesBufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                         FragmentRole side, int64_t extent, int64_t slots) {
  constexpr int64_t limit = 64;
  if (slots < 1 || slots > limit)
    return emitError() << "slots must be 1 to " << limit << ", but are "
                       << slots;
  return ScalesType::verify(emitError, side, extent, AccLayout::Wgmma);
}

int64_t ScalesBufferType::getSlotElements() const {
  return getScalesOfWarp(getSide() == FragmentRole::B, getExtent());
}

ScalesType ScalesBufferType::getScales() const {
  return ScalesType::get(getContext(), getSide(), getExtent());
}

int64_t ScalesType::getNumRegisters() const {
  bool isOfRows = getSide() == FragmentRole::A;
  // A thread has 2 of 16 rows and 2 of 8 columns.
  if (getLayout() == AccLayout::MmaSync)
    return getExtent() / (isOfRows ? 8 : 4);
  // A thread has 2 of 64 rows.
  return isOfRows ? getExtent() / 32 : getScalesOfWarp(1, getExtent());
}

int64_t ScalesType::getScalesOfBlock() const {
  bool isOfBlocks =
      getSide() == FragmentRole::B && getLayout() == AccLayout::Wgmma;
  return isOfBlocks ? kBlockScales[1].sideBlock / getColumnsOfScale(getExtent())
                    : 1;
}

int64_t ScalesType::getDistance(int64_t index) const {
  bool isOfRows = getSide() == FragmentRole::A;
  if (getLayout() == AccLayout::MmaSync)
    return isOfRows ? index * 8 : index / 2 * 8 + index % 2;
  return isOfRows ? index / 2 * 64 + index % 2 * 8 : index;
}

LogicalResult
ZeroPointsType::verify(function_ref<InFlightDiagnostic()> emitError,
                       FragmentRole side, int64_t extent, AccLayout layout) {
  if (failed(verifySideExtent(emitError, "zero points", extent)))
    return failure();
  if (layout == AccLayout::MmaSync) {
    if (extent % 16)
      return emitError() << "zero points must be of a multiple of 16 rows or "
                            "columns, but are of "
                         << extent;
    return success();
  }
  if (layout != AccLayout::Wgmma || side != FragmentRole::A || extent % 64)
    return emitError() << "zero points with the layout "
                       << stringifyAccLayout(layout) << " are of " << extent
                       << (side == FragmentRole::A ? " rows" : " columns")
                       << ", but the layout must be mma_sync, or wgmma for a "
                          "multiple of 64 rows";
  return success();
}

/// A thread has 2 of 16 rows, or of 64.
int64_t ZeroPointsType::getNumRegisters() const {
  return getExtent() / (getLayout() == AccLayout::Wgmma ? 32 : 8);
}

LogicalResult
GroupValuesType::verify(function_ref<InFlightDiagnostic()> emitError, Type type,
                        int64_t rows) {
  if (failed(verifySideExtent(emitError, "values of groups", rows)))
    return failure();
  if (rows % 64)
    return emitError() << "values of groups must be of a multiple of 64 rows, "
                          "but are of "
                       << rows;
  if (type.isF32() || type.isF16() || type.isBF16() || type.isInteger(8))
    return success();
  return emitError() << "values of groups are f32, f16, bf16 or i8, but not "
                     << type;
}
