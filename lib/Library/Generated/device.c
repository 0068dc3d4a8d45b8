/*===- device.c - The driver, devices and their modules -----------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "runtime.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages */

static __thread char message[8192];

const char *tcgemmGetLastErrorMessage(void) { return message; }

tcgemmStatus tcgemmFail(tcgemmStatus status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return status;
}

tcgemmStatus tcgemmFailDriver(const struct tcgemmRunDriver *driver, int result,
                              const char *format, ...) {
  char call[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(call, sizeof call, format, arguments);
  va_end(arguments);
  const char *name = NULL, *text = NULL;
  if (driver->cuGetErrorName(result, &name) || !name)
    name = "unknown error";
  if (driver->cuGetErrorString(result, &text) || !text)
    text = "no description";
  return tcgemmFail(TCGEMM_DRIVER, "%s: %s (%d): %s", call, name, result, text);
}

/* The driver */

static tcgemmStatus loadDriver(struct tcgemmDriver *driver) {
  const char *path = getenv("TCGEMM_CUDA_DRIVER");
  if (!path || !*path)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return tcgemmFail(TCGEMM_NO_DEVICE, "no CUDA driver: cannot load %s (%s)",
                      path, dlerror());
  void *symbol;
  /* ISO C has no cast from void * to a function. */
#define LOAD(table, name)                                                      \
  symbol = dlsym(library, #name);                                              \
  memcpy(&(table).name, &symbol, sizeof symbol);
#define LOAD_OPTIONAL_RUN(name, parameters) LOAD(driver->run, name)
#define LOAD_OPTIONAL(name, parameters) LOAD(*driver, name)
#define REQUIRE(name)                                                          \
  if (!symbol)                                                                 \
    return tcgemmFail(TCGEMM_NO_DEVICE,                                        \
                      "the CUDA driver is too old: it has no " #name);
#define LOAD_RUN(name, parameters) LOAD(driver->run, name) REQUIRE(name)
#define LOAD_REQUIRED(name, parameters) LOAD(*driver, name) REQUIRE(name)
  TCGEMM_MAP_FUNCTIONS(LOAD_OPTIONAL_RUN)
  TCGEMM_POOL_FUNCTIONS(LOAD_OPTIONAL)
  TCGEMM_RUN_FUNCTIONS(LOAD_RUN)
  TCGEMM_DRIVER_FUNCTIONS(LOAD_REQUIRED)
  int result = driver->cuInit(0);
  if (!result)
    return TCGEMM_SUCCESS;
  tcgemmFailDriver(&driver->run, result, "cuInit");
  return TCGEMM_NO_DEVICE;
}

static tcgemmStatus getDriver(const struct tcgemmDriver **result) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static struct tcgemmDriver driver;
  static int isLoaded;
  tcgemmStatus status = TCGEMM_SUCCESS;
  pthread_mutex_lock(&mutex);
  if (!isLoaded)
    status = loadDriver(&driver);
  isLoaded = !status;
  pthread_mutex_unlock(&mutex);
  *result = &driver;
  return status;
}

/* Devices */

enum {
  ATTRIBUTE_PROCESSORS = 16,
  ATTRIBUTE_MAJOR = 75,
  ATTRIBUTE_MINOR = 76,
  FUNCTION_SHARED_MEMORY = 8,
  FUNCTION_LARGE_CLUSTERS = 14,
  JIT_ERROR_LOG = 5,
  JIT_ERROR_LOG_BYTES = 6,
  /* Dynamic shared memory that every launch may have, in bytes. */
  PLAIN_SHARED_MEMORY = 48 << 10
};

static tcgemmStatus openContext(struct tcgemmDevice *device, int ordinal) {
  const struct tcgemmDriver *driver = device->driver;
  if (ordinal == TCGEMM_CURRENT_CONTEXT) {
    int result = driver->run.cuCtxGetCurrent(&device->context);
    if (result)
      return tcgemmFailDriver(&driver->run, result, "cuCtxGetCurrent");
    if (!device->context)
      return tcgemmFail(TCGEMM_NO_DEVICE,
                        "the calling thread has no current CUDA context");
    result = driver->cuCtxGetDevice(&device->number);
    return result ? tcgemmFailDriver(&driver->run, result, "cuCtxGetDevice")
                  : TCGEMM_SUCCESS;
  }
  int result = driver->cuDeviceGet(&device->number, ordinal);
  if (result) {
    tcgemmFailDriver(&driver->run, result, "cuDeviceGet of %d", ordinal);
    return TCGEMM_NO_DEVICE;
  }
  result = driver->cuDevicePrimaryCtxRetain(&device->context, device->number);
  if (result)
    return tcgemmFailDriver(&driver->run, result, "cuDevicePrimaryCtxRetain");
  device->isRetained = 1;
  return TCGEMM_SUCCESS;
}

static tcgemmStatus readProperties(struct tcgemmDevice *device) {
  int major = 0, minor = 0;
  int *const values[] = {&major, &minor, &device->processors};
  static const int attributes[] = {ATTRIBUTE_MAJOR, ATTRIBUTE_MINOR,
                                   ATTRIBUTE_PROCESSORS};
  for (int i = 0; i != 3; ++i) {
    int result = device->driver->cuDeviceGetAttribute(values[i], attributes[i],
                                                      device->number);
    if (result)
      return tcgemmFailDriver(&device->driver->run, result,
                              "cuDeviceGetAttribute");
  }
  device->capability = major * 10 + minor;
  return TCGEMM_SUCCESS;
}

int tcgemmRankChip(const struct tcgemmDevice *device,
                   const struct tcgemmChip *chip) {
  if (chip->isForCapabilityOnly)
    return device->capability == chip->capability ? 1000 : 0;
  int isSameMajor = device->capability / 10 == chip->capability / 10;
  if (device->capability < chip->capability || (!isSameMajor && !chip->isPTX))
    return 0;
  return chip->capability;
}

static tcgemmStatus checkChips(const struct tcgemmDevice *device) {
  char names[256] = "";
  for (unsigned i = 0; i != tcgemmNumChips; ++i) {
    size_t length = strlen(names);
    if (tcgemmRankChip(device, &tcgemmChips[i]))
      return TCGEMM_SUCCESS;
    snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
             tcgemmChips[i].name);
  }
  return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                    "the device has capability %d.%d, but the library's "
                    "kernels are for %s",
                    device->capability / 10, device->capability % 10, names);
}

static void destroyDevice(struct tcgemmDevice *device) {
  int isPushed = 0;
  /* A failure to unload cannot be handled. */
  if (device->context && !tcgemmEnterContext(device, &isPushed)) {
    for (unsigned i = 0; device->modules && i != tcgemmNumImages; ++i)
      if (device->modules[i])
        device->driver->cuModuleUnload(device->modules[i]);
    for (unsigned i = 0; device->constants && i != tcgemmNumConstants; ++i)
      if (device->constants[i])
        device->driver->cuMemFree_v2(device->constants[i]);
    tcgemmLeaveContext(device, isPushed);
  }
  for (unsigned i = 0; device->functions && i != tcgemmNumKernels; ++i)
    free(device->functions[i]);
  if (device->isRetained)
    device->driver->cuDevicePrimaryCtxRelease_v2(device->number);
  pthread_mutex_destroy(&device->mutex);
  free(device->modules);
  free(device->functions);
  free(device->constants);
  free(device);
}

tcgemmStatus tcgemmOpenDevice(int ordinal, struct tcgemmDevice **result) {
  if (ordinal < TCGEMM_CURRENT_CONTEXT)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the device is %d, but it must be a number from 0 on or "
                      "TCGEMM_CURRENT_CONTEXT (-1)",
                      ordinal);
  const struct tcgemmDriver *driver = NULL;
  tcgemmStatus status = getDriver(&driver);
  if (status)
    return status;
  struct tcgemmDevice *device = calloc(1, sizeof *device);
  if (!device)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  pthread_mutex_init(&device->mutex, NULL);
  device->driver = driver;
  device->references = 1;
  device->modules = calloc(tcgemmNumImages, sizeof *device->modules);
  device->functions = calloc(tcgemmNumKernels, sizeof *device->functions);
  /* One more, because there may be none. */
  device->constants = calloc(tcgemmNumConstants + 1, sizeof *device->constants);
  if (!device->modules || !device->functions || !device->constants)
    status = tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  if (!status)
    status = openContext(device, ordinal);
  if (!status)
    status = readProperties(device);
  if (!status)
    status = checkChips(device);
  if (status)
    destroyDevice(device);
  else
    *result = device;
  return status;
}

void tcgemmKeepDevice(struct tcgemmDevice *device) {
  pthread_mutex_lock(&device->mutex);
  ++device->references;
  pthread_mutex_unlock(&device->mutex);
}

void tcgemmReleaseDevice(struct tcgemmDevice *device) {
  pthread_mutex_lock(&device->mutex);
  int isLast = --device->references == 0;
  pthread_mutex_unlock(&device->mutex);
  if (isLast)
    destroyDevice(device);
}

tcgemmStatus tcgemmEnterContext(const struct tcgemmDevice *device,
                                int *isPushed) {
  const struct tcgemmRunDriver *driver = &device->driver->run;
  void *current = NULL;
  int result = driver->cuCtxGetCurrent(&current);
  *isPushed = !result && current != device->context;
  if (*isPushed)
    result = driver->cuCtxPushCurrent_v2(device->context);
  if (result)
    return tcgemmFailDriver(driver, result, "cuCtxPushCurrent");
  return TCGEMM_SUCCESS;
}

void tcgemmLeaveContext(const struct tcgemmDevice *device, int isPushed) {
  void *popped;
  if (isPushed)
    device->driver->run.cuCtxPopCurrent_v2(&popped);
}

/* Modules */

static tcgemmStatus loadImage(struct tcgemmDevice *device, unsigned number) {
  if (device->modules[number])
    return TCGEMM_SUCCESS;
  const struct tcgemmImage *image = &tcgemmImages[number];
  const struct tcgemmRunDriver *run = &device->driver->run;
  char text[4096] = "";
  int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
  void *values[] = {text, (void *)sizeof text};
  int result = device->driver->cuModuleLoadDataEx(
      &device->modules[number], image->code, 2, options, values);
  text[sizeof text - 1] = 0;
  if (!result)
    return TCGEMM_SUCCESS;
  device->modules[number] = NULL;
  return tcgemmFailDriver(run, result, "cuModuleLoadDataEx of '%s'%s%s",
                          image->name, *text ? ": " : "", text);
}

static tcgemmStatus loadFunction(struct tcgemmDevice *device,
                                 const struct tcgemmFunctionInfo *info,
                                 void **function) {
  const struct tcgemmDriver *driver = device->driver;
  tcgemmStatus status = loadImage(device, info->image);
  if (status)
    return status;
  int result = driver->cuModuleGetFunction(
      function, device->modules[info->image], info->symbol);
  if (result)
    return tcgemmFailDriver(&driver->run, result, "cuModuleGetFunction of '%s'",
                            info->symbol);
  if (info->sharedMemory > PLAIN_SHARED_MEMORY)
    result = driver->cuFuncSetAttribute(*function, FUNCTION_SHARED_MEMORY,
                                        info->sharedMemory);
  if (result)
    return tcgemmFailDriver(
        &driver->run, result,
        "cuFuncSetAttribute of '%s' to %d bytes of shared memory", info->symbol,
        info->sharedMemory);
  if (info->hasLargeCluster)
    result = driver->cuFuncSetAttribute(*function, FUNCTION_LARGE_CLUSTERS, 1);
  if (result)
    return tcgemmFailDriver(&driver->run, result,
                            "cuFuncSetAttribute of '%s' to large clusters",
                            info->symbol);
  return TCGEMM_SUCCESS;
}

static tcgemmStatus loadFunctions(struct tcgemmDevice *device,
                                  unsigned number) {
  const struct tcgemmKernel *kernel = tcgemmKernels[number];
  void **functions = calloc(kernel->numFunctions, sizeof *functions);
  if (!functions)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  int isPushed = 0;
  tcgemmStatus status = tcgemmEnterContext(device, &isPushed);
  if (!status) {
    for (unsigned i = 0; i != kernel->numFunctions && !status; ++i)
      status = loadFunction(device, &kernel->functions[i], &functions[i]);
    tcgemmLeaveContext(device, isPushed);
  }
  if (status)
    free(functions);
  else
    device->functions[number] = functions;
  return status;
}

tcgemmStatus tcgemmLoadKernel(struct tcgemmDevice *device, unsigned kernel,
                              void ***functions) {
  tcgemmStatus status = TCGEMM_SUCCESS;
  pthread_mutex_lock(&device->mutex);
  if (!device->functions[kernel])
    status = loadFunctions(device, kernel);
  *functions = device->functions[kernel];
  pthread_mutex_unlock(&device->mutex);
  return status;
}

/* Constants */

/* The elements of a constant in host memory. */
static void fillConstant(const struct tcgemmConstant *constant,
                         unsigned char *bytes) {
  for (uint64_t i = 0; i < constant->bytes; i += constant->elementBytes)
    memcpy(bytes + i, constant->value, constant->elementBytes);
}

static tcgemmStatus copyConstant(struct tcgemmDevice *device, unsigned number) {
  const struct tcgemmConstant *constant = &tcgemmConstants[number];
  const struct tcgemmDriver *driver = device->driver;
  unsigned char *made = NULL;
  if (!constant->data) {
    made = malloc(constant->bytes);
    if (!made)
      return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
    fillConstant(constant, made);
  }
  unsigned long long address = 0;
  const char *call = "cuMemAlloc of a constant";
  int result = driver->cuMemAlloc_v2(&address, constant->bytes);
  if (!result) {
    call = "cuMemcpyHtoD of a constant";
    result = driver->cuMemcpyHtoD_v2(address, made ? made : constant->data,
                                     constant->bytes);
    if (result)
      driver->cuMemFree_v2(address);
  }
  free(made);
  if (result)
    return tcgemmFailDriver(&driver->run, result, "%s", call);
  device->constants[number] = address;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmLoadConstant(struct tcgemmDevice *device, unsigned constant,
                                uint64_t *address) {
  tcgemmStatus status = TCGEMM_SUCCESS;
  int isPushed = 0;
  pthread_mutex_lock(&device->mutex);
  if (!device->constants[constant]) {
    status = tcgemmEnterContext(device, &isPushed);
    if (!status) {
      status = copyConstant(device, constant);
      tcgemmLeaveContext(device, isPushed);
    }
  }
  *address = device->constants[constant];
  pthread_mutex_unlock(&device->mutex);
  return status;
}
