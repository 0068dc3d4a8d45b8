/*===- runtime.h - The parts of a generated library ---------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that tcgemm-tune writes for a library, and the functions that its
// kernels' files call. tables.c has the tables, kernel<N>.c a kernel each.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_GENERATED_RUNTIME_H
#define TCGEMM_GENERATED_RUNTIME_H

#include "calls.h"
#include "program.h"
#include "tcgemm_function.h"

#include <pthread.h>

/* Only the API is visible outside of the library. */
#pragma GCC visibility push(hidden)

/* The driver */

#define TCGEMM_DRIVER_FUNCTIONS(X)                                             \
  X(cuInit, (unsigned))                                                        \
  X(cuDeviceGet, (int *, int))                                                 \
  X(cuDeviceGetAttribute, (int *, int, int))                                   \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                  \
  X(cuDevicePrimaryCtxRelease_v2, (int))                                       \
  X(cuCtxGetDevice, (int *))                                                   \
  X(cuMemAlloc_v2, (unsigned long long *, size_t))                             \
  X(cuMemFree_v2, (unsigned long long))                                        \
  X(cuMemcpyHtoD_v2, (unsigned long long, const void *, size_t))               \
  X(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))     \
  X(cuModuleUnload, (void *))                                                  \
  X(cuModuleGetFunction, (void **, void *, const char *))                      \
  X(cuFuncSetAttribute, (void *, int, int))
/* They come with CUDA 11.2. */
#define TCGEMM_POOL_FUNCTIONS(X)                                               \
  X(cuMemAllocAsync, (unsigned long long *, size_t, void *))                   \
  X(cuMemFreeAsync, (unsigned long long, void *))

struct tcgemmDriver {
  struct tcgemmRunDriver run;
#define TCGEMM_MEMBER(name, parameters) int(*name) parameters;
  TCGEMM_DRIVER_FUNCTIONS(TCGEMM_MEMBER)
  TCGEMM_POOL_FUNCTIONS(TCGEMM_MEMBER)
#undef TCGEMM_MEMBER
};

/* The tables */

struct tcgemmPlanner;

/* A module's code: a cubin, or PTX that ends with a zero. */
struct tcgemmImage {
  const char *name;
  const unsigned char *code;
};

struct tcgemmChip {
  const char *name;
  int capability;          /* 90 for 9.0. */
  int isForCapabilityOnly; /* `a`: no other capability runs the code. */
  int isPTX;               /* Newer major versions run the code, too. */
};

/* A function of a module. */
struct tcgemmFunctionInfo {
  unsigned image; /* Its number in tcgemmImages. */
  const char *symbol;
  int sharedMemory; /* Dynamic, of all launches at the most, in bytes. */
  int hasLargeCluster;
};

#define TCGEMM_MAX_KERNEL_DIMS 6 /* M, N, K, and three outer ones. */

/* An operand of a kernel. */
struct tcgemmOperandInfo {
  const char *name;
  int isScalar;
  tcgemmType type; /* The type of a scalar. */
  unsigned rank;
  unsigned char dims[TCGEMM_MAX_KERNEL_DIMS]; /* Outermost first. */
  /* The elements along each dimension that one of the operand's stands for: 1,
     or those of a block with one scale. */
  int64_t blocks[TCGEMM_MAX_KERNEL_DIMS];
};

struct tcgemmKernel {
  const char *name, *config;
  unsigned chip;
  const struct tcgemmOperandInfo *operands;
  unsigned numOperands;
  /* For a product: the argument in the order of tcgemmSlots, for each operand.
   */
  const unsigned char *arguments;
  int64_t sizes[TCGEMM_MAX_KERNEL_DIMS]; /* -1: known at run time. */
  const struct tcgemmFunctionInfo *functions;
  unsigned numFunctions;
  /* Adds the launches of the first variant whose guard holds. */
  void (*plan)(struct tcgemmPlanner *planner);
};

/* A size whose kernel is known. */
struct tcgemmExact {
  int64_t sizes[TCGEMM_NUM_DIMS];
  unsigned kernel;
};

/* The properties of sizes that rules compare. */
typedef enum tcgemmFeature {
  TCGEMM_FEATURE_M,
  TCGEMM_FEATURE_N,
  TCGEMM_FEATURE_K,
  TCGEMM_FEATURE_BATCH,
  TCGEMM_FEATURE_AREA,      /* M * N * batch. */
  TCGEMM_FEATURE_DIVISOR_M, /* The power of two up to 64 that divides M. */
  TCGEMM_FEATURE_DIVISOR_N,
  TCGEMM_FEATURE_DIVISOR_K
} tcgemmFeature;

#define TCGEMM_NO_KERNEL (~0U)
/* In a leaf: the kernel of the product's formula with the least time. */
#define TCGEMM_FASTEST_KERNEL (~0U - 1)

/* A comparison: `below` follows if the feature is less than the threshold, else
   `other`. A leaf has both equal to its own number, and a kernel or none. */
struct tcgemmNode {
  tcgemmFeature feature;
  int64_t threshold;
  unsigned below, other;
  unsigned kernel;
};

#define TCGEMM_NUM_WEIGHTS 8

/* The time of a kernel for any sizes. The tile has `rows` and `columns`, whose
   `slices` CTAs take `depth` elements along K in a step, and `places` CTAs run
   together. With tiles = batch * ceil(M / rows) * ceil(N / columns) * slices,
   rounds = ceil(tiles / places), steps = ceil(K / depth) and
   filled = min(1, tiles / places), the weights w make
     x = w0 + (w1 + w4 * filled) * steps + (rounds - 1) * (w2 + w3 * steps)
     y = (w5 * M * K + w6 * N * K + w7 * M * N * slices) * batch / 1e6
   and the time is sqrt(x * x + y * y) microseconds. */
struct tcgemmFormula {
  double rows, columns, depth, slices, places;
  double weights[TCGEMM_NUM_WEIGHTS];
  unsigned kernel;
};

/* A kind of product on one chip. */
struct tcgemmProduct {
  const char *name;
  unsigned chip;
  tcgemmType typeA, typeB, typeD, sums;
  tcgemmTranspose transA, transB;
  const char *precision, *epilogue;
  tcgemmScaling scaling;
  tcgemmPointerMode pointerMode;
  int isBatched;
  tcgemmOperandShape shapes[TCGEMM_MAX_EPILOGUE_OPERANDS];
  unsigned numShapes;
  const struct tcgemmExact *exact; /* In ascending order of the sizes. */
  unsigned numExact;
  const struct tcgemmNode *rule; /* Null if there is none. */
  const struct tcgemmFormula *formulas;
  unsigned numFormulas;
  unsigned anyKernel; /* One with sizes of the run time, or none. */
};

/* Functions of modules */

struct tcgemmFunctionPlanner;

/* An argument of a function. */
struct tcgemmArgument {
  int isScalar;
  unsigned bytes; /* The size of an element. */
  unsigned rank;
  int64_t sizes[TCGEMM_MAX_RANK]; /* -1: known at run time. */
};

struct tcgemmFunction {
  const char *name;
  unsigned chip;
  const struct tcgemmArgument *arguments;
  unsigned numArguments;
  /* Adds the temporaries, views and launches. */
  void (*plan)(struct tcgemmFunctionPlanner *planner);
};

/* A tensor that functions read, row-major. */
struct tcgemmConstant {
  const unsigned char *data; /* Null: all elements have the value. */
  unsigned char value[8];    /* The first `elementBytes` count. */
  unsigned elementBytes;
  uint64_t bytes; /* The size of all elements. */
};

extern const struct tcgemmConstant tcgemmConstants[];
extern const unsigned tcgemmNumConstants;
extern const struct tcgemmImage tcgemmImages[];
extern const unsigned tcgemmNumImages;
extern const struct tcgemmChip tcgemmChips[];
extern const unsigned tcgemmNumChips;
extern const struct tcgemmKernel *const tcgemmKernels[];
extern const unsigned tcgemmNumKernels;
extern const struct tcgemmProduct tcgemmProducts[];
extern const unsigned tcgemmNumProducts;
extern const struct tcgemmFunction *const tcgemmFunctions[];
extern const unsigned tcgemmNumFunctions;
extern const int tcgemmVersion; /* That of tcgemm-tune. */

/* Devices */

/* A device with the modules that are loaded on it, for all handles and plans
   that share it. */
struct tcgemmDevice {
  const struct tcgemmDriver *driver;
  void *context;
  int number, isRetained;
  int capability, processors;
  pthread_mutex_t mutex; /* Guards what follows. */
  unsigned references;
  void **modules;                /* By image; null: not loaded. */
  void ***functions;             /* By kernel; null: not loaded. */
  unsigned long long *constants; /* Their addresses; 0: not loaded. */
};

tcgemmStatus tcgemmOpenDevice(int ordinal, struct tcgemmDevice **result);
void tcgemmKeepDevice(struct tcgemmDevice *device);
void tcgemmReleaseDevice(struct tcgemmDevice *device);
/* The functions of a kernel, in the order of its table. */
tcgemmStatus tcgemmLoadKernel(struct tcgemmDevice *device, unsigned kernel,
                              void ***functions);
/* The address of a constant, which is copied to the device once. */
tcgemmStatus tcgemmLoadConstant(struct tcgemmDevice *device, unsigned constant,
                                uint64_t *address);
/* Returns 0 if the device runs no code of the chip, else a rank of the fit. */
int tcgemmRankChip(const struct tcgemmDevice *device,
                   const struct tcgemmChip *chip);

/* Makes the device's context current. Leave it only after success. */
tcgemmStatus tcgemmEnterContext(const struct tcgemmDevice *device,
                                int *isPushed);
void tcgemmLeaveContext(const struct tcgemmDevice *device, int isPushed);

/* Choices */

/* The kernel of a checked descriptor, and its arguments. Errors:
   TCGEMM_INVALID_VALUE for strides, TCGEMM_NOT_SUPPORTED if the library has no
   such product, or no kernel for its sizes. */
tcgemmStatus tcgemmChooseKernel(const struct tcgemmDevice *device,
                                const tcgemmMatmulDesc *desc, unsigned *kernel,
                                struct tcgemmSlots *slots);

/* Plans */

/* An operand that is bound to an argument of a run. */
struct tcgemmBinding {
  unsigned slot;          /* The number of a scalar. */
  uint64_t offset, align; /* Bytes; `align` divides the address. */
  int64_t sizes[TCGEMM_MAX_KERNEL_DIMS], strides[TCGEMM_MAX_KERNEL_DIMS];
};

/* The inputs of a kernel's function, and the program that it adds launches to.
 */
struct tcgemmPlanner {
  struct tcgemmProgram *program;
  const struct tcgemmDevice *device;
  const struct tcgemmKernel *kernel;
  void **functions;
  const struct tcgemmBinding *bindings; /* One for each operand. */
  int64_t sizes[TCGEMM_MAX_KERNEL_DIMS];
  uint64_t workspaceBegin; /* The place of the kernel's part. */
  uint64_t workspaceBytes; /* The need of the kernel. */
  int isBroken;            /* A number is out of range. */
  tcgemmStatus status;
  struct tcgemmMap map;
};

/* Adds a kernel's launches to a program. `workspaceBegin` is a multiple of 256;
   `workspaceBytes` is set to the need of the kernel. */
tcgemmStatus tcgemmPlanKernel(struct tcgemmProgram *program,
                              struct tcgemmDevice *device, unsigned kernel,
                              const struct tcgemmBinding *bindings,
                              uint64_t workspaceBegin,
                              uint64_t *workspaceBytes);

/* For kernels' functions. Expressions of the manifest: they set `isBroken` on
   an overflow. */
int64_t tcgemmAdd(struct tcgemmPlanner *p, int64_t a, int64_t b);
int64_t tcgemmSub(struct tcgemmPlanner *p, int64_t a, int64_t b);
int64_t tcgemmMul(struct tcgemmPlanner *p, int64_t a, int64_t b);
int64_t tcgemmFloorDiv(struct tcgemmPlanner *p, int64_t a, int64_t b);
int64_t tcgemmFloorMod(struct tcgemmPlanner *p, int64_t a, int64_t b);
int64_t tcgemmCeilDiv(struct tcgemmPlanner *p, int64_t a, int64_t b);
int64_t tcgemmMin(int64_t a, int64_t b);
int64_t tcgemmMax(int64_t a, int64_t b);
/* An address of an operand for guards: any that its alignment divides. */
int64_t tcgemmBase(const struct tcgemmPlanner *p, unsigned operand);

void tcgemmSetWorkspace(struct tcgemmPlanner *p, int64_t bytes);
/* Begins a launch of the kernel's function; 0 if its grid is empty. */
int tcgemmBeginLaunch(struct tcgemmPlanner *p, unsigned function, int64_t gridX,
                      int64_t gridY, int64_t gridZ,
                      const struct tcgemmLaunchShape *shape);
void tcgemmAddPointer(struct tcgemmPlanner *p, unsigned operand);
void tcgemmAddScalarOperand(struct tcgemmPlanner *p, unsigned operand);
void tcgemmAddInt32(struct tcgemmPlanner *p, int64_t value);
void tcgemmAddInt64(struct tcgemmPlanner *p, int64_t value);
void tcgemmAddWorkspace(struct tcgemmPlanner *p, int64_t offset);
/* A map is begun, gets its dimensions from the innermost one on, and ends with
   its base. The stride of dimension 0 is not used. */
void tcgemmBeginMap(struct tcgemmPlanner *p, const char *name, int type,
                    int swizzle, int promotion);
void tcgemmAddMapDim(struct tcgemmPlanner *p, int64_t size, int64_t stride,
                     uint32_t box);
void tcgemmEndMapOfOperand(struct tcgemmPlanner *p, unsigned operand);
void tcgemmEndMapOfWorkspace(struct tcgemmPlanner *p, int64_t offset);
/* No variant's guard holds. */
void tcgemmFailVariant(struct tcgemmPlanner *p);

/* For functions' functions. Arguments, temporaries, constants and views are
   buffers, with numbers in this order. */
#define TCGEMM_MAX_BUFFERS 128

struct tcgemmBuffer {
  unsigned slot;          /* The number of a scalar. */
  uint64_t offset, align; /* Bytes; `align` divides the address. */
  unsigned bytes;         /* The size of an element. */
  int isView;             /* Its buffer has no gaps. */
  unsigned rank;
  int64_t sizes[TCGEMM_MAX_RANK], strides[TCGEMM_MAX_RANK];
};

struct tcgemmFunctionPlanner {
  struct tcgemmProgram *program;
  struct tcgemmDevice *device;
  struct tcgemmPlanner numbers; /* For expressions and copies. */
  struct tcgemmBinding copied[2];
  struct tcgemmBuffer buffers[TCGEMM_MAX_BUFFERS];
  unsigned numBuffers;
  uint64_t workspaceBytes;
  tcgemmStatus status;
};

/* Each list has `rank` numbers, outermost first. */
void tcgemmAddTemporary(struct tcgemmFunctionPlanner *f, unsigned bytes,
                        unsigned rank, const int64_t *sizes);
void tcgemmAddConstant(struct tcgemmFunctionPlanner *f, unsigned constant,
                       unsigned bytes, unsigned rank, const int64_t *sizes);
/* `offset` and the strides count elements. */
void tcgemmAddView(struct tcgemmFunctionPlanner *f, unsigned buffer,
                   int64_t offset, unsigned rank, const int64_t *sizes,
                   const int64_t *strides);
/* `buffers` has a number for each operand of the kernel. */
void tcgemmLaunchKernel(struct tcgemmFunctionPlanner *f, unsigned kernel,
                        const unsigned *buffers);
/* Between these calls, `numbers` plans a launch that copies the first buffer to
   the second one; they are operands 0 and 1. `kernel` has the functions of all
   copies. */
void tcgemmBeginCopy(struct tcgemmFunctionPlanner *f, unsigned kernel,
                     unsigned source, unsigned target);
void tcgemmEndCopy(struct tcgemmFunctionPlanner *f);
/* Fills a buffer whose elements are `words` words of 2 or 4 bytes, all with the
   value. */
void tcgemmFillBuffer(struct tcgemmFunctionPlanner *f, unsigned buffer,
                      unsigned bytes, unsigned words, uint32_t value);

#pragma GCC visibility pop

#endif /* TCGEMM_GENERATED_RUNTIME_H */
