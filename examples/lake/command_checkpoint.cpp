#include "command.hpp"
#include "lake.hpp"
#include "output.hpp"

namespace lake {
namespace {

exit_code run(const call& asked) {
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const tarn::result<tarn::version> made = opened->checkpoint();
  if (!made) return report(made.error());
  output out;
  if (*made == tarn::version())
    out.print("the lake is empty: there is nothing to make a checkpoint of\n");
  else
    out.print(tarn::concat({"version ", made->number, " has a checkpoint\n"}));
  return out.finish();
}

}  // namespace

constexpr command checkpoint_command{
    "checkpoint",
    "",
    "make the lake faster to open",
    R"(Makes sure that the newest version has a checkpoint: its state in one place, so that
whoever opens the lake need not read the log from its beginning. Every hundredth
version gets one by itself. One that is damaged is replaced.

For example:
  lake my-lake checkpoint
)",
    {},
    0,
    0,
    run};

}  // namespace lake
