//===- Jit.cpp - A compiled function and its calls ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "Support.h"

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include <csetjmp>
#include <csignal>
#include <cstring>

using namespace mlir;
using namespace tcgemm;

char CrashError::ID = 0;

MemRef::MemRef(void *data, ArrayRef<int64_t> sizes) {
  auto address = reinterpret_cast<int64_t>(data);
  words = {address, address, 0};
  words.insert(words.end(), sizes.begin(), sizes.end());
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- != 0; stride *= sizes[i])
    strides[i] = stride;
  words.insert(words.end(), strides.begin(), strides.end());
}

//===----------------------------------------------------------------------===//
// Calls that may not return
//===----------------------------------------------------------------------===//

namespace {
/// The call that a thread is in.
struct ActiveCall {
  sigjmp_buf back;
  std::vector<void *> *allocations;
  volatile const void *address = nullptr;
};
thread_local ActiveCall *active = nullptr;

enum Outcome { Returned = 0, Aborted = 1, Crashed = 2 };
} // namespace

static void handleCrash(int signal, siginfo_t *info, void *) {
  if (!active) {
    // Not a fault of compiled code: the usual handling, when it happens again.
    std::signal(signal, SIG_DFL);
    return;
  }
  active->address = info->si_addr;
  siglongjmp(active->back, Crashed);
}

/// Calls compiled code, which has no frames that need unwinding.
static Outcome callGuarded(void (*entry)(void **), void **arguments,
                           ActiveCall &call) {
  struct sigaction action{};
  struct sigaction previous[3];
  constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
  action.sa_sigaction = handleCrash;
  action.sa_flags = SA_SIGINFO;
  for (int i = 0; i != 3; ++i)
    sigaction(signals[i], &action, &previous[i]);
  active = &call;
  int outcome = sigsetjmp(call.back, /*savemask=*/1);
  if (outcome == Returned)
    entry(arguments);
  active = nullptr;
  for (int i = 0; i != 3; ++i)
    sigaction(signals[i], &previous[i], nullptr);
  return static_cast<Outcome>(outcome);
}

//===----------------------------------------------------------------------===//
// Functions for compiled code
//===----------------------------------------------------------------------===//

static void *allocate(size_t bytes) {
  // The maximum alignment of vector types.
  void *memory = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (active && memory)
    active->allocations->push_back(memory);
  return memory;
}
static void *allocateAligned(size_t, size_t bytes) { return allocate(bytes); }
/// Memory is freed with the function, because it may contain results.
static void release(void *) {}

[[noreturn]] static void stop() {
  if (!active)
    std::abort();
  siglongjmp(active->back, Aborted);
}

static void registerSymbols(ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](StringRef name, void *address) {
      symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                 llvm::JITSymbolFlags::Exported};
    };
    add("malloc", reinterpret_cast<void *>(&allocate));
    add("aligned_alloc", reinterpret_cast<void *>(&allocateAligned));
    add("free", reinterpret_cast<void *>(&release));
    add("abort", reinterpret_cast<void *>(&stop));
    forEachSupportFunction(add);
    gpu_runtime::forEachSymbol(add);
    return symbols;
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<JitFunction>>
JitFunction::create(ModuleOp module, StringRef name) {
  std::unique_ptr<JitFunction> function(new JitFunction);
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Less;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  function->engine = std::move(*engine);
  registerSymbols(*function->engine);
  auto entry = function->engine->lookupPacked(("_mlir_ciface_" + name).str());
  if (!entry)
    return entry.takeError();
  function->entry = *entry;
  return function;
}

JitFunction::~JitFunction() {
  engine.reset();
  for (void *memory : allocations)
    std::free(memory);
}

namespace {
/// Results that are returned in one struct with the layout of C.
class ResultStruct {
public:
  explicit ResultStruct(ArrayRef<ValueType> types) : types(types) {
    size_t end = 0;
    for (const ValueType &type : types) {
      size_t bytes = getBytes(type), align = type.isTensor ? 8 : bytes;
      offsets.push_back((end + align - 1) / align * align);
      end = offsets.back() + bytes;
    }
    words.resize(end / 8 + 1);
  }
  void *getData() { return words.data(); }
  void read(MutableArrayRef<CallValue> results) {
    auto *bytes = reinterpret_cast<const char *>(words.data());
    for (auto [type, offset, result] : llvm::zip(types, offsets, results)) {
      if (type.isTensor)
        result.memref = MemRef(type);
      void *target = type.isTensor
                         ? static_cast<void *>(result.memref.words.data())
                         : &result.scalar;
      std::memcpy(target, bytes + offset, getBytes(type));
    }
  }

private:
  static size_t getBytes(const ValueType &type) {
    return type.isTensor ? 8 * MemRef::getNumWords(type)
                         : getByteSize(type.element);
  }

  ArrayRef<ValueType> types;
  std::vector<size_t> offsets;
  std::vector<uint64_t> words;
};
} // namespace

llvm::Error JitFunction::call(ArrayRef<CallValue> arguments,
                              ArrayRef<ValueType> argumentTypes,
                              MutableArrayRef<CallValue> results,
                              ArrayRef<ValueType> types) {
  // A packed call passes the address of each value. The C interface passes
  // descriptors, and a struct of results, by pointer.
  ResultStruct returned(types);
  void *returnedData = returned.getData();
  bool hasStruct = types.size() > 1 || (!types.empty() && types[0].isTensor);
  std::vector<const void *> pointers(arguments.size());
  std::vector<void *> packed;
  if (hasStruct)
    packed.push_back(static_cast<void *>(&returnedData));
  for (auto [i, type] : llvm::enumerate(argumentTypes)) {
    pointers[i] = arguments[i].memref.words.data();
    packed.push_back(type.isTensor
                         ? static_cast<void *>(&pointers[i])
                         : const_cast<uint64_t *>(&arguments[i].scalar));
  }
  if (types.size() == 1 && !hasStruct)
    packed.push_back(returnedData);
  ActiveCall call;
  call.allocations = &allocations;
  switch (callGuarded(entry, packed.data(), call)) {
  case Returned:
    returned.read(results);
    return llvm::Error::success();
  case Aborted:
    return llvm::createStringError("an assertion of the host code failed");
  case Crashed:
    break;
  }
  return llvm::make_error<CrashError>(
      "the host code crashed at address 0x" +
      llvm::utohexstr(reinterpret_cast<uint64_t>(call.address)));
}
