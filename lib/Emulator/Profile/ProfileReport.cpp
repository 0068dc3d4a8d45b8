//===- ProfileReport.cpp - Tables of a profile ----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Profile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <map>

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// At most 7 characters: `1234567`, `12.35M`, `1.2e+20`.
static std::string formatCount(uint64_t count) {
  if (count < 10000000)
    return std::to_string(count);
  double value = count;
  unsigned power = 0;
  for (; value >= 999.5 && power < 6; ++power)
    value /= 1000;
  int digits = value < 9.995 ? 3 : value < 99.95 ? 2 : 1;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.*f", digits, value) << " kMGTPE"[power];
  return text;
}

/// `-` if there is nothing to count.
static std::string formatOptional(uint64_t count) {
  return count ? formatCount(count) : "-";
}

static std::string formatBytes(uint64_t bytes) {
  return formatCount(bytes) + "B";
}

/// The ratio to `ideal`: `1.00`, `2.00`.
static std::string formatRatio(uint64_t count, uint64_t ideal) {
  if (!ideal)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.2f", double(count) / double(ideal));
  return text;
}

static void add(SiteProfile &to, const SiteProfile &from) {
  to.executed += from.executed;
  to.threads += from.threads;
  to.wavefronts += from.wavefronts;
  to.idealWavefronts += from.idealWavefronts;
  to.sectors += from.sectors;
  to.idealSectors += from.idealSectors;
  to.asyncBytes += from.asyncBytes;
  to.tensorMacs += from.tensorMacs;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void printRow(llvm::raw_ostream &os, llvm::StringRef name,
                     llvm::ArrayRef<std::string> cells) {
  static constexpr unsigned kWidths[] = {8, 8, 9, 7, 9, 7, 9, 10};
  os << llvm::left_justify(name.take_front(25), 25);
  for (auto [i, cell] : llvm::enumerate(cells))
    os << ' ' << llvm::right_justify(cell, kWidths[i]);
  os << '\n';
}

static void printHeader(llvm::raw_ostream &os, llvm::StringRef first) {
  printRow(os, first,
           {"executed", "threads", "shared", "times", "global", "times",
            "async", "tensor"});
  printRow(os, "",
           {"by warps", "a warp", "wavefr.", "ideal", "sectors", "ideal",
            "bytes", "MACs"});
}

static void printSite(llvm::raw_ostream &os, llvm::StringRef name,
                      const SiteProfile &site) {
  std::string threads;
  if (site.executed)
    llvm::raw_string_ostream(threads)
        << llvm::format("%.1f", double(site.threads) / double(site.executed));
  printRow(os, name,
           {formatCount(site.executed), threads,
            formatOptional(site.wavefronts),
            formatRatio(site.wavefronts, site.idealWavefronts),
            formatOptional(site.sectors),
            formatRatio(site.sectors, site.idealSectors),
            formatOptional(site.asyncBytes), formatOptional(site.tensorMacs)});
}

static uint64_t getConflicts(const SiteProfile &site) {
  return site.wavefronts - std::min(site.wavefronts, site.idealWavefronts);
}

void printTable(const Profile &profile, llvm::raw_ostream &os) {
  SiteProfile total;
  std::map<std::string, SiteProfile> kinds;
  for (const SiteProfile &site : profile.sites) {
    add(total, site);
    add(kinds[site.kind], site);
  }
  os << profile.kernel << ": " << profile.blocks << " blocks, " << profile.warps
     << " warps, " << profile.barriers << " barriers executed by warps\n"
     << "L1-L2: " << formatBytes(profile.l2ReadBytes) << " read, "
     << formatBytes(profile.l2WriteBytes)
     << " written; L2-memory: " << formatBytes(profile.dramReadBytes)
     << " read, " << formatBytes(profile.dramWriteBytes) << " written\n"
     << "shared memory: " << formatCount(total.wavefronts) << " wavefronts, "
     << formatCount(getConflicts(total)) << " of them bank conflicts\n\n";

  printHeader(os, "instruction");
  std::vector<const std::pair<const std::string, SiteProfile> *> order;
  order.reserve(kinds.size());
  for (const auto &kind : kinds)
    order.push_back(&kind);
  llvm::sort(order, [](const auto *a, const auto *b) {
    return std::make_pair(~a->second.executed, a->first) <
           std::make_pair(~b->second.executed, b->first);
  });
  for (const auto *kind : order)
    printSite(os, kind->first, kind->second);
  printSite(os, "all", total);

  std::vector<const SiteProfile *> worst;
  for (const SiteProfile &site : profile.sites)
    if (getConflicts(site))
      worst.push_back(&site);
  if (worst.empty())
    return;
  llvm::sort(worst, [](const SiteProfile *a, const SiteProfile *b) {
    return std::make_pair(~getConflicts(*a), a->line) <
           std::make_pair(~getConflicts(*b), b->line);
  });
  constexpr size_t kShown = 10;
  if (worst.size() > kShown)
    worst.resize(kShown);
  os << '\n';
  printHeader(os, "most bank conflicts");
  for (const SiteProfile *site : worst)
    printSite(os, "line " + std::to_string(site->line) + " " + site->kind,
              *site);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object siteToJSON(const SiteProfile &site) {
  llvm::json::Object object{{"executed", site.executed},
                            {"threads", site.threads}};
  auto put = [&](const char *name, uint64_t count, uint64_t of) {
    if (of)
      object[name] = count;
  };
  put("wavefronts", site.wavefronts, site.wavefronts);
  put("ideal_wavefronts", site.idealWavefronts, site.wavefronts);
  put("bank_conflicts", getConflicts(site), site.wavefronts);
  put("sectors", site.sectors, site.sectors);
  put("ideal_sectors", site.idealSectors, site.sectors);
  put("async_bytes", site.asyncBytes, site.asyncBytes);
  put("tensor_macs", site.tensorMacs, site.tensorMacs);
  return object;
}

/// The sums that ncu has, by ncu's names.
static llvm::json::Object metricsToJSON(const Profile &profile) {
  SiteProfile all, loads, matrixLoads, stores, copies, globalLoads,
      globalStores;
  for (const SiteProfile &site : profile.sites) {
    llvm::StringRef kind = site.kind;
    add(all, site);
    if (kind.starts_with("ldmatrix"))
      add(matrixLoads, site);
    else if (kind.starts_with("cp.async"))
      add(copies, site);
    else if (kind.starts_with("ld") || kind.starts_with("wmma.load"))
      add(loads, site);
    else if (kind.starts_with("st") || kind.starts_with("wmma.store"))
      add(stores, site);
    if (!site.sectors)
      continue;
    if (kind.starts_with("st") || kind.starts_with("wmma.store"))
      add(globalStores, site);
    else if (kind.starts_with("ld") || kind.starts_with("wmma.load") ||
             kind.starts_with("cp.async"))
      add(globalLoads, site);
  }
  // ncu counts ldmatrix as op_ld in the l1tex counters.
  SiteProfile allLoads = loads;
  add(allLoads, matrixLoads);
  auto sum = [](uint64_t count) { return llvm::json::Value(count); };
  const std::string waves = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  const std::string conflicts =
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
  const std::string sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
  return llvm::json::Object{
      {"smsp__inst_executed.sum", sum(all.executed)},
      {"smsp__thread_inst_executed.sum", sum(all.threads)},
      // This excludes ncu's op_misc, which counts instructions that ptxas adds.
      {waves + ".sum", sum(all.wavefronts)},
      {waves + "_op_ld.sum", sum(allLoads.wavefronts)},
      {waves + "_op_st.sum", sum(stores.wavefronts)},
      {waves + "_op_ldgsts.sum", sum(copies.wavefronts)},
      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
       sum(matrixLoads.wavefronts)},
      {conflicts + ".sum", sum(getConflicts(all))},
      {conflicts + "_op_ld.sum", sum(getConflicts(allLoads))},
      {conflicts + "_op_st.sum", sum(getConflicts(stores))},
      {conflicts + "_op_ldgsts.sum", sum(getConflicts(copies))},
      {sectors + "ld.sum", sum(globalLoads.sectors)},
      {sectors + "st.sum", sum(globalStores.sectors)},
      {"lts__t_bytes_op_read.sum", sum(profile.l2ReadBytes)},
      {"lts__t_bytes_op_write.sum", sum(profile.l2WriteBytes)},
      {"dram__bytes_read.sum", sum(profile.dramReadBytes)},
      {"dram__bytes_write.sum", sum(profile.dramWriteBytes)},
  };
}

llvm::json::Value toJSON(const Profile &profile) {
  llvm::json::Array sites;
  for (const SiteProfile &site : profile.sites) {
    llvm::json::Object object = siteToJSON(site);
    object["line"] = site.line;
    object["kind"] = site.kind;
    sites.push_back(std::move(object));
  }
  return llvm::json::Object{{"kernel", profile.kernel},
                            {"blocks", profile.blocks},
                            {"warps", profile.warps},
                            {"barriers", profile.barriers},
                            {"l2_read_bytes", profile.l2ReadBytes},
                            {"l2_write_bytes", profile.l2WriteBytes},
                            {"dram_read_bytes", profile.dramReadBytes},
                            {"dram_write_bytes", profile.dramWriteBytes},
                            {"metrics", metricsToJSON(profile)},
                            {"sites", std::move(sites)}};
}

//===----------------------------------------------------------------------===//
// Annotated text
//===----------------------------------------------------------------------===//

void printAnnotated(const Profile &profile, llvm::StringRef ptx,
                    llvm::raw_ostream &os) {
  std::map<uint32_t, SiteProfile> lines;
  for (const SiteProfile &site : profile.sites)
    add(lines[site.line], site);
  os << "executed   wavefronts      sectors\n"
        "         (times ideal) (times ideal)\n";
  uint32_t number = 0;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    std::string executed, wavefronts, sectors;
    if (auto it = lines.find(++number); it != lines.end()) {
      const SiteProfile &site = it->second;
      executed = formatCount(site.executed);
      if (site.wavefronts)
        wavefronts = formatCount(site.wavefronts) + " " +
                     formatRatio(site.wavefronts, site.idealWavefronts);
      if (site.sectors)
        sectors = formatCount(site.sectors) + " " +
                  formatRatio(site.sectors, site.idealSectors);
    }
    os << llvm::right_justify(executed, 8) << ' '
       << llvm::right_justify(wavefronts, 12) << ' '
       << llvm::right_justify(sectors, 12) << " | " << line << '\n';
  }
}

} // namespace tcgemm::emu
