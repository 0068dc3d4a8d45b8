/*===- plan.c - Plans of products ---------------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "handle.h"

#include <stdlib.h>

const char tcgemmPlanMark = 0;

int tcgemmIsPlan(tcgemmPlan_t plan) {
  return plan && plan->mark == &tcgemmPlanMark;
}

tcgemmPlan_t tcgemmNewPlan(struct tcgemmDevice *device,
                           const char *const *slotNames) {
  tcgemmPlan_t plan = calloc(1, sizeof *plan);
  if (!plan)
    return NULL;
  plan->program =
      tcgemmProgramCreate(&device->driver->run, device->context, slotNames);
  if (!plan->program) {
    free(plan);
    return NULL;
  }
  tcgemmKeepDevice(device);
  plan->device = device;
  plan->config = "";
  plan->mark = &tcgemmPlanMark;
  return plan;
}

static unsigned getScalar(unsigned slot) {
  return slot == TCGEMM_SLOT_ALPHA ? TCGEMM_SCALAR_ALPHA : TCGEMM_SCALAR_BETA;
}

/* When a product without a term of its own needs the address. */
static tcgemmNeed getNeed(const tcgemmMatmulDesc *desc, unsigned slot) {
  int isInMemory = desc->pointerMode == TCGEMM_POINTER_DEVICE;
  if (slot == TCGEMM_SLOT_C && !isInMemory)
    return TCGEMM_NEED_WITH_BETA;
  int isFactor = slot == TCGEMM_SLOT_A || slot == TCGEMM_SLOT_B;
  return isFactor && desc->k == 0 ? TCGEMM_NEED_NEVER : TCGEMM_NEED_ALWAYS;
}

static int isMatrix(const struct tcgemmOperandInfo *operand) {
  int hasM = 0, hasN = 0;
  for (unsigned i = 0; i != operand->rank; ++i) {
    hasM |= operand->dims[i] == TCGEMM_DIM_M;
    hasN |= operand->dims[i] == TCGEMM_DIM_N;
  }
  return hasM && hasN;
}

static struct tcgemmTensor getTensor(const struct tcgemmOperandInfo *operand,
                                     const struct tcgemmSlot *slot,
                                     const struct tcgemmBinding *binding) {
  struct tcgemmTensor tensor = {operand->rank,
                                8 * tcgemmGetTypeBytes(slot->type) /
                                    tcgemmGetPackedElements(slot->type),
                                binding->sizes, binding->strides};
  return tensor;
}

/* States the memory of the arguments. The last operand of a kernel is D. */
static void setRanges(tcgemmPlan_t plan, const tcgemmMatmulDesc *desc,
                      const struct tcgemmSlots *slots,
                      const struct tcgemmKernel *info,
                      const struct tcgemmBinding *bindings) {
  unsigned last = info->numOperands - 1;
  struct tcgemmTensor result =
      getTensor(&info->operands[last], &slots->slots[info->arguments[last]],
                &bindings[last]);
  for (unsigned i = 0; i != info->numOperands; ++i) {
    const struct tcgemmSlot *slot = &slots->slots[info->arguments[i]];
    if (getNeed(desc, slot->slot) == TCGEMM_NEED_NEVER)
      continue;
    struct tcgemmTensor tensor =
        getTensor(&info->operands[i], slot, &bindings[i]);
    struct tcgemmRange range;
    tcgemmMeasure(&tensor, &range);
    range.slot = slot->slot;
    range.isWritten = slot->slot == TCGEMM_SLOT_D;
    range.inPlaceOf = isMatrix(&info->operands[i]) &&
                              slot->slot != TCGEMM_SLOT_D &&
                              tcgemmHasSamePlaces(&tensor, &result)
                          ? TCGEMM_SLOT_D
                          : TCGEMM_NO_SLOT;
    tcgemmProgramSetRange(plan->program, &range);
  }
}

tcgemmStatus tcgemmPlanSlots(tcgemmPlan_t plan, const tcgemmMatmulDesc *desc,
                             const struct tcgemmSlots *slots, unsigned kernel) {
  const struct tcgemmKernel *info = tcgemmKernels[kernel];
  const int64_t sizes[TCGEMM_NUM_DIMS] = {desc->m, desc->n, desc->k,
                                          desc->batch};
  int isInMemory = desc->pointerMode == TCGEMM_POINTER_DEVICE;
  struct tcgemmBinding bindings[TCGEMM_NUM_SLOTS];
  for (unsigned i = 0; i != info->numOperands; ++i) {
    const struct tcgemmSlot *slot = &slots->slots[info->arguments[i]];
    struct tcgemmBinding *binding = &bindings[i];
    binding->slot =
        info->operands[i].isScalar ? getScalar(slot->slot) : slot->slot;
    binding->offset = 0;
    binding->align = slot->alignment;
    for (unsigned j = 0; j != info->operands[i].rank; ++j) {
      unsigned dim = info->operands[i].dims[j];
      binding->sizes[j] = sizes[dim];
      binding->strides[j] = slot->strides[dim];
    }
  }
  for (unsigned i = 0; i != slots->count; ++i) {
    const struct tcgemmSlot *slot = &slots->slots[i];
    if (slot->slot < TCGEMM_SLOT_ALPHA || isInMemory)
      tcgemmProgramAddSlot(plan->program, slot->slot, slot->alignment,
                           getNeed(desc, slot->slot));
  }
  setRanges(plan, desc, slots, info, bindings);
  uint64_t workspaceBytes = 0;
  tcgemmStatus status =
      tcgemmPlanKernel(plan->program, plan->device, kernel, bindings,
                       /*workspaceBegin=*/0, &workspaceBytes);
  tcgemmProgramSetWorkspace(plan->program, workspaceBytes);
  return status;
}
