//===- Accumulator.cpp - Layouts of accumulators in registers -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accumulator.h"
#include "AccumulatorSums.h"
#include "DirectStores.h"
#include "EpilogueSlices.h"
#include "Families.h"
#include "FragmentMap.h"
#include "GroupValues.h"
#include "MmaSyncAccumulator.h"
#include "Reductions.h"
#include "RowAccumulator.h"
#include "ScalesCopies.h"
#include "SimtAccumulator.h"
#include "WgmmaAccumulator.h"
#include "WgmmaFragments.h"
#include "WgmmaProducts.h"
#include "WmmaBits.h"

using namespace mlir;
using namespace tcgemm;

AccView AccView::slice(size_t firstRow, size_t numRows, size_t firstColumn,
                       size_t numColumns) const {
  AccView view;
  view.run = run;
  view.rows = llvm::to_vector(ArrayRef(rows).slice(firstRow, numRows));
  view.columns =
      llvm::to_vector(ArrayRef(columns).slice(firstColumn, numColumns));
  auto copy = [&](const Values &from, Values &to) {
    for (size_t r = firstRow; !from.empty() && r < firstRow + numRows; ++r)
      for (size_t c = firstColumn; c < firstColumn + numColumns; ++c)
        to.push_back(from[r * columns.size() + c]);
  };
  copy(values, view.values);
  copy(seconds, view.seconds);
  return view;
}

std::unique_ptr<Accumulator> tcgemm::createAccumulator(LoweringContext &c,
                                                       AccLayout layout) {
  switch (layout) {
  case AccLayout::MmaSync:
    return std::make_unique<MmaSyncAccumulator>(c);
  case AccLayout::Wgmma:
    return std::make_unique<WgmmaAccumulator>(c);
  case AccLayout::Simt:
    return std::make_unique<SimtAccumulator>(c);
  case AccLayout::Row:
    return std::make_unique<RowAccumulator>(c);
  case AccLayout::WmmaM8N8K128:
    return std::make_unique<WmmaBits>(c, layout);
  default:
    return std::make_unique<WmmaAccumulator>(c, layout);
  }
}

std::unique_ptr<Accumulator> tcgemm::createAccumulator(LoweringContext &c,
                                                       FragmentType fragment) {
  if (!fragment.getRuns().empty())
    return createAccumulator(c, AccLayout::Simt);
  return createAccumulator(c, fragment.getLayout());
}

//===----------------------------------------------------------------------===//
// Common functions of most layouts
//===----------------------------------------------------------------------===//

SmallVector<Type> Accumulator::expand(FragmentType type) {
  llvm_unreachable("no fragments are multiplied for this layout");
}

void Accumulator::lower(AccZeroOp op) {
  SmallVector<Type> types = expand(op.getAcc().getType());
  // Vectors are of layouts that have the default algebra only.
  Value none = isa<VectorType>(types.front()) ? b.zero(types.front())
                                              : getInitialSum(c, types.front());
  set(op.getAcc(), Values(types.size(), none));
}

void Accumulator::lower(FragmentLoadOp op) {
  llvm_unreachable("no fragments are multiplied for this layout");
}

void Accumulator::lower(FragmentFetchOp op) {
  llvm_unreachable("no fragments are multiplied for this layout");
}

void Accumulator::lower(FragmentMapOp op) {
  FragmentMap map(c, op);
  FragmentType type = op.getFragment().getType();
  Values results;
  for (auto [number, value] : llvm::enumerate(all(op.getFragment())))
    results.push_back(
        map.evaluate(value, [&, number = number](ArrayRef<int64_t> position) {
          return getIndexAlongK(type, number, position);
        }));
  set(op.getResult(), results);
}

Value Accumulator::getIndexAlongK(FragmentType type, size_t number,
                                  ArrayRef<int64_t> position) {
  llvm_unreachable("no fragments are multiplied for this layout");
}

void Accumulator::lower(MmaOp op) {
  llvm_unreachable("no fragments are multiplied for this layout");
}

void Accumulator::lower(AccStageOp op) {
  llvm_unreachable("the verifier demands a layout of wmma");
}

std::pair<int64_t, int64_t> Accumulator::getShape(EpilogueOp op) {
  AccType acc = op.getAcc().getType();
  if (op.getTransposed())
    return {acc.getColumns(), acc.getRows()};
  return {acc.getRows(), acc.getColumns()};
}

SliceGrid Accumulator::cut(EpilogueOp op, const AccView &view) {
  return cutRows(op, view, view.columns.size(), getShape(op).first);
}

SliceGrid Accumulator::cutRows(EpilogueOp op, const AccView &view,
                               size_t heldColumns, int64_t endRow) {
  auto [rows, columns] = getShape(op);
  SliceGrid grid;
  grid.heldRows = view.rows.size() % 2 ? 1 : 2;
  grid.numRows = rows * grid.heldRows / view.rows.size();
  grid.heldColumns = heldColumns;
  grid.numColumns = columns * grid.heldColumns / view.columns.size();
  for (int64_t row = 0; row < endRow; row += grid.numRows)
    grid.rows.push_back(row);
  for (int64_t column = 0; column < columns; column += grid.numColumns)
    grid.columns.push_back(column);
  return grid;
}

void Accumulator::store(EpilogueOp op) {
  AccView all = view(op);
  DirectStores stores(c, op);
  Value whole = stores.isWhole();
  auto store = [&](const Slice &slice, ArrayRef<Values> results) {
    for (auto [output, list] : llvm::enumerate(results)) {
      bool isLast = analysis.getNumStagings() == 1 && slice.isLast &&
                    output + 1 == results.size();
      stores.store(output, slice.view, list, whole, isLast);
    }
  };
  EpilogueSlices(c, op).store(all, cut(op, all), whole, store);
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

namespace {
class ProductLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(AccZeroOp op) {
    createAccumulator(c, op.getAcc().getType().getLayout())->lower(op);
  }
  void lower(FragmentLoadOp op) {
    createAccumulator(c, op.getFragment().getType())->lower(op);
  }
  void lower(FragmentMapOp op) {
    createAccumulator(c, op.getFragment().getType())->lower(op);
  }
  void lower(MmaOp op) {
    createAccumulator(c, op.getAcc().getType().getLayout())->lower(op);
  }
  void lower(FragmentFetchOp op) {
    createAccumulator(c, op.getFragment().getType())->lower(op);
  }
  void lower(AccStageOp op) {
    createAccumulator(c, op.getAcc().getType().getLayout())->lower(op);
  }
};
} // namespace

void tcgemm::populateProductPatterns(LoweringContext &c,
                                     RewritePatternSet &patterns) {
  addFamily<ProductLowering, AccZeroOp, FragmentLoadOp, FragmentMapOp, MmaOp,
            FragmentFetchOp, AccStageOp>(c, patterns);
  addFamily<AccumulatorSums, AccAddOp, AccExtendOp, AccScaleOp, AccSplitOp,
            ScalesLoadOp, ZeroPointsLoadOp>(c, patterns);
  addFamily<ScalesCopies, ScalesCreateOp, ScalesFetchOp, ScalesCommitOp,
            ScalesReadOp>(c, patterns);
  addFamily<GroupValues, GroupValuesLoadOp, ScalesSelectOp, ZeroPointsSelectOp>(
      c, patterns);
  addFamily<WgmmaFragments, FragmentConvertOp>(c, patterns);
  addFamily<WgmmaProducts, MmaAsyncOp, MmaAsyncFragmentOp, MmaAwaitOp>(
      c, patterns);
}
