# Writes ${OUTPUT}: a header with a hash of the sources in ${SOURCES}. Run at
# build time as a script; an unchanged header is not touched.
set(_text "")
foreach(_source IN LISTS SOURCES)
  file(SHA256 "${_source}" _hash)
  string(APPEND _text "${_hash}\n")
endforeach()
string(SHA256 _hash "${_text}")
string(SUBSTRING "${_hash}" 0 10 _short)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"// Made by TcgemmFingerprint.cmake from the code generator's sources.
#define TCGEMM_GENERATOR_FINGERPRINT \"${_short}\"
")
