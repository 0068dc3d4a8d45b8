//===- ExportCutlass.cpp - Records as the CUTLASS profiler's CSV ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns are those of CUTLASS 4's profiler for operation=gemm. As in the
// profiler, runtimes are in milliseconds and `GB/s` is of 2^30 bytes. Layouts
// have the profiler's names: a TN product has row-major A and column-major B.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Tuner/Exchange.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral kHeader =
    "Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,"
    "k,A,B,C,D,alpha,beta,split_k_mode,split_k_slices,batch_count,raster_order,"
    "runtime_input_datatype_a,runtime_input_datatype_b,use_pdl,"
    "enable_sm90_mixed_dtype_shuffle_test,swizzle_size,"
    "op_class,accum,cta_m,cta_n,cta_k,cluster_m,cluster_n,cluster_k,"
    "cluster_m_fallback,cluster_n_fallback,cluster_k_fallback,stages,"
    "warps_m,warps_n,warps_k,inst_m,inst_n,inst_k,min_cc,max_cc,Bytes,Flops,"
    "Flops/Byte,Runtime,GB/s,GFLOPs";

/// The disposition of a record, and the library's status.
std::pair<StringRef, StringRef> getDisposition(Outcome outcome) {
  switch (outcome) {
  case Outcome::Success:
    return {"passed", "success"};
  case Outcome::Correctness:
    return {"incorrect", "success"};
  case Outcome::Constraints:
    return {"not_run", "error_invalid_problem"};
  case Outcome::Pruned:
    return {"not_run", "success"};
  case Outcome::Compile:
  case Outcome::CompileTimeout:
    return {"not_run", "error_not_supported"};
  case Outcome::Memory:
    return {"failed", "error_memory_allocation"};
  case Outcome::Runtime:
  case Outcome::Timeout:
  case Outcome::Crash:
    return {"failed", "error_internal"};
  }
  return {"failed", "error_internal"};
}

/// `tcgemm_wgmma_bf16_tn_bf16_none_128x256x64_2be08bb2e36cfbc6`.
std::string getOperationName(const Record &record) {
  const KernelConfig &config = record.config;
  std::string kernel = record.problem.kernel.str();
  std::replace(kernel.begin(), kernel.end(), ' ', '_');
  return "tcgemm_" + config.get("schedule") + "_" + kernel + "_" +
         std::to_string(config.cta[0]) + "x" + std::to_string(config.cta[1]) +
         "x" + std::to_string(config.cta[2]) + "_" + config.hash();
}

int64_t getCapability(StringRef name) {
  Expected<const ChipInfo &> chip = lookupChip(name);
  if (chip)
    return chip->capability;
  consumeError(chip.takeError());
  return 0;
}

class RowWriter {
public:
  explicit RowWriter(raw_ostream &os) : os(os) {}
  ~RowWriter() { os << '\n'; }

  RowWriter &operator<<(const Twine &text) {
    os << separator << text;
    return *this;
  }
  RowWriter &operator<<(int64_t number) {
    os << separator << number;
    return *this;
  }
  RowWriter &operator<<(const std::array<int64_t, 3> &numbers) {
    for (int64_t number : numbers)
      *this << number;
    return *this;
  }
  RowWriter &operator<<(double number) {
    os << separator << format("%.6g", number);
    return *this;
  }

private:
  raw_ostream &os;
  ListSeparator separator{","};
};

void writeRow(const Record &record, int64_t problem, raw_ostream &os) {
  const KernelSpec &kernel = record.problem.kernel;
  const KernelConfig &config = record.config;
  auto [m, n, k, batch] = record.problem.sizes;
  auto [disposition, status] = getDisposition(record.outcome);
  auto describe = [](ScalarType type, bool isRowMajor) {
    return (getTypeName(type) + (isRowMajor ? ":row" : ":column")).str();
  };
  std::string a = describe(kernel.typeA, kernel.aKContiguous);
  std::string b = describe(kernel.typeB, !kernel.bKContiguous);
  std::string d = describe(kernel.output, /*isRowMajor=*/true);
  double flops = record.problem.sizes.getFlops();
  double bytes = record.problem.getLeastBytes();
  double milliseconds = record.timing.median / 1000;
  std::string name = getOperationName(record);
  bool isSimt = !getFamily(config.schedule).usesTensorCores();
  // Other clusters for processors that the first leaves over: we have none.
  constexpr std::array<int64_t, 3> noFallback = {0, 0, 0};
  bool isModel = record.timing.stage == TimingStage::Model;
  RowWriter row(os);
  row << problem << (isModel ? "tcgemm_model" : "tcgemm") << "gemm" << name
      << disposition << status << (batch == 1 ? "universal" : "batched") << m
      << n << k << a << b << d << d << int64_t(1)
      << int64_t(kernel.hasBeta ? 1 : 0)
      << (config.splitK > 1 ? "parallel" : "serial") << config.splitK << batch
      << config.get("raster") << "invalid" << "invalid"
      << config.get("dependent_launch") << "false" << config.rasterGroup
      << (isSimt ? "simt" : "tensorop") << getTypeName(kernel.accumulator)
      << config.cta << config.wgmma.cluster << noFallback << config.stages
      << config.warps << config.instruction
      << getCapability(record.platform.chip)
      << getCapability(record.platform.chip) << static_cast<int64_t>(bytes)
      << static_cast<int64_t>(flops) << static_cast<int64_t>(flops / bytes);
  if (milliseconds > 0)
    row << milliseconds << bytes / (1 << 30) / milliseconds * 1000
        << flops / milliseconds * 1e-6;
  else
    row << 0.0 << 0.0 << 0.0;
}

} // namespace

void writeCutlassCSV(ArrayRef<Record> records, raw_ostream &os) {
  os << kHeader << '\n';
  StringMap<int64_t> problems;
  for (const Record &record : records) {
    auto entry =
        problems.try_emplace(record.problem.str(), problems.size() + 1);
    writeRow(record, entry.first->second, os);
  }
}

} // namespace tcgemm
