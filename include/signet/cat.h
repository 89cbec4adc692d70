// Cat: joins text, numbers and anything with `ToString()` into one string.
//
//   std::string message = signet::Cat("shape ", signet::Shape{2, 2});  // shape [2, 2]
//
//   Cat("argument `", name, "` is `", spec, "`")
//
// Debian 12's absl::StrCat does not accept std::string_view; Cat does.

#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace signet {

void AppendNumber(std::string& out, long long number);
void AppendNumber(std::string& out, unsigned long long number);
// Appends the shortest text that reads back as `number`. The text always has a point, an exponent,
// or a word: 1.0, 1e300, nan, inf.
void AppendNumber(std::string& out, double number);

template <class Part>
void AppendPart(std::string& out, const Part& part) {
  if constexpr (std::convertible_to<const Part&, std::string_view>) {
    out.append(std::string_view(part));
  } else if constexpr (std::same_as<Part, bool>) {
    out.append(part ? "true" : "false");
  } else if constexpr (std::same_as<Part, char>) {
    out.push_back(part);
  } else if constexpr (std::floating_point<Part>) {
    AppendNumber(out, static_cast<double>(part));
  } else if constexpr (std::signed_integral<Part>) {
    AppendNumber(out, static_cast<long long>(part));
  } else if constexpr (std::unsigned_integral<Part>) {
    AppendNumber(out, static_cast<unsigned long long>(part));
  } else {
    out.append(part.ToString());
  }
}

template <class... Parts>
std::string Cat(const Parts&... parts) {
  std::string out;
  (AppendPart(out, parts), ...);
  return out;
}

// Returns the text of `items` with `separator` between them.
template <class Items>
std::string Join(const Items& items, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out.append(separator);
    first = false;
    AppendPart(out, item);
  }
  return out;
}

// Returns `text`, which comes from outside, in a form that fits a message: it is cut at 64
// characters, and control bytes are escaped.
std::string Printable(std::string_view text);

// Returns a list of names for an error that states what exists: sorted, at most eight, or "none" if
// there are no names.
std::string ListNames(std::vector<std::string> names);

}  // namespace signet
