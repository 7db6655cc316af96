// The README's program: a lake in a folder, one transaction that writes, one that reads.
#include <cstdio>
#include <tarn/tarn.hpp>

int main() {
  tarn::client lake{tarn::file_store{"quickstart-lake"}};

  auto writing = lake.begin().value();
  if (!writing.has_table("cities").value()) writing.create_table("cities", {"name", "people"}).value();
  writing.insert("cities", {{"Delft", 103'163}, {"Leiden", 127'089}, {"Gouda", nullptr}}).value();
  const tarn::version written = writing.commit().value();

  auto reading = lake.begin().value();
  for (tarn::row_view city : reading.scan("cities").value()) {
    const std::string_view name = city["name"].as_string();
    if (city["people"].is_null()) continue;
    std::printf("%.*s has %lld people\n", static_cast<int>(name.size()), name.data(),
                static_cast<long long>(city["people"].as_integer()));
  }
  std::printf("the lake is at version %lld\n", static_cast<long long>(written.number));
}
