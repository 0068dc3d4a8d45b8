# Rules of `cmake --install`: headers (generated ones too), a package for
# find_package(tcgemm), the Python package and the documents. The rules of tools and
# libraries are beside their targets. TcgemmPackages.cmake lists the components.
include(CMakePackageConfigHelpers)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tcgemm")
set(_headers FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
             PATTERN "CMakeFiles" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tcgemm"
                  "${PROJECT_BINARY_DIR}/include/tcgemm"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
        ${_headers})
install(FILES "${PROJECT_SOURCE_DIR}/include/tcgemm.h"
              "${PROJECT_SOURCE_DIR}/include/tcgemm_cublas.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(EXPORT tcgemmTargets NAMESPACE tcgemm::
        DESTINATION "${_package_dir}" COMPONENT development)
install(EXPORT tcgemmGpuRuntimeTargets NAMESPACE tcgemm::
        DESTINATION "${_package_dir}" COMPONENT development)
# The C library; builds with sanitizers have none.
if(TARGET tcgemm_shared)
  install(EXPORT tcgemmLibraryTargets NAMESPACE tcgemm::
          DESTINATION "${_package_dir}" COMPONENT development)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/tcgemm.pc.in"
                 "${PROJECT_BINARY_DIR}/cmake/tcgemm.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/cmake/tcgemm.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endif()

set(TCGEMM_PLUGIN_INSTALL "${CMAKE_INSTALL_LIBDIR}/${TCGEMM_PLUGIN_FILE}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tcgemmConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/tcgemmConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR TCGEMM_PLUGIN_INSTALL)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/cmake/tcgemmConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/tcgemmConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/tcgemmConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/modules/TcgemmLLVM.cmake"
              "${PROJECT_SOURCE_DIR}/tools/common/GlibcFloor.c"
        DESTINATION "${_package_dir}" COMPONENT development)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/tcgemm"
        DESTINATION lib/python3/dist-packages COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE)

# The links between the documents are relative, so they keep their folders.
set(_documents "${CMAKE_INSTALL_DATAROOTDIR}/doc/tcgemm")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples"
        DESTINATION "${_documents}" COMPONENT documentation
        PATTERN "docs/CMakeLists.txt" EXCLUDE
        PATTERN "examples/CMakeLists.txt" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
              "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" "${PROJECT_SOURCE_DIR}/SECURITY.md"
              "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${_documents}" COMPONENT documentation)
