// Where a row of a bag is. Objects never change, so that stays true.
#pragma once

#include <cstdint>

#include "../core/config.hpp"
#include "../core/uuid.hpp"

namespace tarn::inline TARN_ABI {

struct bag_row {
  uuid object;
  std::uint64_t number = 0;  // in the object, deleted rows counted
};

}  // namespace tarn::inline TARN_ABI
