// The clients that most tests use are compiled once, in common_clients.cpp, and not again in every file. Part of the
// precompiled headers: no test includes it.
#pragma once

#include <tarn/tarn.hpp>

#define TARN_COMMON_CLIENT(declared, store)                                                     \
  declared template class tarn::client<store>;                                                  \
  declared template class tarn::transaction<store, tarn::json_codec, tarn::merge::by_position>; \
  declared template class tarn::table_scan<store, tarn::json_codec, tarn::merge::by_position>;

TARN_COMMON_CLIENT(extern, tarn::memory_store)
TARN_COMMON_CLIENT(extern, tarn::file_store<>)
