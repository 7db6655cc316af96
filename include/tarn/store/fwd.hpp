// The stores by name, and the defaults of their parameters, for headers that only pass them on.
#pragma once

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI {

class memory_store;

#if TARN_HAS_POSIX
class posix_system;
template <class System = posix_system>
class file_store;
#endif

}  // namespace tarn::inline TARN_ABI
