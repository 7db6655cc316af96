#include <optional>
#include <tarn/vacuum.hpp>

#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "times.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

constexpr option options[] = {
    {"--dry-run", false}, {"--keep-versions", true}, {"--keep", true}, {"--grace", true}, {"--truncate", false}};

// What the options say; an error for the user.
tarn::result<tarn::vacuum_options> wanted_retention(const arguments& given) {
  tarn::vacuum_options wanted;
  wanted.dry_run = given.has("--dry-run");
  if (const auto text = given.value("--keep-versions")) {
    const std::optional<std::int64_t> count = parse_count(*text);
    if (!count || *count == 0)
      return tarn::error(tarn::errc::invalid_argument, "--keep-versions needs a number of versions, at least 1");
    wanted.keep_versions = static_cast<std::uint64_t>(*count);
  }
  struct duration_option {
    std::string_view name;
    std::uint64_t& ms;
  };
  for (const duration_option& each : {duration_option{"--keep", wanted.keep_ms}, {"--grace", wanted.grace_ms}}) {
    const auto text = given.value(each.name);
    if (!text) continue;
    const std::optional<std::uint64_t> duration = parse_duration(*text);
    if (!duration)
      return tarn::error(tarn::errc::invalid_argument,
                         tarn::concat({each.name, " needs a time such as 7d, 12h, 30m, 90s or 0"}));
    each.ms = *duration;
  }
  return wanted;
}

void print_kept(const tarn::vacuum_report& done, output& out) {
  const std::int64_t oldest = done.kept.oldest.number;
  out.print(oldest == 0 ? std::string("all versions are kept\n")
                        : tarn::concat({"versions from ", oldest, " on are kept, and those with tags\n"}));
}

void print(const tarn::vacuum_report& done, output& out) {
  print_kept(done, out);
  out.print(tarn::concat({"removed ", count_of(done.objects.size(), "object"), ", ", grouped(done.remaining),
                          " remain (version ", done.at.number, ")\n"}));
}

void print_plan(const tarn::vacuum_report& plan, output& out) {
  print_kept(plan, out);
  for (const tarn::vacuum_finding& each : plan.objects) {
    if (each.verdict == tarn::vacuum_verdict::referenced) continue;
    std::string line = each.verdict == tarn::vacuum_verdict::garbage ? "remove  " : "leave   ";
    append_visible(line, each.name);
    out.print(tarn::concat({line, "  ", name_of(each.verdict), "\n"}));
  }
  out.print(tarn::concat({"would remove ", count_of(plan.objects.size() - plan.remaining, "object"), ", ",
                          grouped(plan.remaining), " would remain\n"}));
}

exit_code run(const call& asked) {
  const tarn::result<tarn::vacuum_options> wanted = wanted_retention(asked.given);
  if (!wanted) return misused(asked.of, wanted.error().message());
  if (wanted->dry_run && asked.given.has("--truncate"))
    return misused(asked.of, "--dry-run changes nothing, so it does not go with --truncate");
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const tarn::result<tarn::vacuum_report> done = tarn::vacuum(*opened, *wanted);
  if (!done) return report(done.error());
  output out;
  if (wanted->dry_run)
    print_plan(*done, out);
  else
    print(*done, out);
  if (asked.given.has("--truncate")) {
    const tarn::result<tarn::version> begins = tarn::truncate(*opened);
    if (!begins) {
      (void)out.finish();
      return report(begins.error());
    }
    out.print(begins->number < 0 ? std::string("the log has nothing to give up\n")
                                 : tarn::concat({"the log begins with version ", begins->number, " now\n"}));
  }
  return out.finish();
}

}  // namespace

constexpr command vacuum_command{"vacuum",
                                 "[--dry-run] [--keep TIME] [--keep-versions N]\n         [--grace TIME] [--truncate]",
                                 "give up old versions and garbage",
                                 R"(Gives up old versions and removes the data objects that only they, or nobody, needs.
What is given up can never be read again. The newest version always stays, and so do
those with tags, and what was committed meanwhile; others may read and write.

  --keep TIME        keeps the versions that were the newest at any time since; 7d
                     if not given. TIME is a number with s, m, h or d, or 0
  --keep-versions N  keeps the newest N versions, however old; 1 if not given
  --grace TIME       leaves garbage that is younger: it may be of a transaction that
                     is still running; 1d if not given. A transaction that takes
                     longer may fail, and can be run again
  --truncate         also removes the part of the log that only versions need which
                     were given up
  --dry-run          changes nothing; lists what would go, and what nobody needs but
                     would stay, with the reason

Exit code 3 if another process truncated the log at the same time.

For example:
  lake my-lake vacuum --dry-run --keep 30d
  lake my-lake vacuum --keep-versions 10 --keep 0 --truncate
)",
                                 options,
                                 0,
                                 0,
                                 run};

}  // namespace lake
