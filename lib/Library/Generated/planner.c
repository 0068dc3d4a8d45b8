/*===- planner.c - Launches of kernels ----------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "runtime.h"

#include <inttypes.h>
#include <string.h>

/* Expressions */

int64_t tcgemmAdd(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  int64_t result = 0;
  p->isBroken |= __builtin_add_overflow(a, b, &result);
  return result;
}

int64_t tcgemmSub(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  int64_t result = 0;
  p->isBroken |= __builtin_sub_overflow(a, b, &result);
  return result;
}

int64_t tcgemmMul(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  int64_t result = 0;
  p->isBroken |= __builtin_mul_overflow(a, b, &result);
  return result;
}

/* Returns whether a / b has a value. */
static int divides(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  int isDefined = b != 0 && !(a == INT64_MIN && b == -1);
  p->isBroken |= !isDefined;
  return isDefined;
}

int64_t tcgemmFloorDiv(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  if (!divides(p, a, b))
    return 0;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t tcgemmFloorMod(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  if (!divides(p, a, b))
    return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t tcgemmCeilDiv(struct tcgemmPlanner *p, int64_t a, int64_t b) {
  if (!divides(p, a, b))
    return 0;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

int64_t tcgemmMin(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t tcgemmMax(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t tcgemmBase(const struct tcgemmPlanner *p, unsigned operand) {
  return (int64_t)(TCGEMM_PLAN_ADDRESS + p->bindings[operand].align);
}

/* Launches */

static void failRange(struct tcgemmPlanner *p, const char *what,
                      int64_t value) {
  if (!p->status)
    p->status =
        tcgemmFail(TCGEMM_NOT_SUPPORTED,
                   "kernel '%s': %s is %" PRId64 ", which is out of range",
                   p->kernel->name, what, value);
}

void tcgemmSetWorkspace(struct tcgemmPlanner *p, int64_t bytes) {
  if (bytes < 0)
    failRange(p, "the workspace", bytes);
  else
    p->workspaceBytes = (uint64_t)bytes;
}

int tcgemmBeginLaunch(struct tcgemmPlanner *p, unsigned function, int64_t gridX,
                      int64_t gridY, int64_t gridZ,
                      const struct tcgemmLaunchShape *shape) {
  /* The limits of every CUDA device. */
  static const int64_t limits[] = {INT32_MAX, 65535, 65535};
  const int64_t grid[] = {gridX, gridY, gridZ};
  if (p->status || p->isBroken)
    return 0;
  struct tcgemmLaunchShape whole = *shape;
  int isEmpty = 0;
  for (int i = 0; i != 3; ++i) {
    if (grid[i] < 0 || grid[i] > limits[i] || grid[i] % shape->cluster[i]) {
      failRange(p, "a grid", grid[i]);
      return 0;
    }
    whole.grid[i] = (uint32_t)grid[i];
    isEmpty |= !grid[i];
  }
  if (isEmpty)
    return 0;
  if (p->device->capability < 90)
    whole.isDependent = 0;
  tcgemmProgramAddLaunch(p->program, p->kernel->functions[function].symbol,
                         p->functions[function], &whole);
  return 1;
}

void tcgemmAddPointer(struct tcgemmPlanner *p, unsigned operand) {
  const struct tcgemmBinding *binding = &p->bindings[operand];
  tcgemmProgramAddAddress(p->program, binding->slot, binding->offset);
}

void tcgemmAddScalarOperand(struct tcgemmPlanner *p, unsigned operand) {
  tcgemmProgramAddScalar(p->program, p->bindings[operand].slot,
                         p->kernel->operands[operand].type);
}

void tcgemmAddInt32(struct tcgemmPlanner *p, int64_t value) {
  if (value < INT32_MIN || value > INT32_MAX) {
    failRange(p, "an argument of 32 bits", value);
    return;
  }
  int32_t narrow = (int32_t)value;
  tcgemmProgramAddBytes(p->program, &narrow, sizeof narrow);
}

void tcgemmAddInt64(struct tcgemmPlanner *p, int64_t value) {
  tcgemmProgramAddBytes(p->program, &value, sizeof value);
}

void tcgemmAddWorkspace(struct tcgemmPlanner *p, int64_t offset) {
  tcgemmProgramAddAddress(p->program, TCGEMM_WORKSPACE_SLOT,
                          p->workspaceBegin + (uint64_t)offset);
}

void tcgemmBeginMap(struct tcgemmPlanner *p, const char *name, int type,
                    int swizzle, int promotion) {
  memset(&p->map, 0, sizeof p->map);
  p->map.name = name;
  p->map.type = type;
  p->map.swizzle = swizzle;
  p->map.promotion = promotion;
}

void tcgemmAddMapDim(struct tcgemmPlanner *p, int64_t size, int64_t stride,
                     uint32_t box) {
  struct tcgemmMap *map = &p->map;
  /* The driver's limits. */
  if (size < 1 || size > (int64_t)1 << 32)
    failRange(p, "a size of a tensor map", size);
  if (map->rank && (stride < 0 || stride >= (int64_t)1 << 40 || stride % 16))
    failRange(p, "a stride of a tensor map", stride);
  map->dims[map->rank] = (uint64_t)size;
  if (map->rank)
    map->strides[map->rank - 1] = (uint64_t)stride;
  map->box[map->rank++] = box;
}

static void endMap(struct tcgemmPlanner *p, unsigned slot, uint64_t offset) {
  if (!p->status && !p->isBroken)
    tcgemmProgramAddMap(p->program, &p->map, slot, offset);
}

void tcgemmEndMapOfOperand(struct tcgemmPlanner *p, unsigned operand) {
  endMap(p, p->bindings[operand].slot, p->bindings[operand].offset);
}

void tcgemmEndMapOfWorkspace(struct tcgemmPlanner *p, int64_t offset) {
  endMap(p, TCGEMM_WORKSPACE_SLOT, p->workspaceBegin + (uint64_t)offset);
}

void tcgemmFailVariant(struct tcgemmPlanner *p) {
  if (!p->status)
    p->status = tcgemmFail(TCGEMM_NOT_SUPPORTED,
                           "no variant of kernel '%s' takes this product",
                           p->kernel->name);
}

/* Kernels */

static const char *const dimNames[TCGEMM_MAX_KERNEL_DIMS] = {
    "M", "N", "K", "batch", "batch_c", "batch_d"};

/* The operand's size along dimension `i`, which A and B determine: the manifest
   has them before scales. A block of B is one of numbers, which are whole. */
static tcgemmStatus setSize(struct tcgemmPlanner *p,
                            const struct tcgemmOperandInfo *operand, unsigned i,
                            int64_t size) {
  unsigned dim = operand->dims[i];
  int64_t block = operand->blocks[i];
  if (p->sizes[dim] == -1)
    p->sizes[dim] = tcgemmMul(p, size, block);
  int64_t expected = tcgemmCeilDiv(p, p->sizes[dim], block);
  if (expected == size)
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE,
                    "operand '%s' of kernel '%s' has %" PRId64
                    " elements along %s, but it must have %" PRId64,
                    operand->name, p->kernel->name, size, dimNames[dim],
                    expected);
}

static tcgemmStatus inferSizes(struct tcgemmPlanner *p) {
  const struct tcgemmKernel *kernel = p->kernel;
  memcpy(p->sizes, kernel->sizes, sizeof p->sizes);
  for (unsigned i = 0; i != kernel->numOperands; ++i) {
    const struct tcgemmOperandInfo *operand = &kernel->operands[i];
    for (unsigned j = 0; j != operand->rank; ++j) {
      tcgemmStatus status = setSize(p, operand, j, p->bindings[i].sizes[j]);
      if (status)
        return status;
    }
  }
  for (int i = TCGEMM_DIM_BATCH; i != TCGEMM_MAX_KERNEL_DIMS; ++i)
    if (p->sizes[i] == -1)
      p->sizes[i] = 1;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanKernel(struct tcgemmProgram *program,
                              struct tcgemmDevice *device, unsigned kernel,
                              const struct tcgemmBinding *bindings,
                              uint64_t workspaceBegin,
                              uint64_t *workspaceBytes) {
  struct tcgemmPlanner p;
  memset(&p, 0, sizeof p);
  p.program = program;
  p.device = device;
  p.kernel = tcgemmKernels[kernel];
  p.bindings = bindings;
  p.workspaceBegin = workspaceBegin;
  tcgemmStatus status = tcgemmLoadKernel(device, kernel, &p.functions);
  if (!status)
    status = inferSizes(&p);
  /* Drivers encode tensor maps in a context. */
  int isPushed = 0;
  if (!status)
    status = tcgemmEnterContext(device, &isPushed);
  if (status)
    return status;
  p.kernel->plan(&p);
  tcgemmLeaveContext(device, isPushed);
  *workspaceBytes = p.workspaceBytes;
  if (p.status)
    return p.status;
  if (p.isBroken)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "kernel '%s': a number of the launch exceeds 64 bits",
                      p.kernel->name);
  return tcgemmProgramGetStatus(program);
}
