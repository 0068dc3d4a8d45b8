# How LLVM, MLIR and SQLite are linked: used by the build and by the installed package.

# The emulator alone needs LLVM's Support only.
if(TCGEMM_COMPONENTS STREQUAL "emulator")
  add_library(tcgemm_llvm INTERFACE)
  target_link_libraries(tcgemm_llvm INTERFACE LLVMSupport -Wl,--gc-sections)
  return()
endif()

# One interface target holds all of LLVM and MLIR as archives. The imported
# MLIR targets would pull in the shared libLLVM beside them, which registers
# every command-line option twice. A plugin takes its host's shared libraries.
add_library(tcgemm_llvm INTERFACE)
add_library(tcgemm_llvm_shared INTERFACE)
target_link_libraries(tcgemm_llvm_shared INTERFACE
  -L${LLVM_LIBRARY_DIRS} MLIR LLVM-22 sqlite3 dl pthread)
if(TCGEMM_STATIC_TOOLS)
  file(GLOB _archives "${LLVM_LIBRARY_DIRS}/libMLIR[A-Z]*.a"
                      "${LLVM_LIBRARY_DIRS}/libLLVM*.a")
  # Test-only archives register passes of their own; C bindings are unused.
  list(FILTER _archives EXCLUDE REGEX "libMLIR(.*Test.*|CAPI.*)\\.a$")
  # zlib, zstd and SQLite as archives too, so that only glibc's own libraries are
  # needed; what comes after them is for parts of LLVM that we do not use.
  # Without PIE there is nothing to relocate at start: 12 ms less, 3 MB less.
  target_link_libraries(tcgemm_llvm INTERFACE
    -Wl,--start-group ${_archives} -Wl,--end-group
    -Wl,--gc-sections -Wl,--as-needed $<$<CONFIG:Release>:-Wl,-s> -no-pie
    -static-libstdc++ -static-libgcc
    -l:libsqlite3.a -l:libz.a -l:libzstd.a tinfo xml2 z3 edit curl dl pthread m)
else()
  target_link_libraries(tcgemm_llvm INTERFACE tcgemm_llvm_shared)
endif()
