#include "command.hpp"
#include "lake.hpp"
#include "output.hpp"

namespace lake {
namespace {

exit_code run(const call& asked) {
  const std::string_view table = asked.argument(0);
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  tarn::result<transaction> writing = begin(*opened);
  if (!writing) return report(writing.error());
  const tarn::status dropped = writing->drop_table(table);
  if (!dropped) return report(dropped.error());
  const std::int64_t before = writing->read_version().number;
  const tarn::result<tarn::version> committed = commit(*opened, *writing);
  if (!committed) return report(committed.error());
  output out;
  out.print(tarn::concat(
      {"dropped table ", table, " (version ", committed->number, "); its rows are still in version ", before, "\n"}));
  return out.finish();
}

}  // namespace

constexpr command drop_command{"drop",
                               "TABLE",
                               "remove a table; earlier versions still have it",
                               R"(Removes a table from the lake's newest version. Earlier versions keep it: `scan`
reads them with --at. A table of the same name may be created afterwards.

For example:
  lake my-lake drop weather
)",
                               {},
                               1,
                               1,
                               run};

}  // namespace lake
