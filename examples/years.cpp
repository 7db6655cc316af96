// A lake's life in short: rows are written, changed, deleted and brought back, a version gets a name, and what nobody
// needs any more is given up. A year passes with each commit.
#include <cstdio>
#include <string>
#include <tarn/changes.hpp>
#include <tarn/check.hpp>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>

using namespace tarn;

namespace {

std::string show(const row_view& tree) { return concat({tree["kind"].as_string(), " ", tree["height"].as_integer()}); }

void show(const char* when, auto tx) {
  std::printf("%-22s", when);
  for (const row_view tree : tx.scan("trees").value()) std::printf(" %s;", show(tree).c_str());
  std::puts("");
}

}  // namespace

int main() {
  timestamp clock{0};
  client_options options;
  options.surroundings.context = &clock;
  options.surroundings.now = [](void* time) { return *static_cast<timestamp*>(time); };
  client lake{memory_store{}, options};
  const auto commit = [&](auto work) {
    clock.ms += std::int64_t{365} * 24 * 3'600'000;
    return lake.run(work).value();
  };

  const version planted = commit([](auto& tx) -> status {
    if (const status made = tx.create_table("trees", {"kind", {"height", column_type::integer}}); !made) return made;
    return tx.insert("trees", {{"oak", 2}, {"ash", 3}, {"elm", 5}});
  });
  (void)lake.tag("planted", planted).value();
  (void)commit([](auto& tx) { return tx.update_where("trees", {{"kind", equals, "oak"}}, {{"height", 9}}); });
  const version felled = commit([](auto& tx) { return tx.erase_where("trees", {{"height", at_least, 4}}); });
  show("felled:", lake.begin_at(felled).value());
  const version restored = lake.restore(planted).value();
  show("restored:", lake.begin().value());

  std::puts("what each version did:");
  auto feed = changes(lake, "trees", planted, restored).value();
  for (const row_change& each : feed) {
    std::printf("  version %d: ", static_cast<int>(each.at.number));
    if (each.kind == change_kind::insert) std::printf("%s is new\n", show(each.after).c_str());
    if (each.kind == change_kind::update)
      std::printf("%s is %s\n", show(each.before).c_str(), show(each.after).c_str());
    if (each.kind == change_kind::erase) std::printf("%s is gone\n", show(each.before).c_str());
  }

  (void)commit([](auto& tx) { return tx.insert("trees", {"fir", 1}); });
  const vacuum_report gone = vacuum(lake).value();  // what is older than a week, but for the version with the tag
  std::printf("vacuum: objects removed: %d, left: %d; the oldest version: %d\n", static_cast<int>(gone.objects.size()),
              static_cast<int>(gone.remaining), static_cast<int>(gone.kept.oldest.number));
  std::printf("truncate: the log begins with version %d\n", static_cast<int>(truncate(lake).value().number));
  std::printf("felled: %s\n", lake.begin_at(felled).error().message().c_str());
  show("planted, by its tag:", lake.begin_at(lake.tags().value()[0].at).value());
  show("now:", lake.begin().value());
  std::printf("check: %s\n", check(lake).value().sound() ? "all is well" : "damaged");
}
