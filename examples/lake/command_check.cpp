#include <tarn/check.hpp>
#include <vector>

#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--quick", false}};

// Lists what was found of some kinds, with a title.
template <class Wanted, class TextOf>
void print_findings(const tarn::check_report& found, std::string_view title, std::string_view explanation,
                    Wanted wanted, TextOf text_of, output& out) {
  std::vector<std::string> lines;
  for (const tarn::check_finding& each : found.findings) {
    if (!wanted(each.kind)) continue;
    std::string& line = lines.emplace_back("  ");
    append_visible(line, text_of(each));
  }
  if (lines.empty()) return;
  out.print(tarn::concat({title, ": ", grouped(lines.size()), " (", explanation, ")\n"}));
  for (const std::string& line : lines) out.print(line + "\n");
}

void print(const tarn::check_report& found, output& out) {
  using tarn::finding_kind;
  const auto only = [](finding_kind wanted) { return [wanted](finding_kind kind) { return kind == wanted; }; };
  const auto name = [](const tarn::check_finding& each) -> std::string { return each.name; };
  const auto message = [](const tarn::check_finding& each) -> std::string { return each.message; };
  const auto kind_and_message = [](const tarn::check_finding& each) {
    return tarn::concat({tarn::name_of(each.kind), ": ", each.message});
  };
  out.print(tarn::concat({"log: ", count_of(found.entries, "version"), "\n", "data: ", count_of(found.rows, "row"),
                          " in ", count_of(found.objects, "object"), ", ", count_of(found.bytes, "byte"), "\n"}));
  print_findings(found, "orphans", "no version that is kept needs them", only(finding_kind::orphan), message, out);
  print_findings(found, "temporary",
                 "files of writers at work; those of writers that crashed are removed after an hour",
                 only(finding_kind::leftover), name, out);
  print_findings(found, "strangers", "not the lake's: ignored, and never removed", only(finding_kind::stranger), name,
                 out);
  const auto is_damage = [](finding_kind kind) { return !tarn::is_harmless(kind); };
  print_findings(found, "damaged", "or missing, or not readable", is_damage, kind_and_message, out);
  if (found.sound()) out.print("all is well\n");
}

exit_code run(const call& asked) {
  output out;
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  progress shown("checking");
  const auto which = asked.given.has("--quick") ? tarn::checked_versions::newest : tarn::checked_versions::retained;
  const tarn::result<tarn::check_report> found =
      tarn::check(*opened, which, [&](const tarn::check_report& so_far) { shown.come_to(so_far.rows); });
  if (!found) return report(found.error());
  print(*found, out);
  const exit_code written = out.finish();
  if (found->sound()) return written;
  const std::int64_t good = found->last_good.number;
  const bool readable = good >= 0 && opened->snapshot_at(found->last_good);  // not if a marker is damaged
  complain(good < 0   ? "the lake is damaged, from its first version on"
           : readable ? tarn::concat({"the lake is damaged; the last good version is ", good, ": read it with --at ",
                                      good, ", or put good copies in the place of what is damaged"})
                      : tarn::concat({"the lake is damaged; nothing can be read before that is mended; then the last "
                                      "good version is ",
                                      good}));
  return exit_code::failure;
}

}  // namespace

constexpr command check_command{"check",
                                "[--quick]",
                                "read everything and verify it",
                                R"(Reads the whole log and every data object that a version needs which is kept, and
verifies checksums, the chain of versions, the bounds that the log states, and each
row; of keyed tables each record, and that the objects of a table fit together.
Changes nothing. Lists what is damaged, with what it means and what to do; and what
is of no harm: orphans, data objects that no version needs which is kept, and why
they are there; temporary files; and files that are not the lake's. If the log is
damaged, nobody knows what it has lost: then no data object is called an orphan.

Exit code 1 if anything is damaged; then it also says which is the last version that
can be read in full.

  --quick    reads the data objects of the newest version only

For example:
  lake my-lake check
)",
                                options,
                                0,
                                0,
                                run};

}  // namespace lake
