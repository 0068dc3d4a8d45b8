//===- CudaTypes.h - The driver API's types and codes -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The used part of cuda.h, so that building needs no CUDA toolkit. It does not
// include LLVM, because the runtime library of embedders does not depend on
// LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_GPURUNTIME_CUDATYPES_H
#define TCGEMM_LIB_GPURUNTIME_CUDATYPES_H

#include <cstddef>
#include <cstdint>

namespace tcgemm::cuda {

using Result = int;
using DeviceHandle = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using GraphHandle = struct GraphTag *;
using GraphExec = struct GraphExecTag *;

enum : Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidContext = 201,
  InvalidPtx = 218,
  FileNotFound = 301,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  AssertionFailed = 710,
  LaunchFailed = 719,
  NotSupported = 801,
};

enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockDimX = 2,
  MaxBlockDimY = 3,
  MaxBlockDimZ = 4,
  MaxGridDimX = 5,
  MaxGridDimY = 6,
  MaxGridDimZ = 7,
  MaxSharedMemoryPerBlock = 8,
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  UnifiedAddressing = 41,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
  MemoryPoolsSupported = 115,
};

enum FunctionAttribute : int {
  FunctionMaxThreadsPerBlock = 0,
  MaxDynamicSharedSizeBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

/// Dynamic shared memory of a block, and blocks of a cluster, that a launch may
/// have without the function's attribute.
inline constexpr unsigned kMaxPlainSharedMemory = 48 << 10;
inline constexpr unsigned kMaxPortableCluster = 8;

enum JitOption : int { ErrorLogBuffer = 5, ErrorLogBufferSizeBytes = 6 };

enum CaptureMode : int { CaptureModeRelaxed = 2 };

enum LaunchAttributeId : int {
  ClusterDimension = 4,
  ProgrammaticStreamSerialization = 6,
};

/// CUlaunchAttribute: the value is a union of 64 bytes, of which the cluster
/// uses the first three words, and the other attribute one.
struct LaunchAttribute {
  int id;
  char pad[4];
  unsigned value[16];
};
static_assert(sizeof(LaunchAttribute) == 72, "the driver's layout");

/// CUlaunchConfig.
struct LaunchConfigEx {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedMemory;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

} // namespace tcgemm::cuda

#endif // TCGEMM_LIB_GPURUNTIME_CUDATYPES_H
