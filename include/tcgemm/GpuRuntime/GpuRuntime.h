/*===- GpuRuntime.h - The functions that lowered GPU code calls ---*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code from MLIR's gpu-to-llvm and the translation of gpu.launch_func calls
functions
// mgpu*, and code from tcgemm-launch-to-gpu calls tcgemm_encode_tensor_map.
This
// library implements them with the CUDA driver, which it loads at run time. It
needs
// neither LLVM nor a CUDA toolkit. C and C++ can include this header.
//
// All functions may be called by several threads at once.
//
// Errors. The functions mgpu* cannot return an error. Each thread therefore
stores the
// first error of its calls until tcgemm_gpu_take_error returns it. While a
thread has
// an error, its other calls do nothing, except for those that free resources,
and
// results are not valid. A program must take the error after each piece of
work. With
// TCGEMM_GPU_ERRORS=abort in the environment, an error is printed and ends the
// program. This is meant for drivers such as mlir-runner, which take no errors.
//
// The driver is libcuda.so.1, or the library that TCGEMM_CUDA_DRIVER names.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_GPURUNTIME_GPURUNTIME_H
#define TCGEMM_GPURUNTIME_GPURUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCGEMM_GPU_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Devices and the driver. A result of 0 is success; otherwise the thread
   has an error. */

typedef struct tcgemm_gpu_device {
  char name[256];
  /* The chip that code for all devices of this capability is compiled for:
     "sm_90". */
  char chip[16];
  /* The chip with features of only this capability, whose code the device also
     runs: "sm_90a". Empty below sm_90. */
  char arch_chip[16];
  int32_t ordinal;
  int32_t sm_count;
} tcgemm_gpu_device;

/* Loads the driver from this path. Must be called before the driver's first
   use. */
TCGEMM_GPU_API int32_t tcgemm_gpu_set_driver(const char *path);

/* Sets `look_up`, which returns the driver's functions, or null for an unknown
   name. For a driver that is linked into the program. */
TCGEMM_GPU_API int32_t
tcgemm_gpu_set_driver_functions(void *(*look_up)(const char *name));

/* Opens a device and makes it the calling thread's. A thread that has opened
   none uses the first one that was opened, or device 0. `device` may be
   null. */
TCGEMM_GPU_API int32_t tcgemm_gpu_open(int32_t ordinal,
                                       tcgemm_gpu_device *device);

/* The calling thread's error, with the call that failed, and forgets it; null
   if there is none. The text is valid until the thread's next call of this
   function. */
TCGEMM_GPU_API const char *tcgemm_gpu_take_error(void);

/* The functions below with their names, to register them with a JIT compiler.
   The list ends with a null name. */
typedef struct tcgemm_gpu_symbol {
  const char *name;
  void *address;
} tcgemm_gpu_symbol;
TCGEMM_GPU_API const tcgemm_gpu_symbol *tcgemm_gpu_symbols(void);

/* The functions that lowered code calls. A null stream makes a call
   synchronous, except for a launch, which then uses the default stream. */

TCGEMM_GPU_API void *mgpuModuleLoad(const void *image, size_t bytes);
/* Loads PTX, a text with a terminator, which the driver compiles. `level` is 1
   to 4, or 0 for the driver's default. */
TCGEMM_GPU_API void *mgpuModuleLoadJIT(const void *text, int32_t level);
TCGEMM_GPU_API void mgpuModuleUnload(void *module);
TCGEMM_GPU_API void *mgpuModuleGetFunction(void *module, const char *name);

/* A grid with a size of zero is not launched. */
TCGEMM_GPU_API void mgpuLaunchKernel(void *function, intptr_t grid_x,
                                     intptr_t grid_y, intptr_t grid_z,
                                     intptr_t block_x, intptr_t block_y,
                                     intptr_t block_z, int32_t shared_memory,
                                     void *stream, void **arguments,
                                     void **extra, size_t num_arguments);
TCGEMM_GPU_API void
mgpuLaunchClusterKernel(void *function, intptr_t cluster_x, intptr_t cluster_y,
                        intptr_t cluster_z, intptr_t grid_x, intptr_t grid_y,
                        intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                        intptr_t block_z, int32_t shared_memory, void *stream,
                        void **arguments, void **extra);

TCGEMM_GPU_API void *mgpuStreamCreate(void);
TCGEMM_GPU_API void mgpuStreamDestroy(void *stream);
TCGEMM_GPU_API void mgpuStreamSynchronize(void *stream);
TCGEMM_GPU_API void mgpuStreamWaitEvent(void *stream, void *event);
TCGEMM_GPU_API void *mgpuEventCreate(void);
TCGEMM_GPU_API void mgpuEventDestroy(void *event);
TCGEMM_GPU_API void mgpuEventSynchronize(void *event);
TCGEMM_GPU_API void mgpuEventRecord(void *event, void *stream);

/* Returns a null pointer for 0 bytes. With a stream, the allocation is ordered
   in the stream if the driver has memory pools. */
TCGEMM_GPU_API void *mgpuMemAlloc(uint64_t bytes, void *stream,
                                  bool is_host_shared);
TCGEMM_GPU_API void mgpuMemFree(void *memory, void *stream);
/* Copies between host and device in any direction. */
TCGEMM_GPU_API void mgpuMemcpy(void *target, const void *source, size_t bytes,
                               void *stream);
/* Sets `count` elements. */
TCGEMM_GPU_API void mgpuMemset32(void *target, uint32_t value, size_t count,
                                 void *stream);
TCGEMM_GPU_API void mgpuMemset16(void *target, uint16_t value, size_t count,
                                 void *stream);
/* `descriptor` is that of a contiguous memref on the host. */
TCGEMM_GPU_API void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                                              int64_t element_bytes);
TCGEMM_GPU_API void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                                int64_t element_bytes);
/* Sets the calling thread's device. */
TCGEMM_GPU_API void mgpuSetDefaultDevice(int32_t ordinal);

/* Encodes a tensor map; see the pass tcgemm-launch-to-gpu. Returns 0 in any
   case: after a failure the thread has an error, and the launch that would use
   the map does nothing. */
TCGEMM_GPU_API int32_t tcgemm_encode_tensor_map(
    void *map, int32_t type, int32_t rank, void *base, const int64_t *dims,
    const int64_t *strides, const int32_t *box, int32_t swizzle,
    int32_t promotion);

/* The same in im2col mode, for a map with the dimensions C, W, H and N. `box`
   has the channels and the pixels. `window` has the lower corner, the upper
   corner and the steps, each for W and for H. */
TCGEMM_GPU_API int32_t tcgemm_encode_window_map(
    void *map, int32_t type, void *base, const int64_t *dims,
    const int64_t *strides, const int32_t *box, const int32_t *window,
    int32_t swizzle, int32_t promotion);

#ifdef __cplusplus
} // extern "C"

#include <optional>
#include <string>

namespace tcgemm::gpu_runtime {

using Device = tcgemm_gpu_device;

/// Opens a device; none if the thread has an error then.
inline std::optional<Device> openDevice(int32_t ordinal = 0) {
  Device device;
  if (tcgemm_gpu_open(ordinal, &device) != 0)
    return std::nullopt;
  return device;
}

/// The calling thread's error, which is then forgotten.
inline std::optional<std::string> takeError() {
  if (const char *text = tcgemm_gpu_take_error())
    return text;
  return std::nullopt;
}

/// Calls `visit(name, address)` for each function that lowered code calls.
template <typename Function> void forEachSymbol(Function &&visit) {
  for (const tcgemm_gpu_symbol *s = tcgemm_gpu_symbols(); s->name; ++s)
    visit(s->name, s->address);
}

} // namespace tcgemm::gpu_runtime
#endif

#endif /* TCGEMM_GPURUNTIME_GPURUNTIME_H */
