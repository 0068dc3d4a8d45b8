/*===- function.c - Functions of modules --------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "handle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 32
static const char *const argumentNames[MAX_ARGUMENTS] = {
    "argument 0",  "argument 1",  "argument 2",  "argument 3",  "argument 4",
    "argument 5",  "argument 6",  "argument 7",  "argument 8",  "argument 9",
    "argument 10", "argument 11", "argument 12", "argument 13", "argument 14",
    "argument 15", "argument 16", "argument 17", "argument 18", "argument 19",
    "argument 20", "argument 21", "argument 22", "argument 23", "argument 24",
    "argument 25", "argument 26", "argument 27", "argument 28", "argument 29",
    "argument 30", "argument 31"};

/* Buffers */

static struct tcgemmBuffer *addBuffer(struct tcgemmFunctionPlanner *f,
                                      unsigned bytes, unsigned rank,
                                      const int64_t *sizes) {
  struct tcgemmBuffer *buffer = &f->buffers[f->numBuffers++];
  memset(buffer, 0, sizeof *buffer);
  buffer->bytes = bytes;
  buffer->rank = rank;
  for (unsigned i = 0; i != rank; ++i) {
    buffer->sizes[i] = sizes[i];
    f->numbers.isBroken |= sizes[i] < 0;
  }
  return buffer;
}

/* Row-major strides; returns the number of elements. */
static int64_t setDense(struct tcgemmFunctionPlanner *f,
                        struct tcgemmBuffer *buffer) {
  int64_t elements = 1;
  for (unsigned i = buffer->rank; i-- != 0;) {
    buffer->strides[i] = elements;
    elements = tcgemmMul(&f->numbers, elements, buffer->sizes[i]);
  }
  return elements;
}

static uint64_t alignUp(uint64_t bytes) {
  return (bytes + TCGEMM_WORKSPACE_ALIGNMENT - 1) / TCGEMM_WORKSPACE_ALIGNMENT *
         TCGEMM_WORKSPACE_ALIGNMENT;
}

void tcgemmAddTemporary(struct tcgemmFunctionPlanner *f, unsigned bytes,
                        unsigned rank, const int64_t *sizes) {
  struct tcgemmBuffer *buffer = addBuffer(f, bytes, rank, sizes);
  buffer->slot = TCGEMM_WORKSPACE_SLOT;
  buffer->align = TCGEMM_WORKSPACE_ALIGNMENT;
  buffer->offset = f->workspaceBytes;
  int64_t size = tcgemmMul(&f->numbers, setDense(f, buffer), bytes);
  /* The part of another buffer must not begin behind 2^62. */
  f->numbers.isBroken |=
      size < 0 || size > (INT64_MAX >> 1) - (int64_t)f->workspaceBytes;
  if (!f->numbers.isBroken)
    f->workspaceBytes += alignUp((uint64_t)size);
}

void tcgemmAddConstant(struct tcgemmFunctionPlanner *f, unsigned constant,
                       unsigned bytes, unsigned rank, const int64_t *sizes) {
  struct tcgemmBuffer *buffer = addBuffer(f, bytes, rank, sizes);
  setDense(f, buffer);
  buffer->slot = TCGEMM_FIXED_SLOT;
  buffer->align = TCGEMM_WORKSPACE_ALIGNMENT;
  if (!f->status && tcgemmConstants[constant].bytes)
    f->status = tcgemmLoadConstant(f->device, constant, &buffer->offset);
}

static int isDense(struct tcgemmFunctionPlanner *f,
                   const struct tcgemmBuffer *buffer) {
  int64_t stride = 1;
  for (unsigned i = buffer->rank; i-- != 0;) {
    if (buffer->sizes[i] != 1 && buffer->strides[i] != stride)
      return 0;
    stride = tcgemmMul(&f->numbers, stride, buffer->sizes[i]);
  }
  return 1;
}

void tcgemmAddView(struct tcgemmFunctionPlanner *f, unsigned number,
                   int64_t offset, unsigned rank, const int64_t *sizes,
                   const int64_t *strides) {
  const struct tcgemmBuffer *whole = &f->buffers[number];
  struct tcgemmBuffer *view = addBuffer(f, whole->bytes, rank, sizes);
  for (unsigned i = 0; i != rank; ++i)
    view->strides[i] = strides[i];
  int64_t bytes = tcgemmMul(&f->numbers, offset, whole->bytes);
  f->numbers.isBroken |= bytes < 0;
  view->isView = 1;
  view->slot = whole->slot;
  view->offset = whole->offset + (uint64_t)bytes;
  uint64_t bits = (uint64_t)bytes | whole->align;
  view->align = bits & (~bits + 1);
  if (!f->status && !isDense(f, whole))
    f->status = tcgemmFail(TCGEMM_NOT_SUPPORTED,
                           "the function reads a part of an argument, which "
                           "must then be row-major without gaps");
}

/* The launch reads and writes buffers without gaps, or views of such. */
static tcgemmStatus checkCopied(struct tcgemmFunctionPlanner *f,
                                const struct tcgemmBuffer *source,
                                const struct tcgemmBuffer *target) {
  for (unsigned i = 0; i != target->rank; ++i)
    if (source->sizes[i] != target->sizes[i])
      return tcgemmFail(TCGEMM_INVALID_VALUE,
                        "dimension %u of a copy is %" PRId64
                        " in its source, and %" PRId64 " in its target",
                        i, source->sizes[i], target->sizes[i]);
  if ((source->isView || isDense(f, source)) &&
      (target->isView || isDense(f, target)))
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                    "the function copies an argument, which must then be "
                    "row-major without gaps");
}

void tcgemmBeginCopy(struct tcgemmFunctionPlanner *f, unsigned kernel,
                     unsigned source, unsigned target) {
  struct tcgemmPlanner *p = &f->numbers;
  const unsigned buffers[] = {source, target};
  p->program = f->program;
  p->device = f->device;
  p->kernel = tcgemmKernels[kernel];
  p->bindings = f->copied;
  for (int i = 0; i != 2; ++i) {
    f->copied[i].slot = f->buffers[buffers[i]].slot;
    f->copied[i].offset = f->buffers[buffers[i]].offset;
    f->copied[i].align = f->buffers[buffers[i]].align;
  }
  p->status = f->status;
  if (!p->status)
    p->status = checkCopied(f, &f->buffers[source], &f->buffers[target]);
  if (!p->status)
    p->status = tcgemmLoadKernel(f->device, kernel, &p->functions);
}

void tcgemmEndCopy(struct tcgemmFunctionPlanner *f) {
  f->status = f->numbers.status;
  if (!f->status)
    f->status = tcgemmProgramGetStatus(f->program);
}

void tcgemmFillBuffer(struct tcgemmFunctionPlanner *f, unsigned number,
                      unsigned bytes, unsigned words, uint32_t value) {
  const struct tcgemmBuffer *buffer = &f->buffers[number];
  int64_t count = words;
  for (unsigned i = 0; i != buffer->rank; ++i)
    count = tcgemmMul(&f->numbers, count, buffer->sizes[i]);
  if (f->status || f->numbers.isBroken || count == 0)
    return;
  if (!isDense(f, buffer)) {
    f->status = tcgemmFail(TCGEMM_NOT_SUPPORTED,
                           "the function fills a buffer, which must then be "
                           "row-major without gaps");
    return;
  }
  tcgemmProgramAddFill(f->program, buffer->slot, buffer->offset, bytes, value,
                       (uint64_t)count);
  f->status = tcgemmProgramGetStatus(f->program);
}

void tcgemmLaunchKernel(struct tcgemmFunctionPlanner *f, unsigned kernel,
                        const unsigned *buffers) {
  if (f->status || f->numbers.isBroken)
    return;
  const struct tcgemmKernel *info = tcgemmKernels[kernel];
  struct tcgemmBinding *bindings = calloc(info->numOperands, sizeof *bindings);
  if (!bindings) {
    f->status = tcgemmFail(TCGEMM_DRIVER, "there is no memory");
    return;
  }
  for (unsigned i = 0; i != info->numOperands; ++i) {
    const struct tcgemmBuffer *buffer = &f->buffers[buffers[i]];
    bindings[i].slot = buffer->slot;
    bindings[i].offset = buffer->offset;
    bindings[i].align = buffer->align;
    memcpy(bindings[i].sizes, buffer->sizes, sizeof buffer->sizes);
    memcpy(bindings[i].strides, buffer->strides, sizeof buffer->strides);
  }
  /* Each launch has its own part: it may begin before the last one has ended.
   */
  uint64_t bytes = 0;
  f->status = tcgemmPlanKernel(f->program, f->device, kernel, bindings,
                               f->workspaceBytes, &bytes);
  f->workspaceBytes += alignUp(bytes);
  free(bindings);
}

/* Functions */

unsigned tcgemmGetFunctionCount(void) { return tcgemmNumFunctions; }

tcgemmStatus tcgemmGetFunction(unsigned index, const char **name,
                               unsigned *arguments) {
  if (index >= tcgemmNumFunctions)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "index is %u, but the library has %u functions", index,
                      tcgemmNumFunctions);
  if (name)
    *name = tcgemmFunctions[index]->name;
  if (arguments)
    *arguments = tcgemmFunctions[index]->numArguments;
  return TCGEMM_SUCCESS;
}

static const struct tcgemmFunction *
findFunction(const struct tcgemmDevice *device, const char *name) {
  const struct tcgemmFunction *best = NULL;
  int bestRank = 0;
  for (unsigned i = 0; i != tcgemmNumFunctions; ++i) {
    const struct tcgemmFunction *function = tcgemmFunctions[i];
    int rank = tcgemmRankChip(device, &tcgemmChips[function->chip]);
    if (rank <= bestRank || strcmp(function->name, name))
      continue;
    best = function;
    bestRank = rank;
  }
  return best;
}

static tcgemmStatus checkShape(unsigned number,
                               const struct tcgemmArgument *argument,
                               const tcgemmShape *shape) {
  const char *name = argumentNames[number];
  if (shape->rank != argument->rank)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "%s has %u dimensions, but it must have %u", name,
                      shape->rank, argument->rank);
  for (unsigned i = 0; i != shape->rank; ++i) {
    int64_t size = shape->sizes[i], stride = shape->strides[i];
    if (argument->sizes[i] != -1 && size != argument->sizes[i])
      return tcgemmFail(TCGEMM_INVALID_VALUE,
                        "dimension %u of %s is %" PRId64
                        ", but it must be %" PRId64,
                        i, name, size, argument->sizes[i]);
    if (size < 0 || size > TCGEMM_MAX_SIZE)
      return tcgemmFail(TCGEMM_INVALID_VALUE,
                        "dimension %u of %s is %" PRId64
                        ", but it must be 0 to %" PRId64,
                        i, name, size, TCGEMM_MAX_SIZE);
    if (stride != TCGEMM_DENSE && (stride < 0 || stride > TCGEMM_MAX_STRIDE))
      return tcgemmFail(TCGEMM_INVALID_VALUE,
                        "stride %u of %s is %" PRId64
                        ", but it must be 0 to %" PRId64,
                        i, name, stride, TCGEMM_MAX_STRIDE);
  }
  return TCGEMM_SUCCESS;
}

static void addArgument(struct tcgemmFunctionPlanner *f, unsigned number,
                        const struct tcgemmArgument *argument,
                        const tcgemmShape *shape, uint32_t alignment) {
  struct tcgemmBuffer *buffer =
      addBuffer(f, argument->bytes, shape->rank, shape->sizes);
  int isEmpty = setDense(f, buffer) == 0;
  for (unsigned i = 0; i != shape->rank; ++i)
    if (shape->strides[i] != TCGEMM_DENSE)
      buffer->strides[i] = shape->strides[i];
  buffer->slot = number;
  buffer->align = alignment > argument->bytes ? alignment : argument->bytes;
  if (!argument->isScalar)
    tcgemmProgramAddSlot(f->program, number, buffer->align,
                         isEmpty ? TCGEMM_NEED_NEVER : TCGEMM_NEED_ALWAYS);
}

static tcgemmStatus planFunction(tcgemmPlan_t plan,
                                 const struct tcgemmFunction *function,
                                 const tcgemmShape *shapes,
                                 uint32_t alignment) {
  struct tcgemmFunctionPlanner *f = calloc(1, sizeof *f);
  if (!f)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  f->program = plan->program;
  f->device = plan->device;
  for (unsigned i = 0; i != function->numArguments && !f->status; ++i) {
    f->status = checkShape(i, &function->arguments[i], &shapes[i]);
    if (!f->status)
      addArgument(f, i, &function->arguments[i], &shapes[i], alignment);
  }
  if (!f->status)
    function->plan(f);
  tcgemmProgramSetWorkspace(plan->program, f->workspaceBytes);
  tcgemmStatus status = f->status;
  if (!status && f->numbers.isBroken)
    status = tcgemmFail(TCGEMM_NOT_SUPPORTED,
                        "function '%s': a number of a buffer exceeds 64 bits",
                        function->name);
  free(f);
  return status;
}

tcgemmStatus tcgemmPlanFunction(tcgemmHandle_t handle, const char *name,
                                const tcgemmShape *shapes, unsigned count,
                                uint32_t alignment, tcgemmPlan_t *plan) {
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  if (!name || !shapes || !plan)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "%s is null",
                      !name     ? "name"
                      : !shapes ? "shapes"
                                : "plan");
  *plan = NULL;
  if (!alignment || (alignment & (alignment - 1)) ||
      alignment > TCGEMM_WORKSPACE_ALIGNMENT)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "alignment is %" PRIu32
                      ", but it must be a power of two from 1 to %d",
                      alignment, TCGEMM_WORKSPACE_ALIGNMENT);
  const struct tcgemmFunction *function = findFunction(handle->device, name);
  if (!function)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the library has no function '%s' for this device", name);
  if (count != function->numArguments)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "function '%s' has %u arguments, but there are %u shapes",
                      name, function->numArguments, count);
  tcgemmPlan_t created = tcgemmNewPlan(handle->device, argumentNames);
  if (!created)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  created->function = function;
  tcgemmStatus status = planFunction(created, function, shapes, alignment);
  if (status)
    tcgemmPlanDestroy(created);
  else
    *plan = created;
  return status;
}

tcgemmStatus tcgemmRunFunction(tcgemmPlan_t plan, const tcgemmValue *values,
                               unsigned count, void *workspace,
                               size_t workspaceSize,
                               struct CUstream_st *stream) {
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  if (!plan->function)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the plan is one of a product: use tcgemmRun");
  if (!values || count != plan->function->numArguments)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "function '%s' has %u arguments, but there are %u values",
                      plan->function->name, plan->function->numArguments,
                      values ? count : 0);
  uint64_t addresses[MAX_ARGUMENTS];
  double scalars[MAX_ARGUMENTS];
  for (unsigned i = 0; i != count; ++i) {
    addresses[i] = (uint64_t)(uintptr_t)values[i].address;
    scalars[i] = values[i].scalar;
  }
  struct tcgemmRunValues run = {addresses, scalars,
                                (uint64_t)(uintptr_t)workspace, workspaceSize};
  return tcgemmProgramRun(plan->program, &run, stream);
}
