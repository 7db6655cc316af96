// What happened to one row, and the columns that it is shown with.
#pragma once

#include <cstddef>
#include <string_view>

#include "../core/config.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/value.hpp"
#include "../log/table_state.hpp"
#include "projection.hpp"

namespace tarn::inline TARN_ABI {

enum class change_kind : unsigned char { insert, update, erase };

[[nodiscard]] constexpr std::string_view name_of(change_kind kind) noexcept {
  constexpr const char* names[] = {"insert", "update", "erase"};
  return names[static_cast<unsigned char>(kind)];
}

struct row_change {
  version at;  // that made it
  change_kind kind = change_kind::insert;
  row_view before;  // of an insert, a row without values
  row_view after;   // of an erase, a row without values
};

// Shows the rows that were read in one state of a table with the columns of another.
class row_display {
 public:
  // Null: there is no such state; without `shown`, a table's rows are shown as they are. Both must outlive it.
  template <class = void>
  row_display(const table_state* of, const table_state* shown) {
    if (of == nullptr) return;
    columns_ = shown != nullptr ? &shown->columns : &of->columns;
    if (!are_alike(of->columns, *columns_))
      projection_ = shared<projection>::make(of->columns, *columns_, std::size_t{0});
  }

  // Valid as long as the values, and until the next call.
  template <class = void>
  [[nodiscard]] row_view show(const list_view& values) const {
    return {projection_ ? projection_->apply(values) : values, columns_};
  }

 private:
  // But for the names.
  template <class = void>
  [[nodiscard]] static bool are_alike(const schema& a, const schema& b) noexcept {
    bool alike = a.size() == b.size();
    for (std::size_t at = 0; alike && at < a.size(); ++at) alike = a[at].id == b[at].id && a[at].type == b[at].type;
    return alike;
  }

  const schema* columns_ = nullptr;
  shared<projection> projection_;  // null: the values are shown as they are
};

}  // namespace tarn::inline TARN_ABI
