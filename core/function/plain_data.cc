#include "core/function/plain_data.h"

#include <algorithm>
#include <vector>

#include "core/function/cast.h"
#include "core/types/identifier.h"
#include "core/values/builders/value_notation.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Reads literals and containers of them by recursive descent, with a limit on depth.
class PlainReader {
 public:
  explicit PlainReader(NotationReader& in) : in_(in) {}

  StatusOr<Value> Read() {
    if (depth_ == kMaxNotationDepth) {
      return InvalidArgument("column ", in_.position() + 1, ": values nested deeper than ",
                             kMaxNotationDepth);
    }
    ++depth_;
    auto value = ReadAtDepth();
    --depth_;
    return value;
  }

 private:
  StatusOr<Value> ReadAtDepth() {
    if (in_.Take("[")) {
      SIGNET_ASSIGN_OR_RETURN(std::vector<Value> elements, ReadElements("]"));
      return ListOf(elements);
    }
    if (in_.Take("(")) {
      SIGNET_ASSIGN_OR_RETURN(std::vector<Value> elements, ReadElements(")"));
      return TupleOf(elements);
    }
    if (in_.Take("{")) return ReadDict();
    if (!in_.AtLiteral()) return in_.Unexpected("a value");
    SIGNET_ASSIGN_OR_RETURN(Literal literal, in_.ReadLiteral());
    return Value::OfLiteral(std::move(literal));
  }

  // Returns true if there is another element. Consumes the comma before it, or the end.
  StatusOr<bool> TakeNext(std::string_view end, bool is_first) {
    if (in_.Take(end)) return false;
    if (is_first) return true;
    SIGNET_RETURN_IF_ERROR(in_.Expect(",", Cat("or `", end, "`")));
    return !in_.Take(end);
  }

  StatusOr<std::vector<Value>> ReadElements(std::string_view end) {
    std::vector<Value> elements;
    for (;;) {
      SIGNET_ASSIGN_OR_RETURN(bool more, TakeNext(end, elements.empty()));
      if (!more) return elements;
      SIGNET_ASSIGN_OR_RETURN(Value element, Read());
      elements.push_back(std::move(element));
    }
  }

  StatusOr<Value> ReadDict() {
    NamedValues items;
    for (;;) {
      SIGNET_ASSIGN_OR_RETURN(bool more, TakeNext("}", items.empty()));
      if (!more) return MakeDict(std::move(items));
      SIGNET_ASSIGN_OR_RETURN(std::string key, in_.ReadName("a key"));
      SIGNET_RETURN_IF_ERROR(in_.Expect(":", "after a key"));
      SIGNET_ASSIGN_OR_RETURN(Value item, Read());
      items.emplace_back(std::move(key), std::move(item));
    }
  }

  NotationReader& in_;
  int depth_ = 0;
};

bool ReadsOwnData(const TypeSpec& constraint) {
  return constraint.is(TypeKind::kRagged) || constraint.is(TypeKind::kSparse) ||
         constraint.is(TypeKind::kStructured);
}

StatusOr<Value> ReadUncast(NotationReader& in, const TypeSpec& constraint) {
  NotationReader start = in;
  auto typed = ReadValue(in);
  if (typed.ok()) return typed;
  in = start;
  if (!in.Peek("[") && !in.Peek("(") && !in.Peek("{")) return typed;
  if (ReadsOwnData(constraint)) return ReadData(in, constraint);
  return PlainReader(in).Read();
}

// Appends literals and containers of them. Returns false if `spec` contains anything else.
bool AppendPlain(std::string& out, const TypeSpec& spec) {
  if (const auto* literal = spec.As<LiteralSpec>()) {
    out.append(literal->literal().ToString());
    return true;
  }
  const auto* dict = spec.As<DictSpec>();
  if (dict == nullptr && !IsSequence(spec)) return false;
  std::string_view brackets = dict != nullptr ? "{}" : spec.is(TypeKind::kList) ? "[]" : "()";
  out.push_back(brackets[0]);
  for (size_t i = 0; i < spec.children().size(); ++i) {
    if (i > 0) out.append(", ");
    if (dict != nullptr) {
      const std::string& key = dict->keys()[i];
      out.append(IsIdentifier(key) ? key : Quote(key)).append(": ");
    }
    if (!AppendPlain(out, spec.children()[i])) return false;
  }
  if (spec.is(TypeKind::kTuple) && spec.children().size() == 1) out.push_back(',');
  out.push_back(brackets[1]);
  return true;
}

size_t NumLiterals(const TypeSpec& spec) {
  size_t count = spec.is(TypeKind::kLiteral) ? 1 : 0;
  for (const TypeSpec& child : spec.children()) count += NumLiterals(child);
  return count;
}

bool ContainsExtension(const TypeSpec& spec) {
  return spec.is(TypeKind::kExtension) ||
         std::any_of(spec.children().begin(), spec.children().end(), ContainsExtension);
}

// Returns true if a converter could convert a value that cannot be cast.
bool MayConvert(const TypeSpec& spec, const TypeSpec& constraint) {
  return ContainsExtension(constraint) ||
         (spec.is(TypeKind::kRagged) && constraint.is(TypeKind::kRagged));
}

bool ReadsBack(std::string_view text, const TypeSpec& constraint, const Value& value) {
  NotationReader in(text);
  auto read = ReadPlainData(in, constraint);
  return read.ok() && in.AtEnd() && SameValue(*read, value);
}

}  // namespace

StatusOr<Value> ReadPlainData(NotationReader& in, const TypeSpec& constraint,
                              std::string_view path) {
  SIGNET_ASSIGN_OR_RETURN(Value value, ReadUncast(in, constraint));
  if (!constraint) return value;
  auto cast = CastTo(value, constraint, path);
  if (!cast.ok() && MayConvert(value.spec(), constraint)) return value;
  return cast;
}

std::string FormatPlainData(const Value& value, const TypeSpec& constraint, int64_t max_elements) {
  auto elements = static_cast<int64_t>(NumLiterals(value.spec()));
  for (const Tensor& tensor : value.components()) elements += tensor.num_elements();
  if (elements > max_elements) return "";
  std::string plain;
  if (AppendPlain(plain, value.spec()) && ReadsBack(plain, constraint, value)) return plain;
  std::string full = ToString(value, max_elements);
  std::string_view data = full;
  data.remove_prefix(std::min(data.size(), value.spec().ToString().size() + 1));
  if (constraint && ReadsBack(data, constraint, value)) return std::string(data);
  return ReadsBack(full, constraint, value) ? full : "";
}

}  // namespace signet
