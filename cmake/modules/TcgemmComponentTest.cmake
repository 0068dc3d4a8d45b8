# Configures ${SOURCE} with the component ${COMPONENT} in ${BINARY}, without MLIR,
# and builds ${TARGET} there. Run as a script; the test component.emulator.
file(REMOVE_RECURSE "${BINARY}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}" -B "${BINARY}"
          "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_C_COMPILER=${C_COMPILER}"
          "-DCMAKE_EXE_LINKER_FLAGS=${LINKER_FLAGS}" "-DLLVM_DIR=${LLVM_DIR}"
          "-DTCGEMM_COMPONENTS=${COMPONENT}" -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" --target ${TARGET} -j 2
  COMMAND_ERROR_IS_FATAL ANY)
