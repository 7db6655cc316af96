#include "checkup.hpp"
#include "command.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

void print_names(output& out, std::string_view title, std::string_view explanation,
                 const std::vector<std::string>& names) {
  if (names.empty()) return;
  out.print(tarn::concat({title, ": ", grouped(names.size()), " (", explanation, ")\n"}));
  for (const std::string& name : names) {
    std::string line = "  ";
    append_visible(line, name);
    out.print(line + "\n");
  }
}

void print(const findings& found, output& out) {
  out.print(tarn::concat({"log: ", count_of(found.versions, "version"), "\n", "data: ", count_of(found.rows, "row"),
                          " in ", count_of(found.objects, "object"), ", ", count_of(found.bytes, "byte"), "\n"}));
  print_names(out, "unreferenced", "garbage of transactions that failed, or objects of one that is under way",
              found.unreferenced);
  print_names(out, "temporary", "files of writers at work; those of writers that crashed are removed after an hour",
              found.temporary);
  print_names(out, "strangers", "not the lake's: ignored, and never removed", found.strangers);
  print_names(out, "damaged", "or missing, or not readable", found.damaged);
  if (found.damaged.empty()) out.print("all is well\n");
}

exit_code run(const call& asked) {
  output out;
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const tarn::result<findings> found = checkup(*opened).run(asked.folder);
  if (!found) return report(found.error());
  print(*found, out);
  const exit_code written = out.finish();
  if (found->damaged.empty()) return written;
  const std::int64_t whole = found->last_whole.number;
  complain(whole < 0 ? "the lake is damaged, from its first version on"
                     : tarn::concat({"the lake is damaged; the last whole version is ", whole, ": read it with --at ",
                                     whole, ", or restore what is damaged from a copy"}));
  return exit_code::failure;
}

}  // namespace

constexpr command check_command{"check",
                                "",
                                "read everything and verify it",
                                R"(Reads the whole log and every data object that any version names, and verifies
checksums, the chain of versions, and each row; of keyed tables each record, and
that those of the newest version fit together. Lists what is damaged, with the last
version before the damage; and what is of no harm: unreferenced objects, temporary
files, and files that are not the lake's. Exit code 1 if anything is damaged.

For example:
  lake my-lake check
)",
                                {},
                                0,
                                0,
                                run};

}  // namespace lake
