//===- TestSnippet.h - Runs a few instructions ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_EMULATOR_TESTSNIPPET_H
#define TCGEMM_UNITTESTS_EMULATOR_TESTSNIPPET_H

#include "tcgemm/Emulator/Emulator.h"

#include "gtest/gtest.h"

namespace tcgemm::emu {

/// Three values that a thread reads.
struct Inputs {
  uint64_t a = 0, b = 0, c = 0;
};

/// Runs `text` in one thread for each of the inputs. The inputs are in %A, %B
/// and %C (64 bits), %a, %b, %c (their lower 32 bits) and %ha, %hb, %hc (their
/// lower 16 bits). The result is in %D, or in %d with 32 bits. There are
/// further registers %D<8>, %d<8>, %h<8> and %p<8>. After an error the only
/// result is its text in `error`.
inline std::vector<uint64_t> runSnippet(const std::string &text,
                                        const std::vector<Inputs> &inputs,
                                        std::string *error = nullptr) {
  std::string ptx = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b16 %ha, %hb, %hc, %h<8>;
  .reg .b32 %a, %b, %c, %d, %d<8>, %t;
  .reg .b64 %A, %B, %C, %D, %D<8>, %in, %out;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %in, %t, 24, %in;
  mad.wide.u32 %out, %t, 8, %out;
  ld.global.b64 %A, [%in];
  ld.global.b64 %B, [%in+8];
  ld.global.b64 %C, [%in+16];
  cvt.u32.u64 %a, %A;
  cvt.u32.u64 %b, %B;
  cvt.u32.u64 %c, %C;
  cvt.u16.u64 %ha, %A;
  cvt.u16.u64 %hb, %B;
  cvt.u16.u64 %hc, %C;
  mov.b32 %d, 0;
  mov.b64 %D, 0;
  )" + text + R"(
  cvt.u64.u32 %D7, %d;
  or.b64 %D, %D, %D7;
  st.global.b64 [%out], %D;
  ret;
}
)";
  auto fail = [&](llvm::Error problem) {
    std::string message = llvm::toString(std::move(problem));
    if (error)
      *error = message;
    else
      ADD_FAILURE() << text << ": " << message;
    return std::vector<uint64_t>();
  };
  Emulator emulator;
  auto module = emulator.load(ptx);
  if (!module)
    return fail(module.takeError());
  uint64_t inBytes = inputs.size() * sizeof(Inputs);
  uint64_t outBytes = inputs.size() * 8;
  uint64_t in = llvm::cantFail(emulator.allocate(inBytes, "in"));
  uint64_t out = llvm::cantFail(emulator.allocate(outBytes, "out"));
  llvm::cantFail(emulator.write(in, inputs.data(), inBytes));
  Launch launch;
  launch.block = {uint32_t(inputs.size()), 1, 1};
  for (uint64_t address : {in, out}) {
    auto *bytes = reinterpret_cast<const uint8_t *>(&address);
    launch.arguments.emplace_back(bytes, bytes + 8);
  }
  auto result = emulator.launch(*(*module)->find("kernel"), launch, {});
  if (!result)
    return fail(result.takeError());
  for (const Finding &finding : result->findings)
    ADD_FAILURE() << toString(finding);
  std::vector<uint64_t> values(inputs.size());
  llvm::cantFail(emulator.read(values.data(), out, outBytes));
  return values;
}

/// The result for one thread.
inline uint64_t runOne(const std::string &text, Inputs inputs) {
  std::vector<uint64_t> values = runSnippet(text, {inputs});
  return values.empty() ? ~uint64_t{0} : values.front();
}

/// The error of decoding.
inline std::string getSnippetError(const std::string &text) {
  std::string error;
  runSnippet(text, {Inputs()}, &error);
  return error;
}

} // namespace tcgemm::emu

#endif // TCGEMM_UNITTESTS_EMULATOR_TESTSNIPPET_H
