# Build rules of all libraries and tools, and the linkage of LLVM.

include(TcgemmLLVM)

# How our own code is compiled.
add_library(tcgemm_options INTERFACE)
target_compile_options(tcgemm_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden
  -ffunction-sections -fdata-sections -fno-exceptions)
if(TCGEMM_SANITIZE)
  list(JOIN TCGEMM_SANITIZE "," _sanitizers)
  target_compile_options(tcgemm_options INTERFACE
    -fsanitize=${_sanitizers} -fno-omit-frame-pointer)
  target_link_options(tcgemm_options INTERFACE -fsanitize=${_sanitizers})
  if("undefined" IN_LIST TCGEMM_SANITIZE)
    target_compile_options(tcgemm_options INTERFACE
      -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  endif()
endif()
if(TCGEMM_FUZZ)
  target_compile_options(tcgemm_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# tcgemm_precompiled_headers(NAME header...): the headers of that name.
function(tcgemm_precompiled_headers name)
  add_library(tcgemm_pch_${name} OBJECT "${PROJECT_SOURCE_DIR}/cmake/precompiled/Anchor.cpp")
  target_link_libraries(tcgemm_pch_${name} PRIVATE tcgemm_options)
  target_precompile_headers(tcgemm_pch_${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Otherwise the file has times in it, and ccache never finds it again.
    target_compile_options(tcgemm_pch_${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# tcgemm_precompile(TARGET NAME): compiles a target with the precompiled headers
# `mlir`, `support` or `unittest`.
function(tcgemm_precompile target name)
  if(TCGEMM_PCH)
    target_precompile_headers(${target} REUSE_FROM tcgemm_pch_${name})
  endif()
endfunction()

# tcgemm_library(NAME source... [MLIR] [DEPENDS target...] [LINK lib...])
# MLIR marks a library that includes MLIR headers: it then uses the
# precompiled ones and waits for the generated code.
function(tcgemm_library name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tcgemm_options> PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    add_dependencies(${name} tcgemm_headers)
    tcgemm_precompile(${name} mlir)
    # Sources share most of their templates, so that this saves a third of the time.
    set_target_properties(${name} PROPERTIES
      UNITY_BUILD ${TCGEMM_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  elseif(TCGEMM_FUZZ)
    # With asserts MLIR's passes have another layout than in LLVM's archives.
    target_compile_options(${name} PRIVATE -UNDEBUG)
  else()
    tcgemm_precompile(${name} support)
  endif()
  target_include_directories(${name} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  install(TARGETS ${name} EXPORT tcgemmTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endfunction()

# All tools: what the test suites wait for.
add_custom_target(tcgemm-tools)

# tcgemm_tool(NAME source... LINK lib...)
function(tcgemm_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tcgemm_options tcgemm_tool_setup
                        ${ARG_LINK} tcgemm_llvm)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin" ENABLE_EXPORTS OFF)
  if(ARG_MLIR)
    add_dependencies(${name} tcgemm_headers)
    tcgemm_precompile(${name} mlir)
  else()
    tcgemm_precompile(${name} support)
  endif()
  add_dependencies(tcgemm-tools ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endfunction()
