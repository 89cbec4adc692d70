#include "core/types/registry/type_template.h"

#include <algorithm>
#include <optional>

#include "core/types/identifier.h"
#include "core/types/notation/notation.h"
#include "signet/dtype.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxLength = 4096;  // characters of a template

bool IsNameLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns the text of a size: an integer that is at least 0, or None.
std::optional<std::string> SizeText(const TypeSpec& spec) {
  const auto* literal = spec.As<LiteralSpec>();
  if (literal == nullptr) return std::nullopt;
  if (literal->literal().is(Literal::Kind::kNone)) return "?";
  if (!literal->literal().is(Literal::Kind::kInt)) return std::nullopt;
  auto size = literal->literal().AsInt64();
  if (!size || *size < 0) return std::nullopt;
  return Cat(*size);
}

// Returns the text that replaces a placeholder with the value `spec`.
std::optional<std::string> PlaceText(const TypeSpec& spec) {
  if (auto size = SizeText(spec)) return size;
  const auto* literal = spec.As<LiteralSpec>();
  if (literal != nullptr && literal->literal().is(Literal::Kind::kString)) {
    auto dtype = LookupDType(literal->literal().string_value());
    if (!dtype) return std::nullopt;
    return std::string(NameOf(*dtype));
  }
  if (!IsSequence(spec)) return std::nullopt;
  std::vector<std::string> sizes;
  for (const TypeSpec& child : spec.children()) {
    auto size = SizeText(child);
    if (!size) return std::nullopt;
    sizes.push_back(*std::move(size));
  }
  return Join(sizes, ", ");
}

}  // namespace

StatusOr<TypeTemplate> TypeTemplate::Parse(std::string_view text,
                                           std::span<const std::string> statics) {
  if (text.size() > kMaxLength) {
    return InvalidArgument("a type of ", text.size(), " characters exceeds the limit of ",
                           kMaxLength);
  }
  TypeTemplate out;
  out.text_ = std::string(text);
  while (!text.empty()) {
    size_t mark = std::min(text.find('$'), text.size());
    Part part{std::string(text.substr(0, mark)), ""};
    text.remove_prefix(mark);
    if (!text.empty()) {
      auto end = std::find_if_not(text.begin() + 1, text.end(), IsNameLetter);
      part.place = std::string(text.begin() + 1, end);
      text.remove_prefix(part.place.size() + 1);
      if (std::find(statics.begin(), statics.end(), part.place) == statics.end()) {
        return NotFound("no static attribute `", Printable(part.place), "` to put in place of `$",
                        Printable(part.place),
                        "`; static attributes: ", ListNames({statics.begin(), statics.end()}));
      }
    }
    out.parts_.push_back(std::move(part));
  }
  // A placeholder stands for a dtype, a size, or sizes, depending on the text around it.
  const std::vector<TypeSpec> stand_ins = {LiteralType(Literal::Int(1)),
                                           LiteralType(Literal::String("float32"))};
  std::vector<std::string> places;
  for (const Part& part : out.parts_) {
    bool is_new = std::find(places.begin(), places.end(), part.place) == places.end();
    if (!part.place.empty() && is_new) places.push_back(part.place);
  }
  if (places.size() > 8)
    return InvalidArgument("expected at most 8 placeholders, found ", places.size());
  Status rejection;
  for (size_t choice = 0; choice < size_t{1} << places.size(); ++choice) {
    NamedTypes trial;
    for (size_t i = 0; i < places.size(); ++i) {
      trial.emplace_back(places[i], stand_ins[(choice >> i) & 1]);
    }
    auto filled = out.Fill(trial);
    if (filled.ok()) return out;
    if (choice == 0) rejection = filled.status();
  }
  return rejection;
}

StatusOr<TypeSpec> TypeTemplate::Fill(const NamedTypes& statics) const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.text;
    if (part.place.empty()) continue;
    auto found = std::find_if(statics.begin(), statics.end(),
                              [&](const auto& entry) { return entry.first == part.place; });
    if (found == statics.end()) {
      return InvalidArgument("no static attribute `", part.place, "`, which `", text_, "` names");
    }
    auto place = PlaceText(found->second);
    if (!place) {
      return InvalidArgument("static attribute `", part.place, "` in `", text_,
                             "`: expected the name of a dtype, a size, or a list of sizes, found `",
                             Printable(found->second.ToString()), "`");
    }
    text += *place;
  }
  return ParseTypeSpec(text);
}

}  // namespace signet
