#include "command.hpp"
#include "lake.hpp"
#include "output.hpp"

namespace lake {
namespace {

exit_code run(const call& asked) {
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const tarn::result<tarn::version> wanted = find_version(*opened, asked.argument(0));
  if (!wanted) return report(wanted.error());
  const tarn::result<tarn::version> committed = settled(*opened, opened->restore(*wanted));
  if (!committed) return report(committed.error());
  output out;
  out.print(tarn::concat({"restored version ", wanted->number, " (version ", committed->number, ")\n"}));
  return out.finish();
}

}  // namespace

constexpr command restore_command{
    "restore",
    "WHEN",
    "go back to an older version",
    R"(Makes all tables what they were in the version that WHEN means: a number, a tag or a
time, see `at --help`. That is a version of its own: those in between stay, and can
be read and restored like any other. Tags stay as they are.

Exit code 3 if another process wrote to the lake meanwhile.

For example:
  lake my-lake restore 3
)",
    {},
    1,
    1,
    run};

}  // namespace lake
