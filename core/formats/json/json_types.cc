#include "core/formats/json/json_types.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/common/allowance.h"
#include "core/formats/json/json.h"
#include "core/formats/json/json_tokens.h"
#include "core/types/child_path.h"
#include "core/values/builders/value_writer.h"
#include "signet/extension_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// A key of an object, and the text of its value.
struct Member {
  std::string key;
  std::string_view value;
};

const Member* Lookup(const std::vector<Member>& members, std::string_view key) {
  for (const Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

// Compares types that look the same in JSON: returns true if `json`, the type of a text, equals
// `expected` except that lists may be tuples.
bool IsWrittenAlike(const TypeSpec& json, const TypeSpec& expected) {
  if (json == expected) return true;
  if (!IsSequence(json) || !IsSequence(expected)) return false;
  return std::equal(json.children().begin(), json.children().end(), expected.children().begin(),
                    expected.children().end(), IsWrittenAlike);
}

class TypeFinder {
 public:
  TypeFinder(const TypeRegistry& types, FindForms forms, const Limits& limits)
      : types_(types), forms_(forms), limits_(limits) {}

  StatusOr<TypeSpec> Find(std::string_view text, TypeSpec expected, int depth) const {
    SIGNET_RETURN_IF_ERROR(Allowance(limits_).CheckDepth(depth));
    while (expected && expected.is(TypeKind::kAny)) {
      expected = expected.children().empty() ? TypeSpec() : expected.children()[0];
    }
    if (!MayHaveTypeKeys(text)) {
      if (!expected) return TypeOfPlain(text);
      if (expected.is(TypeKind::kExtension)) return FormOf(text, expected);
      if (!IsNestOfValues(expected)) return expected;
    }
    SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
    switch (json.tokens().Peek()) {
      case '{':
        return FindOfObject(json.text(), json.tokens(), expected, depth);
      case '[':
        return FindOfList(json.text(), json.tokens(), expected, depth);
      default:
        return expected ? expected : TypeOfPlain(text);
    }
  }

 private:
  static bool IsNestOfValues(const TypeSpec& type) {
    return IsSequence(type) || type.is(TypeKind::kDict) || type.is(TypeKind::kNamedTuple);
  }

  // Returns `expected`, an extension type, or the first of its forms that `text` matches.
  StatusOr<TypeSpec> FormOf(std::string_view text, const TypeSpec& expected) const {
    std::vector<TypeSpec> forms = forms_(expected);
    if (forms.empty() || ValueFromJson(text, expected, limits_).ok()) return expected;
    for (TypeSpec& form : forms) {
      auto value = ValueFromJson(text, form, limits_);
      if (value.ok()) return std::move(form);
      if (absl::IsResourceExhausted(value.status())) return value.status();
    }
    return expected;
  }

  StatusOr<TypeSpec> TypeOfPlain(std::string_view text) const {
    SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(text, {}, limits_));
    return value.spec();
  }

  // Returns the text of the next value and skips it.
  StatusOr<std::string_view> TakeValue(std::string_view text, JsonTokens& tokens) const {
    size_t begin = tokens.at();
    if (!tokens.SkipValid(limits_.nesting_depth)) {
      return At(Cat("byte ", begin),
                InvalidArgument("expected a JSON value, nested at most ", limits_.nesting_depth,
                                " deep (--max_nesting_depth)"));
    }
    return text.substr(begin, tokens.at() - begin - TrailingBytes(text, begin, tokens.at()));
  }

  // Returns the number of bytes of white space before `end`.
  static size_t TrailingBytes(std::string_view text, size_t begin, size_t end) {
    size_t count = 0;
    while (end - count > begin &&
           std::string_view(" \t\r\n").find(text[end - count - 1]) != std::string_view::npos) {
      ++count;
    }
    return count;
  }

  StatusOr<std::vector<Member>> TakeMembers(std::string_view text, JsonTokens tokens) const {
    std::vector<Member> members;
    std::string memory;
    tokens.Pass();
    if (tokens.Take('}')) return members;
    do {
      if (tokens.Peek() != '"') break;
      std::string_view key = tokens.TakeText();
      if (JsonTokens::HasEscape(key)) {
        if (!tokens.Unescape(key, memory)) break;
        key = memory;
      }
      if (!tokens.Take(':')) break;
      Member member = {std::string(key), {}};
      SIGNET_ASSIGN_OR_RETURN(member.value, TakeValue(text, tokens));
      members.push_back(std::move(member));
      if (members.size() > static_cast<size_t>(limits_.names)) {
        return ResourceExhausted("more than ", limits_.names,
                                 " keys, which is the limit (--max_names)");
      }
      if (tokens.Take('}')) return members;
    } while (tokens.Take(','));
    return At(Cat("byte ", tokens.at()), InvalidArgument("expected a key, `,` or `}`"));
  }

  StatusOr<TypeSpec> FindOfObject(std::string_view text, const JsonTokens& tokens,
                                  const TypeSpec& expected, int depth) const {
    SIGNET_ASSIGN_OR_RETURN(std::vector<Member> members, TakeMembers(text, tokens));
    if (const Member* type = Lookup(members, kTypeKey)) {
      SIGNET_ASSIGN_OR_RETURN(Value name, ValueFromJson(type->value, {}, limits_));
      if (!name.spec().is(TypeKind::kLiteral) || !name.literal().is(Literal::Kind::kString)) {
        return InvalidWithReason("STRUCTURE_MISMATCH",
                                 "`$type`: expected the name of an extension type, ", "found `",
                                 Printable(type->value), "`; a dict's own key is written `$$type`");
      }
      return FindOfExtension(name.literal().string_value(), members, expected, depth);
    }
    if (!expected) {
      NamedTypes items;
      for (const Member& member : members) {
        std::string key = IsTypeKey(member.key) ? member.key.substr(1) : member.key;
        SIGNET_ASSIGN_OR_RETURN(TypeSpec item, FindOfPart(key, member.value, {}, depth));
        items.emplace_back(std::move(key), std::move(item));
      }
      auto dict = MakeDictType(std::move(items));
      if (!dict.ok()) return WithReason("STRUCTURE_MISMATCH", dict.status());
      return dict;
    }
    bool is_record = expected.is(TypeKind::kDict) || expected.is(TypeKind::kNamedTuple) ||
                     expected.is(TypeKind::kExtension);
    if (!is_record) return expected;
    std::vector<TypeSpec> children(expected.children().begin(), expected.children().end());
    auto names = ChildNames(expected);
    for (size_t i = 0; i < children.size(); ++i) {
      const Member* member = Lookup(members, names[i]);
      if (member == nullptr) continue;
      SIGNET_ASSIGN_OR_RETURN(children[i], FindOfPart(names[i], member->value, children[i], depth));
    }
    return expected.rep().Rebuild({}, std::move(children));
  }

  StatusOr<TypeSpec> FindOfPart(const std::string& step, std::string_view text,
                                const TypeSpec& expected, int depth) const {
    auto found = Find(text, expected, depth + 1);
    if (found.ok()) return found;
    return WithField(step, At(Cat("`", Printable(step), "`"), std::move(found).status()));
  }

  StatusOr<TypeSpec> FindOfList(std::string_view text, JsonTokens tokens, const TypeSpec& expected,
                                int depth) const {
    if (expected && !IsSequence(expected)) return expected;
    std::vector<TypeSpec> elements;
    tokens.Pass();
    if (!tokens.Take(']')) {
      do {
        size_t i = elements.size();
        bool has_type = expected && i < expected.children().size();
        SIGNET_ASSIGN_OR_RETURN(std::string_view element, TakeValue(text, tokens));
        SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                                FindOfPart(Cat("[", i, "]"), element,
                                           has_type ? expected.children()[i] : TypeSpec(), depth));
        elements.push_back(std::move(type));
        if (elements.size() > static_cast<size_t>(limits_.names)) {
          return ResourceExhausted("more than ", limits_.names,
                                   " elements, which is the limit (--max_names)");
        }
      } while (tokens.Take(','));
    }
    if (!expected) return ListType(std::move(elements));
    if (elements.size() != expected.children().size()) return expected;
    return expected.rep().Rebuild({}, std::move(elements));
  }

  StatusOr<TypeSpec> FindOfExtension(const std::string& name, const std::vector<Member>& members,
                                     const TypeSpec& expected, int depth) const {
    auto declaration = types_.Find(name);
    if (!declaration.ok()) {
      return At("`$type`",
                WithReason("NOT_REGISTERED",
                           NotFound(MessageOf(declaration.status()),
                                    "; JSON does not state the types of components, so the model ",
                                    "must declare the type")));
    }
    const auto* wanted = expected ? expected.As<ExtensionSpec>() : nullptr;
    if (wanted != nullptr && wanted->name() != name) wanted = nullptr;
    SIGNET_ASSIGN_OR_RETURN(TypeSpec older, FindOlder(**declaration, members));
    if (older) return older;
    NamedTypes statics;
    for (const std::string& attribute : (*declaration)->attributes) {
      TypeSpec like = wanted != nullptr ? wanted->LookupStatic(attribute) : TypeSpec();
      const Member* member = Lookup(members, attribute);
      if (member == nullptr && !like) {
        return InvalidWithReason("STRUCTURE_MISMATCH", "no key `", attribute,
                                 "`, a static attribute of `", name, "`");
      }
      TypeSpec value = like;
      if (member != nullptr) {
        SIGNET_ASSIGN_OR_RETURN(value, FindStatic(attribute, member->value, like));
      }
      statics.emplace_back(attribute, std::move(value));
    }
    // Constraints find attributes by name.
    std::sort(statics.begin(), statics.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    NamedTypes components;
    for (size_t i = 0; i < (*declaration)->components.size(); ++i) {
      const std::string& component = (*declaration)->components[i].first;
      const Member* member = Lookup(members, component);
      if (member == nullptr) {
        return InvalidWithReason("STRUCTURE_MISMATCH", "no key `", component, "`, a component of `",
                                 name, "`");
      }
      SIGNET_ASSIGN_OR_RETURN(TypeSpec constraint, ConstraintOf(**declaration, i, statics));
      bool is_known = wanted != nullptr && i < wanted->component_names().size() &&
                      wanted->component_names()[i] == component;
      if (is_known && (!constraint || IsSubtype(wanted->children()[i], constraint))) {
        constraint = wanted->children()[i];
      }
      SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                              FindComponent(component, member->value, constraint, depth));
      components.emplace_back(component, std::move(type));
    }
    return MakeExtensionType(name, std::move(statics), std::move(components));
  }

  // Returns the older form of the type that the object has: its static attributes and components.
  StatusOr<TypeSpec> FindOlder(const ExtensionDeclaration& declaration,
                               const std::vector<Member>& members) const {
    bool is_current = true;
    for (const std::string& attribute : declaration.attributes) {
      is_current = is_current && Lookup(members, attribute) != nullptr;
    }
    for (const auto& [component, type] : declaration.components) {
      is_current = is_current && Lookup(members, component) != nullptr;
    }
    for (const TypeSpec& type : declaration.older) {
      const auto& older = *type.As<ExtensionSpec>();
      bool fits = !is_current || !older.statics().empty();
      for (const std::string& component : older.component_names()) {
        fits = fits && Lookup(members, component) != nullptr;
      }
      for (const auto& [attribute, value] : older.statics()) {
        const Member* member = Lookup(members, attribute);
        if (!fits || member == nullptr) {
          fits = false;
          break;
        }
        SIGNET_ASSIGN_OR_RETURN(TypeSpec given, FindStatic(attribute, member->value, value));
        fits = given == value;
      }
      if (fits) return type;
    }
    return TypeSpec();
  }

  StatusOr<TypeSpec> FindStatic(const std::string& attribute, std::string_view text,
                                const TypeSpec& like) const {
    auto given = TypeOfPlain(text);
    if (!given.ok()) return WithField(attribute, At(Cat("`", attribute, "`"), given.status()));
    return like && IsWrittenAlike(*given, like) ? like : *given;
  }

  StatusOr<TypeSpec> FindComponent(const std::string& name, std::string_view text,
                                   const TypeSpec& constraint, int depth) const {
    bool is_open = !constraint || constraint.is(TypeKind::kAny);
    if (!is_open || MayHaveTypeKeys(text)) return FindOfPart(name, text, constraint, depth);
    auto shown = InferFromJson(text, limits_);
    return shown.ok() ? StatusOr<TypeSpec>(shown->spec()) : TypeOfPlain(text);
  }

  const TypeRegistry& types_;
  const FindForms forms_;
  const Limits& limits_;
};

}  // namespace

bool MayHaveTypeKeys(std::string_view text) {
  // A text contains many quotation marks, but few dollars.
  constexpr std::string_view kKey = "\"$type\"";
  for (size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    if (at > 0 && text.substr(at - 1, kKey.size()) == kKey) return true;
  }
  return false;
}

StatusOr<TypeSpec> TypeOfJson(std::string_view text, const TypeSpec& expected,
                              const TypeRegistry& types, FindForms forms, const Limits& limits) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(text.size()));
  return TypeFinder(types, forms, limits).Find(text, expected, 1);
}

}  // namespace signet
