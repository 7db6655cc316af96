#include "common_clients.hpp"

TARN_COMMON_CLIENT(, tarn::memory_store)
TARN_COMMON_CLIENT(, tarn::file_store<>)
