// A program of a consumer: the same source, built in every way that a user has.
#include <tarn/core/crc32c.hpp>
#include <tarn/core/value.hpp>

int main() {
  const tarn::value answer(42);
  const bool answered = tarn::value_view(answer).as_integer() == 42;
  const bool checked = tarn::crc32c("123456789") == 0xe3069283U;
  return answered && checked ? 0 : 1;
}
