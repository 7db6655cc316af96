// lake: a command-line tool for lakes in folders.
#include <algorithm>
#include <cstdio>
#include <tarn/version.hpp>

#include "command.hpp"
#include "output.hpp"

namespace lake {
namespace {

const command* const commands[] = {&create_command,  &drop_command,    &insert_command,     &upsert_command,
                                   &update_command,  &erase_command,   &get_command,        &scan_command,
                                   &explain_command, &compact_command, &tables_command,     &history_command,
                                   &at_command,      &changes_command, &restore_command,    &tag_command,
                                   &untag_command,   &check_command,   &checkpoint_command, &vacuum_command};

constexpr std::string_view general_usage = "usage: lake DIR COMMAND [ARGUMENT...]\n       lake [COMMAND] --help\n";

exit_code print_general_help() {
  output out;
  out.print("lake keeps tables, and every version they ever had, in a folder.\n\n");
  out.print(general_usage);
  out.print(
      "\nDIR is the folder; `create` and `insert --create` make it if it is missing, but not those above it.\n"
      "LAKE_INLINE_BYTES_MAX in the environment is how many bytes of rows the log entries of a new lake may carry:\n"
      "4096 if it is not set; 0 for a lake that the article's program is to read.\n\n");
  for (const command* each : commands) {
    const std::string padding(12 - each->name.size(), ' ');
    out.print(tarn::concat({"  ", each->name, padding, each->summary, "\n"}));
  }
  out.print(
      "\nAny number of processes may use a lake at the same time; each command takes effect as a whole or not at all.\n"
      "\nExit codes: 0 success, 1 failure, 2 wrong usage, 3 conflict (another process committed first: run it again).\n"
      "\nFor example:\n"
      "  lake my-lake insert weather seattle-weather.csv --create\n"
      "  lake my-lake scan weather --limit 10\n");
  return out.finish();
}

exit_code print_help(const command& of) {
  output out;
  out.print(
      tarn::concat({"usage: lake DIR ", of.name, of.arguments.empty() ? "" : " ", of.arguments, "\n\n", of.help}));
  return out.finish();
}

exit_code print_version() {
  output out;
  out.print(tarn::concat({"lake (tarn ", TARN_VERSION_MAJOR, ".", TARN_VERSION_MINOR, ".", TARN_VERSION_PATCH, ")\n"}));
  return out.finish();
}

exit_code misused_in_general(std::string_view complaint) {
  complain(complaint);
  std::fwrite(general_usage.data(), 1, general_usage.size(), stderr);
  return exit_code::usage;
}

bool asks_for_help(std::span<const char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

exit_code run(std::span<const char* const> words) {
  if (words.empty()) return misused_in_general("what is to be done?");
  const std::string_view first = words[0];
  const command* const first_as_command = find_command(first);
  if (first == "--help" || first == "-h") return print_general_help();
  if (first == "--version") return print_version();
  if (first_as_command != nullptr && words.size() == 2 && asks_for_help(words.subspan(1)))
    return print_help(*first_as_command);
  if (words.size() == 1) return misused_in_general(tarn::concat({"what is to be done with '", first, "'?"}));
  const std::string_view second = words[1];
  if (second == "--help" || second == "-h") return print_general_help();
  const command* const chosen = find_command(second);
  if (chosen != nullptr) return run_command(*chosen, first, words.subspan(2));
  if (first_as_command != nullptr)
    return misused_in_general(tarn::concat({"the folder comes first: lake ", second, " ", first, " ..."}));
  return misused_in_general(tarn::concat({"there is no command '", second, "'"}));
}

}  // namespace

const command* find_command(std::string_view name) {
  if (name == "log") name = history_command.name;  // what it was called before
  for (const command* each : commands)
    if (each->name == name) return each;
  return nullptr;
}

exit_code run_command(const command& chosen, std::string_view folder, std::span<const char* const> words) {
  if (asks_for_help(chosen.takes_words ? words.first(std::min<std::size_t>(words.size(), 2)) : words))
    return print_help(chosen);
  tarn::result<arguments> given =
      chosen.takes_words ? arguments::of_words(words) : arguments::parse(words, chosen.options);
  if (!given) return misused(chosen, given.error().message());
  const std::size_t count = given->positional().size();
  if (count < chosen.positional_min) return misused(chosen, "too few arguments");
  if (count > chosen.positional_max)
    return misused(chosen, tarn::concat({"too many arguments: '", given->positional()[chosen.positional_max], "'"}));
  return chosen.run({chosen, std::string(folder), *std::move(given)});
}

exit_code misused(const command& of, std::string_view complaint) {
  complain(complaint);
  const std::string usage = tarn::concat({"usage: lake DIR ", of.name, of.arguments.empty() ? "" : " ", of.arguments,
                                          "\n`lake ", of.name, " --help` says more\n"});
  std::fwrite(usage.data(), 1, usage.size(), stderr);
  return exit_code::usage;
}

}  // namespace lake

int main(int argument_count, char** arguments) {
  const std::span words(const_cast<const char* const*>(arguments), static_cast<std::size_t>(argument_count));
  return static_cast<int>(lake::run(words.subspan(words.empty() ? 0 : 1)));
}
