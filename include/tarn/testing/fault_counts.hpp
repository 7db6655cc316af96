// How often each kind of fault has happened to each operation of a store. A test of faults that never happened has
// tested nothing: it asks here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../core/config.hpp"
#include "../core/text.hpp"
#include "fault.hpp"

namespace tarn::inline TARN_ABI::testing {

class fault_counts {
 public:
  void add(store_operation operation, fault_kind kind) noexcept { ++cell(operation, kind); }
  // Of another run.
  fault_counts& operator+=(const fault_counts& other) noexcept {
    for (std::size_t operation = 0; operation < store_operations; ++operation)
      for (std::size_t kind = 0; kind < fault_kinds; ++kind) cells_[operation][kind] += other.cells_[operation][kind];
    return *this;
  }

  [[nodiscard]] std::uint64_t of(store_operation operation, fault_kind kind) const noexcept {
    return cells_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t of(fault_kind kind) const noexcept {
    std::uint64_t sum = 0;
    for (const store_operation each : all_operations) sum += of(each, kind);
    return sum;
  }
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t kind = 0; kind < fault_kinds; ++kind) sum += of(static_cast<fault_kind>(kind));
    return sum;
  }

  // What has happened less often than it should have, of all that can happen: "late remove: 3 times". Empty if nothing.
  [[nodiscard]] std::string missing(std::uint64_t each_kind_min, std::uint64_t each_cell_min) const {
    std::string text;
    const auto complain = [&](fault_kind kind, std::string_view operation, std::uint64_t count) {
      append_text(text, concat({text.empty() ? "" : ", ", name_of(kind), operation.empty() ? "" : " ", operation, ": ",
                                count, " times"}));
    };
    for (std::size_t index = 0; index < fault_kinds; ++index) {
      const auto kind = static_cast<fault_kind>(index);
      bool can = false;
      for (const store_operation each : all_operations) {
        if (!can_happen(kind, each)) continue;
        can = true;
        if (of(each, kind) < each_cell_min) complain(kind, name_of(each), of(each, kind));
      }
      if (can && of(kind) < each_kind_min) complain(kind, "", of(kind));
    }
    return text;
  }

  // One line for each kind that can happen, with the counts for each operation; '-' where it cannot.
  [[nodiscard]] std::string text() const {
    std::string lines = "kind                  put        get       list     remove\n";
    for (std::size_t index = 0; index < fault_kinds; ++index) append_line(lines, static_cast<fault_kind>(index));
    return lines;
  }

 private:
  [[nodiscard]] std::uint64_t& cell(store_operation operation, fault_kind kind) noexcept {
    return cells_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(kind)];
  }

  static void append_padded(std::string& line, std::string_view text, std::size_t width) {
    line.append(text.size() < width ? width - text.size() : 0, ' ');
    append_text(line, text);
  }
  void append_line(std::string& lines, fault_kind kind) const {
    std::string line = concat({"F", static_cast<unsigned>(kind), " ", name_of(kind)});
    line.resize(18, ' ');
    bool can = false;
    for (const store_operation each : all_operations) {
      can = can || can_happen(kind, each);
      append_padded(line, can_happen(kind, each) ? concat({of(each, kind)}) : "-",
                    each == store_operation::put ? 7 : 11);
    }
    if (can) append_text(lines, concat({line, "\n"}));
  }

  std::uint64_t cells_[store_operations][fault_kinds] = {};
};

}  // namespace tarn::inline TARN_ABI::testing
