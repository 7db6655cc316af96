// What the commands that write to a lake that is there have in common: one transaction, and saying what it did.
#pragma once

#include <functional>
#include <string>

#include "command.hpp"
#include "lake.hpp"

namespace lake {

// Opens the lake, calls `write`, commits, and prints what `write` returns, "erased 3 rows of cities", with the version.
exit_code with_writing(const call& asked, const std::function<tarn::result<std::string>(transaction&)>& write);

}  // namespace lake
