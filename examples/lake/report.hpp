// How the tool ends: its exit codes, and its messages on standard error.
#pragma once

#include <string_view>
#include <tarn/core/error.hpp>

namespace lake {

enum class exit_code : int {
  success = 0,
  failure = 1,
  usage = 2,
  conflict = 3,            // another process committed first: run it again
  broken_pipe = 128 + 13,  // what a shell says of a program that SIGPIPE has ended
};

// Writes "lake: <message>" and a newline, control characters made visible.
void complain(std::string_view message);

// Complains, and says which exit code the error stands for.
exit_code report(const tarn::error& why);

}  // namespace lake
