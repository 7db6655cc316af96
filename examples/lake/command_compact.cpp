#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace lake {
namespace {

struct outcome {
  tarn::version newest;  // -1: there was nothing to do
  std::uint64_t replaced = 0;
  std::uint64_t objects = 0;
  std::uint64_t records = 0;
};

// As client::compact does it, but counts.
tarn::result<outcome> compact_all(client& opened, std::string_view table) {
  outcome all;
  std::size_t left = 0;
  do {
    // Planned anew each time, since each commit makes a version; others may add to the work for as long as they like.
    const tarn::result<tarn::sequence<tarn::compaction_plan>> plans = opened.plan_compaction(table);
    if (!plans) return plans.error();
    if (plans->empty()) return all;
    if (all.replaced == 0) left = plans->size();
    const tarn::result<tarn::compacted_objects> done = opened.run_compaction(plans->front());
    if (!done) return done.error();
    const tarn::result<tarn::version> committed = settled(opened, opened.commit_compaction(*done));
    if (!committed) return committed.error();
    all.newest = *committed;
    all.replaced += done->plan.objects.size();
    if (!done->object.id.is_nil()) ++all.objects;
    all.records += done->object.rows;
  } while (--left > 0);
  return all;
}

exit_code run(const call& asked) {
  const std::string_view table = asked.argument(0);
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  const tarn::result<outcome> done = compact_all(*opened, table);
  if (!done) return report(done.error());
  output out;
  if (done->replaced == 0)
    out.print(tarn::concat({"table ", table, " has nothing to compact\n"}));
  else
    out.print(tarn::concat({"compacted table ", table, ": ", count_of(done->replaced, "object"), " into ",
                            grouped(done->objects), " with ", count_of(done->records, "record"), " (version ",
                            done->newest.number, ")\n"}));
  return out.finish();
}

}  // namespace

constexpr command compact_command{"compact",
                                  "TABLE",
                                  "make a table faster to read",
                                  R"(Replaces the objects of each bucket of a keyed table by one that holds what they
come to; in a table without a key, objects that are small or have lost many rows by
one that has the rows of several. No answer changes, and earlier versions can still
be read: they keep their objects. Each replacement is a version of its own.

Others may write to the table meanwhile. Exit code 3 if another process compacted
the same objects, or deleted rows of them: what came before has been compacted.

For example:
  lake my-lake compact users
)",
                                  {},
                                  1,
                                  1,
                                  run};

}  // namespace lake
