#include "csv_records.hpp"

#include <algorithm>
#include <tarn/core/utf8.hpp>

#include "numbers.hpp"

namespace lake {

tarn::result<bool> csv_records::next() {
  leave_record();
  if (!peek()) return failure_ ? tarn::result<bool>(false) : failure_.error();
  record_ended_ = false;
  while (!record_ended_)
    if (!read_field()) return failure_.error();
  if (!check_utf8()) return failure_.error();
  return true;
}

csv_text csv_records::operator[](std::size_t index) const noexcept {
  const field& of = fields_[index];
  const std::string_view from = of.unescaped ? std::string_view(unescaped_) : input_.unpassed();
  return {from.substr(of.begin, of.size), of.quoted};
}

std::string csv_records::place_of(std::size_t index) const {
  const std::size_t offset = index < fields_.size() ? fields_[index].offset : 0;
  const std::string_view before = input_.unpassed().substr(0, offset);
  const auto line = first_line_ + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return place_in(input_, line, 1 + characters_in(before.substr(line_begin)));
}

bool csv_records::is_empty_line() const noexcept {
  return fields_.size() == 1 && fields_.front().size == 0 && !fields_.front().quoted;
}

void csv_records::leave_record() {
  const std::string_view record = input_.unpassed().substr(0, at_);
  first_line_ += static_cast<std::size_t>(std::count(record.begin(), record.end(), '\n'));
  input_.pass(at_);
  at_ = 0;
  fields_.clear();
  unescaped_.clear();
  if (first_line_ > 0) return;
  first_line_ = 1;
  skip_byte_order_mark();
}

void csv_records::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  while (at_ < mark.size() && peek() == mark[at_]) ++at_;
  if (at_ == mark.size()) input_.pass(at_);
  at_ = 0;
}

bool csv_records::read_field() {
  field read;
  read.offset = at_;
  const bool good = peek() == '"' ? read_quoted(read) : read_bare(read);
  if (!good) return false;
  fields_.push_back(read);
  return read_separator();
}

bool csv_records::read_quoted(field& into) {
  into.quoted = true;
  into.begin = ++at_;
  for (;;) {
    const std::string_view text = input_.unpassed();
    const std::size_t quote = text.find('"', at_);
    at_ = std::min(quote, text.size());
    if (!peek()) return fail_at(into.offset, "the quotes that open here are never closed");
    if (quote == std::string_view::npos) continue;
    ++at_;
    const bool doubled = peek() == '"';
    if (!into.unescaped && doubled) {
      into.unescaped = true;
      into.size = unescaped_.size();  // where the text starts, until it is whole
    }
    if (into.unescaped) unescaped_.append(input_.unpassed().substr(into.begin, at_ - into.begin - (doubled ? 0 : 1)));
    if (!doubled) break;
    into.begin = ++at_;
  }
  if (into.unescaped) {
    into.begin = into.size;
    into.size = unescaped_.size() - into.begin;
  } else {
    into.size = at_ - 1 - into.begin;
  }
  return failure_.has_value();
}

bool csv_records::read_bare(field& into) {
  into.begin = at_;
  for (;;) {
    const std::string_view text = input_.unpassed();
    const auto ends_here = [](char c) { return c == ',' || c == '\n' || c == '\r' || c == '"'; };
    while (at_ < text.size() && !ends_here(text[at_])) ++at_;
    if (at_ < text.size() || !peek()) break;
  }
  into.size = at_ - into.begin;
  if (peek() == '"')
    return fail_at(at_, "quotes inside a field without quotes: put the whole field in quotes, and write \"\" for each");
  return failure_.has_value();
}

bool csv_records::read_separator() {
  if (peek() == ',') {
    ++at_;
    return true;
  }
  record_ended_ = true;
  const bool carriage_return = peek() == '\r';
  if (carriage_return) ++at_;
  if (peek() == '\n') {
    ++at_;
    return true;
  }
  if (carriage_return) return fail_at(at_ - 1, "a carriage return that ends no line: put the field in quotes");
  if (peek()) return fail_at(at_, "a comma or the end of the line should follow the closing quotes");
  return failure_.has_value();
}

bool csv_records::check_utf8() {
  const std::string_view record = input_.unpassed().substr(0, at_);
  const std::size_t invalid = tarn::find_invalid_utf8(record);
  if (invalid == record.size()) return true;
  return fail_at(invalid, "the text is not UTF-8 here: convert the input, for example with iconv -f latin1 -t utf-8");
}

std::optional<char> csv_records::peek() {
  if (!failure_) return std::nullopt;
  if (at_ == input_.unpassed().size()) {
    if (at_ > record_bytes_max) {
      fail_at(0, tarn::concat({"the record that begins here has more than ", grouped(record_bytes_max),
                               " bytes: are there quotes that are never closed?"}));
      return std::nullopt;
    }
    const tarn::result<bool> more = input_.more();
    if (!more) failure_ = more.error();
    if (!more || !*more) return std::nullopt;
  }
  return input_.unpassed()[at_];
}

bool csv_records::fail_at(std::size_t offset, std::string_view what) {
  if (!failure_) return false;  // the first failure is the cause of the others
  fields_.clear();
  fields_.push_back({offset, 0, 0, false, false});
  failure_ = tarn::error(tarn::errc::invalid_argument, std::string(what)).within(place_of(0));
  return false;
}

}  // namespace lake
