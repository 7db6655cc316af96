// All of tarn but testing/: a data lake small enough to #include.
#pragma once

#include "client.hpp"
#include "store/memory_store.hpp"
#if TARN_HAS_POSIX
#include "store/file_store.hpp"
#endif
