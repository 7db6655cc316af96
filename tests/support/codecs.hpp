// The codecs that laws run over: a lake has objects of both.
#pragma once

#include <tarn/codec/codecs.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/codec/json_codec.hpp>
#include <tarn/merge/strategy.hpp>
#include <type_traits>

namespace tarn_test {

using json_first = tarn::codecs<tarn::json_codec, tarn::columnar_codec>;
using columnar_first = tarn::codecs<tarn::columnar_codec, tarn::json_codec>;

// What clients of a strategy write, so that those of several make a mixed lake. Each reads all.
template <class Merge>
using codec_with = std::conditional_t<std::is_same_v<Merge, tarn::merge::by_position>, columnar_first, json_first>;

}  // namespace tarn_test
