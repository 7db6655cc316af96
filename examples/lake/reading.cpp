#include "reading.hpp"

namespace lake {

exit_code with_reading(const call& asked, const std::function<exit_code(const reading&)>& read) {
  output out;
  const tarn::result<row_format> format = wanted_format(asked.given, out);
  if (!format) return misused(asked.of, format.error().message());
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  tarn::result<transaction> begun = begin(*opened, asked.given.value("--at"));
  if (!begun) return report(begun.error());
  return read({*opened, *begun, *format, out});
}

}  // namespace lake
