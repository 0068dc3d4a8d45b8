//===- BilinearExpansion.h - Real products of a bilinear one ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to RaiseBilinear.cpp and RaiseBilinearRanges.cpp: writes the real
// products that replace a product by structure constants.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_BILINEAREXPANSION_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_BILINEAREXPANSION_H

#include "Raise/RaiseBilinear.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tcgemm/Target/Precision.h"
#include "tcgemm/Target/Representation.h"
#include <string>

namespace tcgemm::raise {

/// The operands of the operation.
enum BilinearOperand : unsigned { kA, kB, kConstants, kD };
constexpr unsigned kNumOperands = 4;

/// The loops along the constants.
struct ComponentLoops {
  unsigned ofA, ofB, ofD;
};

/// The components of A that a component of D depends on.
struct ComponentRange {
  int64_t p;
  int64_t first, count;
};

/// Writes the real products that replace one product.
class BilinearExpansion {
public:
  BilinearExpansion(mlir::linalg::LinalgOp op, ComponentLoops components,
                    Precision precision, BilinearChoices choices)
      : op(op), b(op.getLoc(), op), components(components),
        precision(precision), choices(choices),
        maps(op.getIndexingMapsArray()) {}

  std::string check();
  void expand();

private:
  using Loops = llvm::SmallVector<unsigned>;
  /// A tensor and the loops along its dimensions.
  struct Factor {
    mlir::Value value;
    Loops loops;
  };

  /// A part of a tensor: where it is, and what it is as a tensor.
  struct Part {
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
    llvm::SmallVector<mlir::OpFoldResult> keptSizes;
    Loops loops;
    mlir::RankedTensorType type;
  };

  bool has(BilinearOperand operand, unsigned loop) const {
    return maps[operand].isFunctionOfDim(loop);
  }
  mlir::Type getType(BilinearOperand operand) {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  }
  Loops getLoops(BilinearOperand operand) const;
  bool keepsColumns(llvm::ArrayRef<unsigned> columns);
  Loops orderLoops();
  mlir::AffineMap getMap(llvm::ArrayRef<unsigned> loops,
                         llvm::ArrayRef<unsigned> order);
  mlir::DenseElementsAttr getConstants();
  int64_t getConstantSize(unsigned loop);
  mlir::Attribute getConstant(mlir::DenseElementsAttr constants, int64_t p,
                              int64_t q, int64_t r);
  Factor createConstants();
  Factor createConstants(const ComponentRange &range);
  mlir::Value createEmpty(llvm::ArrayRef<unsigned> loops);
  mlir::Value createProduct(mlir::ValueRange inputs, mlir::Value init,
                            llvm::ArrayRef<mlir::AffineMap> maps,
                            llvm::ArrayRef<unsigned> order, bool isSubtracted);
  mlir::Value extend(mlir::Value value, mlir::Type type);
  mlir::Value represent(const Loops &order, const Factor &constants);
  std::optional<int64_t> findElement(mlir::DenseElementsAttr constants,
                                     int64_t p, int64_t q);
  bool hasOrderOfNumbers(const Loops &order);
  std::optional<Representation> findRepresentation(const Loops &order);
  void reportBlocksInMemory();
  mlir::Value createBlocks(const Representation &representation);
  ComponentRange findRange(mlir::DenseElementsAttr constants, int64_t p);
  std::string explainWhole(int64_t zeroBlocks);
  llvm::SmallVector<ComponentRange> findRanges();
  Part locate(const Factor &factor, unsigned loop, int64_t first,
              int64_t count);
  Factor slice(const Factor &factor, unsigned loop, int64_t first,
               int64_t count);
  mlir::Value addInit(mlir::Value product, const Factor &init,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);
  std::optional<Factor> findComponent(const ComponentRange &range);
  Factor representRange(const ComponentRange &range, const Loops &kept);
  mlir::Value multiplyRange(const ComponentRange &range, mlir::Value target);
  mlir::Value multiplyRanges(llvm::SmallVector<ComponentRange> ranges);

  mlir::linalg::LinalgOp op;
  mlir::ImplicitLocOpBuilder b;
  ComponentLoops components;
  Precision precision;
  BilinearChoices choices;
  llvm::SmallVector<mlir::AffineMap> maps;
  /// The last range of several components, and its representation.
  std::optional<std::pair<ComponentRange, Factor>> represented;
};

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_BILINEAREXPANSION_H
