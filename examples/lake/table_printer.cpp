#include <algorithm>

#include "row_printers.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

constexpr std::string_view between_columns = "  ";

}  // namespace

table_printer::table_printer(output& out, const std::vector<std::string>& columns) : out_(out) {
  for (const std::string& name : columns) {
    column made;
    made.name.width = append_visible(made.name.text, name, cell_width_max);
    made.width = std::max<std::size_t>(1, made.name.width);
    columns_.push_back(std::move(made));
  }
}

void table_printer::print(tarn::row_view row) {
  std::vector<cell> cells;
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    column& of = columns_[at];
    const tarn::kind kind = row[at].kind();
    const bool number = kind == tarn::kind::integer || kind == tarn::kind::real;
    if (sampling_ && kind != tarn::kind::null) (number ? of.has_numbers : of.has_others) = true;
    cells.push_back(make_cell(row[at], sampling_ ? cell_width_max : of.width));
    if (sampling_) of.width = std::max(of.width, cells.back().width);
  }
  if (!sampling_) return print_line(cells);
  sample_.push_back(std::move(cells));
  if (sample_.size() >= sampled_rows_max || sample_.size() * columns_.size() >= sampled_cells_max) end_sample();
}

void table_printer::finish() {
  if (sampling_) end_sample();
}

// A string that would look like another kind of value is shown in quotes.
table_printer::cell table_printer::make_cell(tarn::value_view value, std::size_t width_max) {
  const bool is_string = value.kind() == tarn::kind::string;
  const bool plain =
      is_string && value.as_string() != "null" && value_of_bare_field(value.as_string()).kind() == tarn::kind::string;
  text_.clear();
  if (!plain) writer_.append(text_, value, tarn::json_escapes::none);
  cell made;
  made.width = append_visible(made.text, plain ? value.as_string() : text_, width_max);
  return made;
}

void table_printer::end_sample() {
  sampling_ = false;
  if (const std::size_t width = out_.terminal_width(); width > 0) fit_into(width);

  std::vector<cell> names;
  std::vector<cell> lines;
  for (const column& each : columns_) {
    names.push_back(each.name);
    lines.push_back({std::string(each.width, '-'), each.width});
  }
  print_line(names);
  print_line(lines);
  for (const std::vector<cell>& cells : sample_) print_line(cells);
  sample_ = {};
}

// Cuts the widest columns until all fit, but none below what can be read. A terminal wraps what still does not fit.
void table_printer::fit_into(std::size_t terminal_width) {
  constexpr std::size_t readable = 8;
  const auto total = [&](std::size_t cap) {
    std::size_t sum = (columns_.size() - 1) * between_columns.size();
    for (const column& each : columns_) sum += std::min(each.width, cap);
    return sum;
  };
  std::size_t cap = cell_width_max;
  while (cap > readable && total(cap) > terminal_width) --cap;
  for (column& each : columns_) each.width = std::min(each.width, cap);
}

void table_printer::print_line(const std::vector<cell>& cells) {
  std::string& text = out_.buffer();
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const column& of = columns_[at];
    cell cut;
    const bool fits = cells[at].width <= of.width;  // a cell of the sample may not, since it was cut for the terminal
    if (!fits) cut.width = append_visible(cut.text, cells[at].text, of.width);
    const cell& shown = fits ? cells[at] : cut;
    const std::size_t padding = of.width - shown.width;
    if (at > 0) text += between_columns;
    if (of.is_numeric()) text.append(padding, ' ');
    text += shown.text;
    if (!of.is_numeric() && at + 1 < cells.size()) text.append(padding, ' ');
  }
  out_.print("\n");
}

}  // namespace lake
