// What strace_test.py watches: a program that puts, loses a race, removes, and commits, in the folder of its first
// argument, with the durability of its second, `full` or `none`; and says on its standard output what has become
// durable, as soon as the store has said so.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/store/file_store.hpp>

namespace {

// One write, and nothing that the system calls of a stream could hide.
[[nodiscard]] bool say(bool worked, std::string line) {
  line = (worked ? "durable: " : "failed: ") + line + "\n";
  return ::write(1, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && worked;
}

template <class Store>
[[nodiscard]] bool put_and_remove(Store& store) {
  using enum tarn::put_outcome;
  return say(store.put_if_absent("a", "the first").outcome() == created, "a") &&
         say(store.put_if_absent("a", "too late").outcome() == already_exists, "a of another") &&
         say(store.put_if_absent("b", std::string(100'000, 'b')).outcome() == created, "b") &&
         say(store.remove("a").has_value(), "a is gone");
}

template <class Client>
[[nodiscard]] bool commit(Client& lake, std::string_view table) {
  auto transaction = lake.begin();
  if (!transaction || !transaction->create_table(table, {"n"})) return false;
  for (int row = 0; row < 3; ++row)
    if (!transaction->insert(table, {row})) return false;
  return say(transaction->commit().has_value(), std::string(table));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s FOLDER full|none\n", arguments[0]);
    return 2;
  }
  tarn::file_store_options durable;
  if (std::string_view(arguments[2]) == "none") durable.durability = tarn::durability::none;
  tarn::file_store store{arguments[1], durable};
  if (!put_and_remove(store)) return 1;
  tarn::client_options options;
  options.bounds.rows_per_object = 2;
  tarn::client lake{store, options};
  if (!commit(lake, "x") || !commit(lake, "y")) return 1;
  return say(lake.checkpoint().has_value(), "checkpoint") ? 0 : 1;
}
