# Debian packages: `cpack -G DEB --config <build>/CPackConfig.cmake`, or the target
# `packages`. Each component of the install rules is one package.

set(TCGEMM_PACKAGE_MAINTAINER "tcgemm maintainers <maintainers@tcgemm.example>"
    CACHE STRING "The maintainer that the packages name")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tcgemm)
set(CPACK_PACKAGE_VENDOR tcgemm)
set(CPACK_PACKAGE_CONTACT "${TCGEMM_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# xz takes minutes for 400 MB of programs. Debian's policy does not have zstd.
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
# Programs that link the library depend on its package.
configure_file("${PROJECT_SOURCE_DIR}/cmake/debian/shlibs.in"
               "${PROJECT_BINARY_DIR}/package-files/shlibs" @ONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/cmake/debian/triggers"
    "${PROJECT_BINARY_DIR}/package-files/shlibs")
# The plugin's LLVM and MLIR, which the installed plugin takes from its host.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${LLVM_LIBRARY_DIRS}")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Every package has these documents under its own name.
set(_package_files "${PROJECT_BINARY_DIR}/package-files")
file(READ "${PROJECT_SOURCE_DIR}/LICENSE" _license)
set(_heading "---- LLVM Exceptions to the Apache 2.0 License ----")
string(FIND "${_license}" "${_heading}" _start)
if(_start EQUAL -1)
  message(FATAL_ERROR "LICENSE has no line '${_heading}'")
endif()
string(SUBSTRING "${_license}" ${_start} -1 _exceptions)
file(CONFIGURE OUTPUT "${_package_files}/copyright" @ONLY CONTENT
"tcgemm, packaged from its own sources.

Copyright 2026 the tcgemm authors

tcgemm is under the Apache License v2.0 with LLVM Exceptions. Debian has that license
in /usr/share/common-licenses/Apache-2.0. The exceptions:

@_exceptions@")
# Reproducible: gzip's header has no time.
find_program(GZIP_PROGRAM gzip REQUIRED)
execute_process(COMMAND "${GZIP_PROGRAM}" -9nc "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
                OUTPUT_FILE "${_package_files}/changelog.gz" COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/LICENSE")
configure_file("${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in"
               "${_package_files}/changelog" @ONLY)
execute_process(COMMAND "${GZIP_PROGRAM}" -9nc "${_package_files}/changelog"
                OUTPUT_FILE "${_package_files}/changelog.Debian.gz"
                COMMAND_ERROR_IS_FATAL ANY)

# tcgemm_package(COMPONENT NAME package SECTION section SUMMARY text DESCRIPTION text
#                [ALL] [BINARIES] [DEPENDS text] [RECOMMENDS text] [SUGGESTS text])
# ALL: the same for every architecture. BINARIES: dpkg-shlibdeps adds the packages of
# the libraries that its programs load.
function(tcgemm_package component)
  cmake_parse_arguments(ARG "ALL;BINARIES"
    "NAME;SECTION;SUMMARY;DESCRIPTION;DEPENDS;RECOMMENDS;SUGGESTS" "" ${ARGN})
  string(TOUPPER "${component}" _key)
  set(_variables
    "CPACK_DEBIAN_${_key}_PACKAGE_NAME" "${ARG_NAME}"
    "CPACK_DEBIAN_${_key}_PACKAGE_SECTION" "${ARG_SECTION}"
    "CPACK_DEBIAN_${_key}_PACKAGE_DEPENDS" "${ARG_DEPENDS}"
    "CPACK_DEBIAN_${_key}_PACKAGE_RECOMMENDS" "${ARG_RECOMMENDS}"
    "CPACK_DEBIAN_${_key}_PACKAGE_SUGGESTS" "${ARG_SUGGESTS}"
    "CPACK_DEBIAN_${_key}_PACKAGE_SHLIBDEPS" "${ARG_BINARIES}"
    "CPACK_DEBIAN_${_key}_DESCRIPTION" "${ARG_SUMMARY}\n${ARG_DESCRIPTION}")
  if(ARG_ALL)
    list(APPEND _variables "CPACK_DEBIAN_${_key}_PACKAGE_ARCHITECTURE" all)
  endif()
  while(_variables)
    list(POP_FRONT _variables _name _value)
    set(${_name} "${_value}" PARENT_SCOPE)
  endwhile()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)

  set(_documents "${CMAKE_INSTALL_DATAROOTDIR}/doc/${ARG_NAME}")
  install(FILES "${_package_files}/copyright" "${_package_files}/changelog.gz"
                "${_package_files}/changelog.Debian.gz"
          DESTINATION "${_documents}" COMPONENT ${component})
  set(_overrides "${PROJECT_SOURCE_DIR}/cmake/debian/${ARG_NAME}.lintian-overrides")
  if(EXISTS "${_overrides}")
    install(FILES "${_overrides}" RENAME "${ARG_NAME}"
            DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides"
            COMPONENT ${component})
  endif()
endfunction()

set(_same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
tcgemm_package(tools NAME tcgemm-tools SECTION devel BINARIES
  SUGGESTS "tcgemm-doc, tcgemm-emulated-driver, libz3-4"
  SUMMARY "compiler and tuner of GPU kernels for matrix products: tools"
  DESCRIPTION "tcgemm-opt compiles matrix products in MLIR to kernels.
tcgemm-run launches, checks and measures them, on a GPU or on an emulator.
tcgemm-tune finds the fastest configuration of a shape.
tcgemm-check-module compares whole functions with MLIR's result on the CPU.")
if(TARGET TcgemmPlugin)
  tcgemm_package(plugin NAME tcgemm-mlir-plugin SECTION devel BINARIES
    # dpkg-shlibdeps finds one of two files that are one by a link, and only that of
    # /usr/lib is a package's.
    DEPENDS "libllvm22 (>= 1:22.1)"
    RECOMMENDS "mlir-22-tools"
    SUMMARY "compiler of GPU kernels for matrix products: plugin for mlir-opt"
    DESCRIPTION "The plugin brings tcgemm's dialect, passes and pipelines to a stock mlir-opt.")
endif()
tcgemm_package(library NAME libtcgemm0 SECTION libs BINARIES
  SUMMARY "matrix products on GPUs: library"
  DESCRIPTION "The library plans matrix products and launches a kernel for each.
It compiles kernels that it does not have, for which it needs ptxas.
The runtime library for compiled modules is in this package, too.")
tcgemm_package(development NAME libtcgemm-dev SECTION libdevel
  DEPENDS "libtcgemm0 ${_same}"
  RECOMMENDS "libmlir-22-dev, llvm-22-dev, libsqlite3-dev, libzstd-dev, zlib1g-dev"
  SUMMARY "matrix products on GPUs: development files"
  DESCRIPTION "Headers, archives, a CMake package and a file for pkg-config.
Programs that use the C library need no other package.
Compilers that embed tcgemm also need LLVM's and MLIR's development files.")
tcgemm_package(python NAME python3-tcgemm SECTION python ALL
  DEPENDS "python3 (>= 3.9), libtcgemm0 (>= ${PROJECT_VERSION})"
  SUGGESTS "python3-numpy"
  SUMMARY "matrix products on GPUs: Python package"
  DESCRIPTION "tcgemm.matmul multiplies tensors of PyTorch, CuPy and NumPy by the C library.")
if(TARGET tcgemm_emulated_cuda)
  tcgemm_package(driver NAME tcgemm-emulated-driver SECTION devel BINARIES
    SUGGESTS "tcgemm-doc"
    SUMMARY "CUDA driver on an emulator, to test launchers without a GPU"
    DESCRIPTION "A libcuda.so.1 that executes PTX on the CPU and finds races and bad accesses.
It is in a folder of its own: no program loads it unless it is told to.")
endif()
tcgemm_package(documentation NAME tcgemm-doc SECTION doc ALL
  SUMMARY "compiler and tuner of GPU kernels for matrix products: documentation"
  DESCRIPTION "The guide, the reference, the rationale and the examples of tcgemm.")
include(CPack)

add_custom_target(packages
  COMMAND "${CMAKE_CPACK_COMMAND}" -G DEB --config "${PROJECT_BINARY_DIR}/CPackConfig.cmake"
  WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" USES_TERMINAL VERBATIM
  COMMENT "Writing Debian packages to ${CPACK_PACKAGE_DIRECTORY}")
add_dependencies(packages tcgemm-tools tcgemm-manuals)
