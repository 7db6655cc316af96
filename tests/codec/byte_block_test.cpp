// The block of each size against what the definition says of each byte.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <tarn/codec/byte_block.hpp>

using namespace tarn;

namespace {

template <class Block, run Kind>
void check_block() {
  // Each byte at each place, among others that do not interrupt, and before and after one that does.
  for (const char other : {'a', '!', '#', '[', ']', '\x20', '\x7f', Kind == run::of_any ? '\xc3' : 'z'})
    for (std::size_t place = 0; place < Block::size; ++place)
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(Block::size, other);
        text[place] = static_cast<char>(byte);
        const std::size_t expected = interrupts<Kind>(text[place]) ? place : Block::size;
        CAPTURE(place);
        CAPTURE(byte);
        REQUIRE(Block::template find<Kind>(text.data()) == expected);
        for (std::size_t second = place + 1; second < Block::size; ++second) {
          text[second] = '"';
          REQUIRE(Block::template find<Kind>(text.data()) == (expected == place ? place : second));
          text[second] = other;
        }
      }
}

}  // namespace

TEST_CASE("Quotes, backslashes and control characters interrupt a run; on reading, so does what is not ASCII") {
  for (int byte = 0; byte < 256; ++byte) {
    const bool always = byte < 0x20 || byte == '"' || byte == '\\';
    CHECK(interrupts<run::of_any>(static_cast<char>(byte)) == always);
    CHECK(interrupts<run::of_ascii>(static_cast<char>(byte)) == (always || byte > 0x7f));
  }
}

TEST_CASE_TEMPLATE("A block finds the first byte that interrupts, whichever it is and wherever", Block, integer_block,
                   byte_block) {
  check_block<Block, run::of_ascii>();
  check_block<Block, run::of_any>();
}
