// Everything in a lake's folder, read and verified.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <unordered_set>
#include <vector>

#include "lake.hpp"
#include "progress.hpp"

namespace lake {

// What was found. Names are those in the folder.
struct findings {
  tarn::version last_whole;  // there is no damage in this version and those before it
  std::uint64_t versions = 0;
  std::uint64_t objects = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> damaged;       // "<name>: <what is wrong>"
  std::vector<std::string> unreferenced;  // data objects that no version names
  std::vector<std::string> temporary;     // what writers have in the making, or left when they crashed
  std::vector<std::string> strangers;     // what is not a lake's
};

// Memory: the names in the folder, and the largest object.
class checkup {
 public:
  explicit checkup(client& opened) : opened_(opened) {}

  // The error says why the folder cannot be looked at; damage is a finding.
  [[nodiscard]] tarn::result<findings> run(const std::string& folder);

 private:
  void sort_name(const std::string& name);
  void check_log();
  void check_entry(const tarn::logged_entry& read);
  void check_object(tarn::version added, std::string_view table, const tarn::action& adds);
  [[nodiscard]] tarn::status read_object(std::string_view table, const tarn::action& adds);
  [[nodiscard]] tarn::status read_rows(const tarn::table_state& table, const tarn::data_object& object);
  [[nodiscard]] tarn::status read_records(const tarn::table_state& table, const tarn::keyed_object& object);
  [[nodiscard]] tarn::status read_bytes(const std::string& name, const tarn::data_object& object);
  void check_merges();
  void count_row() {
    ++found_.rows;
    shown_.count_row();
  }
  void note_damage(tarn::version at, std::string_view name, std::string_view what);

  using core = tarn::client_core<tarn::file_store<>, tarn::json_codec>;

  client& opened_;
  core core_{opened_.store(), {}, {}, {}, false, {}, {}};  // to read objects that no transaction shows any more
  findings found_;
  std::set<tarn::version> listed_;             // entries in the folder
  std::unordered_set<std::string> unclaimed_;  // data objects in the folder that no entry has named so far
  tarn::shared_snapshot state_;                // after the last entry, while the chain is whole
  bool chain_whole_ = true;
  progress shown_{"checking"};
};

}  // namespace lake
