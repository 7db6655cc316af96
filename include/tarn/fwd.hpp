// Names and defaults, for headers that only pass tarn's types on.
#pragma once

#include "core/config.hpp"
#include "store/fwd.hpp"

namespace tarn::inline TARN_ABI {

struct json_codec;

namespace merge {
struct by_position;
}

template <class Store, class Codec = json_codec, class Merge = merge::by_position>
class client;

}  // namespace tarn::inline TARN_ABI
