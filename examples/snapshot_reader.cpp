// One writer, two readers: the second scenario of the article that tarn descends from. A transaction sees the lake as
// it was when it began, and its own changes; whatever others commit meanwhile.
#include <cstdio>
#include <string>
#include <tarn/tarn.hpp>

namespace {

using lake_client = tarn::client<tarn::memory_store>;

void show(const char* who, lake_client::transaction_type& reading) {
  std::string seen;
  for (const tarn::row_view row : reading.scan("x").value())
    seen += tarn::concat({" ", row["name"].as_string(), "=", row["number"].as_integer()});
  std::printf("  %-22s%s\n", who, seen.empty() ? " nothing" : seen.c_str());
}

}  // namespace

int main() {
  const tarn::memory_store store;  // copies are the same store
  lake_client writer{store};
  lake_client reader{store};

  std::puts("A writer creates table x, inserts two rows, and looks before it commits.");
  auto first = writer.begin().value();
  first.create_table("x", {"name", "number"}).value();
  first.insert("x", {{"Joey", 1}, {"Yue", 2}}).value();
  show("the writer sees", first);
  std::printf("  does a reader see x?   %s\n", reader.begin().value().has_table("x").value() ? "yes" : "no");
  first.commit().value();

  std::puts("The writer begins again; a reader begins; the writer inserts a third row.");
  auto second = writer.begin().value();
  auto early = reader.begin().value();
  second.insert("x", {"Ada", 3}).value();
  show("the writer sees", second);  // its own row, which is in no object yet, first
  show("the early reader sees", early);

  std::puts("The writer commits; another reader begins.");
  second.commit().value();
  auto late = reader.begin().value();
  show("the early reader sees", early);
  show("the late reader sees", late);
}
