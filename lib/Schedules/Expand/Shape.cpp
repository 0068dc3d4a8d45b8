//===- Shape.cpp - How kernels of schedule expand access memory -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expand/Family.h"
#include "tcgemm/Config/Expand.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

static int64_t getBytes(KernelOp kernel, unsigned operand) {
  return kernel.getOperandInfo(operand)
             .getElementType()
             .getIntOrFloatBitWidth() /
         8;
}

ExpandAccess::ExpandAccess(KernelOp kernel)
    : coefficients(*findCoefficients(getProblemInfo(kernel))),
      depth(kernel.getK()) {
  data = 1 - coefficients;
  StringRef ofData = kernel.getOperandInfo(data).getDims(),
            ofResult = kernel.getOperandInfo(kExpandResult).getDims();
  for (char dim : ofData)
    if (dim != 'k')
      places += dim;
  for (char dim : kernel.getOperandInfo(coefficients).getDims())
    if (dim != 'k')
      outputs += dim;
  loaded = places.back();
  stored = loaded;
  for (char dim : ofResult)
    if (StringRef(places).contains(dim))
      stored = dim;
  loadsDepth = ofData.back() == 'k';
  if (size_t position = outputs.find(ofResult.back());
      position != std::string::npos) {
    lastOutput = ofResult.back();
    lastSize = kernel.getSize(lastOutput);
    outputs.erase(position, 1);
    outputs += lastOutput;
  }
  dataBytes = getBytes(kernel, data);
  resultBytes = getBytes(kernel, kExpandResult);
  // Whole sectors of 32 bytes where loads and stores have other neighbours.
  constexpr int64_t most = 4;
  int64_t bytes = isTransposed() ? 2 * kVectorBytes : kVectorBytes;
  width = std::clamp(bytes / (getLoadRun(1) * dataBytes), int64_t(1), most);
  // One place may be a vector, too, as a complex number of f64 is.
  hasWide = llvm::isPowerOf2_64(getLoadRun(1)) &&
            llvm::isPowerOf2_64(getStoreRun(1)) &&
            (getVector(getLoadRun(width), dataBytes) > 1 ||
             getVector(getStoreRun(width), resultBytes) > 1);
}

int64_t ExpandAccess::getTile(bool alongStores, int64_t width) const {
  constexpr int64_t warps = ExpandShape::kThreads / 32;
  int64_t threads = kLanesAlongStores * kWarpsAlongStores;
  return width * (alongStores ? threads : warps * 32 / threads);
}

Expr ExpandAccess::countBlocks(int64_t width) const {
  SmallVector<Expr> counts;
  for (char dim : places) {
    Expr size = getSizeSymbol(dim);
    int64_t tile = !isTransposed() && dim == loaded ? width
                   : isTransposed() && dim == loaded
                       ? getTile(/*alongStores=*/false, width)
                   : isTransposed() && dim == stored
                       ? getTile(/*alongStores=*/true, width)
                       : 1;
    counts.push_back(tile == 1 ? size : countTiles(size, tile));
  }
  Expr count = product(counts);
  return isTransposed() ? count
                        : countTiles(count, ExpandShape::kThreads * kRounds);
}
