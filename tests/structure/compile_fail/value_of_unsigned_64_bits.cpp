// The upper half of the unsigned 64-bit integers would become negative.
// expect: tarn's integers are signed, of 64 bits: write static_cast<std::int64_t>(n), after checking that n fits
#include <tarn/core/value.hpp>

#ifdef GOOD
tarn::value_view view_of(std::uint64_t n) { return static_cast<std::int64_t>(n); }
tarn::value_view view_of_narrower(std::uint32_t n) { return n; }
#else
tarn::value_view view_of(std::uint64_t n) { return n; }
#endif
