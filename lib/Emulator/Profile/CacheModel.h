//===- CacheModel.h - Cache model -------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line has 128 bytes in four sectors, which are fetched one by one. A set has
// 16 lines; the least recently used one is replaced. The final write-back of
// the last-level cache is not counted, as in ncu.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PROFILE_CACHEMODEL_H
#define TCGEMM_LIB_EMULATOR_PROFILE_CACHEMODEL_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tcgemm::emu {

constexpr unsigned kSectorBytes = 32;

enum class CacheAccess : uint8_t { Read, Write, Update };

/// Sectors that a cache has exchanged with the next level.
struct CacheTraffic {
  uint64_t fetched = 0;
  uint64_t writtenBack = 0;
};

/// Not thread-safe.
class SectorCache {
public:
  explicit SectorCache(uint64_t bytes);
  /// `sectors` of one line, as bits.
  void access(uint64_t line, unsigned sectors, CacheAccess kind,
              CacheTraffic &traffic);
  /// Reads sectors; returns the missing ones.
  unsigned read(uint64_t line, unsigned sectors);
  /// Invalidates sectors of a line.
  void drop(uint64_t line, unsigned sectors);

private:
  static constexpr unsigned kWays = 16;
  struct Line {
    uint64_t tag = 0; ///< The line's number + 1; 0: none.
    uint32_t used = 0;
    uint8_t valid = 0, dirty = 0;
  };
  Line *findSet(uint64_t line);
  Line &find(uint64_t line, CacheTraffic &traffic);
  std::vector<Line> lines;
  std::vector<uint32_t> clocks; ///< By set.
  uint64_t sets;
};

/// A cache that all threads share. It is divided by lines into parts, each with
/// a lock.
class SharedCache {
public:
  explicit SharedCache(uint64_t bytes);
  void access(uint64_t line, unsigned sectors, CacheAccess kind,
              CacheTraffic &traffic);

private:
  static constexpr unsigned kParts = 64;
  struct Part {
    explicit Part(uint64_t bytes) : cache(bytes) {}
    std::mutex mutex;
    SectorCache cache;
  };
  std::vector<std::unique_ptr<Part>> parts;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_PROFILE_CACHEMODEL_H
