#include "command.hpp"
#include "lake.hpp"
#include "output.hpp"
#include "row_printers.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}};

exit_code print_tags(client& opened, row_format format, output& out) {
  const tarn::result<tarn::sequence<tarn::version_tag>> tags = opened.tags();
  if (!tags) return report(tags.error());
  with_printer(format, out, {"tag", "version"}, [&](auto printer) {
    for (const tarn::version_tag& each : *tags) printer.print({each.name, each.at.number});
    printer.finish();
  });
  return out.finish();
}

exit_code add_tag(client& opened, const call& asked, output& out) {
  const std::string_view name = asked.argument(0);
  const bool of_newest = asked.given.positional().size() == 1;
  const tarn::result<tarn::version> wanted =
      of_newest ? newest_version(opened) : find_version(opened, asked.argument(1));
  if (!wanted) return report(wanted.error());
  const tarn::result<tarn::version> committed = settled(opened, opened.tag(name, *wanted));
  if (!committed) return report(committed.error());
  out.print(tarn::concat({"version ", wanted->number, " has the tag ", name, " (version ", committed->number, ")\n"}));
  return out.finish();
}

exit_code run(const call& asked) {
  output out;
  const tarn::result<row_format> format = wanted_format(asked.given, out);
  if (!format) return misused(asked.of, format.error().message());
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  return asked.given.positional().empty() ? print_tags(*opened, *format, out) : add_tag(*opened, asked, out);
}

exit_code run_untag(const call& asked) {
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const std::string_view name = asked.argument(0);
  const tarn::result<tarn::version> committed = settled(*opened, opened->untag(name));
  if (!committed) return report(committed.error());
  output out;
  out.print(tarn::concat({"there is no tag ", name, " any more (version ", committed->number, ")\n"}));
  return out.finish();
}

}  // namespace

constexpr command tag_command{"tag",
                              "[NAME [WHEN]] [--format table|ndjson|csv]",
                              "name a version and keep it, or list the tags",
                              R"(Gives a name to the version that WHEN means (a number, another tag or a time, see
`at --help`), or to the newest. As long as it has one, no vacuum takes it away; and
`at NAME` and `--at NAME` read it. A tag never moves: `untag` it first. A name that
looks like a number is taken for one. Without NAME, lists the tags.

  --format F    of the list: table, ndjson or csv

For example:
  lake my-lake tag end-of-year 2026-12-31T23:59Z
  lake my-lake at end-of-year scan weather
)",
                              options,
                              0,
                              2,
                              run};

constexpr command untag_command{"untag",
                                "NAME",
                                "take a version's name away",
                                R"(Takes a tag away. Its version is from then on kept as long as any other.

For example:
  lake my-lake untag end-of-year
)",
                                {},
                                1,
                                1,
                                run_untag};

}  // namespace lake
