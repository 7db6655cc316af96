// The JSON codec alone, beside the parsers and writers that others use: one data object of 65,536 rows, again and again
// in the same memory, so that nothing but the text is compared.
#include <benchmark/benchmark.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tarn/codec/json_codec.hpp>

#include "require.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

constexpr tarn::object_identity identity{"samples", {}};

// An object as the codec writes it.
std::string encoded(std::int64_t rows) {
  auto object = tarn::json_codec().build(identity);
  for (std::int64_t number = 0; number < rows; ++number) {
    const sample row = make_sample(number);
    object.append({row.station, row.counter, row.reading}).value();
  }
  return std::string(object.finish());
}

void count(benchmark::State& state, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void parse_with_tarn(benchmark::State& state) {
  const std::string text = encoded(state.range(0));
  tarn::object_expectation expected;
  expected.identity = identity;
  expected.columns = 3;
  expected.checksum_verified = true;  // the peers verify none
  const totals written = totals_of_samples(state.range(0));
  for (auto _ : state) {
    auto cursor = tarn::json_codec().open(text, expected).value();
    totals read;
    while (cursor.next()) {
      const tarn::row_view row = cursor.row();
      read.add({row[0].as_string(), row[1].as_integer(), row[2].as_double()});
    }
    require(read == written, "read the rows that were written");
  }
  count(state, text.size());
}

void parse_with_simdjson(benchmark::State& state) {
  const simdjson::padded_string text(encoded(state.range(0)));
  simdjson::ondemand::parser parser;
  const totals written = totals_of_samples(state.range(0));
  for (auto _ : state) {
    totals read;
    simdjson::ondemand::document object = parser.iterate(text);
    for (simdjson::ondemand::array row : object["Data"].get_array()) {
      auto value = row.begin();
      const std::string_view station = (*value).get_string();
      ++value;
      const std::int64_t counter = (*value).get_int64();
      ++value;
      const double reading = (*value).get_double();
      ++value;
      read.add({station, counter, reading});
    }
    require(read == written, "read the rows that were written");
  }
  count(state, text.size());
}

// Takes the values of the innermost arrays in turn.
struct rapidjson_rows : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, rapidjson_rows> {
  totals read;
  sample row;
  int depth = 0;
  std::string station;

  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (depth == 2) station.assign(text, size);
    return true;
  }
  bool Int64(std::int64_t number) { return take(number); }
  bool Uint64(std::uint64_t number) { return take(static_cast<std::int64_t>(number)); }
  bool Int(int number) { return take(number); }
  bool Uint(unsigned number) { return take(number); }
  bool Double(double number) {
    row.reading = number;
    return true;
  }
  bool StartArray() {
    ++depth;
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    if (depth-- == 2) {
      row.station = station;
      read.add(row);
    }
    return true;
  }

 private:
  bool take(std::int64_t number) {
    if (depth == 2) row.counter = number;
    return true;
  }
};

void parse_with_rapidjson(benchmark::State& state) {
  const std::string text = encoded(state.range(0));
  rapidjson::Reader parser;
  const totals written = totals_of_samples(state.range(0));
  for (auto _ : state) {
    rapidjson_rows rows;
    rapidjson::MemoryStream stream(text.data(), text.size());
    constexpr unsigned strict = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;
    require(!parser.Parse<strict>(stream, rows).IsError(), "parse");
    require(rows.read == written, "read the rows that were written");
  }
  count(state, text.size());
}

void parse_with_nlohmann(benchmark::State& state) {
  const std::string text = encoded(state.range(0));
  const totals written = totals_of_samples(state.range(0));
  for (auto _ : state) {
    totals read;
    const auto object = nlohmann::json::parse(text);
    for (const auto& row : object["Data"])
      read.add({row[0].get_ref<const std::string&>(), row[1].get<std::int64_t>(), row[2].get<double>()});
    require(read == written, "read the rows that were written");
  }
  count(state, text.size());
}

void write_with_tarn(benchmark::State& state) {
  std::size_t bytes = 0;
  auto object = tarn::json_codec().build(identity);
  for (auto _ : state) {
    object.restart(identity);
    for (std::int64_t number = 0; number < state.range(0); ++number) {
      const sample row = make_sample(number);
      object.append({row.station, row.counter, row.reading}).value();
    }
    bytes = object.finish().size();
  }
  count(state, bytes);
}

void write_with_rapidjson(benchmark::State& state) {
  rapidjson::StringBuffer text;
  for (auto _ : state) {
    text.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    writer.StartArray();
    for (std::int64_t number = 0; number < state.range(0); ++number) {
      const sample row = make_sample(number);
      writer.StartArray();
      writer.String(row.station.data(), static_cast<rapidjson::SizeType>(row.station.size()));
      writer.Int64(row.counter);
      writer.Double(row.reading);
      writer.EndArray();
    }
    writer.EndArray();
    benchmark::DoNotOptimize(text.GetString());
  }
  count(state, text.GetSize());
}

void write_with_nlohmann(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    auto rows = nlohmann::json::array();
    for (std::int64_t number = 0; number < state.range(0); ++number) {
      const sample row = make_sample(number);
      rows.push_back({row.station, row.counter, row.reading});
    }
    bytes = rows.dump().size();
  }
  count(state, bytes);
}

// The floor: copies, and the standard library's conversion of numbers.
void write_by_hand(benchmark::State& state) {
  std::string text;
  for (auto _ : state) {
    text.clear();
    text += '[';
    for (std::int64_t number = 0; number < state.range(0); ++number) {
      const sample row = make_sample(number);
      char digits[64];
      text += "[\"";
      text += row.station;
      text += "\",";
      char* end = std::to_chars(digits, digits + sizeof digits, row.counter).ptr;
      *end++ = ',';
      end = std::to_chars(end, digits + sizeof digits, row.reading).ptr;
      *end++ = ']';
      *end++ = ',';
      text.append(digits, static_cast<std::size_t>(end - digits));
    }
    text += ']';
    benchmark::DoNotOptimize(text.data());
  }
  count(state, text.size());
}

void of_one_object(benchmark::internal::Benchmark* registered) {
  registered->ArgName("rows")->Arg(1'000)->Arg(65'536)->Unit(benchmark::kMillisecond);
}

BENCHMARK(parse_with_tarn)->Name("parse/tarn/memory")->Apply(of_one_object);
BENCHMARK(parse_with_simdjson)->Name("parse/simdjson/memory")->Apply(of_one_object);
BENCHMARK(parse_with_rapidjson)->Name("parse/rapidjson/memory")->Apply(of_one_object);
BENCHMARK(parse_with_nlohmann)->Name("parse/nlohmann/memory")->Apply(of_one_object);
BENCHMARK(write_with_tarn)->Name("write/tarn/memory")->Apply(of_one_object);
BENCHMARK(write_with_rapidjson)->Name("write/rapidjson/memory")->Apply(of_one_object);
BENCHMARK(write_with_nlohmann)->Name("write/nlohmann/memory")->Apply(of_one_object);
BENCHMARK(write_by_hand)->Name("write/floor/memory")->Apply(of_one_object);

}  // namespace
