# Test rules. Everything is reached by ctest: unit tests and the lit suites.

set(TCGEMM_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "LLVM's lit")
if(NOT EXISTS "${TCGEMM_LIT}")
  message(FATAL_ERROR "lit not found at ${TCGEMM_LIT}: install llvm-22-tools, "
                      "or configure with -DTCGEMM_BUILD_TESTS=OFF")
endif()

# Environment of every test. The static LLVM and MLIR archives are not
# instrumented, while the templates that they share with our code are. So what
# one side poisons the other reads: std containers (container overflow) and
# LLVM's bump allocators (user poisoning) cannot be checked. LLVM keeps its
# options and registries until exit, so leaks are not looked for. Stack, heap
# and globals of our code are.
set(TCGEMM_TEST_ENVIRONMENT
  "ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/utils/ci/tsan-suppressions.txt")

# tcgemm_unittest(NAME source... [MLIR] [LINK lib...])
# Each TEST is one ctest entry, so that a GTEST_SKIP() is seen as such.
function(tcgemm_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tcgemm_options ${ARG_LINK}
                        GTest::gtest GTest::gtest_main tcgemm_llvm)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests/bin")
  target_compile_definitions(${name} PRIVATE
    TCGEMM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    TCGEMM_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(ARG_MLIR)
    add_dependencies(${name} tcgemm_headers)
    tcgemm_precompile(${name} mlir)
  else()
    tcgemm_precompile(${name} unittest)
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "unit." DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS unit ENVIRONMENT "${TCGEMM_TEST_ENVIRONMENT}")
endfunction()

# tcgemm_lit_suite(NAME): the lit suite of the current folder.
# Results go to <build>/<NAME>-results.json: utils/ci/summarize-tests.py reads it.
function(tcgemm_lit_suite name)
  get_property(TCGEMM_PLUGIN_PATH GLOBAL PROPERTY TCGEMM_PLUGIN_PATH)
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/lit.site.cfg.py.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/lit.site.cfg.py" @ONLY)
  set(_command "${Python3_EXECUTABLE}" "${TCGEMM_LIT}" -v
      -o "${CMAKE_BINARY_DIR}/${name}-results.json" "${CMAKE_CURRENT_BINARY_DIR}")
  add_test(NAME lit.${name} COMMAND ${_command})
  set_tests_properties(lit.${name} PROPERTIES LABELS lit RUN_SERIAL ON TIMEOUT 3600
    ENVIRONMENT "${TCGEMM_TEST_ENVIRONMENT}")
  add_custom_target(check-${name} COMMAND ${_command} USES_TERMINAL)
  add_dependencies(check-${name} tcgemm-tools)
endfunction()
