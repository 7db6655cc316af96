// What a command of the tool is. Each has its own command_<name>.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "report.hpp"

namespace lake {

struct command;

// A command as it was called.
struct call {
  const command& of;
  std::string folder;  // that holds the lake
  arguments given;

  // The positional argument at `index`, which must be one of those that the command always has.
  [[nodiscard]] std::string_view argument(std::size_t index) const { return given.positional()[index]; }
};

struct command {
  std::string_view name;
  std::string_view arguments;  // as the usage line shows them
  std::string_view summary;    // one line, for the list of commands
  std::string_view help;       // the rest of its --help
  std::span<const option> options;
  std::size_t positional_min;
  std::size_t positional_max;
  exit_code (*run)(const call&);
  bool takes_words = false;  // all words are arguments, since they are another command's
};

extern const command create_command;
extern const command drop_command;
extern const command insert_command;
extern const command upsert_command;
extern const command update_command;
extern const command erase_command;
extern const command get_command;
extern const command scan_command;
extern const command explain_command;
extern const command compact_command;
extern const command tables_command;
extern const command history_command;
extern const command at_command;
extern const command changes_command;
extern const command restore_command;
extern const command tag_command;
extern const command untag_command;
extern const command check_command;
extern const command checkpoint_command;
extern const command vacuum_command;

// Null if there is none of this name.
const command* find_command(std::string_view name);

// Runs a command as if it had been called with these words.
exit_code run_command(const command& chosen, std::string_view folder, std::span<const char* const> words);

// Complains about how the command was called and says where to read how it is called.
exit_code misused(const command& of, std::string_view complaint);

}  // namespace lake
