//===- SystemCalls.cpp - Functions of the device runtime ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/SystemCalls.h"
#include "Instructions/PrintFormat.h"
#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tcgemm::emu {

using ptx::Space;

namespace {

struct SystemCallExtra : Extra {
  std::vector<PassedParam> arguments, results;
};

/// One lane's call: its parameters, and the memory that they point to.
class LaneCall {
public:
  LaneCall(Warp &warp, const Instruction &inst, unsigned lane)
      : warp(warp), inst(inst),
        extra(static_cast<const SystemCallExtra &>(*inst.extra)), lane(lane) {}

  uint64_t getArgument(unsigned index);
  void setResult(uint32_t value);
  /// A value in memory. Nothing if there is no memory, which is reported.
  std::optional<uint64_t> read(uint64_t address, unsigned bytes);
  /// The string at an address, without its end mark.
  std::optional<std::string> readString(uint64_t address);

private:
  void reportUndefined(const LaneAccess &access);

  Warp &warp;
  const Instruction &inst;
  const SystemCallExtra &extra;
  const unsigned lane;
};

} // namespace

uint64_t LaneCall::getArgument(unsigned index) {
  Region &params = warp.frame->params;
  const PassedParam &param = extra.arguments[index];
  size_t at = size_t(lane) * warp.frame->function->paramBytes + param.offset;
  if (params.defined &&
      llvm::is_contained(llvm::ArrayRef(params.defined + at, param.bytes), 0))
    warp.report(FindingKind::UninitialisedRegister, lane, 0,
                llvm::formatv("argument {0} of the call is used before it is "
                              "written",
                              index));
  uint64_t value = 0;
  memcpy(&value, params.data + at, std::min<uint64_t>(param.bytes, 8));
  return value;
}

void LaneCall::setResult(uint32_t value) {
  if (extra.results.empty())
    return;
  Region &params = warp.frame->params;
  size_t at = size_t(lane) * warp.frame->function->paramBytes +
              extra.results.front().offset;
  memcpy(params.data + at, &value, sizeof(value));
  if (params.defined)
    memset(params.defined + at, 1, sizeof(value));
}

void LaneCall::reportUndefined(const LaneAccess &access) {
  Space space = access.region[lane]->space;
  warp.report(space == Space::Global   ? FindingKind::UninitialisedGlobal
              : space == Space::Shared ? FindingKind::UninitialisedShared
                                       : FindingKind::UninitialisedRegister,
              lane, access.address[lane],
              llvm::formatv("the call uses {0} bytes of {1} {2:x} that nobody "
                            "has written",
                            access.bytes, ptx::getName(space),
                            access.address[lane]));
}

std::optional<uint64_t> LaneCall::read(uint64_t address, unsigned bytes) {
  LaneAccess access;
  access.inst = &inst;
  access.bytes = bytes;
  access.lanes = 1u << lane;
  access.address[lane] = address;
  warp.memory.resolveAddresses(access, Space::Generic, bytes);
  if (!access.lanes)
    return std::nullopt;
  if (warp.definedness.findUndefined(access, 0, bytes))
    reportUndefined(access);
  uint64_t value = 0;
  memcpy(&value, access.data(lane), bytes);
  return value;
}

std::optional<std::string> LaneCall::readString(uint64_t address) {
  // The limit of a string.
  constexpr size_t kMaxLength = 1 << 16;
  std::string text;
  while (text.size() < kMaxLength) {
    std::optional<uint64_t> character = read(address + text.size(), 1);
    if (!character)
      return std::nullopt;
    if (*character == 0)
      break;
    text += static_cast<char>(*character);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// vprintf(format, arguments)
//===----------------------------------------------------------------------===//

static int printLane(LaneCall call, std::string &out) {
  std::optional<std::string> format = call.readString(call.getArgument(0));
  if (!format)
    return -1;
  uint64_t next = call.getArgument(1);
  auto take = [&](unsigned bytes) {
    uint64_t at = llvm::alignTo(next, bytes);
    next = at + bytes;
    return call.read(at, bytes);
  };
  auto readString = [&](uint64_t address) { return call.readString(address); };
  return formatPrint(*format, {take, readString}, out);
}

static Outcome runPrint(Warp &warp, const Instruction &inst) {
  forEachLane(warp.exec, [&](unsigned lane) {
    std::string text;
    LaneCall call(warp, inst, lane);
    call.setResult(static_cast<uint32_t>(printLane(call, text)));
    warp.block.launch().print(warp.block.cluster.index, text);
  });
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// __assertfail(message, file, line, function, bytes of a character)
//===----------------------------------------------------------------------===//

static Outcome failAssertion(Warp &warp, const Instruction &inst) {
  std::string first;
  forEachLane(warp.exec, [&](unsigned lane) {
    LaneCall call(warp, inst, lane);
    auto getText = [&](unsigned index) {
      return call.readString(call.getArgument(index)).value_or("?");
    };
    std::string message = getText(0), file = getText(1), function = getText(3);
    message = llvm::formatv("{0}:{1}: {2}: assertion '{3}' failed", file,
                            uint32_t(call.getArgument(2)), function, message);
    warp.report(FindingKind::AssertionFailed, lane, 0, message);
    if (first.empty())
      first = message;
  });
  return warp.fail(first);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

void decodeSystemCall(Decoder &d, llvm::StringRef name,
                      llvm::ArrayRef<PassedParam> arguments,
                      llvm::ArrayRef<PassedParam> results) {
  struct SystemFunction {
    llvm::StringRef name;
    llvm::ArrayRef<unsigned> arguments; ///< Bytes of each.
    bool hasResult;
    Handler run;
  };
  static constexpr unsigned kPrint[] = {8, 8}, kAssert[] = {8, 8, 4, 8, 8};
  static const SystemFunction kFunctions[] = {
      {"vprintf", kPrint, true, runPrint},
      {"__assertfail", kAssert, false, failAssertion}};
  const auto *function = llvm::find_if(
      kFunctions, [&](const SystemFunction &f) { return f.name == name; });
  if (function == std::end(kFunctions))
    return d.fail("function '" + name + "' has no body");
  bool isSame = llvm::equal(
      arguments, function->arguments,
      [](const PassedParam &a, unsigned bytes) { return a.bytes == bytes; });
  bool hasResult = results.size() == 1 && results.front().bytes == 4;
  if (!isSame || (function->hasResult ? !hasResult : !results.empty()))
    return d.fail("the call does not match '" + name + "'");
  auto extra = std::make_unique<SystemCallExtra>();
  extra->arguments = arguments;
  extra->results = results;
  d.code->extra = std::move(extra);
  d.code->run = function->run;
}

} // namespace tcgemm::emu
