//===- Raster.cpp - The order of output tiles -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/PlanExpressions.h"
#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "Common/Windows.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Precision.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

static ScalarType getType(KernelOp kernel, unsigned operand) {
  return *getScalarType(kernel.getOperandInfo(operand).getElementType());
}

SmallVector<unsigned> tcgemm::getMatrices(KernelOp kernel) {
  SmallVector<unsigned> matrices{0, 1};
  if (std::optional<unsigned> second = kernel.findSecond())
    matrices.push_back(*second);
  return matrices;
}

int64_t tcgemm::getOutputExtent(KernelOp kernel, const KernelConfig &config,
                                unsigned side) {
  return config.cta[side] / (side == 1 && kernel.findSecond() ? 2 : 1);
}

Type tcgemm::getTileElement(KernelOp kernel, unsigned operand) {
  Type type = getPartType(kernel.getOperandInfo(operand).getElementType());
  auto [a, b] = getMultipliedTypes(getType(kernel, 0), getType(kernel, 1));
  bool isConverted = (operand ? b : a) != getType(kernel, operand);
  return isConverted && getPackedElements(kernel, operand) > 1
             ? getStorageType(type)
             : type;
}

int64_t tcgemm::getPackedElements(KernelOp kernel, unsigned operand) {
  return getPackedElements(kernel.getOperandInfo(operand).getElementType());
}

Expr tcgemm::getProgramStride(KernelOp kernel, unsigned operand,
                              size_t position) {
  Expr stride = getStrideSymbol(kernel.getOperandName(operand), position);
  int64_t packed = getPackedElements(kernel, operand);
  // Variants require that packed elements are neighbours along k.
  bool isAlongK = kernel.getOperandInfo(operand).getDims()[position] == 'k';
  return packed == 1 || isAlongK ? stride
                                 : Expr::make(ExprKind::Div, {stride, packed});
}

bool tcgemm::splitsOperands(KernelOp kernel) {
  return isSplitType(getType(kernel, 0));
}

int64_t tcgemm::getPartUnit(KernelOp kernel, const KernelConfig &config) {
  return getFamily(config.schedule).sharesParts()
             ? config.cta[2] / getNumProducts(getType(kernel, 0))
             : kSplitVector;
}

/// K, or for split operands `copies` of K.
static Expr getCopiesOfDepth(KernelOp kernel, const KernelConfig &config,
                             int64_t copies) {
  Expr k = getSizeSymbol('k');
  return splitsOperands(kernel)
             ? product({roundUp(k, getPartUnit(kernel, config)), copies})
             : k;
}

Expr tcgemm::getDepth(KernelOp kernel, const KernelConfig &config) {
  return getCopiesOfDepth(kernel, config, getNumProducts(getType(kernel, 0)));
}

Expr tcgemm::getStoredDepth(KernelOp kernel, const KernelConfig &config) {
  ScalarType type = getType(kernel, 0);
  bool shares = getFamily(config.schedule).sharesParts();
  return getCopiesOfDepth(kernel, config,
                          shares ? getNumParts(type) : getNumProducts(type));
}

Expr tcgemm::countDepthTiles(KernelOp kernel, const KernelConfig &config) {
  Expr tiles = ceilDiv(getDepth(kernel, config), config.cta[2]);
  std::optional<char> summed = kernel.findSummedDim();
  return summed ? product({getSizeSymbol(*summed), tiles}) : tiles;
}

bool tcgemm::isPackedTransposed(KernelOp kernel, unsigned operand) {
  return kernel.getOperandInfo(operand).getDims().back() != 'k' &&
         !canTranspose(getType(kernel, 0), getType(kernel, 1));
}

int64_t tcgemm::getRowsInMemoryRow(KernelOp kernel, unsigned operand) {
  RepresentationAttr representation =
      operand == 1 ? kernel.getRepresentation() : RepresentationAttr();
  return representation ? representation.getValue().getComponents() : 1;
}

bool tcgemm::mustPack(KernelOp kernel, unsigned operand) {
  return splitsOperands(kernel) || isPackedTransposed(kernel, operand) ||
         isUnfolded(kernel, operand);
}

std::string tcgemm::getTileDims(KernelOp kernel, unsigned operand) {
  std::string dims = kernel.getOperandInfo(operand).getDims().str();
  if (isPackedTransposed(kernel, operand)) {
    dims.erase(dims.find('k'), 1);
    dims += 'k';
  }
  return dims;
}

bool tcgemm::isKContiguous(KernelOp kernel, unsigned operand) {
  return getTileDims(kernel, operand).back() == 'k';
}

Value tcgemm::getPaddedDepth(ProgramBuilder &p, const KernelConfig &config) {
  int64_t k = p.getKernel().getK();
  bool alongK =
      isKContiguous(p.getKernel(), 0) || isKContiguous(p.getKernel(), 1);
  if (ShapedType::isDynamic(k) || !alongK)
    return p.size("K");
  int64_t unit = std::max(config.copyA, config.copyB) * 8 *
                 getPackedElements(p.getKernel(), 0) /
                 getStorageBits(getTileElement(p.getKernel(), 0));
  return p.i32((k + unit - 1) / unit * unit);
}

/// 2^62 / d, rounded up: for the number d of tiles in a whole band of the
/// raster, and for the width d of the last band. A tile has `unit` elements
/// along M and N.
static std::pair<Value, Value> buildReciprocals(ProgramBuilder &p,
                                                const KernelConfig &config,
                                                std::array<int64_t, 2> unit) {
  constexpr int64_t one = int64_t(1) << 62;
  int64_t group = config.rasterGroup;
  bool alongM = config.raster == RasterOrder::AlongM;
  // The reciprocal of a static size is a constant; 0 means that it is not used.
  auto reciprocal = [&](unsigned side, auto getDivisor,
                        const Expr &divisor) -> Value {
    int64_t size = p.getKernel().getSizes()[side + 1];
    if (ShapedType::isDynamic(size))
      return p.expression(ceilDiv(one, divisor), p.b().getI64Type());
    auto tiles = static_cast<int64_t>(
        llvm::divideCeil(std::max<int64_t>(1, size), unit[side]));
    return p.i64(llvm::divideCeil(one, getDivisor(tiles)));
  };
  auto tiles = [&](unsigned side) {
    return countTiles(getSizeSymbol(side ? 'n' : 'm'), unit[side]);
  };
  unsigned across = alongM ? 0 : 1, along = alongM ? 1 : 0;
  Value band = reciprocal(
      along, [&](int64_t count) { return count * group; },
      product({tiles(along), group}));
  Value last = reciprocal(
      across, [&](int64_t count) { return (count - 1) % group + 1; },
      Expr::make(ExprKind::Mod, {tiles(across) - 1, group}) + 1);
  return {band, last};
}

RasterOp
tcgemm::buildRaster(ProgramBuilder &p, const KernelConfig &config, Value linear,
                    Value tilesM, Value tilesN,
                    std::optional<std::pair<int64_t, int64_t>> reciprocalTile) {
  auto &b = p.b();
  Type i32 = b.getI32Type();
  // The tiles of groups of rows are those of one product.
  bool isBatched = p.getKernel().isBatched() &&
                   !getProblemInfo(p.getKernel()).hasGroupsOfRows();
  bool isDiagonal = config.raster == RasterOrder::Diagonal;
  std::pair<Value, Value> reciprocals;
  if (reciprocalTile)
    reciprocals = buildReciprocals(
        p, config, {reciprocalTile->first, reciprocalTile->second});
  return b.create<RasterOp>(
      i32, i32, i32, i32, linear, tilesM, tilesN, p.i32(config.splitK),
      reciprocals.first, reciprocals.second,
      b.getBoolAttr(config.raster == RasterOrder::AlongM),
      b.getI64IntegerAttr(config.rasterGroup),
      b.getBoolAttr(config.sliceOrder == SliceOrder::Inner),
      b.getBoolAttr(isBatched), isDiagonal ? b.getUnitAttr() : UnitAttr());
}
