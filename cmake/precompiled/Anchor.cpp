// Anchors precompiled headers, which CMake gives to a target with a source.
