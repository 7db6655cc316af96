// Fresh ids from the environment.
#pragma once

#include <cstdint>

#include "config.hpp"
#include "environment.hpp"
#include "error.hpp"
#include "result.hpp"
#include "strong_types.hpp"
#include "uuid.hpp"

namespace tarn::inline TARN_ABI {

// A UUID that was never made before and never will be, born now, or at `earliest` if the clock has not come so far.
// errc::io if the environment has no entropy to give.
template <class = void>
[[nodiscard]] result<uuid> new_id(const environment& surroundings, timestamp earliest) {
  std::uint64_t random[2];
  if (!surroundings.fill_random(surroundings.context, random, sizeof random))
    return error(errc::io, "the environment has no entropy for a new id");
  const timestamp now = surroundings.now(surroundings.context);
  return make_uuid(now > earliest ? now : earliest, random[0], random[1]);
}

}  // namespace tarn::inline TARN_ABI
