//===- UserWorkspaces.cpp - Workspaces of cuBLAS's handles ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UserWorkspaces.h"
#include "Exports.h"
#include "RealLibrary.h"

#include <shared_mutex>
#include <unordered_map>

using namespace tcgemm::shim;

namespace {

struct Workspaces {
  std::shared_mutex mutex;
  std::unordered_map<Handle, Workspace> byHandle;
};

/// Never destroyed: destructors of the program may multiply.
Workspaces &getWorkspaces() {
  static auto *const workspaces = new Workspaces;
  return *workspaces;
}

void forget(Handle handle) {
  Workspaces &workspaces = getWorkspaces();
  std::lock_guard<std::shared_mutex> lock(workspaces.mutex);
  workspaces.byHandle.erase(handle);
}

} // namespace

Workspace tcgemm::shim::getUserWorkspace(Handle handle) {
  Workspaces &workspaces = getWorkspaces();
  std::shared_lock<std::shared_mutex> lock(workspaces.mutex);
  auto found = workspaces.byHandle.find(handle);
  return found == workspaces.byHandle.end() ? Workspace() : found->second;
}

Status cublasDestroy_v2(Handle handle) {
  forget(handle);
  return callReal(__func__, RealLibrary::getBlas().cublasDestroy_v2, handle);
}

Status cublasSetStream_v2(Handle handle, Stream stream) {
  forget(handle);
  return callReal(__func__, RealLibrary::getBlas().cublasSetStream_v2, handle,
                  stream);
}

Status cublasSetWorkspace_v2(Handle handle, void *workspace, size_t bytes) {
  forget(handle);
  Status status =
      callReal(__func__, RealLibrary::getBlas().cublasSetWorkspace_v2, handle,
               workspace, bytes);
  if (status != StatusSuccess || !workspace)
    return status;
  Workspaces &workspaces = getWorkspaces();
  std::lock_guard<std::shared_mutex> lock(workspaces.mutex);
  workspaces.byHandle[handle] = {workspace, bytes, false};
  return status;
}
