# Manual pages and completions of bash, zsh and fish, written from the options that the
# tools print. They are part of the build, so that they cannot be stale.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(_tools tcgemm-check-module tcgemm-opt tcgemm-run tcgemm-tune)
set(_manuals "${PROJECT_BINARY_DIR}/manuals")
set(_script "${PROJECT_SOURCE_DIR}/utils/docs/generate-manuals.py")
file(GLOB _writers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/utils/docs/manuals/*.py")
set(_programs "")
foreach(_tool IN LISTS _tools)
  list(APPEND _programs "$<TARGET_FILE:${_tool}>")
endforeach()
add_custom_command(OUTPUT "${_manuals}/stamp"
  COMMAND "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1
          "${Python3_EXECUTABLE}" "${_script}" "${_manuals}" ${_programs}
  COMMAND "${CMAKE_COMMAND}" -E touch "${_manuals}/stamp"
  DEPENDS ${_tools} "${_script}" ${_writers}
  COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(tcgemm-manuals ALL DEPENDS "${_manuals}/stamp")
install(DIRECTORY "${_manuals}/man" "${_manuals}/bash-completion" "${_manuals}/zsh"
                  "${_manuals}/fish"
        DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}" COMPONENT tools)
