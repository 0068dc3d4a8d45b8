/*===- program.h - A product's launches with open addresses -------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launches of one product, evaluated once. What is left for a run is to
// copy the arguments, to write the addresses into them, and to launch. So a run
// neither allocates memory nor takes a lock.
//
// The files of this folder are C99 and need the driver alone. libtcgemm has
// them, and generated libraries contain a copy.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_PORTABLE_PROGRAM_H
#define TCGEMM_PORTABLE_PROGRAM_H

#include "tcgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of the driver that runs and plans call. Handles are void *;
   the configuration of a launch is a CUlaunchConfig. The parameters of
   cuTensorMapEncodeTiled: map, type, rank, address, dims, strides, box, element
   strides, interleave, swizzle, L2 promotion, fill. */
#define TCGEMM_RUN_FUNCTIONS(X)                                                \
  X(cuGetErrorName, (int, const char **))                                      \
  X(cuGetErrorString, (int, const char **))                                    \
  X(cuCtxGetCurrent, (void **))                                                \
  X(cuCtxPushCurrent_v2, (void *))                                             \
  X(cuCtxPopCurrent_v2, (void **))                                             \
  X(cuLaunchKernelEx, (const void *, void *, void **, void **))                \
  X(cuMemsetD16Async, (unsigned long long, unsigned short, size_t, void *))    \
  X(cuMemsetD32Async, (unsigned long long, unsigned, size_t, void *))
/* They come with CUDA 12. */
#define TCGEMM_MAP_FUNCTIONS(X)                                                \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))                  \
  X(cuTensorMapReplaceAddress, (void *, void *))

struct tcgemmRunDriver {
#define TCGEMM_MEMBER(name, parameters) int(*name) parameters;
  TCGEMM_RUN_FUNCTIONS(TCGEMM_MEMBER)
  TCGEMM_MAP_FUNCTIONS(TCGEMM_MEMBER)
#undef TCGEMM_MEMBER
};

/* Sets the calling thread's message and returns the status. Each library has
   its own. */
tcgemmStatus tcgemmFail(tcgemmStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a result of the driver that is not 0: TCGEMM_DRIVER. */
tcgemmStatus tcgemmFailDriver(const struct tcgemmRunDriver *driver, int result,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The slot of addresses in the workspace, and of those that are known: their
   offset is the address. */
#define TCGEMM_WORKSPACE_SLOT (~0U)
#define TCGEMM_FIXED_SLOT (~1U)
/* The alignment of the workspace in bytes. */
#define TCGEMM_WORKSPACE_ALIGNMENT 256
/* An address for plans. It is a multiple of more than any guard asks for. */
#define TCGEMM_PLAN_ADDRESS ((uint64_t)1 << 40)

/* When a slot's address must not be null. */
typedef enum tcgemmNeed {
  TCGEMM_NEED_NEVER,
  TCGEMM_NEED_ALWAYS,
  TCGEMM_NEED_WITH_BETA /* If the second scalar, beta, is not 0. */
} tcgemmNeed;

/* The values of a run. Addresses are numbers, one for each slot. */
struct tcgemmRunValues {
  const uint64_t *addresses;
  const double *scalars;
  uint64_t workspace, workspaceBytes;
};

/* The memory of a slot. */
struct tcgemmRange {
  unsigned slot;
  /* The number of the slot whose address it may have although that is written:
     both have the same elements in memory, and each is read before it is
     written. Otherwise TCGEMM_NO_SLOT. */
  unsigned inPlaceOf;
  uint64_t bytes; /* Behind its address; 0 if it is not used. */
  int isDense;    /* All these bytes are the slot's. */
  int isWritten;
};
#define TCGEMM_NO_SLOT (~2U)

/* A tensor in memory: `bits` are those of an element. */
struct tcgemmTensor {
  unsigned rank, bits;
  const int64_t *sizes, *strides;
};
/* Sets `bytes` and `isDense` of a tensor's memory. */
void tcgemmMeasure(const struct tcgemmTensor *tensor,
                   struct tcgemmRange *range);
/* Returns whether all elements of two tensors have the same places. */
int tcgemmHasSamePlaces(const struct tcgemmTensor *a,
                        const struct tcgemmTensor *b);
/* Returns whether a slot at `addressA` certainly shares memory with one at
   `addressB`: they begin at one byte, or one is dense and has the first or the
   last byte of the other. Two with gaps may lie in each other's gaps, as
   columns of one matrix do. */
int tcgemmShareMemory(const struct tcgemmRange *a, uint64_t addressA,
                      const struct tcgemmRange *b, uint64_t addressB);
/* Returns whether memory that both share makes results wrong. */
int tcgemmAreInConflict(const struct tcgemmRange *a, uint64_t addressA,
                        const struct tcgemmRange *b, uint64_t addressB);

/* The numbers of a launch. */
struct tcgemmLaunchShape {
  uint32_t grid[3], block[3], cluster[3];
  uint32_t sharedMemory; /* Dynamic, in bytes. */
  int isDependent;       /* May start before the preceding launch has ended. */
};

#define TCGEMM_MAX_MAP_RANK 5

/* A tensor map: codes are the driver's, dims and box count elements, strides
   bytes; innermost first. */
struct tcgemmMap {
  const char *name; /* For messages. */
  int type, swizzle, promotion;
  uint32_t rank;
  uint64_t dims[TCGEMM_MAX_MAP_RANK], strides[TCGEMM_MAX_MAP_RANK - 1];
  uint32_t box[TCGEMM_MAX_MAP_RANK];
};

struct tcgemmProgram;

/* A program without launches. `driver`, `context` and `slotNames`, which has a
   name for each slot, must outlive it. Null if there is no memory. */
struct tcgemmProgram *tcgemmProgramCreate(const struct tcgemmRunDriver *driver,
                                          void *context,
                                          const char *const *slotNames);
/* Null is allowed. */
void tcgemmProgramDestroy(struct tcgemmProgram *program);

/* An address that each run has; `alignment` is a power of two. */
void tcgemmProgramAddSlot(struct tcgemmProgram *program, unsigned slot,
                          uint64_t alignment, tcgemmNeed need);
/* States the memory of a slot that was added. Slots without are not compared
   with others. */
void tcgemmProgramSetRange(struct tcgemmProgram *program,
                           const struct tcgemmRange *range);
void tcgemmProgramSetWorkspace(struct tcgemmProgram *program, uint64_t bytes);
/* The following arguments are those of this launch, in their order. */
void tcgemmProgramAddLaunch(struct tcgemmProgram *program, const char *name,
                            void *function,
                            const struct tcgemmLaunchShape *shape);
/* Writes `count` elements of 2 or 4 bytes behind the address that is `offset`
   bytes behind a slot's. It has no arguments. */
void tcgemmProgramAddFill(struct tcgemmProgram *program, unsigned slot,
                          uint64_t offset, unsigned bytes, uint32_t value,
                          uint64_t count);
/* An argument whose `size` bytes are known. */
void tcgemmProgramAddBytes(struct tcgemmProgram *program, const void *bytes,
                           size_t size);
/* The address `offset` bytes behind a slot's, or in the workspace. */
void tcgemmProgramAddAddress(struct tcgemmProgram *program, unsigned slot,
                             uint64_t offset);
/* The value of a scalar of the run, as TCGEMM_F16, F32 or F64. */
void tcgemmProgramAddScalar(struct tcgemmProgram *program, unsigned scalar,
                            tcgemmType type);
/* A tensor map of the address `offset` bytes behind a slot's. */
void tcgemmProgramAddMap(struct tcgemmProgram *program,
                         const struct tcgemmMap *map, unsigned slot,
                         uint64_t offset);
/* The first error of the functions above: a limit of the driver's arguments
   (TCGEMM_NOT_SUPPORTED), no memory, or the driver (TCGEMM_DRIVER). */
tcgemmStatus tcgemmProgramGetStatus(const struct tcgemmProgram *program);

uint64_t tcgemmProgramGetWorkspace(const struct tcgemmProgram *program);
/* Launches everything. Errors: an address that is null but needed, or memory
   that is written and has another use (TCGEMM_INVALID_VALUE),
   TCGEMM_MISALIGNED, TCGEMM_WORKSPACE, TCGEMM_DRIVER. */
tcgemmStatus tcgemmProgramRun(const struct tcgemmProgram *program,
                              const struct tcgemmRunValues *values,
                              void *stream);

/* Writes `value`, rounded to `type`. */
void tcgemmStoreScalar(tcgemmType type, double value, void *target);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TCGEMM_PORTABLE_PROGRAM_H */
