#include "csv_reader.hpp"

#include <algorithm>

#include "numbers.hpp"

namespace lake {

tarn::result<std::vector<std::string>> csv_reader::columns() {
  if (const tarn::status read = read_names(); !read) return read.error();
  return names_;
}

tarn::status csv_reader::read_names() {
  const tarn::result<bool> found = records_.next();
  if (!found) return found.error();
  for (std::size_t at = 0; at < records_.size(); ++at) names_.emplace_back(records_[at].text);
  return {};
}

tarn::status csv_reader::bind(const tarn::schema& columns) {
  schema_ = columns;
  row_.assign(schema_.size(), nullptr);
  if (names_.empty())
    if (const tarn::status read = read_names(); !read) return read.error();
  for (std::size_t at = 0; at < names_.size(); ++at) {
    const std::string& name = names_[at];
    const std::size_t target = schema_.find(name);
    if (target == tarn::schema::none) return no_such_column(schema_, name).within(records_.place_of(at));
    if (std::find(targets_.begin(), targets_.end(), target) != targets_.end())
      return tarn::error(tarn::errc::invalid_argument, tarn::concat({"column '", name, "' comes twice"}))
          .within(records_.place_of(at));
    targets_.push_back(target);
  }
  for (std::size_t at = 0; at < schema_.size(); ++at)
    if (!schema_[at].nullable && std::find(targets_.begin(), targets_.end(), at) == targets_.end())
      return tarn::error(
                 tarn::errc::invalid_argument,
                 tarn::concat({"column '", schema_[at].name, "' takes no nulls, so the first line must name it"}))
          .within(records_.place_of(0));
  return {};
}

tarn::result<bool> csv_reader::next() {
  do {
    const tarn::result<bool> found = records_.next();
    if (!found || !*found) return found;
  } while (records_.is_empty_line() && targets_.size() != 1);
  if (records_.size() != targets_.size()) return wrong_number_of_fields();

  memory_.clear();
  for (std::size_t at = 0; at < targets_.size(); ++at) {
    const tarn::result<tarn::value_view> value = value_for_column(schema_[targets_[at]], records_[at], bare_, memory_);
    if (!value) return value.error().within(records_.place_of(at));
    row_[targets_[at]] = *value;
  }
  return true;
}

tarn::error csv_reader::wrong_number_of_fields() const {
  const std::string why =
      tarn::concat({count_of(records_.size(), "field"), " where the first line has ", targets_.size()});
  const std::size_t first_wrong = std::min(targets_.size(), records_.size() - 1);
  return tarn::error(tarn::errc::invalid_argument, why).within(records_.place_of(first_wrong));
}

tarn::result<std::vector<std::string>> parse_csv_names(std::string_view text) {
  csv_records records(input::of_text("the list of columns", text));
  const tarn::result<bool> found = records.next();
  if (!found) return found.error();
  std::vector<std::string> names;
  for (std::size_t at = 0; at < records.size(); ++at) names.emplace_back(records[at].text);
  return names;
}

}  // namespace lake
