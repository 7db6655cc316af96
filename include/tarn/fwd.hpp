// Names and defaults, for headers that only pass tarn's types on.
#pragma once

#include "core/config.hpp"
#include "store/fwd.hpp"

namespace tarn::inline TARN_ABI {

struct json_codec;

template <class Store, class Codec = json_codec>
class client;

}  // namespace tarn::inline TARN_ABI
