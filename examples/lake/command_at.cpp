#include <algorithm>
#include <string>
#include <vector>

#include "command.hpp"

namespace lake {
namespace {

// Whether the command can read another version than the newest.
bool reads_versions(const command& each) {
  return std::any_of(each.options.begin(), each.options.end(), [](const option& o) { return o.name == "--at"; });
}

exit_code run(const call& asked) {
  const std::string_view name = asked.argument(1);
  const command* const chosen = find_command(name);
  if (chosen == nullptr) return misused(asked.of, tarn::concat({"there is no command '", name, "'"}));
  if (!reads_versions(*chosen)) return misused(asked.of, tarn::concat({"`", name, "` does not read an older version"}));

  const auto& words = asked.given.positional();
  std::vector<std::string> rest = {tarn::concat({"--at=", words[0]})};
  rest.insert(rest.end(), words.begin() + 2, words.end());
  std::vector<const char*> passed;
  passed.reserve(rest.size());
  for (const std::string& each : rest) passed.push_back(each.c_str());
  return run_command(*chosen, asked.folder, passed);
}

}  // namespace

constexpr command at_command{"at",
                             "WHEN COMMAND [ARGUMENT...]",
                             "read an older version of the lake",
                             R"(Runs one of the commands that read (scan, get, tables, explain) on the version that
WHEN means, as its option --at does:

  a number    the version; `history` lists them
  a name      the version with this tag; `tag` lists them
  a time      the version that was the newest then: a day or day and time in UTC,
              such as 2026-11-29, 2026-11-29T10:00Z or 2026-11-29T10:00:00.123Z; or
              @ and the milliseconds since 1970

A version that a vacuum has given up cannot be read any more, unless it has a tag.

For example:
  lake my-lake at 3 scan weather --limit 10
  lake my-lake at 2026-11-29T10:00Z tables
)",
                             {},
                             2,
                             static_cast<std::size_t>(-1),
                             run,
                             true};

}  // namespace lake
