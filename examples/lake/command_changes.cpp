#include <tarn/changes.hpp>
#include <vector>

#include "command.hpp"
#include "lake.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "row_printers.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}};

// A row as a map of its columns, null if there is none. Refers to the row's values.
class named_row {
 public:
  explicit named_row(const tarn::row_view& row) {
    if (row.columns() == nullptr || row.size() == 0) return;
    for (std::size_t at = 0; at < row.size(); ++at) {
      keys_and_values_.emplace_back((*row.columns())[at].name);
      keys_and_values_.push_back(row[at]);
    }
  }
  [[nodiscard]] tarn::value_view view() const {
    if (keys_and_values_.empty()) return nullptr;
    return tarn::map_view(tarn::list_view(keys_and_values_.data(), keys_and_values_.size()));
  }

 private:
  std::vector<tarn::value_view> keys_and_values_;
};

template <class Feed>
exit_code print_changes(Feed& feed, row_format format, output& out) {
  with_printer(format, out, {"version", "change", "before", "after"}, [&](auto printer) {
    progress shown("reading", out.is_terminal() ? progress_display::never : progress_display::on_terminal);
    while (!out.failed() && feed.next()) {
      const tarn::row_change& each = feed.change();
      const named_row before(each.before), after(each.after);
      printer.print({each.at.number, name_of(each.kind), before.view(), after.view()});
      shown.count_row();
    }
    printer.finish();
  });
  const exit_code written = out.finish();
  return feed.status() ? written : report(feed.status().error());
}

exit_code run(const call& asked) {
  output out;
  const tarn::result<row_format> format = wanted_format(asked.given, out);
  if (!format) return misused(asked.of, format.error().message());
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const bool from_beginning = asked.argument(1) == "-1";
  const tarn::result<tarn::version> from = from_beginning ? tarn::version() : find_version(*opened, asked.argument(1));
  if (!from) return report(from.error());
  const bool has_end = asked.given.positional().size() > 2;
  const tarn::result<tarn::version> to = has_end ? find_version(*opened, asked.argument(2)) : newest_version(*opened);
  if (!to) return report(to.error());
  auto feed = tarn::changes(*opened, asked.argument(0), *from, *to);
  if (!feed) return report(feed.error());
  return print_changes(*feed, *format, out);
}

}  // namespace

constexpr command changes_command{"changes",
                                  "TABLE FROM [TO] [--format table|ndjson|csv]",
                                  "print what changed in a table between two versions",
                                  R"(Prints what the versions after FROM, up to TO or the newest, did to the rows of a
table: a line for each row that one of them inserted, updated or erased, with the
row before and after. FROM and TO are numbers, tags or times, see `at --help`; FROM
may be -1, for all from the first version on. Writes that leave a row as it was are no
changes, nor are compactions.

  --format F    table, ndjson or csv

For example:
  lake my-lake changes users 3
  lake my-lake changes users 2026-11-29 2026-11-30 --format ndjson
)",
                                  options,
                                  2,
                                  3,
                                  run};

}  // namespace lake
