//===- DoctorTest.cpp - Tests of checks of a machine ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the checks that need no device, with temporary files instead of the
// system's. test/Tools/tune-doctor.test tests the others.
//
//===----------------------------------------------------------------------===//

#include "Doctor/DoctorChecks.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/Store.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace tcgemm;

namespace {

class DoctorTest : public testing::Test {
protected:
  /// `ok: message` of the only check that `body` makes.
  std::string check(llvm::function_ref<void(Checks &)> body) {
    std::vector<Check> list;
    Checks checks(list);
    body(checks);
    EXPECT_EQ(list.size(), 1u);
    if (list.empty())
      return "";
    EXPECT_EQ(list[0].advice.empty(), list[0].status == CheckStatus::Ok);
    return (getCheckStatusName(list[0].status) + ": " + list[0].message).str();
  }
  std::string checkParameters(llvm::StringRef text) {
    std::string path = folder.get("params");
    {
      std::error_code code;
      llvm::raw_fd_ostream(path, code) << text;
    }
    return check([&](Checks &checks) { checkCounters(checks, path); });
  }
  std::string checkStore(llvm::StringRef name) {
    std::string path = folder.get(name);
    std::string text =
        check([&](Checks &checks) { checkDatabase(checks, path); });
    EXPECT_NE(text.find(path), std::string::npos) << text;
    return llvm::StringRef(text).split(path).second.str();
  }

  TemporaryFolder folder;
};

TEST_F(DoctorTest, CountersAreRootsOrEverybodys) {
  EXPECT_EQ(checkParameters("ResmanDebugLevel: 4\nRmProfilingAdminOnly: 0\n"),
            "ok: profilers may read them");
  EXPECT_EQ(checkParameters("ResmanDebugLevel: 4\nRmProfilingAdminOnly: 1\n"),
            ::geteuid() == 0
                ? "ok: for root, who asks"
                : "warning: only root may read the GPU's counters");
  EXPECT_EQ(check([](Checks &checks) { checkCounters(checks, "/no/file"); }),
            "ok: not known: there is no '/no/file'");
}

TEST_F(DoctorTest, Databases) {
  EXPECT_EQ(checkStore("new.db"), "' will be made");
  EXPECT_FALSE(llvm::sys::fs::exists(folder.get("new.db")));
  EXPECT_EQ(checkStore("no/folder.db"),
            "': there is no folder '" + folder.get("no") + "'");
  auto store = unwrap(Store::open(folder.get("a.db"), Store::Mode::ReadWrite));
  EXPECT_EQ(
      getError(store->put(makeRecord(makeProblem(64, 64, 64), "stages=4", 10))),
      "no error");
  EXPECT_EQ(checkStore("a.db"), "' has 1 records of 1 problems");
  std::error_code code;
  llvm::raw_fd_ostream(folder.get("text.db"), code) << std::string(600, 'x');
  EXPECT_NE(checkStore("text.db").find("is not a database of tcgemm"),
            std::string::npos);
  if (::geteuid() == 0)
    return; // Root may write everything.
  ::chmod(folder.get("a.db").c_str(), 0400);
  EXPECT_NE(checkStore("a.db").find("cannot be written"), std::string::npos);
}

TEST_F(DoctorTest, TheDisk) {
  std::string text =
      check([&](Checks &checks) { checkDisk(checks, folder.get("a.db")); });
  EXPECT_NE(text.find(" GiB free in '"), std::string::npos) << text;
}

TEST_F(DoctorTest, PtxasIsNeededForGPUsAlone) {
  DoctorOptions options;
  options.ptxasPath = "/no/such/ptxas";
  auto run = [&](bool isNeeded) {
    return check([&](Checks &checks) {
      EXPECT_FALSE(checkPtxas(checks, options, isNeeded));
    });
  };
  EXPECT_EQ(run(true),
            "error: ptxas path '/no/such/ptxas' is not an executable file");
  EXPECT_EQ(run(false), "ok: ptxas path '/no/such/ptxas' is not an executable "
                        "file; the emulator needs none");
}

TEST_F(DoctorTest, TheEmulatorIsAlwaysThere) {
  DoctorOptions options;
  options.device = "emulator";
  options.database = folder.get("a.db");
  Diagnosis diagnosis = diagnose(options);
  EXPECT_TRUE(diagnosis.hasDevice);
  EXPECT_FALSE(diagnosis.hasErrors());
  EXPECT_EQ(diagnosis.checks.front().name, "device");
}

} // namespace
