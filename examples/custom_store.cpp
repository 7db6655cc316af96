// A store of one's own: what a bucket in some cloud would look like to tarn. With it, everything works.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tarn/tarn.hpp>
#include <tarn/testing/store_conformance.hpp>

// Three functions and a type are a store; see tarn/store/store.hpp for what they promise.
class bucket_store {
 public:
  using handle = tarn::shared_bytes;  // what `get` returns the bytes in
  static constexpr tarn::store_strengths strengths{.complete_list = true};

  tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!tarn::is_store_name(name)) return tarn::put_result::not_applied(tarn::refused_name(name));
    const bool created = objects_->emplace(name, tarn::shared_bytes(bytes)).second;
    return created ? tarn::put_result::created() : tarn::put_result::already_exists();
  }

  tarn::result<handle> get(std::string_view name) {
    const auto found = objects_->find(name);
    if (found == objects_->end()) return tarn::error(tarn::errc::not_found, tarn::concat({"the bucket has no ", name}));
    return found->second;
  }

  template <class Visitor>
  tarn::status list(std::string_view prefix, std::string_view start_after, Visitor visit) {
    for (auto each = objects_->upper_bound(start_after); each != objects_->end(); ++each)
      if (each->first.starts_with(prefix)) visit(std::string_view(each->first));
    return {};
  }

 private:
  using objects = std::map<std::string, tarn::shared_bytes, std::less<>>;
  std::shared_ptr<objects> objects_ = std::make_shared<objects>();  // copies are the same bucket
};

static_assert(tarn::object_store<bucket_store>);

int main() {
  // Does it keep its promises? The suite that tarn's own stores must pass says so.
  const auto report = tarn::testing::test_store([] { return bucket_store(); });
  std::printf("the bucket %s\n", report.conforms() ? "keeps its promises" : report.text().c_str());

  tarn::client lake{bucket_store()};
  auto writing = lake.begin().value();
  writing.create_table("cities", {"name", "people"}).value();
  writing.insert("cities", {{"Delft", 103'163}, {"Leiden", 127'089}}).value();
  writing.commit().value();

  auto reading = lake.begin().value();
  for (const tarn::row_view city : reading.scan("cities").value())
    std::printf("%s: %s people\n", std::string(city["name"].as_string()).c_str(),
                tarn::concat({city["people"].as_integer()}).c_str());

  int count = 0;
  lake.store().list("", "", [&](std::string_view) { ++count; }).value();
  std::printf("the bucket holds %d objects: the rows, and the log's entry that names them\n", count);
  return report.conforms() ? 0 : 1;
}
