#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/log/checkpoint.hpp>
#include <tarn/log/open.hpp>
#include <tarn/tarn.hpp>
#include <tarn/testing/fault_store.hpp>
#include <utility>
#include <vector>

#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr std::string_view writer = "writer \"of\" all";

// A lake whose state has something of everything that a checkpoint holds.
template <class Store>
class varied_lake {
 public:
  explicit varied_lake(Store store, client_options options = {}) : lake_(std::move(store), options) {
    commit([](auto& tx) {
      tx.create_table("bag", {"a", {"b", column_type::real}}).value();
      tx.create_table("users",
                      {{"id", column_type::integer}, {"part", column_type::bytes}, {"n", column_type::integer}},
                      keyed{{"id", "part"}, 3, by_ordering("n")})
          .value();
    });
    write(0);
  }

  [[nodiscard]] client<Store>& get() noexcept { return lake_; }

  // Up to version `last`.
  void grow_to(std::int64_t last) {
    while (lake_.newest_snapshot().value()->at.number < last) write(lake_.newest_snapshot().value()->at.number);
  }

  // What entries can say beside changes of tables, in one.
  void vacuum_and_tag(version oldest, std::string name) {
    entry mine;
    mine.operation = "vacuum, tag";
    mine.vacuums = true;
    mine.kept = {{1}, oldest};
    mine.tags.push_back({std::move(name), oldest});
    commit_entry(*lake_.core(), lake_.newest_snapshot().value(), std::move(mine), accept_all).value();
  }

  [[nodiscard]] snapshot newest() { return *lake_.newest_snapshot().value(); }

 private:
  template <class Work>
  void commit(Work work) {
    auto tx = lake_.begin().value();
    work(tx);
    tx.commit({std::string(writer), static_cast<std::int64_t>(++sequence_)}).value();
  }
  void write(std::int64_t number) {
    commit([&](auto& tx) {
      tx.insert("bag", {"\x01 text", 0.5}).value();
      tx.upsert("users", {number % 7, bytes{"\xff\x00"}, number}).value();
      if (number % 5 == 0) tx.erase("users", {number % 7, bytes{"\xff\x00"}}).value();
    });
  }

  client<Store> lake_;
  std::uint64_t sequence_ = 0;
};

// All of a state, as text.
std::string describe(const snapshot& state) {
  return checkpoint_json::write_head(state) + checkpoint_json::write_tables(state);
}

limits small_parts() {
  limits bounds;
  bounds.checkpoint_part_bytes = 100;
  return bounds;
}

client_options without_checkpoints() {
  client_options options = tarn_test::with_stored_objects();
  options.checkpoint_interval = 0;
  return options;
}

}  // namespace

TEST_CASE_TEMPLATE("a checkpoint is the state that the log leads to, in one object or in parts", Place,
                   TARN_EACH_STORE) {
  for (const limits& bounds : {limits(), small_parts()}) {
    Place place;
    client_options options = without_checkpoints();
    options.bounds = bounds;
    varied_lake lake(place.open(), options);
    lake.grow_to(11);
    lake.vacuum_and_tag(version{5}, "monday");
    const snapshot state = lake.newest();
    CHECK(lake.get().checkpoint().value() == version{12});
    const std::size_t parts = names_in(place.open(), checkpoint_prefix).size() - 1;
    CHECK((bounds.checkpoint_part_bytes == 100 ? parts > 10 : parts == 0));
    auto store = place.open();
    const shared_snapshot read = read_checkpoint(store, {12}, bounds).value();
    CHECK(describe(*read) == describe(state));
    CHECK(read->entry_checksum == state.entry_checksum);
    // What is left out of the text above is left out of both sides.
    CHECK(read->kept.horizon.ms == 1);
    CHECK(read->kept.oldest == version{5});
    REQUIRE(read->find_tag("monday") != nullptr);
    CHECK(read->find_tag("monday")->at == version{5});
    REQUIRE(read->applications->find(writer) != nullptr);
    CHECK(read->applications->find(writer)->at == version{11});
    // The log goes on from it.
    lake.grow_to(15);
    client cold(place.open(), options);
    CHECK(describe(*cold.newest_snapshot().value()) == describe(lake.newest()));
  }
}

TEST_CASE("a checkpoint's bytes are the same, whoever writes it and however the state was come by") {
  in_memory one;
  varied_lake lake(one.open(), without_checkpoints());
  lake.grow_to(9);
  memory_store other;
  for (const std::string& name : names_in(one.open()))
    REQUIRE(other.put_if_absent(name, *one.open().get(name)).outcome() == put_outcome::created);
  (void)lake.get().checkpoint().value();
  (void)client(other).checkpoint().value();
  client later(other, without_checkpoints());  // opens by the checkpoint
  (void)later.checkpoint().value();
  const std::string mine(std::string_view(*one.open().get(checkpoint_name({9}))));
  CHECK(std::string(std::string_view(*other.get(checkpoint_name({9})))) == mine);
}

TEST_CASE(
    "C12: cold, opening reads one checkpoint and at most one interval of entries; warm, one get that finds nothing") {
  scripted_store store;
  varied_lake lake(store);
  for (const std::int64_t last : {99, 100, 150, 199, 200, 1000}) {
    lake.grow_to(last);
    client cold(store);
    store.plan().gets = store.plan().lists = 0;
    CHECK(cold.begin()->read_version() == version{last});
    const std::uint64_t of_checkpoint = last < 100 ? 0 : 1;
    const std::uint64_t entries = static_cast<std::uint64_t>(last < 100 ? last + 1 : last % 100);
    CHECK(store.plan().gets == of_checkpoint + entries + 1);
    CHECK(store.plan().lists == 2);
    store.plan().gets = store.plan().lists = 0;
    CHECK(cold.begin()->read_version() == version{last});
    CHECK(store.plan().gets == 1);
    CHECK(store.plan().lists == 0);
  }
}

TEST_CASE(
    "as a state grows there are fewer checkpoints of it, and a cold open reads no more than a 16th of its objects") {
  scripted_store store;
  client_options options;
  options.checkpoint_interval = 1;
  varied_lake lake(store, options);
  for (const std::int64_t last : {30, 100, 500, 1500}) {
    lake.grow_to(last);
    const std::uint64_t objects = count_objects(lake.newest());
    client cold(store, options);
    store.plan().gets = 0;
    CHECK(cold.begin()->read_version() == version{last});
    CHECK(store.plan().gets <= 2 + objects / 16);
  }
  // In all of them together, what one state has some 64 times at most, not 1500 times.
  std::uint64_t bytes = 0;
  for (const std::string& name : names_in(store.inner(), checkpoint_prefix))
    bytes += std::string_view(*store.inner().get(name)).size();
  CHECK(bytes < 64 * checkpoint_json::write_tables(lake.newest()).size());
}

TEST_CASE("white space in a checkpoint, and the order of an object's members, make no difference") {
  memory_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(12);
  (void)lake.get().checkpoint().value();
  const std::string written(std::string_view(*store.get(checkpoint_name({12}))));
  const auto replaced = [&](std::string_view all, std::string_view with) {
    std::string text = written;
    std::size_t count = 0;
    for (std::size_t at = text.find(all); at != std::string::npos; at = text.find(all, at + with.size()), ++count)
      text.replace(at, all.size(), with);
    CHECK(count > 0);
    text.erase(text.rfind(",\"Checksum\""));
    append_seal(text);
    memory_store copy;
    REQUIRE(copy.put_if_absent(checkpoint_name({12}), text).outcome() == put_outcome::created);
    return describe(*read_checkpoint(copy, {12}, limits()).value());
  };
  const std::string expected = describe(lake.newest());
  CHECK(replaced("{\"Name\":", "{ \"Name\":") == expected);
  CHECK(replaced("{\"Name\":", "{\"Unknown\":[{}],\"Name\":") == expected);
  CHECK(replaced("\"Rows\":1,\"Bytes\":", "\"Nothing\":null,\"Rows\":1,\"Bytes\":") == expected);
  CHECK(replaced("\"Objects\":[", " \"Objects\" : [ ") == expected);
  CHECK(replaced("\"KeyedObjects\":[", " \"KeyedObjects\" : [ ") == expected);
  CHECK(replaced("\"Tables\":[", " \"Tables\" : [\n") == expected);
  CHECK(replaced("},{\"Name\":", "} ,\n{\"Name\":") == expected);
}

TEST_CASE("every damage to a checkpoint is noticed, and passed over") {
  in_memory place;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  options.bounds.checkpoint_part_bytes = 500;
  varied_lake lake(place.open(), options);
  lake.grow_to(4);
  (void)lake.get().checkpoint().value();
  lake.grow_to(6);
  const std::string expected = describe(lake.newest());
  const std::vector<std::string> names = names_in(place.open(), checkpoint_prefix);
  REQUIRE(names.size() > 2);
  std::size_t noticed = 0;
  for (const std::string& name : names) {
    const std::string whole(std::string_view(*place.open().get(name)));
    for (std::size_t at = 0; at < 8 * whole.size(); at += 3) {
      std::string damaged = whole;
      damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ 1 << at % 8);
      memory_store copy;
      for (const std::string& each : names_in(place.open())) {
        const bool here = each == name;
        const auto bytes = place.open().get(each);
        (void)copy.put_if_absent(each, here ? std::string_view(damaged) : std::string_view(*bytes));
      }
      const auto read = read_checkpoint(copy, {4}, options.bounds);
      REQUIRE_FALSE(read.has_value());
      REQUIRE(read.error().code() == errc::corrupt);
      ++noticed;
      if (at % 101 == 0) CHECK(describe(*client(copy, options).newest_snapshot().value()) == expected);
    }
  }
  CHECK(noticed > 1000);
}

TEST_CASE_TEMPLATE("C9: a damaged, torn or missing checkpoint is passed over for an older one, or for the log", Place,
                   TARN_EACH_STORE) {
  Place place;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  varied_lake lake(place.open(), options);
  for (const std::int64_t at : {3, 6}) {
    lake.grow_to(at);
    (void)lake.get().checkpoint().value();
  }
  lake.grow_to(8);
  const std::string expected = describe(lake.newest());
  auto store = place.open();
  const auto replace = [&](const std::string& name, std::string_view bytes) {
    REQUIRE(store.remove(name).has_value());
    REQUIRE(store.put_if_absent(name, bytes).outcome() == put_outcome::created);
  };
  const auto reopened = [&] { return describe(*client(place.open(), options).newest_snapshot().value()); };
  REQUIRE(store.remove(checkpoint_part_name({6}, 2)).has_value());  // half written
  CHECK(reopened() == expected);
  replace(checkpoint_name({3}), "");
  CHECK(reopened() == expected);
  replace(checkpoint_name({6}), R"({"Checkpoint":2,"Checksum":"00000000"})");
  CHECK(reopened() == expected);
  // On demand, a damaged one is made whole.
  CHECK(client(place.open(), options).checkpoint().value() == version{8});
  replace(checkpoint_name({8}), "torn");
  CHECK(client(place.open(), options).checkpoint().value() == version{8});
  CHECK(read_checkpoint(store, {8}, options.bounds).has_value());
}

TEST_CASE("C9: a damaged entry before a good checkpoint is in nobody's way but a reader's of its own version") {
  memory_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(5);
  (void)lake.get().checkpoint().value();
  lake.grow_to(7);
  REQUIRE(store.remove(entry_name({4})).has_value());
  REQUIRE(store.put_if_absent(entry_name({4}), "damaged").outcome() == put_outcome::created);
  client cold(store);
  CHECK(cold.begin()->read_version() == version{7});
  CHECK(cold.begin_at(version{5}).has_value());
  CHECK(cold.begin_at(version{3}).has_value());
  const auto there = cold.begin_at(version{4});
  REQUIRE_FALSE(there.has_value());
  CHECK(there.error().code() == errc::corrupt);
  CHECK(there.error().message().find("version 4 ") != std::string::npos);
}

TEST_CASE("a damaged entry after the newest checkpoint is an error that names it, never an older state") {
  memory_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(5);
  (void)lake.get().checkpoint().value();
  lake.grow_to(7);
  REQUIRE(store.remove(entry_name({6})).has_value());
  client cold(store);
  const auto begun = cold.begin();
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code() == errc::corrupt);
  CHECK(begun.error().message().find("version 6 ") != std::string::npos);
  CHECK(cold.begin_at(version{5}).has_value());
}

TEST_CASE("a commit is a commit, whatever becomes of its checkpoint") {
  scripted_store store;
  client_options options;
  options.checkpoint_interval = 5;
  test_environment hands;
  options.surroundings = hands.get();
  store.plan().put = [](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (name.starts_with(checkpoint_prefix)) return put_result::not_applied({errc::no_space, "the disk is full"});
    return inner.put_if_absent(name, bytes);
  };
  varied_lake lake(store, options);
  lake.grow_to(10);
  CHECK(names_in(store.inner(), checkpoint_prefix).empty());
  const auto asked = lake.get().checkpoint();
  REQUIRE_FALSE(asked.has_value());
  CHECK(asked.error().code() == errc::no_space);
  store.plan().put = {};
  lake.grow_to(15);
  CHECK(names_in(store.inner(), checkpoint_prefix) == std::vector<std::string>{checkpoint_name({15})});
}

TEST_CASE("a checkpoint of a newer tarn is passed over; a failing store is not") {
  scripted_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(3);
  std::string newer = R"({"Checkpoint":2,"Version":3)";
  append_seal(newer);
  REQUIRE(store.inner().put_if_absent(checkpoint_name({3}), newer).outcome() == put_outcome::created);
  CHECK(read_checkpoint(store, {3}, limits()).error().code() == errc::unsupported);
  CHECK(client(store).begin()->read_version() == version{3});
  store.plan().before_get = [](std::string_view name) {
    return name.starts_with(checkpoint_prefix) ? status(error(errc::io, "down")) : status();
  };
  const auto begun = client(store).begin();
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code() == errc::io);
}

TEST_CASE("limits bound how large a checkpoint may be that is read") {
  memory_store store;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  varied_lake lake(store, options);
  (void)lake.get().checkpoint().value();
  for (const std::size_t bytes_max : {std::size_t{10}, std::size_t{700}}) {
    limits tight;
    tight.checkpoint_bytes_max = bytes_max;
    const auto read = read_checkpoint(store, {1}, tight);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code() == errc::limit_exceeded);
    CHECK(read.error().message().find("checkpoint_bytes_max") != std::string::npos);
  }
}

namespace {

// What is said of the checkpoint at version 3 of a lake, or of its parts, if what stands in it once is altered.
class altered_checkpoint {
 public:
  explicit altered_checkpoint(const limits& bounds) {
    client_options options = without_checkpoints();
    options.bounds = bounds;
    varied_lake lake(store_, options);
    lake.grow_to(3);
    (void)lake.get().checkpoint().value();
    text_ = std::string_view(*store_.get(checkpoint_name({3})));
  }

  [[nodiscard]] memory_store& store() noexcept { return store_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  [[nodiscard]] std::string complaint_of(std::string_view right, std::string_view wrong,
                                         errc code = errc::corrupt) const {
    std::string altered = text_;
    const std::size_t at = altered.find(right);
    REQUIRE(at != std::string::npos);
    altered.replace(at, right.size(), wrong);
    altered.erase(altered.rfind(",\"Checksum\""));
    append_seal(altered);
    memory_store store;
    for (const std::string& name : names_in(store_))
      (void)store.put_if_absent(name, name == checkpoint_name({3}) ? altered : std::string_view(*store_.get(name)));
    const auto read = read_checkpoint(store, {3}, limits());
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code() == code);
    return read.error().message();
  }

 private:
  memory_store store_;
  std::string text_;
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a sealed checkpoint that says what cannot be is corrupt, and said to be what it is") {
  const altered_checkpoint whole((limits()));
  CHECK(contains(whole.complaint_of("{", "["), "is not JSON"));
  CHECK(contains(whole.complaint_of("\"Version\":3", "\"Version\":2"), "is that of version 2"));
  CHECK(contains(whole.complaint_of("\"Version\":3", "\"Version\":-3"), "Version"));
  CHECK(contains(whole.complaint_of("\"NeededToRead\":[]", "\"NeededToRead\":[\"wings\"]", errc::unsupported),
                 "needs the feature 'wings' to be read"));
  CHECK(contains(whole.complaint_of("\"Sequence\":", "\"Sequence\":-"), "Sequence"));
  CHECK(contains(whole.complaint_of("{\"Table\":\"bag\"", "{\"Table\":7"), "Table"));
  CHECK(contains(whole.complaint_of("{\"Table\":\"users\"", "{\"Table\":\"BAG\""), "twice"));
  CHECK(contains(whole.complaint_of("\"Tables\":[", "\"Tables\":7,\"Rest\":["), "Tables"));
}

TEST_CASE("a table in a sealed checkpoint that is no table is corrupt, and said to be what it is") {
  const altered_checkpoint whole((limits()));
  const auto complains = [&](std::string_view right, std::string_view wrong, std::string_view what,
                             errc code = errc::corrupt) {
    CAPTURE(wrong);
    CHECK(contains(whole.complaint_of(right, wrong, code), what));
  };
  for (const char* const wrong : {"1", "1,2,3", ""})
    complains("\"ColumnIds\":[1,2]", concat({"\"ColumnIds\":[", wrong, "]"}), "of each column");
  complains("\"Types\":[\"any\",\"double\"]", "\"Types\":[\"any\"]", "of each column");
  complains("\"Nullable\":[true,true]", "\"Nullable\":[true]", "of each column");
  for (const char* const wrong : {"0", "-1", "4294967296", "\"1\"", "1.0"})
    complains("\"ColumnIds\":[1,", concat({"\"ColumnIds\":[", wrong, ","}), "of the wrong kind");
  complains("\"Nullable\":[true,", "\"Nullable\":[1,", "of the wrong kind");
  complains("\"Types\":[\"any\",", "\"Types\":[\"tensor\",", "tensor", errc::unsupported);
  complains(R"("Columns":["a","b"],"ColumnIds":[1,2],"Types":["any","double"],"Nullable":[true,true])",
            R"("Columns":[],"ColumnIds":[],"Types":[],"Nullable":[])", "has no columns");
  complains("\"Schemas\":[", "\"Schemas\":[],\"Rest\":[", "has no schemas");
  complains("\"Since\":[2,", "\"Since\":[", "of each bucket");
  complains("\"Since\":[2,", "\"Since\":[\"2\",", "no version");
  complains("\"KeyedObjects\":[{", "\"KeyedObjects\":[7,{", "has a wrong object");
  complains("\"Bucket\":0", "\"Bucket\":3", "does not have");
  complains("\"Form\":\"base\"", "\"Form\":\"gamma\"", "has the form 'gamma'");
  complains("\"Form\":\"delta\"", "\"Compacted\":true,\"Form\":\"delta\"", "is compacted, but no base");
  complains("\"Form\":\"delta\"", "\"Compacted\":7,\"Form\":\"delta\"", "Compacted");
  complains("\"OrderVersion\":1", "\"OrderVersion\":3", "out of order");
  complains("\"Bucket\":0", "\"Schema\":1,\"Bucket\":0", "does not have");
  complains("\"Codec\":\"json\"", "\"Schema\":1,\"Codec\":\"json\"", "does not have");
  complains("\"Tags\":[", "\"Tags\":[{\"Tag\":\"\",\"Version\":1}", "tag");
  complains("\"Tags\":[", "\"Tags\":[{\"Tag\":\"a\",\"Version\":-2}", "tag");
  complains("{\"Table\":\"bag\"", "{\"Table\":\".bag\"", "'.bag'");
}

TEST_CASE("parts of a checkpoint that are described as they cannot be are corrupt") {
  const altered_checkpoint parted(small_parts());
  CHECK(contains(parted.complaint_of("{\"Bytes\":100", "{\"Bytes\":99"), "is damaged"));
  CHECK(contains(parted.complaint_of("{\"Bytes\":100", "{\"Bytes\":-1"), "Bytes"));
  const std::size_t first = parted.text().find("{\"Bytes\"");
  const std::string rest = parted.text().substr(first, parted.text().find("]", first) - first);
  CHECK(contains(parted.complaint_of(rest, ""), "has parts that are no list"));
  CHECK(contains(parted.complaint_of(rest, rest.substr(0, rest.find("},") + 1)), "has parts that are no list"));

  // Parts that are what the checkpoint says, but no list of tables.
  const auto with_tables = [&](std::string_view tables) {
    memory_store store;
    REQUIRE(store.put_if_absent(checkpoint_part_name({3}, 1), tables).outcome() == put_outcome::created);
    std::string text = parted.text();
    text.replace(first, rest.size(),
                 concat({R"({"Bytes":)", tables.size(), R"(,"Crc32c":")", hex(crc32c(tables)), "\"}"}));
    text.erase(text.rfind(",\"Checksum\""));
    append_seal(text);
    REQUIRE(store.put_if_absent(checkpoint_name({3}), text).outcome() == put_outcome::created);
    const auto read = read_checkpoint(store, {3}, limits());
    return read ? std::string("good") : read.error().message();
  };
  CHECK(with_tables("[]") == "good");
  CHECK(contains(with_tables("{}"), "has parts that are no list"));
  CHECK(contains(with_tables("[7]"), "a table"));
}

TEST_CASE("a checkpoint whose head or tables are another state's is not that of its version") {
  memory_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(3);
  snapshot state = lake.newest();
  test_environment hands;
  const auto ensure = [&](const snapshot& of) {
    return ensure_checkpoint(store, of, limits(), backoff_options{}, hands.get());
  };
  REQUIRE(ensure(state).has_value());
  CHECK(check_checkpoint(store, state, limits()).has_value());
  snapshot other_head = state;
  other_head.time.ms += 1;
  CHECK(check_checkpoint(store, other_head, limits()).error().code() == errc::corrupt);
  snapshot other_tables = state;
  other_tables.tables.erase("bag");
  CHECK(check_checkpoint(store, other_tables, limits()).error().code() == errc::corrupt);
  REQUIRE(ensure(other_tables).has_value());  // replaced
  CHECK(check_checkpoint(store, other_tables, limits()).has_value());
  CHECK(ensure(snapshot()).has_value());  // of the empty lake there is none
  CHECK(names_in(store, checkpoint_prefix).size() == 1);
  snapshot later = state;
  later.at = {9};
  CHECK(check_checkpoint(store, later, limits()).error().code() == errc::not_found);
}

TEST_CASE("a good checkpoint that is read wrongly once is not replaced") {
  memory_store content;
  varied_lake lake(content, without_checkpoints());
  lake.grow_to(3);
  const snapshot state = lake.newest();
  test_environment hands;
  using store = testing::fault_store<memory_store>;
  // Of the calls of the second client: its put finds the checkpoint there, its first look at it a flipped bit.
  const auto faults = store::state_of({{1, 1, {testing::fault_kind::flipped_bit, 77}}});
  for (const std::size_t client : {0U, 1U}) {
    store of_client(content, faults, client);
    CHECK(ensure_checkpoint(of_client, state, limits(), backoff_options{}, hands.get()).has_value());
  }
  CHECK(faults->counts().of(testing::fault_kind::flipped_bit) == 1);
  CHECK(faults->calls_of(1) == 3);  // no remove among them
}

TEST_CASE("what stops a damaged checkpoint from being replaced is told, and what cannot be read is not replaced") {
  // At the second put, the first list or the remove number `failing`, for a damaged checkpoint in parts.
  const auto ensure = [](const char* failing_call, int failing) {
    removing_scripted_store store;
    client_options options = without_checkpoints();
    options.bounds = small_parts();
    varied_lake lake(store, options);
    (void)lake.get().checkpoint().value();
    const snapshot state = lake.newest();
    const std::string name = checkpoint_name({1});
    REQUIRE(store.inner().remove(name).has_value());
    REQUIRE(store.inner().put_if_absent(name, "damaged").outcome() == put_outcome::created);
    const std::string call = failing_call;
    int calls = 0;
    const auto fails_at = [&](const char* each) {
      return call == each && ++calls == failing ? status(error(errc::permission, "no")) : status();
    };
    store.plan().before_get = [&](std::string_view) { return fails_at("get"); };
    store.plan().before_list = [&] { return fails_at("list"); };
    store.plan().before_remove = [&](std::string_view) { return fails_at("remove"); };
    store.plan().put = [&](std::string_view of, std::string_view bytes, memory_store& inner) {
      const status allowed = of == name ? fails_at("put") : status();
      return allowed ? inner.put_if_absent(of, bytes) : put_result::not_applied(allowed.error());
    };
    test_environment hands;
    const status done = ensure_checkpoint(store, state, options.bounds, backoff_options{}, hands.get());
    if (done) CHECK(check_checkpoint(store, state, options.bounds).has_value());
    return done ? "good" : name_of(done.error().code());
  };
  CHECK(ensure("nothing", 1) == "good");
  CHECK(ensure("get", 1) == "permission");  // first look
  CHECK(ensure("get", 2) == "permission");  // second look
  CHECK(ensure("remove", 1) == "permission");
  CHECK(ensure("list", 1) == "permission");
  CHECK(ensure("remove", 2) == "permission");  // of a part
  CHECK(ensure("put", 2) == "permission");     // the first has found it there
}

TEST_CASE("a checkpoint goes with its parts, and leaves strangers") {
  memory_store store;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  varied_lake lake(store, options);
  (void)lake.get().checkpoint().value();
  const std::string stranger = checkpoint_name({1}) + "_part";
  REQUIRE(store.put_if_absent(stranger, "?").outcome() == put_outcome::created);
  CHECK(names_in(store, checkpoint_prefix).size() > 3);
  CHECK(remove_checkpoint(store, {1}).has_value());
  CHECK(names_in(store, checkpoint_prefix) == std::vector<std::string>{stranger});
}
