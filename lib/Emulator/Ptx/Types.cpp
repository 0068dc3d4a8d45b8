//===- Types.cpp - Types, spaces and special registers --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Ptx.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

using namespace tcgemm::ptx;
using llvm::StringRef;

namespace {

enum class Class : uint8_t { Other, Signed, Unsigned, Float };

struct TypeInfo {
  StringRef name;
  unsigned bits;
  Class kind;
};

// In the order of `Type`.
constexpr TypeInfo kTypes[] = {
    {"", 0, Class::Other},          {"pred", 1, Class::Other},
    {"b8", 8, Class::Other},        {"b16", 16, Class::Other},
    {"b32", 32, Class::Other},      {"b64", 64, Class::Other},
    {"b128", 128, Class::Other},    {"u8", 8, Class::Unsigned},
    {"u16", 16, Class::Unsigned},   {"u32", 32, Class::Unsigned},
    {"u64", 64, Class::Unsigned},   {"s8", 8, Class::Signed},
    {"s16", 16, Class::Signed},     {"s32", 32, Class::Signed},
    {"s64", 64, Class::Signed},     {"f16", 16, Class::Float},
    {"f16x2", 32, Class::Float},    {"bf16", 16, Class::Float},
    {"bf16x2", 32, Class::Float},   {"f32", 32, Class::Float},
    {"f32x2", 64, Class::Float},    {"f64", 64, Class::Float},
    {"tf32", 32, Class::Float},     {"e4m3", 8, Class::Float},
    {"e5m2", 8, Class::Float},      {"e4m3x2", 16, Class::Float},
    {"e5m2x2", 16, Class::Float},   {"u4", 4, Class::Unsigned},
    {"s4", 4, Class::Signed},       {"b1", 1, Class::Other},
    {"u16x2", 32, Class::Unsigned}, {"s16x2", 32, Class::Signed},
};
static_assert(std::size(kTypes) == static_cast<size_t>(Type::S16x2) + 1);

const TypeInfo &getInfo(Type type) { return kTypes[static_cast<size_t>(type)]; }

} // namespace

std::optional<Type> tcgemm::ptx::parseType(StringRef name) {
  // The longest name has six letters. Most modifiers do not name a type.
  if (name.size() < 2 || name.size() > 6)
    return std::nullopt;
  for (size_t i = 1; i != std::size(kTypes); ++i)
    if (kTypes[i].name == name)
      return static_cast<Type>(i);
  return std::nullopt;
}

StringRef tcgemm::ptx::getName(Type type) { return getInfo(type).name; }

unsigned tcgemm::ptx::getBitWidth(Type type) { return getInfo(type).bits; }

bool tcgemm::ptx::isSigned(Type type) {
  return getInfo(type).kind == Class::Signed;
}

bool tcgemm::ptx::isInteger(Type type) {
  return isSigned(type) || getInfo(type).kind == Class::Unsigned;
}

bool tcgemm::ptx::isFloat(Type type) {
  return getInfo(type).kind == Class::Float;
}

StringRef tcgemm::ptx::getName(Space space) {
  static constexpr StringRef kNames[] = {
      "generic", "reg",   "const",  "global",
      "local",   "param", "shared", "shared::cluster"};
  return kNames[static_cast<size_t>(space)];
}

uint32_t tcgemm::ptx::narrowToFloat(uint64_t bits) {
  double value = llvm::bit_cast<double>(bits);
  if (value == value)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  uint32_t sign = static_cast<uint32_t>(bits >> 63) << 31;
  uint32_t payload = static_cast<uint32_t>(bits >> 29) & 0x7FFFFF;
  // A NaN whose payload has low bits only must not become an infinity.
  return sign | 0x7F800000 | (payload ? payload : 0x400000);
}

bool tcgemm::ptx::isSpecialRegister(StringRef name) {
  if (!name.consume_front("%"))
    return false;
  auto [base, component] = name.split('.');
  bool isVector = llvm::StringSwitch<bool>(base)
                      .Cases({"tid", "ntid", "ctaid", "nctaid"}, true)
                      .Cases({"clusterid", "nclusterid"}, true)
                      .Cases({"cluster_ctaid", "cluster_nctaid"}, true)
                      .Default(false);
  if (isVector)
    return base.size() == name.size() ||
           (component.size() == 1 && StringRef("xyzw").contains(component[0]));
  if (base.size() != name.size())
    return false;
  unsigned number = 0;
  if (StringRef rest = base; rest.consume_front("envreg"))
    return !rest.getAsInteger(10, number) && number < 32 &&
           (rest.size() == 1 || rest[0] != '0');
  if (StringRef rest = base; rest.consume_front("pm")) {
    rest.consume_back("_64");
    return rest.size() == 1 && rest[0] >= '0' && rest[0] <= '7';
  }
  return llvm::StringSwitch<bool>(base)
      .Cases({"laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid"}, true)
      .Cases({"lanemask_eq", "lanemask_le", "lanemask_lt"}, true)
      .Cases({"lanemask_ge", "lanemask_gt"}, true)
      .Cases({"clock", "clock_hi", "clock64"}, true)
      .Cases({"globaltimer", "globaltimer_lo", "globaltimer_hi"}, true)
      .Cases({"cluster_ctarank", "cluster_nctarank"}, true)
      .Case("is_explicit_cluster", true)
      .Cases({"dynamic_smem_size", "total_smem_size", "aggr_smem_size"}, true)
      .Cases({"reserved_smem_offset_begin", "reserved_smem_offset_end"}, true)
      .Cases({"reserved_smem_offset_cap", "reserved_smem_offset_0"}, true)
      .Cases({"reserved_smem_offset_1", "current_graph_exec"}, true)
      .Default(false);
}

const Function *Module::findFunction(StringRef name) const {
  // The target of an alias is a defined function, never another alias.
  for (int step = 0; step != 2; ++step) {
    auto found = llvm::find_if(functions, [&](const Function &function) {
      return function.name == name;
    });
    if (found == functions.end())
      return nullptr;
    if (found->aliasOf.empty())
      return &*found;
    name = found->aliasOf;
  }
  return nullptr;
}
