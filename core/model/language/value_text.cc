#include "core/model/language/value_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/native/attribute_value.h"
#include "core/model/native/literal_value.h"
#include "core/values/builders/value_notation.h"
#include "signet/dtype.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

std::optional<ExpressionText> TextOfLiteral(const Literal& literal) {
  switch (literal.kind()) {
    case Literal::Kind::kNone:
    case Literal::Kind::kBool:
    case Literal::Kind::kString:
      return ExpressionText{literal.ToString()};
    case Literal::Kind::kInt:
      return ExpressionText{literal.ToString(),
                            literal.int_value() < 0 ? kUnaryPrecedence : kAtomPrecedence};
    case Literal::Kind::kFloat: {
      std::string text = literal.ToString();
      if (text.starts_with("nan(") || text.starts_with("-nan")) return std::nullopt;
      const int precedence = text.starts_with('-') ? kUnaryPrecedence : kAtomPrecedence;
      return ExpressionText{std::move(text), precedence};
    }
  }
  return std::nullopt;
}

// Returns a nest of literals as Python writes it.
std::optional<ExpressionText> TextOfStatic(const TypeSpec& spec) {
  if (const Literal* literal = LookupLiteral(spec)) return TextOfLiteral(*literal);
  const auto* dict = spec.As<DictSpec>();
  const bool is_list = spec.is(TypeKind::kList);
  if (!is_list && !spec.is(TypeKind::kTuple) && dict == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  size_t i = 0;
  for (const TypeSpec& child : spec.children()) {
    auto text = TextOfStatic(child);
    if (!text) return std::nullopt;
    texts.push_back(dict == nullptr ? std::move(text->text)
                                    : Cat(Quote(dict->keys()[i]), ": ", text->text));
    ++i;
  }
  const std::string joined = Join(texts, ", ");
  if (is_list) return ExpressionText{Cat("[", joined, "]")};
  if (dict != nullptr) return ExpressionText{Cat("{", joined, "}")};
  return ExpressionText{texts.size() == 1 ? Cat("(", joined, ",)") : Cat("(", joined, ")")};
}

// Returns whether `spec` reads back from TextOfStatic: notes, such as the order of keys, may not.
bool IsPlain(const TypeSpec& spec) {
  if (LookupLiteral(spec) != nullptr) return true;
  const auto children = spec.children();
  if (!std::all_of(children.begin(), children.end(), IsPlain)) return false;
  return spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple) || spec.is(TypeKind::kDict);
}

}  // namespace

StatusOr<ExpressionText> TextOfValue(const Value& value) {
  if (IsStatic(value.spec()) && IsPlain(value.spec())) {
    if (auto text = TextOfStatic(value.spec())) return *std::move(text);
  }
  const std::string text = ToString(value);
  if (value.spec().is(TypeKind::kTensor) || value.spec().is(TypeKind::kRagged)) {
    const bool is_bare =
        LookupDType(text.substr(0, text.find('['))).has_value() || text.starts_with("ragged ");
    if (is_bare) return ExpressionText{text, 0};
  }
  auto read = ParseLiteralValue(text);
  if (!read.ok() || !SameValue(*read, value)) {
    return Unimplemented("the value `", Printable(text), "` cannot be written");
  }
  return ExpressionText{Cat("literal(", text, ")")};
}

StatusOr<std::string> TextOfAttribute(const TypeSpec& value) {
  if (IsStatic(value)) {
    if (IsPlain(value)) {
      if (auto text = TextOfStatic(value)) return std::move(text->text);
    }
    return Cat("literal(", value.ToString(), ")");
  }
  auto read = ParsePlainType(value.ToString());
  if (read.ok() && *read == value) {
    const bool is_bare = value.is(TypeKind::kTensor) && !value.rep().notes().default_value;
    return is_bare ? value.ToString() : Cat("type(", value.ToString(), ")");
  }
  return Unimplemented("the type `", Printable(value.ToString()), "` cannot be written");
}

}  // namespace signet
