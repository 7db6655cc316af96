// A character converts to an integer silently; in a row it would be stored as its code.
// expect: a character is neither text nor a number: write std::string_view(&c, 1) or int{c}
#include <tarn/core/value.hpp>

#ifdef GOOD
tarn::value_view text_of(const char& c) { return std::string_view(&c, 1); }
tarn::value_view code_of(char c) { return int{c}; }
#else
tarn::value_view view_of(char c) { return c; }
#endif
