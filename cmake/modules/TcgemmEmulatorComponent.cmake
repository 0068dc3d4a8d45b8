# The build of -DTCGEMM_COMPONENTS=emulator: the reader of PTX, the emulator and
# their unit tests. It needs LLVM's Support library, and no MLIR.
find_package(LLVM 22.1 REQUIRED CONFIG)
include(GNUInstallDirs)
include(TcgemmUtils)
# So that the sources are known to include what they need.
set(TCGEMM_PCH OFF)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS})
include_directories("${PROJECT_SOURCE_DIR}/include")

add_subdirectory(lib/Emulator)
if(TCGEMM_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  include(TcgemmTesting)
  add_subdirectory(unittests/Emulator)
endif()
