#include "report.hpp"

#include <cstdio>
#include <string>

#include "visible_text.hpp"

namespace lake {

void complain(std::string_view message) {
  std::string line = "lake: ";
  append_visible(line, message);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

exit_code report(const tarn::error& why) {
  complain(why.message());
  return why.code() == tarn::errc::conflict ? exit_code::conflict : exit_code::failure;
}

}  // namespace lake
