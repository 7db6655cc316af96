// Writes what fuzzing begins with: the bytes of real lakes, taken apart for the targets.
//
//   write_seeds FOLDER      makes FOLDER/<target>/<name>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

namespace {

namespace fs = std::filesystem;
using lake_client = tarn::client<tarn::memory_store>;

// A lake in memory, and a clock that goes on by a second for each commit.
class lake {
 public:
  lake() { options_.surroundings = environment_.get(); }

  [[nodiscard]] const tarn::memory_store& store() const { return store_; }
  [[nodiscard]] tarn::client_options& options() { return options_; }
  [[nodiscard]] lake_client open() { return lake_client{store_, options_}; }
  template <class Work>
  void commit(Work work) {
    environment_.clock.ms += 1'000;
    lake_client client = open();
    (void)client
        .run([&](auto& tx) -> tarn::status {
          work(tx);
          return {};
        })
        .value();
  }
  void pass_time(std::int64_t ms) { environment_.clock.ms += ms; }

 private:
  tarn::testing::simulated_environment environment_;
  tarn::memory_store store_;
  tarn::client_options options_;
};

void fill_bag(lake& into) {
  into.commit([](auto& tx) {
    tx.create_table("cities", {"name", {"people", tarn::column_type::integer}, "notes"}).value();
    tx.insert("cities", {{"Ulm", 126'000, nullptr}, {"K\xc3\xb6ln", 1'086'000, 2.5}, {"Gera", 93'000, true}}).value();
  });
  into.commit([](auto& tx) {
    const tarn::value nested = tarn::value::map({{"$a", tarn::value::list({1, -0.0, tarn::bytes{"\xff\x01"}})}});
    tx.insert("cities", {{"Trier", nullptr, nested}, {"", -1, 1e300}}).value();
  });
  into.commit([](auto& tx) { (void)tx.erase_where("cities", tarn::filter{{"name", tarn::equals, "Ulm"}}).value(); });
  into.commit([](auto& tx) {
    (void)tx.update_where("cities", tarn::filter{{"people", tarn::less_than, 100'000}}, {{"notes", "small"}}).value();
  });
}

void fill_keyed(lake& into) {
  into.commit([](auto& tx) {
    tx.create_table("keys", {{"k", tarn::column_type::integer}, "v"}, tarn::keyed{{"k"}}).value();
    tx.upsert("keys", {{1, "one"}, {2, "two"}, {3, "three"}}).value();
  });
  into.commit([](auto& tx) {
    (void)tx.get("keys", {2});  // so that positions are recorded
    tx.upsert("keys", {{2, "deux"}, {4, "quatre"}}).value();
    tx.erase("keys", {1}).value();
  });
}

void fill_ordered(lake& into) {
  into.commit([](auto& tx) {
    const tarn::schema columns{{"name", tarn::column_type::string},
                               {"part", tarn::column_type::boolean},
                               {"at", tarn::column_type::integer},
                               "v"};
    tx.create_table("late", columns, tarn::keyed{{"name", "part"}, 2, tarn::by_ordering("at")}).value();
    tx.upsert("late", {{"a", true, 5, 1}, {"b", false, 5, 2}, {"c", true, 1, 3}}).value();
  });
  into.commit([](auto& tx) {
    tx.upsert("late", {{"a", true, 4, 10}, {"b", false, 6, 20}}).value();
    tx.erase("late", {"c", true}, 7).value();
  });
}

void alter(lake& into) {
  into.commit([](auto& tx) { tx.add_column("cities", {"more", tarn::column_type::real}).value(); });
  into.commit([](auto& tx) {
    tx.drop_column("cities", "people").value();
    tx.insert("cities", {"Bonn", nullptr, 0.5}).value();
  });
}

void keep_house(lake& of) {
  lake_client client = of.open();
  for (const char* const table : {"cities", "keys", "late"}) (void)client.compact(table);
  (void)client.tag("first", {0}).value();
  (void)client.restore({1}).value();
  (void)client.checkpoint().value();
}

void give_up_history(lake& of) {
  of.pass_time(10'000'000);
  of.commit([](auto& tx) { tx.upsert("keys", {9, "nine"}).value(); });
  lake_client client = of.open();
  (void)tarn::vacuum(client, {.keep_ms = 0, .keep_versions = 2, .grace_ms = 0}).value();
  (void)tarn::truncate(client).value();
}

class seed_folder {
 public:
  explicit seed_folder(fs::path root) : root_(std::move(root)) {}
  void write(std::string_view target, const std::string& name, std::string_view bytes) const {
    fs::create_directories(root_ / target);
    std::ofstream out(root_ / target / name, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  fs::path root_;
};

void write_lake(const std::string& name, const tarn::memory_store& store, const seed_folder& into) {
  std::string tree;
  std::string checkpoint;       // and, in lines of their own, its parts
  std::string checkpoint_file;  // empty: none yet
  int objects = 0;
  const tarn::status listed = store.list("", "", [&](std::string_view object) {
    const std::string bytes(std::string_view(store.get(object).value()));
    tree += tarn::concat({object, " ", bytes, "\n"});
    const std::string number = std::to_string(++objects);
    if (object.starts_with("_log_")) into.write("entry", name + "-" + number, bytes);
    if (object.starts_with("_table_")) into.write("data_object", name + "-" + number, bytes);
    if (object.starts_with("_trunc_")) into.write("checkpoint", name + "-" + number, bytes);
    tarn::version at;
    if (!object.starts_with("_checkpoint_")) return;
    const bool is_part = !tarn::parse_checkpoint_name(object, at);
    checkpoint = is_part ? checkpoint + "\n" + bytes : bytes;
    if (!is_part) checkpoint_file = name + "-" + number;
    into.write("checkpoint", checkpoint_file, checkpoint);
  });
  if (!listed) std::abort();
  into.write("tree", name, tree);
}

// Columnar objects with each encoding, so short that a fuzzer gets far.
void write_columnar(const seed_folder& into) {
  const auto write = [&](const std::string& name, std::size_t rows,
                         const std::function<tarn::row(std::int64_t)>& make) {
    auto builder = tarn::columnar_codec().build({"t", {1, 2}});
    for (std::size_t number = 0; number < rows; ++number)
      builder.append(make(static_cast<std::int64_t>(number))).value();
    into.write("columnar", name, builder.finish());
  };
  const tarn::value nested =
      tarn::value::map({{"a", tarn::value::list({1, 2.5, nullptr, true})}, {"", tarn::bytes{"x"}}});
  write("empty", 0, {});
  write("row", 1, [](auto) { return tarn::row{1, "K\xc3\xb6ln", 2.5, nullptr, true, tarn::bytes{"\xff"}}; });
  write("packed", 9, [](auto number) { return tarn::row{number * 37 % 11, static_cast<double>(number)}; });
  write("delta", 30, [](auto number) { return tarn::row{1'000'000 + number * 1'000 + number % 2}; });
  write("runs", 100, [](auto number) { return tarn::row{number / 30 * 1'000, number < 50}; });
  write("dictionary", 20, [](auto number) { return tarn::row{number % 3 == 0 ? "some text" : "other text"}; });
  write("nulls", 20, [](auto number) { return tarn::row{number % 3 == 0 ? tarn::value() : tarn::value(number)}; });
  write("kinds", 12, [&](auto number) {
    const tarn::value all[] = {number, "text", nested,           nullptr,
                               0.5,    true,   tarn::bytes{"b"}, tarn::value::list({number})};
    return tarn::row{all[number % 8], number % 2 == 0 ? all[2] : tarn::value("x")};
  });
  write("groups", 8'200, [](auto) { return tarn::row{7}; });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]), 2;
  const seed_folder into{fs::path(arguments[1])};
  const std::vector<std::pair<const char*, std::function<void(lake&)>>> stories = {
      {"bag", [](lake& of) { fill_bag(of); }},
      {"keyed", [](lake& of) { fill_keyed(of); }},
      {"ordered", [](lake& of) { fill_ordered(of); }},
      {"house", [](lake& of) { fill_bag(of), fill_keyed(of), fill_ordered(of), alter(of), keep_house(of); }},
      {"parts", [](lake& of) { of.options().bounds.checkpoint_part_bytes = 300, fill_keyed(of), keep_house(of); }},
      {"truncated", [](lake& of) { fill_keyed(of), give_up_history(of); }},
  };
  for (const auto& [name, story] : stories) {
    lake told;
    story(told);
    write_lake(name, told.store(), into);
  }
  write_columnar(into);
  return 0;
}
