//===- Report.cpp - How results are printed -------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three formats.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Observed.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace tcgemm;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

StringRef tcgemm::getStatus(const ProblemRecord &record) {
  if (!record.error.empty())
    return "error";
  if (record.benchmark && record.benchmark->isWrong)
    return "fail";
  if (!record.run)
    return "ok";
  return record.run->passed() && !record.run->hasFindings() ? "pass" : "fail";
}

static double getTeraflops(double flops, double microseconds) {
  return microseconds > 0 ? flops / microseconds * 1e-6 : 0;
}

void Reporter::printDevice(const DeviceProperties &p, unsigned ordinal) {
  if (format == ReportFormat::JSON)
    os << json::Value(
              json::Object{{"device", p.isEmulated ? json::Value("emulator")
                                                   : json::Value(ordinal)},
                           {"name", p.name},
                           {"driver", p.driver},
                           {"compute_capability",
                            formatv("{0}.{1}", p.major, p.minor).str()},
                           {"sm_count", p.smCount},
                           {"l2_bytes", p.l2Bytes},
                           {"memory_bytes", p.globalMemory},
                           {"shared_memory_per_block", p.sharedMemoryPerBlock}})
       << '\n';
  else if (format == ReportFormat::Table && p.isEmulated)
    os << formatv("device: {0}, {1} SMs, {2} MiB of L2, {3} KiB of shared "
                  "memory a block\n",
                  p.name, p.smCount, p.l2Bytes >> 20,
                  p.sharedMemoryPerBlock >> 10);
  else if (format == ReportFormat::Table)
    os << formatv("device {0}: {1}, sm_{2}{3}, {4} SMs, {5} MiB of L2, {6} MiB "
                  "of memory, {7} KiB of shared memory a block, {8}\n",
                  ordinal, p.name, p.major, p.minor, p.smCount, p.l2Bytes >> 20,
                  p.globalMemory >> 20, p.sharedMemoryPerBlock >> 10, p.driver);
}

void Reporter::print(const ProblemRecord &record) {
  switch (format) {
  case ReportFormat::Table:
    printTable(record);
    break;
  case ReportFormat::JSON:
    printJSON(record);
    break;
  case ReportFormat::CSV:
    printCSV(record);
    break;
  }
  os.flush();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

void Reporter::printTable(const ProblemRecord &record) {
  const ProblemSizes &s = record.sizes;
  os << formatv("{0}{1}{2} x {3} x {4}", record.tag,
                record.tag.empty() ? "" : "  ", s[0], s[1], s[2]);
  if (int64_t products = countProducts(s); products != 1)
    os << formatv(" x batch {0}", products);
  os << "  " << getStatus(record) << '\n';
  if (!record.error.empty())
    os << "  " << record.error << '\n';
  printObservations(record.observed, os);
  if (record.run)
    for (const LaunchResult &launch : record.run->launches) {
      os << formatv("  {0}, variant {1}: {2}\n", launch.kernel, launch.variant,
                    launch.report.summarize());
      if (!launch.damage.empty())
        os << "  " << launch.damage << '\n';
      if (!launch.missed.empty())
        os << "  " << launch.missed << '\n';
      printObservations(launch.observed, os);
    }
  if (getStatus(record) == "fail" || record.observed.hasFindings())
    os << "  again: " << record.reproduce << '\n';
  if (!record.benchmark)
    return;
  const BenchmarkReport &bench = *record.benchmark;
  os << formatv("  {0,-20} {1,10} {2,19} {3,10} {4,8} {5,22} {6,7}\n",
                "contender", "cold us", "10-90 %", "hot us", "TFLOP/s",
                "cold / tcgemm 10-90 %", "hot");
  for (const Contender &c : bench.contenders)
    os << formatv("  {0,-20} {1,10:f2} {2,9:f2}-{3,-9:f2} {4,10:f2} {5,8:f1} "
                  "{6,8:f3} {7,6:f3}-{8,-6:f3} {9,7:f3}\n",
                  c.name, c.cold.median, c.cold.low, c.cold.high, c.hot.median,
                  getTeraflops(bench.flops, c.cold.median), c.coldRatio.median,
                  c.coldRatio.low, c.coldRatio.high, c.hotRatio.median);
  os << formatv("  {0} sets of {1} bytes, chains of {2}", bench.numSets,
                bench.bytes, bench.chainLength);
  if (!bench.cublasLtVersion.empty())
    os << formatv(", cuBLASLt {0} with {1} answers", bench.cublasLtVersion,
                  bench.numAlgorithms);
  if (bench.difference >= 0)
    os << formatv(", results differ by {0:e2} of the largest",
                  bench.difference);
  os << '\n';
  if (!bench.note.empty())
    os << "  note: " << bench.note << '\n';
}

//===----------------------------------------------------------------------===//
// JSON lines
//===----------------------------------------------------------------------===//

static json::Value asJSON(const Spread &spread) {
  return json::Object{
      {"median", spread.median}, {"p10", spread.low}, {"p90", spread.high}};
}

/// JSON has no infinities.
static json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  return formatv("{0}", value).str();
}

static json::Object asJSON(const LaunchResult &launch) {
  const VerifyReport &report = launch.report;
  json::Array mismatches;
  for (const Mismatch &m : report.mismatches)
    mismatches.push_back(json::Object{{"output", m.output},
                                      {"b", m.b},
                                      {"m", m.m},
                                      {"n", m.n},
                                      {"actual", number(m.actual)},
                                      {"expected", number(m.expected)},
                                      {"tolerance", number(m.tolerance)}});
  json::Array outputs;
  for (const OutputSummary &output : launch.outputs) {
    json::Array sample;
    for (double value : output.sample)
      sample.push_back(number(value));
    outputs.push_back(
        json::Object{{"name", output.name},
                     {"type", getTypeName(output.type)},
                     {"hash", formatv("{0:x-16}", output.hash).str()},
                     {"largest", number(output.largest)},
                     {"sample", std::move(sample)}});
  }
  return json::Object{{"kernel", launch.kernel},
                      {"variant", launch.variant},
                      {"outputs", std::move(outputs)},
                      {"passed", launch.passed()},
                      {"method", report.method},
                      {"elements", report.numElements},
                      {"checked", report.numChecked},
                      {"exact", report.numExact},
                      {"wrong", report.numWrong},
                      {"nan", report.numNaN},
                      {"unwritten", report.numUnwritten},
                      {"max_error", number(report.maxError)},
                      {"max_ratio", number(report.maxRatio)},
                      {"freivalds", number(report.freivalds)},
                      {"damage", launch.damage},
                      {"missed", launch.missed},
                      {"mismatches", std::move(mismatches)}};
}

static json::Value asJSON(const BenchmarkReport &bench) {
  json::Array contenders;
  for (const Contender &c : bench.contenders)
    contenders.push_back(
        json::Object{{"name", c.name},
                     {"detail", c.detail},
                     {"cold_us", asJSON(c.cold)},
                     {"hot_us", asJSON(c.hot)},
                     {"cold_tflops", getTeraflops(bench.flops, c.cold.median)},
                     {"cold_ratio", asJSON(c.coldRatio)},
                     {"hot_ratio", asJSON(c.hotRatio)}});
  return json::Object{{"contenders", std::move(contenders)},
                      {"flops", bench.flops},
                      {"bytes", bench.bytes},
                      {"sets", bench.numSets},
                      {"chain", bench.chainLength},
                      {"cublaslt", bench.cublasLtVersion},
                      {"algorithms", bench.numAlgorithms},
                      {"difference", number(bench.difference)},
                      {"note", json::fixUTF8(bench.note)}};
}

void Reporter::printJSON(const ProblemRecord &record) {
  json::Object object{{"tag", json::fixUTF8(record.tag)},
                      {"status", getStatus(record)},
                      {"M", record.sizes[0]},
                      {"N", record.sizes[1]},
                      {"K", record.sizes[2]},
                      {"batch", countProducts(record.sizes)}};
  if (!record.error.empty())
    object["error"] = json::fixUTF8(record.error);
  addObservations(record.observed, object);
  if (record.run) {
    json::Array launches;
    for (const LaunchResult &launch : record.run->launches) {
      json::Object entry = asJSON(launch);
      addObservations(launch.observed, entry);
      launches.push_back(std::move(entry));
    }
    object["launches"] = std::move(launches);
  }
  if (record.benchmark)
    object["benchmark"] = asJSON(*record.benchmark);
  if (getStatus(record) == "fail" || getStatus(record) == "error")
    object["reproduce"] = json::fixUTF8(record.reproduce);
  os << json::Value(std::move(object)) << '\n';
}

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

void Reporter::printCSV(const ProblemRecord &record) {
  if (!hasHeader)
    os << "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,"
          "cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,"
          "cold_ratio_p90,hot_ratio,findings\n";
  hasHeader = true;
  const ProblemSizes &s = record.sizes;
  std::string tag = record.tag, variant;
  for (char &c : tag)
    if (c == ',' || c == '"' || c == '\n')
      c = ' ';
  double ratio = 0;
  size_t findings = record.observed.findings.size();
  if (record.run)
    for (const LaunchResult &launch : record.run->launches) {
      variant += (variant.empty() ? "" : "+") + launch.variant;
      ratio = std::max(ratio, launch.report.maxRatio);
      findings += launch.observed.findings.size() + launch.observed.suppressed;
    }
  std::string head =
      formatv("{0},{1},{2},{3},{4},{5},{6},{7:f4}", tag, s[0], s[1], s[2],
              countProducts(s), getStatus(record), variant, ratio);
  if (!record.benchmark) {
    os << head << ",,,,,,,,,,," << findings << '\n';
    return;
  }
  for (const Contender &c : record.benchmark->contenders)
    os << head
       << formatv(",{0},{1:f3},{2:f3},{3:f3},{4:f3},{5:f2},{6:f4},{7:f4},"
                  "{8:f4},{9:f4},{10}\n",
                  c.name, c.cold.median, c.cold.low, c.cold.high, c.hot.median,
                  getTeraflops(record.benchmark->flops, c.cold.median),
                  c.coldRatio.median, c.coldRatio.low, c.coldRatio.high,
                  c.hotRatio.median, findings);
}
