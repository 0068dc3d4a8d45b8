//===- ConfigureTest.cpp - Pass 2 without a reader of records ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Pipelines/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// The pass in a program that has set no factory of providers.
class ConfigureWithoutFactory : public ::testing::Test {
protected:
  void SetUp() override {
    saved = getConfigProviderFactory();
    setConfigProviderFactory({});
  }
  void TearDown() override { setConfigProviderFactory(saved); }

  /// Runs the pass on an empty module. Returns the severity and the text of
  /// each diagnostic.
  std::vector<std::pair<DiagnosticSeverity, std::string>>
  run(StringRef records, bool expectSuccess) {
    std::vector<std::pair<DiagnosticSeverity, std::string>> diagnostics;
    MLIRContext context;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics.push_back({diagnostic.getSeverity(), diagnostic.str()});
    });
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    ConfigureOptions options;
    options.records = records.str();
    PassManager manager(&context);
    manager.addPass(createConfigure(options, {}));
    EXPECT_EQ(succeeded(manager.run(*module)), expectSuccess);
    return diagnostics;
  }

private:
  ConfigProviderFactory saved;
};

TEST_F(ConfigureWithoutFactory, PathIsAnError) {
  auto diagnostics = run("tuned.db", /*expectSuccess=*/false);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].first, DiagnosticSeverity::Error);
  EXPECT_EQ(diagnostics[0].second,
            "tcgemm-configure: records = 'tuned.db', but this program has no "
            "reader of records: it must call registerDialects of "
            "tcgemm/InitAll.h or setConfigProviderFactory");
}

TEST_F(ConfigureWithoutFactory, ShippedRecordsAreARemark) {
  auto diagnostics = run("", /*expectSuccess=*/true);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].first, DiagnosticSeverity::Remark);
  EXPECT_EQ(diagnostics[0].second,
            "tcgemm-configure: records = '', but this program has no reader of "
            "records, and the shipped records are not used: it must call "
            "registerDialects of tcgemm/InitAll.h or "
            "setConfigProviderFactory");
}

TEST_F(ConfigureWithoutFactory, NoRecordsNeedNoReader) {
  EXPECT_TRUE(run("none", /*expectSuccess=*/true).empty());
}

} // namespace
