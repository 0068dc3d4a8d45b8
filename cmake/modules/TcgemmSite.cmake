# The documentation site: `ninja site` writes <build>/site/html. It needs Sphinx, MyST,
# Breathe and Doxygen, which nothing else needs.
find_program(SPHINX_BUILD_PROGRAM sphinx-build)
find_program(DOXYGEN_PROGRAM doxygen)
set(_site "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1 "${Python3_EXECUTABLE}"
    "${PROJECT_SOURCE_DIR}/utils/docs/build-site.py" "${PROJECT_BINARY_DIR}/site")
foreach(_tool IN ITEMS tcgemm-check-module tcgemm-opt tcgemm-run tcgemm-tune)
  list(APPEND _site "$<TARGET_FILE:${_tool}>")
endforeach()
if(SPHINX_BUILD_PROGRAM AND DOXYGEN_PROGRAM)
  add_custom_target(site COMMAND ${_site} VERBATIM USES_TERMINAL
    COMMENT "Writing the documentation site to ${PROJECT_BINARY_DIR}/site/html")
  add_dependencies(site tcgemm-check-module tcgemm-opt tcgemm-run tcgemm-tune)
  if(TCGEMM_BUILD_TESTS)
    add_test(NAME docs.site COMMAND ${_site})
    set_tests_properties(docs.site PROPERTIES LABELS docs TIMEOUT 1200)
  endif()
else()
  add_custom_target(site COMMAND "${CMAKE_COMMAND}" -E echo
    "The site needs: python3-sphinx python3-myst-parser python3-breathe python3-sphinx-rtd-theme doxygen"
    COMMAND "${CMAKE_COMMAND}" -E false VERBATIM)
endif()
