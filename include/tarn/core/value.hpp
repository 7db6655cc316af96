// The values a row is made of: `value` owns one, `value_view` looks at one wherever it is kept (in a `value`, in a
// decoded object, in the caller's variables).
//
// Equality is identity of the stored value: integer 1 is not double 1.0, 0.0 is not -0.0, and a NaN is itself.
// Not thread-safe to change, safe to read from several threads.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config.hpp"
#include "error.hpp"
#include "sequence.hpp"
#include "text.hpp"

namespace tarn::inline TARN_ABI {

enum class kind : unsigned char { null, boolean, integer, real, string, bytes, list, map };

[[nodiscard]] constexpr std::string_view name_of(kind k) noexcept {
  constexpr const char* names[] = {"null", "boolean", "integer", "double", "string", "bytes", "list", "map"};
  return names[static_cast<unsigned char>(k)];
}

// Bytes that are not text. `bytes{data}` is stored as bytes, a plain string as a UTF-8 string.
struct bytes {
  std::string_view data;
};

template <class T>
concept character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

class value;
class value_view;
class list_view;
class map_view;

// Whether they are the same, bit for bit. The operators that call these are friends of their classes: overloads for all
// of the namespace would be tried, with every conversion to a value, wherever two things of it are compared.
template <class = void>
[[nodiscard]] bool is_same(const value_view& a, const value_view& b) noexcept;
template <class = void>
[[nodiscard]] bool are_same(const list_view& a, const list_view& b) noexcept;

// One value, by reference: valid as long as what it looks at. Converts from the types of the language, so that a row
// can be written as `{1, "Ada", 2.5, nullptr}`.
class value_view {
 public:
  constexpr value_view() noexcept : kind_(kind::null), integer_(0) {}
  constexpr value_view(std::nullptr_t) noexcept : value_view() {}
  constexpr value_view(std::same_as<bool> auto b) noexcept : kind_(kind::boolean), integer_(b ? 1 : 0) {}
  template <class Real>  // a template, since enumerations convert to double
    requires(std::same_as<Real, double> || std::same_as<Real, float>)
  constexpr value_view(Real number) noexcept : kind_(kind::real), real_(static_cast<double>(number)) {}
  constexpr value_view(std::string_view text) noexcept : kind_(kind::string), size_(text.size()), text_(text.data()) {}
  constexpr value_view(const char* text) noexcept  // null for a null pointer, as getenv returns for what is not set
      : value_view(text == nullptr ? value_view() : value_view(std::string_view(text))) {}
  value_view(const std::string& text) noexcept : value_view(std::string_view(text)) {}
  constexpr value_view(bytes b) noexcept : kind_(kind::bytes), size_(b.data.size()), text_(b.data.data()) {}
  value_view(
      const std::same_as<value> auto& owned) noexcept;  // a template, so that a value converts, but nothing to it
  constexpr value_view(list_view list) noexcept;
  constexpr value_view(map_view map) noexcept;

  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  constexpr value_view(Integer number) noexcept : kind_(kind::integer), integer_(static_cast<std::int64_t>(number)) {
    static_assert(!character<Integer>,
                  "a character is neither text nor a number: write std::string_view(&c, 1) or int{c}");
    static_assert(
        std::signed_integral<Integer> || sizeof(Integer) < sizeof(std::int64_t),
        "tarn's integers are signed, of 64 bits: write static_cast<std::int64_t>(n), after checking that n fits");
  }

  [[nodiscard]] constexpr tarn::kind kind() const noexcept { return kind_; }
  [[nodiscard]] constexpr bool is_null() const noexcept { return kind_ == kind::null; }

  // The value as what it is. Asking for another kind than `kind()` fails loudly (see `fail`).
  template <class = void>
  [[nodiscard]] bool as_boolean() const {
    return expect(kind::boolean).integer_ != 0;
  }
  template <class = void>
  [[nodiscard]] std::int64_t as_integer() const {
    return expect(kind::integer).integer_;
  }
  template <class = void>
  [[nodiscard]] double as_double() const {
    return expect(kind::real).real_;
  }
  template <class = void>
  [[nodiscard]] std::string_view as_string() const {
    return expect(kind::string).text();
  }
  template <class = void>
  [[nodiscard]] std::string_view as_bytes() const {
    return expect(kind::bytes).text();
  }
  template <class = void>
  [[nodiscard]] list_view as_list() const;
  template <class = void>
  [[nodiscard]] map_view as_map() const;

  template <class = void>
  [[nodiscard]] friend bool operator==(const value_view& a, const value_view& b) noexcept {
    return is_same(a, b);
  }

 private:
  friend class list_view;
  friend class map_view;

  [[nodiscard]] std::string_view text() const noexcept { return {text_, size_}; }
  template <class = void>
  [[nodiscard]] const value_view& expect(tarn::kind wanted) const {
    if (kind_ != wanted) refuse(wanted);
    return *this;
  }
  template <class = void>
  [[noreturn]] void refuse(tarn::kind wanted) const {
    fail(error(errc::invalid_argument, concat({"asked for ", name_of(wanted), ", but the value is ", name_of(kind_),
                                               ": look at kind() first"})));
  }

  tarn::kind kind_;
  bool owned_ = false;    // a list's or map's elements are `value`s, not `value_view`s
  std::size_t size_ = 0;  // bytes of text, or elements (a map has two for each member)
  union {
    std::int64_t integer_;
    double real_;
    const char* text_;
    const void* elements_;
  };
};

// An input iterator over anything that is indexed by [0, size()) and hands out values, not references.
template <class View>
class index_iterator {
 public:
  using value_type = decltype(std::declval<const View&>()[0]);
  using difference_type = std::ptrdiff_t;

  constexpr index_iterator(const View* view, std::size_t index) noexcept : view_(view), index_(index) {}
  [[nodiscard]] value_type operator*() const { return (*view_)[index_]; }
  index_iterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  index_iterator operator++(int) noexcept {
    index_iterator before = *this;
    ++index_;
    return before;
  }
  friend bool operator==(const index_iterator& a, const index_iterator& b) noexcept { return a.index_ == b.index_; }

 private:
  const View* view_;
  std::size_t index_;
};

// Values next to each other in memory: a `row`, a std::vector<value>, a std::array or a std::span of them.
template <class A>
concept array_of_values = requires(const A& values) {
  requires std::same_as<std::remove_cv_t<std::remove_pointer_t<decltype(values.data())>>, value>;
  { values.size() } -> std::convertible_to<std::size_t>;
};

// A sequence of values, by reference.
class list_view {
 public:
  constexpr list_view() noexcept : elements_(static_cast<const value_view*>(nullptr)) {}
  constexpr list_view(const value_view* elements, std::size_t size) noexcept : elements_(elements), size_(size) {}
  list_view(const array_of_values auto& owned) noexcept : list_view(owned.data(), owned.size(), true) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  // `index` must be less than size().
  [[nodiscard]] value_view operator[](std::size_t index) const noexcept;
  // All but the first `count` elements, of which there must be as many.
  [[nodiscard]] list_view from(std::size_t count) const noexcept;
  // The elements, if that is what they are; null if they are `value`s. Indexing copies them, which adds up where each
  // value of many rows is looked at.
  [[nodiscard]] const value_view* views() const noexcept {
    return owned_ ? nullptr : static_cast<const value_view*>(elements_);
  }

  [[nodiscard]] index_iterator<list_view> begin() const noexcept { return {this, 0}; }
  [[nodiscard]] index_iterator<list_view> end() const noexcept { return {this, size_}; }

  template <class = void>
  [[nodiscard]] friend bool operator==(const list_view& a, const list_view& b) noexcept {
    return are_same(a, b);
  }

 private:
  friend class value_view;
  friend class map_view;
  constexpr list_view(const void* elements, std::size_t size, bool owned) noexcept
      : elements_(elements), size_(size), owned_(owned) {}

  // Apart, so that the other case is short enough to become part of its caller.
  template <class = void>
  [[nodiscard]] [[gnu::noinline]] value_view owned_at(std::size_t index) const noexcept;

  const void* elements_;
  std::size_t size_ = 0;
  bool owned_ = false;
};

struct member_view {
  std::string_view key;
  value_view value;

  template <class = void>
  [[nodiscard]] friend bool operator==(const member_view& a, const member_view& b) noexcept {
    return a.key == b.key && is_same(a.value, b.value);
  }
};

// Keys and values by reference, in the order in which they were written. Keys are UTF-8 and differ from one another.
class map_view {
 public:
  constexpr map_view() noexcept = default;
  // The keys, which must be strings, and the values in turn.
  constexpr explicit map_view(list_view keys_and_values) noexcept : alternating_(keys_and_values) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return alternating_.size() / 2; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] member_view operator[](std::size_t index) const noexcept {
    return {alternating_[2 * index].text(), alternating_[2 * index + 1]};
  }

  // What it was made of.
  [[nodiscard]] constexpr list_view keys_and_values() const noexcept { return alternating_; }

  [[nodiscard]] index_iterator<map_view> begin() const noexcept { return {this, 0}; }
  [[nodiscard]] index_iterator<map_view> end() const noexcept { return {this, size()}; }

  template <class = void>
  [[nodiscard]] friend bool operator==(const map_view& a, const map_view& b) noexcept {
    return are_same(a.alternating_, b.alternating_);
  }

 private:
  friend class value_view;
  list_view alternating_;
};

constexpr value_view::value_view(list_view list) noexcept
    : kind_(kind::list), owned_(list.owned_), size_(list.size_), elements_(list.elements_) {}
constexpr value_view::value_view(map_view map) noexcept
    : kind_(kind::map),
      owned_(map.alternating_.owned_),
      size_(map.alternating_.size_),
      elements_(map.alternating_.elements_) {}

template <class>
list_view value_view::as_list() const {
  (void)expect(kind::list);
  return {elements_, size_, owned_};
}
template <class>
map_view value_view::as_map() const {
  (void)expect(kind::map);
  return map_view(list_view(elements_, size_, owned_));
}

// One value, owned. A default-constructed one is null.
class value {
 public:
  struct member;

  value() noexcept = default;
  // Anything that a value_view can be made of.
  template <class T>
    requires(!std::same_as<T, value> && requires(const T& from) { value_view(from); })
  value(const T& from) : value(value_view(from), 0) {}

  template <class = void>
  [[nodiscard]] static value list(std::initializer_list<value> elements) {
    value made;
    made.kind_ = kind::list;
    made.elements_ = elements;
    return made;
  }
  template <class = void>
  [[nodiscard]] static value map(std::initializer_list<member> members);

  [[nodiscard]] tarn::kind kind() const noexcept { return kind_; }

  template <class = void>
  [[nodiscard]] friend bool operator==(const value& a, const value& b) noexcept {
    return is_same(a, b);
  }
  template <class = void>
  [[nodiscard]] friend bool operator==(const value_view& a, const value& b) noexcept {
    return is_same(a, b);
  }

 private:
  friend class value_view;

  template <class = void>
  value(value_view from, int) : kind_(from.kind()) {
    switch (kind_) {
      case kind::null: break;
      case kind::boolean: integer_ = from.as_boolean() ? 1 : 0; break;
      case kind::integer: integer_ = from.as_integer(); break;
      case kind::real: integer_ = std::bit_cast<std::int64_t>(from.as_double()); break;
      case kind::string: text_ = from.as_string(); break;
      case kind::bytes: text_ = from.as_bytes(); break;
      case kind::list:
        for (const value_view element : from.as_list()) elements_.emplace_back(element);
        break;
      case kind::map:
        for (const member_view each : from.as_map()) {
          elements_.emplace_back(each.key);
          elements_.emplace_back(each.value);
        }
        break;
    }
  }

  tarn::kind kind_ = kind::null;
  std::int64_t integer_ = 0;  // boolean, integer, or the bits of a double
  std::string text_;          // string, bytes
  sequence<value> elements_;  // list; map: keys and values in turn
};

struct value::member {
  std::string key;
  value content;
};

template <class>
value value::map(std::initializer_list<member> members) {
  value made;
  made.kind_ = kind::map;
  for (const member& m : members) {
    made.elements_.emplace_back(m.key);
    made.elements_.push_back(m.content);
  }
  return made;
}

value_view::value_view(const std::same_as<value> auto& owned) noexcept : kind_(owned.kind_), integer_(owned.integer_) {
  switch (kind_) {
    case kind::null:
    case kind::boolean:
    case kind::integer: break;
    case kind::real: real_ = std::bit_cast<double>(owned.integer_); break;
    case kind::string:
    case kind::bytes:
      text_ = owned.text_.data();
      size_ = owned.text_.size();
      break;
    case kind::list:
    case kind::map:
      elements_ = owned.elements_.data();
      size_ = owned.elements_.size();
      owned_ = true;
      break;
  }
}

inline list_view list_view::from(std::size_t count) const noexcept {
  const auto* const elements = owned_ ? static_cast<const void*>(static_cast<const value*>(elements_) + count)
                                      : static_cast<const void*>(static_cast<const value_view*>(elements_) + count);
  return {elements, size_ - count, owned_};
}

[[gnu::always_inline]] inline value_view list_view::operator[](std::size_t index) const noexcept {
  return owned_ ? owned_at(index) : static_cast<const value_view*>(elements_)[index];
}
template <class>
value_view list_view::owned_at(std::size_t index) const noexcept {
  return static_cast<const value*>(elements_)[index];
}

namespace value_detail {

template <class = void>
[[nodiscard]] [[gnu::noinline]] const value_view* gather_views(const list_view& list, sequence<value_view>& scratch) {
  scratch.clear();
  for (const value_view element : list) scratch.push_back(element);
  return scratch.data();
}

}  // namespace value_detail

// The elements of a list, next to each other: in `scratch`, if they are not so yet. Valid as long as both.
template <class = void>
[[nodiscard]] [[gnu::always_inline]] inline const value_view* views_of(const list_view& list,
                                                                       sequence<value_view>& scratch) {
  const value_view* const views = list.views();
  return views != nullptr ? views : value_detail::gather_views(list, scratch);
}

// Recursion is as deep as the values, which `limits::nesting_depth_max` bounds for what tarn has read.
template <class>
bool is_same(const value_view& a, const value_view& b) noexcept {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::null: return true;
    case kind::boolean: return a.as_boolean() == b.as_boolean();
    case kind::integer: return a.as_integer() == b.as_integer();
    case kind::real: return std::bit_cast<std::uint64_t>(a.as_double()) == std::bit_cast<std::uint64_t>(b.as_double());
    case kind::string: return a.as_string() == b.as_string();
    case kind::bytes: return a.as_bytes() == b.as_bytes();
    case kind::list: return are_same(a.as_list(), b.as_list());
    case kind::map: return are_same(a.as_map().keys_and_values(), b.as_map().keys_and_values());
  }
  return false;
}

template <class>
bool are_same(const list_view& a, const list_view& b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at)
    if (!is_same(a[at], b[at])) return false;
  return true;
}

}  // namespace tarn::inline TARN_ABI
