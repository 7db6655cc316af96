// Where the clients of a lake write down what they do and what they are told; see recorded_client.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/lock.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/strong_types.hpp"
#include "../core/table_key.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "history.hpp"
#include "plain_filter.hpp"

namespace tarn::inline TARN_ABI::testing {

// The last column of every table that recorded clients create: the token of each row.
inline constexpr std::string_view token_column = "token";
// What is recorded for a row that was found and never written like that.
inline constexpr row_token garbage_row = UINT64_MAX;

// Thread-safe. Must outlive the clients that record into it. One for each lake and run.
class history_recorder {
 public:
  history_recorder() = default;
  // A copy goes on by itself: the same beginning of many histories is recorded once. Filters that were recorded before
  // refer to `other`, which must then outlive the copy.
  history_recorder(const history_recorder& other)
      : clients_(other.clients_),
        events_(other.events_),
        recorded_(other.recorded_),
        tables_(other.tables_),
        keys_(other.keys_),
        rows_(other.rows_) {}
  history_recorder& operator=(const history_recorder&) = delete;
  ~history_recorder() = default;

  [[nodiscard]] std::uint32_t add_client() {
    const scoped_lock held(lock_);
    return clients_++;
  }

  // The next number in the count of all begins and ends.
  [[nodiscard]] std::uint64_t next_event() {
    const scoped_lock held(lock_);
    return events_++;
  }
  // Ends a transaction: `record.end` is given here.
  void add(transaction_record record, std::span<const recorded_operation> done) {
    const scoped_lock held(lock_);
    record.end = events_++;
    recorded_.add(record, done);
  }
  void add_given_up(const given_up_versions& versions) {
    const scoped_lock held(lock_);
    recorded_.given_up.push_back(versions);
  }

  [[nodiscard]] std::uint32_t table_number(std::string_view name) {
    const scoped_lock held(lock_);
    const auto [found, is_new] = tables_.emplace(name, tables_.size());
    if (is_new) recorded_.tables.emplace_back(name);
    return found->second;
  }
  // The number of a key, whose values are given in the order of the key's columns.
  [[nodiscard]] std::uint64_t key_number(std::uint32_t table, const list_view& key) {
    std::string text;
    for (const value_view part : key) append_part(text, part);
    const scoped_lock held(lock_);
    std::map<std::string, std::uint64_t>& numbers = keys_[table].numbers;
    return numbers.emplace(std::move(text), numbers.size()).first->second;
  }
  // Of a new row of a bag.
  [[nodiscard]] std::uint64_t new_row_key(std::uint32_t table) {
    const scoped_lock held(lock_);
    return keys_[table].rows++;
  }

  // A row that is about to be written under a key; its last value is its token.
  void note_row(std::uint64_t key, row content) {
    const scoped_lock held(lock_);
    const row_token token = token_in(content);
    rows_[token] = {key, std::move(content)};
  }
  // A `found` of a row that was read: garbage, if nobody has written it so.
  [[nodiscard]] recorded_operation found(std::uint32_t table, const row_view& content) {
    const scoped_lock held(lock_);
    const auto known = rows_.find(token_in(content));
    const bool same = known != rows_.end() && row_view(known->second.content) == content;
    return {operation_kind::found, table, same ? known->second.key : 0, 0, same ? known->first : garbage_row, 0};
  }
  // What was written as this row; null: nothing.
  [[nodiscard]] const row* content_of(row_token token) const {
    const auto known = rows_.find(token);
    return known == rows_.end() ? nullptr : &known->second.content;
  }

  // The number of a filter of rows with these columns; 0 if it wants all.
  [[nodiscard]] std::uint64_t predicate_number(const filter& wanted, const schema& columns) {
    if (wanted.conditions().empty()) return 0;
    const scoped_lock held(lock_);
    recorded_.predicates.emplace_back([this, rows = plain_filter(wanted, columns)](row_token token) {
      const row* const content = content_of(token);
      return content != nullptr && rows.matches(*content);
    });
    return recorded_.predicates.size();
  }

  // Whose entry a version is, as somebody has read in the log. Two different answers are kept as garbage, which is
  // nobody's.
  void note_version(version at, const uuid& transaction) {
    const scoped_lock held(lock_);
    const auto place = static_cast<std::size_t>(at.number);
    if (place >= recorded_.log.size()) recorded_.log.resize(place + 1);
    uuid& known = recorded_.log[place];
    known = known.is_nil() || known == transaction ? transaction : uuid{UINT64_MAX, at.next().number > 0 ? 1U : 0U};
  }

  // Once all clients have ended what they had begun. Its predicates refer to this recorder.
  [[nodiscard]] const history& recorded() const noexcept { return recorded_; }

 private:
  struct written_row {
    std::uint64_t key = 0;
    row content;
  };
  struct table_keys {
    std::map<std::string, std::uint64_t> numbers;
    std::uint64_t rows = 0;
  };

  template <class Row>
  [[nodiscard]] static row_token token_in(const Row& content) {
    if (content.size() == 0) return 0;
    const value_view last = content[content.size() - 1];
    return last.kind() == kind::integer ? static_cast<row_token>(last.as_integer()) : 0;
  }

  static void append_part(std::string& to, const value_view& part) {
    switch (part.kind()) {
      case kind::integer: to += concat({"i", part.as_integer(), ","}); break;
      case kind::boolean: append_text(to, part.as_boolean() ? "t" : "f"); break;
      case kind::string: to += concat({"s", part.as_string().size(), ":", part.as_string()}); break;
      case kind::bytes: to += concat({"b", part.as_bytes().size(), ":", part.as_bytes()}); break;
      default: append_text(to, "?"); break;
    }
  }

  mutex lock_;
  std::uint32_t clients_ = 0;
  std::uint64_t events_ = 0;
  history recorded_;
  std::map<std::string, std::uint32_t, std::less<>> tables_;
  std::map<std::uint32_t, table_keys> keys_;
  std::unordered_map<row_token, written_row> rows_;
};

}  // namespace tarn::inline TARN_ABI::testing
