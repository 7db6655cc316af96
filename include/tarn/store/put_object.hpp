// Putting an object under a name that nobody else uses.
#pragma once

#include <string_view>

#include "../core/backoff.hpp"
#include "../core/config.hpp"
#include "../core/environment.hpp"
#include "../core/result.hpp"
#include "store.hpp"

namespace tarn::inline TARN_ABI {

// Success once the bytes are durable under `name`, which must contain a fresh UUID or be known to have these bytes:
// then "already exists" can only mean them, and after an unclear answer the same put is simply made again.
template <object_store Store>
[[nodiscard]] status put_object(Store& store, std::string_view name, std::string_view bytes,
                                const backoff_options& options, const environment& surroundings) {
  backoff retries(options, surroundings);
  for (;;) {
    const put_result put = store.put_if_absent(name, bytes);
    if (put.outcome() == put_outcome::created || put.outcome() == put_outcome::already_exists) return {};
    if (!may_retry(put) || !retries.wait()) return put.why();
  }
}

}  // namespace tarn::inline TARN_ABI
