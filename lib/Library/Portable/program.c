/*===- program.c - A product's launches with open addresses -------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the driver for the arguments of a kernel. */
enum { MAX_ARGUMENT_BYTES = 4096, MAX_ARGUMENTS = 128 };
enum { MAP_BYTES = 128, MAP_ALIGNMENT = 64 };

/* CUlaunchAttribute: the value is a union of 64 bytes, of which the cluster
   uses the first three words, and the other attribute one. */
struct Attribute {
  int id;
  char pad[4];
  uint32_t value[16];
};
enum { CLUSTER_DIMENSION = 4, STREAM_SERIALIZATION = 6, MAX_ATTRIBUTES = 2 };

/* CUlaunchConfig. */
struct LaunchConfig {
  uint32_t grid[3], block[3];
  uint32_t sharedMemory;
  void *stream;
  struct Attribute *attributes;
  uint32_t numAttributes;
};

/* An address that is written into the arguments at `target`. */
struct Address {
  uint32_t target, slot;
  uint64_t offset;
};

struct Scalar {
  uint32_t target, index;
  tcgemmType type;
};

struct Slot {
  unsigned slot;
  uint64_t alignment;
  tcgemmNeed need;
  struct tcgemmRange range;
};

struct Fill {
  struct Address address;
  unsigned bytes; /* The size of an element. */
  uint32_t value;
  uint64_t count;
};

struct Launch {
  char *name;
  void *function; /* Null for a fill. */
  struct Fill fill;
  struct LaunchConfig config;
  struct Attribute attributes[MAX_ATTRIBUTES];
  uint8_t *bytes;    /* All arguments. */
  uint32_t *offsets; /* The place of each argument in the bytes. */
  struct Address *addresses, *maps;
  struct Scalar *scalars;
  size_t numBytes, numOffsets, numAddresses, numMaps, numScalars;
};

struct tcgemmProgram {
  const struct tcgemmRunDriver *driver;
  void *context;
  const char *const *slotNames;
  struct Slot *slots;
  struct Launch *launches;
  size_t numSlots, numLaunches;
  uint64_t workspaceBytes;
  tcgemmStatus status;
};

static void *toPointer(uint64_t address) { return (void *)(uintptr_t)address; }

/* Makes room for one more element. Capacities are powers of two. */
static void *grow(struct tcgemmProgram *program, void *array, size_t count,
                  size_t size) {
  if (count & (count - 1))
    return array;
  void *larger = realloc(array, (count ? 2 * count : 1) * size);
  if (!larger)
    program->status = tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  return larger ? larger : array;
}

/* A pointer to a new element at the end of an array, zero; null on failure. */
#define APPEND(program, array, count)                                          \
  (((array) = grow((program), (array), (count), sizeof *(array))),             \
   (program)->status ? NULL : memset(&(array)[(count)++], 0, sizeof *(array)))

struct tcgemmProgram *tcgemmProgramCreate(const struct tcgemmRunDriver *driver,
                                          void *context,
                                          const char *const *slotNames) {
  struct tcgemmProgram *program = calloc(1, sizeof *program);
  if (!program)
    return NULL;
  program->driver = driver;
  program->context = context;
  program->slotNames = slotNames;
  return program;
}

void tcgemmProgramDestroy(struct tcgemmProgram *program) {
  if (!program)
    return;
  for (size_t i = 0; i != program->numLaunches; ++i) {
    struct Launch *launch = &program->launches[i];
    free(launch->name);
    free(launch->bytes);
    free(launch->offsets);
    free(launch->addresses);
    free(launch->maps);
    free(launch->scalars);
  }
  free(program->launches);
  free(program->slots);
  free(program);
}

void tcgemmProgramAddSlot(struct tcgemmProgram *program, unsigned slot,
                          uint64_t alignment, tcgemmNeed need) {
  struct Slot *added = program->status
                           ? NULL
                           : APPEND(program, program->slots, program->numSlots);
  if (!added)
    return;
  added->slot = slot;
  added->alignment = alignment;
  added->need = need;
}

void tcgemmProgramSetRange(struct tcgemmProgram *program,
                           const struct tcgemmRange *range) {
  for (size_t i = 0; i != program->numSlots; ++i)
    if (program->slots[i].slot == range->slot)
      program->slots[i].range = *range;
}

void tcgemmProgramSetWorkspace(struct tcgemmProgram *program, uint64_t bytes) {
  program->workspaceBytes = bytes;
}

static void addAttribute(struct Launch *launch, int id, const uint32_t *value,
                         size_t count) {
  struct Attribute *attribute =
      &launch->attributes[launch->config.numAttributes++];
  attribute->id = id;
  memcpy(attribute->value, value, count * sizeof *value);
}

void tcgemmProgramAddLaunch(struct tcgemmProgram *program, const char *name,
                            void *function,
                            const struct tcgemmLaunchShape *shape) {
  struct Launch *launch = program->status ? NULL
                                          : APPEND(program, program->launches,
                                                   program->numLaunches);
  if (!launch)
    return;
  size_t length = strlen(name) + 1;
  launch->name = malloc(length);
  if (!launch->name) {
    program->status = tcgemmFail(TCGEMM_DRIVER, "there is no memory");
    return;
  }
  memcpy(launch->name, name, length);
  launch->function = function;
  for (int i = 0; i != 3; ++i) {
    launch->config.grid[i] = shape->grid[i];
    launch->config.block[i] = shape->block[i];
  }
  launch->config.sharedMemory = shape->sharedMemory;
  if (shape->cluster[0] != 1 || shape->cluster[1] != 1 ||
      shape->cluster[2] != 1)
    addAttribute(launch, CLUSTER_DIMENSION, shape->cluster, 3);
  if (shape->isDependent) {
    const uint32_t allowed = 1;
    addAttribute(launch, STREAM_SERIALIZATION, &allowed, 1);
  }
}

void tcgemmProgramAddFill(struct tcgemmProgram *program, unsigned slot,
                          uint64_t offset, unsigned bytes, uint32_t value,
                          uint64_t count) {
  struct Launch *launch = program->status ? NULL
                                          : APPEND(program, program->launches,
                                                   program->numLaunches);
  if (!launch)
    return;
  launch->fill.address.slot = slot;
  launch->fill.address.offset = offset;
  launch->fill.bytes = bytes;
  launch->fill.value = value;
  launch->fill.count = count;
}

/* The last launch with room for an argument; null on failure. `target` is set
   to the place of the argument. */
static struct Launch *addArgument(struct tcgemmProgram *program, size_t size,
                                  size_t alignment, uint32_t *target) {
  if (program->status)
    return NULL;
  struct Launch *launch = &program->launches[program->numLaunches - 1];
  size_t begin = (launch->numBytes + alignment - 1) / alignment * alignment;
  size_t end = begin + size;
  if (end > MAX_ARGUMENT_BYTES || launch->numOffsets == MAX_ARGUMENTS) {
    program->status = tcgemmFail(
        TCGEMM_NOT_SUPPORTED, "'%s' has more than %d arguments of %d bytes",
        launch->name, MAX_ARGUMENTS, MAX_ARGUMENT_BYTES);
    return NULL;
  }
  uint8_t *bytes = realloc(launch->bytes, end);
  if (!bytes) {
    program->status = tcgemmFail(TCGEMM_DRIVER, "there is no memory");
    return NULL;
  }
  launch->bytes = bytes;
  memset(bytes + launch->numBytes, 0, end - launch->numBytes);
  launch->numBytes = end;
  uint32_t *offset = APPEND(program, launch->offsets, launch->numOffsets);
  if (!offset)
    return NULL;
  *offset = *target = (uint32_t)begin;
  return launch;
}

void tcgemmProgramAddBytes(struct tcgemmProgram *program, const void *bytes,
                           size_t size) {
  uint32_t target;
  struct Launch *launch = addArgument(program, size, 8, &target);
  if (launch)
    memcpy(launch->bytes + target, bytes, size);
}

void tcgemmProgramAddAddress(struct tcgemmProgram *program, unsigned slot,
                             uint64_t offset) {
  uint32_t target;
  struct Launch *launch = addArgument(program, sizeof(uint64_t), 8, &target);
  struct Address *address =
      launch ? APPEND(program, launch->addresses, launch->numAddresses) : NULL;
  if (!address)
    return;
  address->target = target;
  address->slot = slot;
  address->offset = offset;
}

void tcgemmProgramAddScalar(struct tcgemmProgram *program, unsigned scalar,
                            tcgemmType type) {
  uint32_t target;
  struct Launch *launch = addArgument(program, sizeof(double), 8, &target);
  struct Scalar *added =
      launch ? APPEND(program, launch->scalars, launch->numScalars) : NULL;
  if (!added)
    return;
  added->target = target;
  added->index = scalar;
  added->type = type;
}

/* Encodes a map with an address that each run replaces. */
static tcgemmStatus encodeMap(const struct tcgemmProgram *program,
                              const struct tcgemmMap *map, uint8_t *target) {
  const struct tcgemmRunDriver *driver = program->driver;
  static const uint32_t steps[TCGEMM_MAX_MAP_RANK] = {1, 1, 1, 1, 1};
  if (!driver->cuTensorMapEncodeTiled || !driver->cuTensorMapReplaceAddress)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "tensor maps need a driver of CUDA 12.0 or later");
  /* The driver requires a place that is a multiple of 64. */
  uint8_t image[MAP_BYTES] __attribute__((aligned(MAP_ALIGNMENT)));
  memset(image, 0, sizeof image);
  int result = driver->cuTensorMapEncodeTiled(
      image, map->type, map->rank, toPointer(TCGEMM_PLAN_ADDRESS), map->dims,
      map->strides, map->box, steps, /*interleave=*/0, map->swizzle,
      map->promotion, /*fill=*/0);
  if (result)
    return tcgemmFailDriver(driver, result, "cuTensorMapEncodeTiled of '%s'",
                            map->name);
  memcpy(target, image, sizeof image);
  return TCGEMM_SUCCESS;
}

void tcgemmProgramAddMap(struct tcgemmProgram *program,
                         const struct tcgemmMap *map, unsigned slot,
                         uint64_t offset) {
  uint32_t target;
  struct Launch *launch =
      addArgument(program, MAP_BYTES, MAP_ALIGNMENT, &target);
  struct Address *address =
      launch ? APPEND(program, launch->maps, launch->numMaps) : NULL;
  if (!address)
    return;
  address->target = target;
  address->slot = slot;
  address->offset = offset;
  program->status = encodeMap(program, map, launch->bytes + target);
}

tcgemmStatus tcgemmProgramGetStatus(const struct tcgemmProgram *program) {
  return program->status;
}

uint64_t tcgemmProgramGetWorkspace(const struct tcgemmProgram *program) {
  return program->workspaceBytes;
}

/* Runs */

static tcgemmStatus checkAddress(const struct tcgemmProgram *program,
                                 const struct Slot *slot,
                                 const struct tcgemmRunValues *values) {
  uint64_t address = values->addresses[slot->slot];
  const char *name = program->slotNames[slot->slot];
  if (!address && slot->need == TCGEMM_NEED_ALWAYS)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the address of %s is null", name);
  if (!address && slot->need == TCGEMM_NEED_WITH_BETA &&
      values->scalars[1] != 0)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the address of %s is null, but beta is not 0", name);
  if (address & (slot->alignment - 1))
    return tcgemmFail(
        TCGEMM_MISALIGNED,
        "the address of %s is 0x%" PRIx64
        ", but it must be a multiple of %" PRIu64
        ": of the descriptor's alignment, and of the size of an element",
        name, address, slot->alignment);
  return TCGEMM_SUCCESS;
}

static tcgemmStatus checkWorkspace(const struct tcgemmProgram *program,
                                   const struct tcgemmRunValues *values) {
  if (!program->workspaceBytes)
    return TCGEMM_SUCCESS;
  if (!values->workspace || values->workspaceBytes < program->workspaceBytes)
    return tcgemmFail(TCGEMM_WORKSPACE,
                      "the workspace has %" PRIu64
                      " bytes, but the plan needs %" PRIu64,
                      values->workspace ? values->workspaceBytes : 0,
                      program->workspaceBytes);
  if (values->workspace % TCGEMM_WORKSPACE_ALIGNMENT)
    return tcgemmFail(TCGEMM_WORKSPACE,
                      "the workspace is at 0x%" PRIx64
                      ", but it must be a multiple of %d",
                      values->workspace, TCGEMM_WORKSPACE_ALIGNMENT);
  return TCGEMM_SUCCESS;
}

/* Returns whether a run uses the slot's memory. */
static int isUsed(const struct Slot *slot,
                  const struct tcgemmRunValues *values) {
  return slot->range.bytes && values->addresses[slot->slot] &&
         !(slot->need == TCGEMM_NEED_WITH_BETA && values->scalars[1] == 0);
}

static tcgemmStatus checkMemory(const struct tcgemmProgram *program,
                                const struct tcgemmRunValues *values) {
  const struct tcgemmRange workspace = {TCGEMM_WORKSPACE_SLOT, TCGEMM_NO_SLOT,
                                        program->workspaceBytes, 1, 1};
  for (size_t i = 0; i != program->numSlots; ++i) {
    const struct Slot *slot = &program->slots[i];
    if (!isUsed(slot, values))
      continue;
    const char *name = program->slotNames[slot->slot];
    uint64_t address = values->addresses[slot->slot];
    if (workspace.bytes &&
        tcgemmShareMemory(&workspace, values->workspace, &slot->range, address))
      return tcgemmFail(TCGEMM_WORKSPACE,
                        "the workspace at 0x%" PRIx64 " and %s at 0x%" PRIx64
                        " share memory",
                        values->workspace, name, address);
    for (size_t j = 0; j != i; ++j) {
      const struct Slot *other = &program->slots[j];
      if (isUsed(other, values) &&
          tcgemmAreInConflict(&other->range, values->addresses[other->slot],
                              &slot->range, address))
        return tcgemmFail(
            TCGEMM_INVALID_VALUE,
            "%s at 0x%" PRIx64 " and %s at 0x%" PRIx64
            " share memory, but a result must have memory of its own",
            program->slotNames[other->slot], values->addresses[other->slot],
            name, address);
    }
  }
  return TCGEMM_SUCCESS;
}

static uint64_t resolve(const struct Address *address,
                        const struct tcgemmRunValues *values) {
  if (address->slot == TCGEMM_FIXED_SLOT)
    return address->offset;
  return address->offset + (address->slot == TCGEMM_WORKSPACE_SLOT
                                ? values->workspace
                                : values->addresses[address->slot]);
}

/* Returns whether the operand's address is null. C may have none if beta is 0.
 */
static int isAbsent(const struct Address *address,
                    const struct tcgemmRunValues *values) {
  return address->slot != TCGEMM_FIXED_SLOT &&
         address->slot != TCGEMM_WORKSPACE_SLOT &&
         !values->addresses[address->slot];
}

static tcgemmStatus runFill(const struct tcgemmRunDriver *driver,
                            const struct Fill *fill,
                            const struct tcgemmRunValues *values,
                            void *stream) {
  uint64_t address = resolve(&fill->address, values);
  int result =
      fill->bytes == 2
          ? driver->cuMemsetD16Async(address, (unsigned short)fill->value,
                                     fill->count, stream)
          : driver->cuMemsetD32Async(address, fill->value, fill->count, stream);
  return result ? tcgemmFailDriver(driver, result, "cuMemsetAsync")
                : TCGEMM_SUCCESS;
}

static tcgemmStatus runLaunch(const struct tcgemmRunDriver *driver,
                              const struct Launch *launch,
                              const struct tcgemmRunValues *values,
                              void *stream) {
  if (!launch->function)
    return runFill(driver, &launch->fill, values, stream);
  uint8_t bytes[MAX_ARGUMENT_BYTES] __attribute__((aligned(MAP_ALIGNMENT)));
  void *arguments[MAX_ARGUMENTS];
  if (launch->numBytes)
    memcpy(bytes, launch->bytes, launch->numBytes);
  for (size_t i = 0; i != launch->numOffsets; ++i)
    arguments[i] = bytes + launch->offsets[i];
  for (size_t i = 0; i != launch->numAddresses; ++i) {
    uint64_t value = resolve(&launch->addresses[i], values);
    memcpy(bytes + launch->addresses[i].target, &value, sizeof value);
  }
  for (size_t i = 0; i != launch->numScalars; ++i) {
    const struct Scalar *scalar = &launch->scalars[i];
    tcgemmStoreScalar(scalar->type, values->scalars[scalar->index],
                      bytes + scalar->target);
  }
  for (size_t i = 0; i != launch->numMaps; ++i) {
    /* No copy uses the map of an operand that is absent. It keeps the address
       of the plan. */
    if (isAbsent(&launch->maps[i], values))
      continue;
    int result = driver->cuTensorMapReplaceAddress(
        bytes + launch->maps[i].target,
        toPointer(resolve(&launch->maps[i], values)));
    if (result)
      return tcgemmFailDriver(driver, result, "cuTensorMapReplaceAddress");
  }
  struct LaunchConfig config = launch->config;
  config.attributes = (struct Attribute *)launch->attributes;
  config.stream = stream;
  int result =
      driver->cuLaunchKernelEx(&config, launch->function, arguments, NULL);
  if (result)
    return tcgemmFailDriver(driver, result, "launch of '%s'", launch->name);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmProgramRun(const struct tcgemmProgram *program,
                              const struct tcgemmRunValues *values,
                              void *stream) {
  const struct tcgemmRunDriver *driver = program->driver;
  tcgemmStatus status = TCGEMM_SUCCESS;
  for (size_t i = 0; i != program->numSlots && !status; ++i)
    status = checkAddress(program, &program->slots[i], values);
  if (!status)
    status = checkWorkspace(program, values);
  if (!status)
    status = checkMemory(program, values);
  if (status)
    return status;
  void *current = NULL;
  int result = driver->cuCtxGetCurrent(&current);
  int isPushed = !result && current != program->context;
  if (isPushed)
    result = driver->cuCtxPushCurrent_v2(program->context);
  if (result)
    return tcgemmFailDriver(driver, result, "cuCtxPushCurrent");
  for (size_t i = 0; i != program->numLaunches && !status; ++i)
    status = runLaunch(driver, &program->launches[i], values, stream);
  if (isPushed)
    driver->cuCtxPopCurrent_v2(&current);
  return status;
}
