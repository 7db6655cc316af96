// Reads JSON texts and says what they are, for json_differential.py. From standard input, one after the other: the
// number of its bytes in decimal, a line feed, the text. To standard output, a line for each: '+' and the value,
// written again, or '-' and why it was refused.
#include <cstddef>
#include <iostream>
#include <string>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_writer.hpp>

int main() {
  std::string size;
  while (std::getline(std::cin, size)) {
    std::string text(static_cast<std::size_t>(std::stoul(size)), '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    tarn::arena memory;
    const auto read = tarn::parse_json(text, memory);
    std::string line = "+";
    if (read)
      tarn::append_json(line, *read, tarn::json_escapes::none);
    else
      line = "-" + read.error().message();
    std::cout << line << '\n';
  }
  return 0;
}
