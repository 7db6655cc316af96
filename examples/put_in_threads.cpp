// A big load: the objects of one transaction go into the store while the next rows are encoded. tarn starts no threads;
// here are the twenty lines that do.
#include <cstdint>
#include <cstdio>
#include <future>
#include <system_error>
#include <tarn/tarn.hpp>

namespace {

// Each object is put in a thread of its own: tarn starts limits::flushes_max of them at a time, no more.
tarn::executor threads() {
  tarn::executor made;
  made.start = [](void*, void (*work)(void*), void* argument) -> void* {
    try {
      return new std::future<void>(std::async(std::launch::async, work, argument));
    } catch (const std::system_error&) {
      return nullptr;  // no thread to be had: tarn does the work itself
    }
  };
  made.finish = [](void*, void* started) {
    auto* const done = static_cast<std::future<void>*>(started);
    done->wait();
    delete done;
  };
  return made;
}

}  // namespace

int main() {
  tarn::client_options options;
  options.executor = threads();
  options.bounds.flushes_max = 4;
  tarn::client lake{tarn::file_store{"lake"}, options};

  auto loading = lake.begin().value();
  loading.create_table("numbers", {{"n", tarn::column_type::integer}, {"square", tarn::column_type::integer}}).value();
  for (std::int64_t n = 0; n < 300'000; ++n) loading.insert("numbers", {n, n * n}).value();
  const tarn::version loaded = loading.commit().value();  // waits for the objects, then makes them visible

  std::int64_t rows = 0;
  for (const tarn::row_view row : lake.begin().value().scan("numbers").value()) rows += row["square"].as_integer() >= 0;
  std::printf("version %lld has %lld rows\n", static_cast<long long>(loaded.number), static_cast<long long>(rows));
}
