// What the commands that read a lake have in common: --format, --at, and the lake in their folder.
#pragma once

#include <functional>

#include "command.hpp"
#include "lake.hpp"
#include "output.hpp"
#include "row_printers.hpp"

namespace lake {

struct reading {
  client& opened;
  transaction& at;  // the version that --at names, or the newest
  row_format format;
  output& out;
};

// Opens the lake, calls `read`, and ends the output. Complains about what is wrong with the options or the lake.
exit_code with_reading(const call& asked, const std::function<exit_code(const reading&)>& read);

}  // namespace lake
