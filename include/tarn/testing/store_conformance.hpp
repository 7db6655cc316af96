// Whether a store keeps the promises of store/store.hpp. For authors of stores:
//
//   const auto report = tarn::testing::test_store([] { return my_store(...); });
//   if (!report.conforms()) std::fputs(report.text().c_str(), stderr);
//
// `make_store` returns another empty store each time. Beyond the concept, what is claimed is tested: `remove` if there
// is one, `complete_list` and `thread_safe` if the strengths say so. What cannot be tested from here: that created
// objects survive the loss of power, and that promises hold between processes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/text.hpp"
#include "../store/store.hpp"
#include "conformance_report.hpp"
#include "threads.hpp"

namespace tarn::inline TARN_ABI::testing {

struct store_conformance_options {
  std::size_t object_bytes_max = std::size_t{4} << 20;  // the largest object that is put
  unsigned tries_max = 10;                              // of one put that answers `not_applied` or `unknown`
  unsigned threads = 8;                                 // writers that race for a name
  unsigned races = 50;                                  // names that they race for, one after the other
};

// The suite over one kind of store. Each member is one group of promises, with a store of its own.
template <class MakeStore>
class store_conformance {
 public:
  using store_type = decltype(std::declval<MakeStore&>()());
  static_assert(object_store<store_type>, "make_store must return a store: see store/store.hpp for what to write");

  store_conformance(MakeStore& make_store, const store_conformance_options& options)
      : make_store_(make_store), options_(options) {}

  [[nodiscard]] conformance_report run() {
    empty_store();
    contents();
    refusal();
    names();
    handles();
    listing();
    if constexpr (removing_store<store_type>) removal();
#if TARN_HAS_THREADS
    if constexpr (strengths_of<store_type>().thread_safe) {
      race();
      crowd();
    }
#endif
    return std::move(report_);
  }

 private:
  // Bytes that hold all 256 values, differ for each `seed`, and in which a lost, doubled or moved piece shows.
  [[nodiscard]] static std::string pattern(std::size_t size, std::size_t seed) {
    std::string bytes(size, '\0');
    for (std::size_t at = 0; at < size; ++at)
      bytes[at] = static_cast<char>((at + at / 256 * 7 + at / 65'536 * 31 + seed * 97) & 0xff);
    return bytes;
  }

  struct settled_put {
    put_outcome outcome = put_outcome::not_applied;
    bool in_doubt = false;  // an earlier try was answered `unknown`, and may be what the last one found
  };

  // Puts until it is settled. A store may fail; it may not fail for ever.
  [[nodiscard]] settled_put put(store_type& store, std::string_view name, std::string_view bytes) const {
    settled_put put;
    for (unsigned tries = 0; tries < options_.tries_max; ++tries) {
      put.outcome = store.put_if_absent(name, bytes).outcome();
      if (put.outcome == put_outcome::created || put.outcome == put_outcome::already_exists) break;
      if (put.outcome == put_outcome::unknown) put.in_doubt = true;
    }
    return put;
  }

  bool put_new(store_type& store, std::string_view name, std::string_view bytes) {
    const settled_put made = put(store, name, bytes);
    const bool created =
        made.outcome == put_outcome::created || (made.outcome == put_outcome::already_exists && made.in_doubt);
    return report_.check(created, "put_if_absent must answer `created` for a new name, but for ", name, " (",
                         bytes.size(), " bytes) it answered ", text_of(made.outcome));
  }

  bool check_bytes(std::string_view found, std::string_view expected, std::string_view name, std::string_view when) {
    std::size_t same = 0;
    while (same < found.size() && same < expected.size() && found[same] == expected[same]) ++same;
    return report_.check(found == expected, "the bytes of ", name, " must be the ones put, ", when, ": ", found.size(),
                         " bytes instead of ", expected.size(), ", the first difference at offset ", same);
  }

  void check_get(store_type& store, std::string_view name, std::string_view expected, std::string_view when) {
    const auto found = store.get(name);
    if (report_.check(found.has_value(), "get must find what was put: ", name, " is not there ", when, ": ",
                      found ? "" : found.error().message()))
      check_bytes(*found, expected, name, when);
  }

  void check_absent(store_type& store, std::string_view name, std::string_view when) {
    const auto found = store.get(name);
    if (report_.check(!found, "get must find nothing ", when, ", but there is ", name))
      report_.check(found.error().code() == errc::not_found, "get must answer errc::not_found ", when, ", not ",
                    name_of(found.error().code()), " (", found.error().message(), ")");
  }

  [[nodiscard]] static std::string_view text_of(put_outcome outcome) noexcept {
    constexpr std::string_view texts[] = {"`created`", "`already_exists`", "`not_applied`", "`unknown`"};
    return texts[static_cast<unsigned char>(outcome)];
  }

  void empty_store() {
    store_type store = make_store_();
    check_absent(store, "_log_00000000000000000000", "in an empty store");
    check_listed(store, {}, "", "");
  }

  void contents() {
    store_type store = make_store_();
    std::vector<std::size_t> sizes{0, 1, 2, 3, 15, 16, 17, 31, 255, 256, 257, 4'095, 4'096, 4'097};
    for (std::size_t size = 65'535; size <= options_.object_bytes_max; size = size * 2 + 1) sizes.push_back(size);
    sizes.push_back(options_.object_bytes_max);
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      const std::string name = concat({"object_", index});
      std::string bytes = pattern(sizes[index], index);
      if (!put_new(store, name, bytes)) continue;
      const std::string kept = bytes;
      bytes.assign(bytes.size(), '?');  // the caller's memory is the caller's again
      check_get(store, name, kept, "right after the put");
    }
    for (std::size_t index = 0; index < sizes.size(); ++index)
      check_get(store, concat({"object_", index}), pattern(sizes[index], index), "after other puts");
    for (int value = 0; value < 256; ++value) {
      const std::string bytes(3, static_cast<char>(value));
      const std::string name = concat({"value_", value});
      if (put_new(store, name, bytes)) check_get(store, name, bytes, "if all are the same");
    }
  }

  void refusal() {
    store_type store = make_store_();
    const std::string first = pattern(1'000, 1);
    if (!put_new(store, "taken", first)) return;
    for (const std::string& second : {pattern(1'000, 2), pattern(10, 3), pattern(5'000, 4), std::string(), first}) {
      const put_outcome outcome = put(store, "taken", second).outcome;
      report_.check(outcome == put_outcome::already_exists,
                    "put_if_absent must answer `already_exists` for a name that is taken, not ", text_of(outcome));
      check_get(store, "taken", first, "after a second put of that name");
    }
  }

  void names() {
    store_type store = make_store_();
    const std::string longest(254, 'n');
    const std::string all_kinds =
        "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmnopqrstuvwxyz.";  // every byte that a name may have
    const std::vector<std::string> all{"a",  "aa", "a.", "a-",      "a_",          "0",           "_",
                                       "--", "z.", "b",  all_kinds, longest + "x", longest + "y", longest};
    for (const std::string& name : all) put_new(store, name, name);
    for (const std::string& name : all) check_get(store, name, name, "although names are alike");
    check_listed(store, all, "", "");
  }

  void handles() {
    std::vector<typename store_type::handle> kept;
    const std::vector<std::size_t> sizes{0, 1, 14, 40, 1'000, 70'000, options_.object_bytes_max};
    const auto check_all = [&](std::string_view when) {
      for (std::size_t index = 0; index < kept.size(); ++index)
        check_bytes(kept[index], pattern(sizes[index], index), concat({"handle_", index}), when);
    };
    {
      store_type store = make_store_();
      for (std::size_t index = 0; index < sizes.size(); ++index) {
        const std::string name = concat({"handle_", index});
        const std::string bytes = pattern(sizes[index], index);
        if (!put_new(store, name, bytes)) return;
        auto found = store.get(name);
        if (!report_.check(found.has_value(), "get must find what was put: ", name, " is not there")) return;
        const std::string_view view = *found;
        kept.push_back(*std::move(found));
        check_bytes(view, bytes, name, "in a view that was taken before the handle was moved");
      }
      check_all("in handles that are kept while others are made");
      if constexpr (removing_store<store_type>) {
        for (std::size_t index = 0; index < sizes.size(); ++index) (void)store.remove(concat({"handle_", index}));
        check_all("in handles to objects that were removed");
      }
    }
    check_all("in handles that outlive the store");
  }

  void listing() {
    store_type store = make_store_();
    const std::vector<std::string> all{"_log_00000000000000000000",
                                       "_log_00000000000000000001",
                                       "_log_00000000000000000002",
                                       "_log_00000000000000000010",
                                       "_checkpoint_00000000000000000001",
                                       "_table_x_1",
                                       "_table_x_2",
                                       "_table_xy_1",
                                       "_table_X_3",
                                       "a",
                                       "z"};
    for (const std::string& name : all) put_new(store, name, "");
    const std::string_view prefixes[] = {"",  "_", "_log_", "_log_00000000000000000001", "_table_x", "_table_x_",
                                         "a", "b", "_zebra"};
    const std::string_view starts[] = {"",
                                       "_",
                                       "_log_",
                                       "_log_00000000000000000000",
                                       "_log_00000000000000000001",
                                       "_log_00000000000000000009",
                                       "_table_x_1",
                                       "a",
                                       "z",
                                       "zz"};
    for (const std::string_view prefix : prefixes)
      for (const std::string_view start_after : starts) check_listed(store, all, prefix, start_after);
  }

  // What a list gives, held against the names that were put, none of which was removed.
  void check_listed(store_type& store, const std::vector<std::string>& all, std::string_view prefix,
                    std::string_view start_after) {
    const std::string which = concat({"list(\"", prefix, "\", \"", start_after, "\")"});
    std::vector<std::string> listed;
    const status done = store.list(prefix, start_after, [&](std::string_view name) { listed.emplace_back(name); });
    if (!report_.check(done.has_value(), which, " must succeed: ", done ? "" : done.error().message())) return;
    for (const std::string_view name : listed) {
      report_.check(count(all, name) > 0, which, " must not name what was never put: ", name);
      report_.check(name.starts_with(prefix), which, " must not name what has another prefix: ", name);
      report_.check(name > start_after, which, " must not name what is not after its start: ", name);
    }
    if constexpr (strengths_of<store_type>().complete_list) {
      for (const std::string_view name : all) {
        if (!name.starts_with(prefix) || name <= start_after) continue;
        report_.check(count(listed, name) == 1, which, " claims to be complete, but names ", name, ' ',
                      count(listed, name), " times");
      }
    }
  }

  [[nodiscard]] static std::size_t count(const std::vector<std::string>& names, std::string_view wanted) {
    std::size_t found = 0;
    for (const std::string_view name : names)
      if (name == wanted) ++found;
    return found;
  }

  void check_removed(store_type& store, std::string_view name) {
    const status done = store.remove(name);
    report_.check(done.has_value(), "remove must succeed, whether or not there is such an object (", name,
                  "): ", done ? "" : done.error().message());
  }

  void removal() {
    store_type store = make_store_();
    check_removed(store, "never_put");
    for (const std::string_view name : {"first", "second", "third"}) put_new(store, name, name);
    check_removed(store, "second");
    check_absent(store, "second", "after a removal");
    check_get(store, "first", "first", "after the removal of another");
    check_get(store, "third", "third", "after the removal of another");
    check_listed(store, {"first", "third", "second"}, "first", "");
    if constexpr (strengths_of<store_type>().complete_list) check_listed(store, {"first", "third"}, "", "");
    check_removed(store, "second");
    if (put_new(store, "second", "again")) check_get(store, "second", "again", "after it was removed and put anew");
  }

#if TARN_HAS_THREADS
  // What one of the writers in a race was told, and what it then found.
  struct racer {
    put_outcome outcome = put_outcome::not_applied;
    bool found = false;
    std::string bytes;
  };

  void race() {
    store_type store = make_store_();
    for (unsigned round = 0; round < options_.races; ++round) {
      const std::string name = concat({"race_", round});
      std::vector<racer> racers(options_.threads);
      auto put_and_look = [&](unsigned index) {
        racer& own = racers[index];
        const std::string bytes = pattern(1'000 + 10 * index, index);
        for (unsigned tries = 0; tries < options_.tries_max && own.outcome == put_outcome::not_applied; ++tries)
          own.outcome = store.put_if_absent(name, bytes).outcome();
        const auto found = store.get(name);
        own.found = found.has_value();
        if (own.found) own.bytes = std::string_view(*found);
      };
      if (!report_.check(run_in_threads(options_.threads, put_and_look), "no race: threads cannot be started")) return;
      judge_race(store, name, racers);
    }
  }

  void judge_race(store_type& store, const std::string& name, const std::vector<racer>& racers) {
    unsigned created = 0;
    unsigned unknown = 0;
    std::size_t winner = 0;
    for (std::size_t index = 0; index < racers.size(); ++index) {
      const put_outcome outcome = racers[index].outcome;
      if (outcome == put_outcome::created) ++created, winner = index;
      if (outcome == put_outcome::unknown) ++unknown;
      report_.check(outcome != put_outcome::not_applied, "a put must not answer `not_applied` ", options_.tries_max,
                    " times in a row, when others put the same name");
    }
    report_.check(created <= 1, "of several writers that race for a name one is told `created`, but here ", created,
                  " were (", name, ")");
    report_.check(created > 0 || unknown > 0,
                  "of several writers that race for a name one is told `created`, but "
                  "here none was (",
                  name, ")");
    const auto final = store.get(name);
    if (!report_.check(final.has_value(), "get must find what was put in a race: ", name, " is not there")) return;
    const std::string bytes(*final);
    if (created == 1) check_bytes(bytes, pattern(1'000 + 10 * winner, winner), name, "namely those of the winner");
    for (const racer& own : racers) {
      if (own.outcome != put_outcome::created && own.outcome != put_outcome::already_exists) continue;
      report_.check(own.found, "who is told `created` or `already_exists` must find the object at once (", name, ")");
      if (own.found) check_bytes(own.bytes, bytes, name, "for each writer, at once");
    }
  }

  // Writers with names of their own, who look at each other's work as well.
  void crowd() {
    store_type store = make_store_();
    std::vector<conformance_report> reports(options_.threads);
    auto work = [&](unsigned index) {
      store_conformance own(make_store_, options_);
      std::vector<std::string> mine;
      for (unsigned step = 0; step < options_.races / 2; ++step) {
        mine.push_back(concat({"crowd_", index, '_', step}));
        own.put_new(store, mine.back(), pattern(std::size_t{100} * step, index));
        own.check_get(store, mine.back(), pattern(std::size_t{100} * step, index), "while others put");
        const auto neighbour = store.get(concat({"crowd_", (index + 1) % options_.threads, '_', step}));
        if (neighbour)
          own.check_bytes(*neighbour, pattern(std::size_t{100} * step, (index + 1) % options_.threads),
                          "another's object", "as soon as it is there");
        own.check_listed(store, mine, concat({"crowd_", index, '_'}), "");
      }
      reports[index] = std::move(own.report_);
    };
    if (!report_.check(run_in_threads(options_.threads, work), "no crowd: threads cannot be started")) return;
    for (const conformance_report& own : reports) report_.add(own);
  }
#endif

  MakeStore& make_store_;
  const store_conformance_options options_;
  conformance_report report_;
};

// Runs the whole suite: about 450 objects, of which a dozen are large, and the races.
template <class MakeStore>
[[nodiscard]] conformance_report test_store(MakeStore make_store,
                                            const store_conformance_options& options = store_conformance_options{}) {
  return store_conformance<MakeStore>(make_store, options).run();
}

}  // namespace tarn::inline TARN_ABI::testing
