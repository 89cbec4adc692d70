#include "core/model/native/literal_value.h"

#include <vector>

#include "core/model/native/limits.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

StatusOr<Value> ReadLiteralValue(NotationReader& in, int depth) {
  // `[{..}] [..]` is a value of a structured type. No list begins like such a type.
  NotationReader ahead = in;
  auto type = ahead.ReadType();
  // A type such as `list(2, None)` contains the whole value.
  if (type.ok() && IsStatic(*type) && (ahead.AtEnd() || ahead.Peek(",") || ahead.Peek("]"))) {
    in = ahead;
    return Value::Trusted(*std::move(type), {});
  }
  if (!in.Peek("[") || type.ok()) return ReadValue(in);
  SIGNET_RETURN_IF_ERROR(in.Expect("[", "a list"));
  if (depth == kMaxReferenceDepth) {
    return InvalidArgument("the nesting of lists exceeds the limit of ", kMaxReferenceDepth);
  }
  std::vector<Value> elements;
  while (!in.Take("]")) {
    if (!elements.empty()) SIGNET_RETURN_IF_ERROR(in.Expect(",", "or `]`"));
    SIGNET_ASSIGN_OR_RETURN(Value element, ReadLiteralValue(in, depth + 1));
    elements.push_back(std::move(element));
  }
  return ListOf(elements);
}

}  // namespace

bool LooksLikeValue(std::string_view text) {
  constexpr std::string_view kStarts = "0123456789+-\"[";
  return !text.empty() && kStarts.find(text[0]) != std::string_view::npos;
}

StatusOr<Value> ParseLiteralValue(std::string_view text) {
  NotationReader in(text);
  SIGNET_ASSIGN_OR_RETURN(Value value, ReadLiteralValue(in, 0));
  SIGNET_RETURN_IF_ERROR(in.ExpectEnd());
  return value;
}

}  // namespace signet
