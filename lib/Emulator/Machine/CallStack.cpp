//===- CallStack.cpp - Frames of a warp -----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

bool CallStack::prepareFrame(const FunctionCode &function) {
  if (depth < pool.size() && pool[depth]->function == &function)
    return true;
  size_t paramBytes = size_t(function.paramBytes) * kWarpSize;
  uint64_t bytes = function.frameBytes + 64 + 2 * paramBytes;
  while (pool.size() > depth) { // Unused ones.
    poolBytes -= pool.back()->bytes;
    pool.pop_back();
  }
  if (depth && poolBytes + bytes > kMaxPoolBytes) {
    warp.fail(
        llvm::formatv("calls {0} deep need {1} bytes of registers; at most {2} "
                      "are supported",
                      depth + 1, poolBytes + bytes, kMaxPoolBytes));
    return false;
  }
  pool.push_back(std::make_unique<Frame>());
  poolBytes += bytes;
  Frame &next = *pool.back();
  next.bytes = bytes;
  next.function = &function;
  next.storage = std::make_unique<uint8_t[]>(function.frameBytes + 64);
  next.slots = reinterpret_cast<uint8_t *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(next.storage.get()), 64));
  next.paramStorage = std::make_unique<uint8_t[]>(paramBytes);
  next.params.space = ptx::Space::Param;
  next.params.bytes = paramBytes;
  next.params.data = next.paramStorage.get();
  if (warp.definedness.isChecked()) {
    next.paramDefined = std::make_unique<uint8_t[]>(paramBytes);
    next.params.defined = next.paramDefined.get();
  }
  return true;
}

bool CallStack::push(const FunctionCode &function, uint32_t lanes,
                     const Instruction *call) {
  uint32_t localBase = 0;
  if (warp.frame)
    forEachLane(lanes, [&](unsigned lane) {
      localBase = std::max(localBase, warp.frame->stackTop[lane]);
    });
  localBase = llvm::alignTo(localBase, 16);
  if (!prepareFrame(function))
    return false;
  Frame &next = *pool[depth++];
  llvm::copy(function.constants, next.slots + function.constantsOffset);
  next.defined.assign(function.registers, 0);
  if (function.usesWgmma) {
    next.accumulating.assign(function.registers, 0);
    next.multiplying.assign(function.registers, 0);
    next.touched.assign(function.registers, 0);
  }
  next.paths.assign(1, Path{0, UINT32_MAX, lanes});
  next.lanes = lanes;
  next.localBase = localBase;
  next.call = call;
  warp.frame = &next;
  warp.pc = 0;
  fillSpecials(warp, next);
  uint64_t localEnd = uint64_t(localBase) + function.localBytes;
  next.stackTop.fill(uint32_t(localEnd));
  if (localEnd && localEnd <= kLocalBytes && !prepareLocal())
    return false;
  if (localEnd <= kLocalBytes && depth <= kMaxDepth)
    return true;
  warp.fail(
      llvm::formatv("calls {0} deep need {1} bytes of local memory a thread; "
                    "at most {2} deep and {3} bytes are supported",
                    depth, localEnd, kMaxDepth, kLocalBytes));
  return false;
}

void CallStack::pop() {
  if (warp.frame->function->usesWgmma)
    dropWgmma(warp);
  --depth;
  warp.frame = depth ? pool[depth - 1].get() : nullptr;
  if (warp.frame)
    warp.pc = warp.path().pc;
}

void copyParam(Frame &to, uint32_t toOffset, const Frame &from,
               uint32_t fromOffset, uint32_t bytes, uint32_t lanes) {
  forEachLane(lanes, [&](unsigned lane) {
    size_t target = lane * to.function->paramBytes + toOffset;
    size_t source = lane * from.function->paramBytes + fromOffset;
    memcpy(to.params.data + target, from.params.data + source, bytes);
    if (to.params.defined)
      memcpy(to.params.defined + target, from.params.defined + source, bytes);
  });
}

void CallStack::copyResults() {
  const Frame &frame = *warp.frame;
  const auto &extra = static_cast<const CallExtra &>(*frame.call->extra);
  for (auto [i, result] : llvm::enumerate(extra.results))
    copyParam(*getCaller(), result.offset, frame,
              frame.function->resultOffsets[i], result.bytes, frame.lanes);
}

//===----------------------------------------------------------------------===//
// Local memory
//===----------------------------------------------------------------------===//

bool CallStack::prepareLocal() {
  if (local.data)
    return true;
  uint64_t bytes = uint64_t(kLocalBytes) * kWarpSize;
  localData = allocateZeroed(bytes);
  if (warp.definedness.isChecked())
    localDefined = allocateZeroed(bytes);
  if (!localData || (warp.definedness.isChecked() && !localDefined)) {
    warp.fail(llvm::formatv("no memory is left for {0} bytes of local memory",
                            bytes));
    return false;
  }
  local.space = ptx::Space::Local;
  local.bytes = bytes;
  local.data = localData.get();
  local.defined = localDefined.get();
  return true;
}

std::optional<uint64_t> CallStack::allocateLocal(unsigned lane, uint64_t bytes,
                                                 uint64_t alignment) {
  uint64_t start = llvm::alignTo(warp.frame->stackTop[lane], alignment);
  if (start > kLocalBytes || bytes > kLocalBytes - start) {
    warp.fail(
        llvm::formatv("alloca of {0} bytes where {1} are in use; a thread has "
                      "{2} bytes of local memory",
                      bytes, warp.frame->stackTop[lane], kLocalBytes));
    return std::nullopt;
  }
  if (!prepareLocal())
    return std::nullopt;
  warp.frame->stackTop[lane] = uint32_t(start + bytes);
  if (local.defined)
    memset(local.defined + uint64_t(lane) * kLocalBytes + start, 0, bytes);
  return start;
}

} // namespace tcgemm::emu
