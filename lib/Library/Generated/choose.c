/*===- choose.c - Kernels for products ----------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "runtime.h"

#include <inttypes.h>
#include <string.h>

/* Returns whether a kernel with the scaling computes a product. One that
   multiplies by the host's factors also computes products without them: they
   are 1 and 0. */
static int takesScaling(const struct tcgemmProduct *product,
                        const tcgemmMatmulDesc *desc) {
  if (product->pointerMode != desc->pointerMode)
    return 0;
  return desc->pointerMode == TCGEMM_POINTER_HOST
             ? product->scaling >= desc->scaling
             : product->scaling == desc->scaling;
}

static int isServed(const struct tcgemmProduct *product,
                    const tcgemmMatmulDesc *desc) {
  return product->typeA == desc->typeA && product->typeB == desc->typeB &&
         product->typeD == desc->typeD && product->transA == desc->transA &&
         product->transB == desc->transB && takesScaling(product, desc) &&
         (product->isBatched || desc->batch == 1) &&
         !strcmp(product->precision, desc->precision) &&
         !strcmp(product->epilogue, desc->epilogue);
}

static int compareSizes(const int64_t *a, const int64_t *b) {
  for (int i = 0; i != TCGEMM_NUM_DIMS; ++i)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

static unsigned findExact(const struct tcgemmProduct *product,
                          const int64_t *sizes) {
  unsigned first = 0, end = product->numExact;
  while (first != end) {
    unsigned middle = first + (end - first) / 2;
    int order = compareSizes(product->exact[middle].sizes, sizes);
    if (order == 0)
      return product->exact[middle].kernel;
    if (order < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return TCGEMM_NO_KERNEL;
}

static int64_t getDivisor(int64_t size) { return tcgemmMin(size & -size, 64); }

static int64_t getFeature(tcgemmFeature feature, const int64_t *sizes) {
  int64_t m = sizes[TCGEMM_DIM_M], n = sizes[TCGEMM_DIM_N];
  int64_t k = sizes[TCGEMM_DIM_K], batch = sizes[TCGEMM_DIM_BATCH];
  int64_t area;
  switch (feature) {
  case TCGEMM_FEATURE_M:
    return m;
  case TCGEMM_FEATURE_N:
    return n;
  case TCGEMM_FEATURE_K:
    return k;
  case TCGEMM_FEATURE_BATCH:
    return batch;
  case TCGEMM_FEATURE_AREA:
    return __builtin_mul_overflow(m * n, batch, &area) ? INT64_MAX : area;
  case TCGEMM_FEATURE_DIVISOR_M:
    return getDivisor(m);
  case TCGEMM_FEATURE_DIVISOR_N:
    return getDivisor(n);
  case TCGEMM_FEATURE_DIVISOR_K:
    return getDivisor(k);
  }
  return 0;
}

/* ceil(value / divisor) of whole numbers. Half an element keeps the quotient's
   error away from the next number. More than `most` are counted as `most`. */
static double divideUp(double value, double divisor) {
  const double most = 1e15;
  double quotient = (value - 0.5) / divisor;
  return (double)(int64_t)(quotient < most ? quotient : most) + 1;
}

/* The square of the formula's time, which ranks as the time does. */
static double estimateSquare(const struct tcgemmFormula *formula,
                             const int64_t *sizes) {
  const double *w = formula->weights;
  double m = (double)sizes[TCGEMM_DIM_M], n = (double)sizes[TCGEMM_DIM_N];
  double k = (double)sizes[TCGEMM_DIM_K];
  double batch = (double)sizes[TCGEMM_DIM_BATCH], millions = batch / 1e6;
  double tiles = batch * divideUp(m, formula->rows) *
                 divideUp(n, formula->columns) * formula->slices;
  double more = divideUp(tiles, formula->places) - 1;
  double steps = divideUp(k, formula->depth);
  double filled = more > 0 ? 1 : tiles / formula->places;
  double x = w[0] + w[1] * steps + w[2] * more + w[3] * (more * steps) +
             w[4] * (filled * steps);
  double y = w[5] * (millions * m * k) + w[6] * (millions * n * k) +
             w[7] * (millions * m * n * formula->slices);
  return x * x + y * y;
}

static unsigned findFastest(const struct tcgemmProduct *product,
                            const int64_t *sizes) {
  unsigned kernel = TCGEMM_NO_KERNEL;
  double least = 0;
  for (unsigned i = 0; i != product->numFormulas; ++i) {
    double square = estimateSquare(&product->formulas[i], sizes);
    if (kernel != TCGEMM_NO_KERNEL && square >= least)
      continue;
    least = square;
    kernel = product->formulas[i].kernel;
  }
  return kernel;
}

/* Numbers of nodes increase along a walk, so that it ends. */
static unsigned followRule(const struct tcgemmProduct *product,
                           const int64_t *sizes) {
  unsigned number = 0;
  if (!product->rule)
    return TCGEMM_NO_KERNEL;
  while (1) {
    const struct tcgemmNode *node = &product->rule[number];
    if (node->below == number)
      return node->kernel == TCGEMM_FASTEST_KERNEL ? findFastest(product, sizes)
                                                   : node->kernel;
    number = getFeature(node->feature, sizes) < node->threshold ? node->below
                                                                : node->other;
  }
}

static unsigned findKernel(const struct tcgemmProduct *product,
                           const tcgemmMatmulDesc *desc) {
  const int64_t sizes[TCGEMM_NUM_DIMS] = {desc->m, desc->n, desc->k,
                                          desc->batch};
  unsigned kernel = findExact(product, sizes);
  /* All kernels compute the product without terms in the same way. */
  if (kernel == TCGEMM_NO_KERNEL && (desc->k == 0 || tcgemmIsEmpty(desc)))
    return product->anyKernel;
  return kernel == TCGEMM_NO_KERNEL ? followRule(product, sizes) : kernel;
}

/* Ranks a product for a descriptor: the chip counts first, then whether the
   kernel multiplies by no more factors than are asked for. */
static int rankProduct(const struct tcgemmDevice *device,
                       const struct tcgemmProduct *product,
                       const tcgemmMatmulDesc *desc) {
  int chip = tcgemmRankChip(device, &tcgemmChips[product->chip]);
  if (!chip || !isServed(product, desc))
    return 0;
  int surplus = (int)product->scaling - (int)desc->scaling;
  return chip * 8 + 7 - 2 * surplus -
         (product->isBatched && desc->batch == 1 ? 1 : 0);
}

tcgemmStatus tcgemmChooseKernel(const struct tcgemmDevice *device,
                                const tcgemmMatmulDesc *desc, unsigned *kernel,
                                struct tcgemmSlots *slots) {
  const struct tcgemmProduct *best = NULL, *same = NULL;
  int bestRank = 0;
  for (unsigned i = 0; i != tcgemmNumProducts; ++i) {
    const struct tcgemmProduct *product = &tcgemmProducts[i];
    int rank = rankProduct(device, product, desc);
    if (!rank)
      continue;
    same = product;
    if (rank <= bestRank)
      continue;
    unsigned found = findKernel(product, desc);
    if (found == TCGEMM_NO_KERNEL)
      continue;
    best = product;
    bestRank = rank;
    *kernel = found;
  }
  if (!same)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the library has no product with these types, layouts "
                      "and factors, precision '%s', epilogue '%s' and %s",
                      desc->precision, desc->epilogue,
                      desc->batch == 1 ? "one matrix" : "several matrices");
  if (!best)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the library has no kernel for %" PRId64 "x%" PRId64
                      "x%" PRId64 ", batch %" PRId64 ", of %s: it knows %u "
                      "sizes%s",
                      desc->m, desc->n, desc->k, desc->batch, same->name,
                      same->numExact,
                      same->rule ? ", and its rule makes no choice here"
                                 : " and has no rule for others");
  /* The kernel's arguments, which may be more than the descriptor asks for. */
  tcgemmMatmulDesc whole = *desc;
  whole.scaling = best->scaling;
  if (desc->scaling != TCGEMM_ALPHA_BETA) { /* C is not read. */
    whole.ldc = desc->ldd;
    whole.strideC = desc->strideD;
  }
  return tcgemmLayOut(&whole, best->shapes, best->numShapes, best->sums, slots);
}
