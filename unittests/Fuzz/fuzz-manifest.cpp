//===- fuzz-manifest.cpp - Fuzzes manifests and launch plans --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "tcgemm/Runtime/Epilogue.h"
#include "tcgemm/Runtime/Problem.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;

/// Plans the launches of a function for given sizes, as tcgemm-run --plan does.
static void plan(const KernelPack &pack, const FunctionInfo &function,
                 int64_t size) {
  ProblemOptions options;
  options.function = function.name;
  options.sizes = {1, size, size + 3, size / 2};
  std::optional<Problem> problem = accept(Problem::create(pack, options));
  if (!problem)
    return;
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i != problem->buffers.size(); ++i)
    addresses.push_back(0x10000000 * (i + 1));
  for (unsigned i = 0; i != problem->launches.size(); ++i)
    if (auto launch = accept(problem->plan(i, addresses, 132)))
      require(!describePlan(*launch).empty(), "a plan without text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<Manifest> manifest = accept(parseManifest(getText(data, size)));
  if (!manifest)
    return 0;
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(*manifest);
  std::string again;
  llvm::raw_string_ostream(again)
      << toJSON(acceptAgain(parseManifest(text), "a written manifest"));
  require(text == again, "a manifest changes when it is written and read");
  KernelPack pack;
  pack.manifest = std::move(*manifest);
  pack.images.resize(pack.manifest.modules.size());
  pack.constants.resize(pack.manifest.constants.size());
  for (const KernelInfo &kernel : pack.manifest.kernels)
    accept(EpilogueInterpreter::create(kernel));
  for (const FunctionInfo &function : pack.manifest.functions)
    for (int64_t extent : {0, 1, 200, 1 << 30})
      plan(pack, function, extent);
  return 0;
}
