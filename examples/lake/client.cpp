#include "lake.hpp"

template class tarn::client<tarn::file_store<>>;
template class tarn::transaction<tarn::file_store<>, tarn::json_codec, tarn::merge::by_position>;
template class tarn::table_scan<tarn::file_store<>, tarn::json_codec, tarn::merge::by_position>;
