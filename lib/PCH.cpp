// Anchors the precompiled headers; see PCH.h.
