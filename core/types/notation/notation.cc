#include "core/types/notation/notation.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/nearest_name.h"
#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "signet/any_spec.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Types of programming languages, and types of the notation that may be meant.
constexpr std::pair<std::string_view, std::string_view> kTypesOfOtherLanguages[] = {
    {"bytes", "`string[]`"},  {"dict", "`{name: string[]}`"},    {"double", "`float64[]`"},
    {"float", "`float32[]`"}, {"int", "`int32[]` or `int64[]`"}, {"str", "`string[]`"},
    {"text", "`string[]`"},
};

// A dimension in the text.
struct Dim {
  int64_t size;
  bool ragged;  // in parentheses
  std::string name = {};
};

// A tensor, ragged, or structured type in the text. Its meaning depends on the dimensions that
// surround it, which may come later in the text.
struct Written {
  enum class Prefix : uint8_t { kNone, kDense, kRagged };

  TypeSpec type;  // set: any other kind, which does not depend on its context
  bool is_structure = false;
  Prefix prefix = Prefix::kNone;
  DType dtype{};
  bool has_rank = true;
  std::vector<Dim> dims;
  int ragged_rank = -1;  // from `ragged<rank=..>`; -1 if left out
  DType splits = DType::kInt64;
  std::string name;
  std::vector<std::string> field_names;
  std::vector<bool> field_is_optional;  // one per name
  std::vector<Written> fields;          // one per name
  TypeSpec default_value;               // of a tensor or ragged type; null if left out
};

bool HasUnknownAfterFirst(const PartialShape& shape) {
  auto dims = shape.dims();
  return std::any_of(dims.begin() + (dims.empty() ? 0 : 1), dims.end(),
                     [](int64_t dim) { return dim == kUnknownDim; });
}

// The rows of an optional field are its first dimension.
StatusOr<TypeSpec> Build(const Written& written, const PartialShape& outer,
                         bool is_optional = false);

StatusOr<TypeSpec> BuildStructure(const Written& written, const PartialShape& shape) {
  NamedTypes fields;
  for (size_t i = 0; i < written.fields.size(); ++i) {
    const std::string& name = written.field_names[i];
    auto type = Build(written.fields[i], shape, written.field_is_optional[i]);
    if (!type.ok()) return At(Cat("field `", name, "`"), type.status());
    fields.emplace_back(name, *std::move(type));
  }
  return MakeStructuredType(shape, std::move(fields), written.field_is_optional);
}

StatusOr<TypeSpec> BuildWithoutDefault(const Written& written, const PartialShape& outer,
                                       const PartialShape& shape) {
  int first = outer.rank();
  int marked = 0;  // ragged dimensions in the text, which are consecutive
  for (size_t i = 0; i < written.dims.size(); ++i) {
    if (!written.dims[i].ragged) continue;
    int axis = first + static_cast<int>(i);
    int expected = (first == 0 ? 1 : first) + marked;
    if (axis != expected) {
      return InvalidArgument(
          "dimension ", i, " is ragged; ragged dimensions follow one another ",
          first == 0 ? "from dimension 1 on; a vector is `[?]`" : "from the first on");
    }
    ++marked;
  }
  int inherited = std::max(first - 1, 0);
  bool ragged = written.prefix == Written::Prefix::kRagged || marked > 0 ||
                (written.prefix == Written::Prefix::kNone && HasUnknownAfterFirst(outer));
  if (written.prefix == Written::Prefix::kDense && marked > 0) {
    return InvalidArgument("expected a dense type or ragged dimensions, found both");
  }
  if (!ragged) return TensorType(written.dtype, shape, written.name);
  int ragged_rank = inherited + marked;
  if (written.ragged_rank >= 0) {
    if (marked > 0 && written.ragged_rank != ragged_rank) {
      return InvalidArgument("rank=", written.ragged_rank, " with ", ragged_rank,
                             " ragged dimensions; leave one of them out");
    }
    ragged_rank = written.ragged_rank;
  } else if (marked == 0 && first == 0) {
    return InvalidArgument(
        "expected `[?, (?)]` or `ragged<rank=..>`, found a ragged type without a dimension in "
        "parentheses");
  }
  return MakeRaggedType(written.dtype, shape, ragged_rank, written.splits);
}

StatusOr<TypeSpec> BuildTensor(const Written& written, const PartialShape& outer,
                               const PartialShape& shape) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, BuildWithoutDefault(written, outer, shape));
  if (!written.default_value) return type;
  type = type.rep().WithNotes({}, {{}, {}, written.default_value});
  SIGNET_RETURN_IF_ERROR(CheckDefaultValue(type, outer.rank()));
  return type;
}

StatusOr<TypeSpec> Build(const Written& written, const PartialShape& outer, bool is_optional) {
  if (written.type) return written.type;
  PartialShape shape;
  if (written.has_rank) {
    Dims dims;
    for (const Dim& dim : written.dims) dims.push_back(dim.size);
    shape = outer.Concatenate(PartialShape(std::span<const int64_t>(dims.data(), dims.size())));
  }
  if (written.is_structure) return BuildStructure(written, shape);
  // In a single structure, they are a dense dimension, because there are no other rows to be part
  // of.
  if (!is_optional || outer.rank() == 0) return BuildTensor(written, outer, shape);
  Written ragged = written;
  ragged.dims[0].ragged = true;
  return BuildTensor(ragged, outer, shape);
}

}  // namespace

void NotationReader::SkipSpace() {
  while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
}

bool NotationReader::Peek(std::string_view token) {
  SkipSpace();
  if (text_.substr(position_, token.size()) != token) return false;
  size_t end = position_ + token.size();
  return !(IsWordChar(token.back()) && end < text_.size() && IsWordChar(text_[end]));
}

bool NotationReader::Take(std::string_view token) {
  if (!Peek(token)) return false;
  position_ += token.size();
  return true;
}

Status NotationReader::Expect(std::string_view token, std::string_view context) {
  if (Take(token)) return absl::OkStatus();
  return Unexpected(context.empty() ? Cat("`", token, "`") : Cat("`", token, "` ", context));
}

bool NotationReader::AtEnd() {
  SkipSpace();
  return position_ == text_.size();
}

Status NotationReader::ExpectEnd() { return AtEnd() ? absl::OkStatus() : Unexpected("the end"); }

Status NotationReader::Unexpected(std::string_view expected) {
  SkipSpace();
  std::string found = "the end";
  if (position_ < text_.size()) {
    std::string_view word = PeekWord();
    found = Cat("`", Printable(word.empty() ? text_.substr(position_, 1) : word), "`");
  }
  return InvalidArgument("column ", position_ + 1, ": expected ", expected, ", found ", found);
}

std::string_view NotationReader::PeekWord() {
  SkipSpace();
  size_t end = position_;
  while (end < text_.size() && (IsWordChar(text_[end]) || text_[end] == '.')) ++end;
  return text_.substr(position_, end - position_);
}

StatusOr<std::string> NotationReader::ReadQuoted() {
  SIGNET_RETURN_IF_ERROR(Expect("\"", ""));
  std::string out;
  while (position_ < text_.size() && text_[position_] != '"') {
    char c = text_[position_++];
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    char escape = position_ < text_.size() ? text_[position_++] : '\0';
    if (escape == 'n') {
      out.push_back('\n');
    } else if (escape == 't') {
      out.push_back('\t');
    } else if (escape == '"' || escape == '\\') {
      out.push_back(escape);
    } else if (escape == 'x' && position_ + 2 <= text_.size()) {
      unsigned byte = 0;
      const char* start = text_.data() + position_;
      auto [end, error] = std::from_chars(start, start + 2, byte, 16);
      if (error != std::errc() || end != start + 2) return Unexpected("two hex digits");
      position_ += 2;
      out.push_back(static_cast<char>(byte));
    } else {
      --position_;
      return Unexpected("one of the escapes \\\" \\\\ \\n \\t \\x");
    }
  }
  if (position_ == text_.size()) return Unexpected("a closing `\"`");
  ++position_;
  return out;
}

StatusOr<std::string> NotationReader::ReadName(std::string_view what) {
  if (Peek("\"")) return ReadQuoted();
  std::string_view word = PeekWord();
  word = word.substr(0, word.find('.'));
  if (!IsIdentifier(word)) return Unexpected(what);
  position_ += word.size();
  return std::string(word);
}

bool NotationReader::AtLiteral() {
  SkipSpace();
  if (position_ == text_.size()) return false;
  char c = text_[position_];
  if (c == '"' || c == '-' || c == '+') return true;
  std::string_view word = PeekWord();
  if (IsDigit(c)) {
    // `1.2(..)` and `1.Type(..)` are extension types: a number has no letter except for its
    // exponent.
    size_t next = position_ + word.size();
    while (next < text_.size() && IsSpace(text_[next])) ++next;
    bool is_type = next < text_.size() && (text_[next] == '(' || text_[next] == '<');
    if (is_type && IsTypeName(word)) return false;
    size_t letter = word.find_first_not_of("0123456789.eE");
    return letter == std::string_view::npos;
  }
  for (std::string_view name :
       {"None", "True", "False", "null", "true", "false", "nan", "inf", "NaN", "Infinity"}) {
    if (word == name) return true;
  }
  return false;
}

StatusOr<Literal> NotationReader::ReadLiteral() {
  if (Peek("\"")) {
    SIGNET_ASSIGN_OR_RETURN(std::string text, ReadQuoted());
    return Literal::String(std::move(text));
  }
  if (Take("None") || Take("null")) return Literal();
  if (Take("True") || Take("true")) return Literal::Bool(true);
  if (Take("False") || Take("false")) return Literal::Bool(false);
  if (Take("nan") || Take("NaN")) {
    if (!text_.substr(position_).starts_with("(0x")) return Literal::Float(std::nan(""));
    position_ += 3;
    uint64_t bits = 0;
    auto [end, error] =
        std::from_chars(text_.data() + position_, text_.data() + text_.size(), bits, 16);
    const double value = std::bit_cast<double>(bits);
    if (error != std::errc() || !std::isnan(value)) return Unexpected("the bits of a NaN");
    position_ = static_cast<size_t>(end - text_.data());
    SIGNET_RETURN_IF_ERROR(Expect(")", "the bits of a NaN"));
    return Literal::Float(value);
  }
  SkipSpace();
  size_t start = position_;
  bool negative = Take("-");
  if (!negative) Take("+");
  if (Take("inf") || Take("Infinity")) {
    double infinity = std::numeric_limits<double>::infinity();
    return Literal::Float(negative ? -infinity : infinity);
  }
  size_t digits = position_;
  size_t end = digits;
  bool is_float = false;
  while (end < text_.size()) {
    char c = text_[end];
    bool sign =
        (c == '-' || c == '+') && end > digits && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
    bool exponent = (c == 'e' || c == 'E') && end > digits;
    if (!IsDigit(c) && c != '.' && !exponent && !sign) break;
    is_float |= !IsDigit(c);
    ++end;
  }
  std::string_view number = text_.substr(digits, end - digits);
  if (number.empty()) {
    position_ = start;
    return Unexpected("a literal");
  }
  const char* last = number.data() + number.size();
  if (is_float) {
    double value = 0;
    auto [stop, error] = std::from_chars(number.data(), last, value);
    if (error != std::errc() || stop != last) {
      position_ = start;
      return Unexpected("a float64");
    }
    position_ = end;
    return Literal::Float(negative ? -value : value);
  }
  uint64_t magnitude = 0;
  auto [stop, error] = std::from_chars(number.data(), last, magnitude);
  bool fits = error == std::errc() && (!negative || magnitude <= (uint64_t{1} << 63));
  if (!fits || stop != last) {
    position_ = start;
    return Unexpected("an integer from -2^63 to 2^64 - 1");
  }
  position_ = end;
  absl::int128 value = static_cast<absl::int128>(magnitude);
  return Literal::Int(negative ? -value : value);
}

// Reads one type by recursive descent, with a limit on depth.
class TypeReader {
 public:
  // `dimension_names` is null if names are not allowed.
  explicit TypeReader(NotationReader& in, std::vector<std::string>* dimension_names = nullptr)
      : in_(in), dimension_names_(dimension_names) {}

  StatusOr<TypeSpec> Read() {
    SIGNET_ASSIGN_OR_RETURN(Written written, ReadWritten());
    bool is_named = std::any_of(written.dims.begin(), written.dims.end(),
                                [](const Dim& dim) { return !dim.name.empty(); });
    if (is_named) {
      for (Dim& dim : written.dims) dimension_names_->push_back(std::move(dim.name));
    }
    return Build(written, Shape{});
  }

 private:
  StatusOr<Written> ReadWritten() {
    if (depth_ == kMaxNotationDepth) {
      return InvalidArgument("column ", in_.position() + 1, ": types nested deeper than ",
                             kMaxNotationDepth);
    }
    ++depth_;
    auto written = ReadAtDepth();
    --depth_;
    return written;
  }

  StatusOr<Written> ReadAtDepth() {
    if (in_.Peek("[")) return ReadVectorOfStructures();
    if (in_.Peek("{")) return ReadStructure();
    if (in_.Take("(")) return ReadWithDefault();
    if (in_.AtLiteral()) {
      SIGNET_ASSIGN_OR_RETURN(Literal literal, in_.ReadLiteral());
      return Ready(LiteralType(std::move(literal)));
    }
    if (in_.PeekWord().find('.') != std::string_view::npos) return ReadExtension();
    if (in_.Take("ragged")) return ReadTensor(Written::Prefix::kRagged);
    if (in_.Take("dense")) return ReadTensor(Written::Prefix::kDense);
    if (in_.Take("sparse")) {
      SIGNET_ASSIGN_OR_RETURN(Written dense, ReadTensor(Written::Prefix::kDense));
      SIGNET_ASSIGN_OR_RETURN(TypeSpec type, Build(dense, Shape{}));
      return Ready(SparseType(dense.dtype, *type.shape()));
    }
    if (in_.Take("list")) return ReadSequence(ListType);
    if (in_.Take("tuple")) return ReadSequence(TupleType);
    if (in_.Take("dict")) {
      SIGNET_ASSIGN_OR_RETURN(NamedTypes items, ReadNamed("a key"));
      return Made(MakeDictType(std::move(items)));
    }
    if (in_.Take("namedtuple")) return ReadNamedTuple(NamedTupleSpec::Style::kNamedTuple);
    if (in_.Take("attrs")) return ReadNamedTuple(NamedTupleSpec::Style::kAttrs);
    if (in_.Take("any")) {
      if (!in_.Take("(")) return Ready(AnyType());
      SIGNET_ASSIGN_OR_RETURN(TypeSpec base, Read());
      SIGNET_RETURN_IF_ERROR(in_.Expect(")", ""));
      return Ready(AnyType(std::move(base)));
    }
    return ReadTensor(Written::Prefix::kNone);
  }

  // Reads `(float32[?] = nan)` after the opening parenthesis.
  StatusOr<Written> ReadWithDefault() {
    if (in_.Peek("(")) return in_.Unexpected("a tensor or ragged type");
    SIGNET_ASSIGN_OR_RETURN(Written written, ReadAtDepth());
    if (!in_.Peek("=")) return in_.Unexpected("`=` after a type in parentheses");
    SIGNET_RETURN_IF_ERROR(ReadDefault(written));
    SIGNET_RETURN_IF_ERROR(in_.Expect(")", "after a default value"));
    return written;
  }

  // Reads `= nan` or `= [1, 2]`.
  Status ReadDefault(Written& written) {
    if (written.type || written.is_structure || written.default_value) {
      return in_.Unexpected(
          "`,` or `}`, because only tensor and ragged types have a default value, and only one");
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect("=", ""));
    SIGNET_ASSIGN_OR_RETURN(written.default_value, ReadDefaultData(0));
    return absl::OkStatus();
  }

  StatusOr<TypeSpec> ReadDefaultData(int depth) {
    if (!in_.Peek("[")) {
      if (!in_.AtLiteral()) return in_.Unexpected("a literal or a list of literals");
      SIGNET_ASSIGN_OR_RETURN(Literal literal, in_.ReadLiteral());
      return LiteralType(std::move(literal));
    }
    if (depth == kMaxNotationRank) return in_.Unexpected("a literal in at most 64 lists");
    SIGNET_RETURN_IF_ERROR(in_.Expect("[", ""));
    std::vector<TypeSpec> elements;
    while (!in_.Peek("]")) {
      if (!elements.empty()) SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `]`"));
      SIGNET_ASSIGN_OR_RETURN(TypeSpec element, ReadDefaultData(depth + 1));
      elements.push_back(std::move(element));
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect("]", ""));
    return ListType(std::move(elements));
  }

  static StatusOr<Written> Ready(TypeSpec type) {
    Written written;
    written.type = std::move(type);
    return written;
  }

  StatusOr<Written> Made(StatusOr<TypeSpec> type) {
    if (!type.ok()) return At(Cat("column ", in_.position()), type.status());
    return Ready(*std::move(type));
  }

  StatusOr<Written> ReadVectorOfStructures() {
    SIGNET_RETURN_IF_ERROR(in_.Expect("[", ""));
    if (!in_.Peek("[") && !in_.Peek("{"))
      return in_.Unexpected("`{` or `[` of a vector of structures");
    SIGNET_ASSIGN_OR_RETURN(Written written, ReadWritten());
    SIGNET_RETURN_IF_ERROR(in_.Expect("]", "after a vector of structures"));
    written.dims.insert(written.dims.begin(), Dim{kUnknownDim, false});
    return written;
  }

  StatusOr<Written> ReadStructure() {
    SIGNET_RETURN_IF_ERROR(in_.Expect("{", ""));
    Written written;
    written.is_structure = true;
    while (!in_.Peek("}")) {
      if (!written.fields.empty()) {
        SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `}`"));
        if (in_.Peek("}")) break;
      }
      SIGNET_ASSIGN_OR_RETURN(std::string name, in_.ReadName("a field name"));
      bool is_optional = in_.Take("?");
      SIGNET_RETURN_IF_ERROR(in_.Expect(":", "after a field name"));
      SIGNET_ASSIGN_OR_RETURN(Written field, ReadWritten());
      if (in_.Peek("=")) SIGNET_RETURN_IF_ERROR(ReadDefault(field));
      if (is_optional) {
        if (!field.has_rank)
          return in_.Unexpected("`,` or `}`, because the rank of an optional field must be known");
        field.dims.insert(field.dims.begin(), Dim{kUnknownDim, false});
      }
      written.field_names.push_back(std::move(name));
      written.field_is_optional.push_back(is_optional);
      written.fields.push_back(std::move(field));
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect("}", ""));
    if (in_.Peek("[")) {
      SIGNET_RETURN_IF_ERROR(ReadDims(written));
      if (!written.has_rank) return in_.Unexpected("a structure's dimensions");
    }
    return written;
  }

  Status UnknownType() {
    Status status = in_.Unexpected("a type");
    std::vector<std::string_view> known;
    for (const DTypeInfo& info : AllDTypes()) known.push_back(info.name);
    const std::string_view word = in_.PeekWord();
    for (const auto& [other, meant] : kTypesOfOtherLanguages) {
      if (word == other) return InvalidArgument(MessageOf(status), "; did you mean ", meant, "?");
    }
    return InvalidArgument(MessageOf(status), NearestHint(word, known));
  }

  StatusOr<Written> ReadTensor(Written::Prefix prefix) {
    Written written;
    written.prefix = prefix;
    if (prefix == Written::Prefix::kRagged && in_.Take("<")) {
      SIGNET_RETURN_IF_ERROR(ReadRaggedOptions(written));
    }
    auto dtype = LookupDType(in_.PeekWord());
    if (!dtype) return UnknownType();
    in_.Take(NameOf(*dtype));
    written.dtype = *dtype;
    if (!in_.Peek("[")) {
      return InvalidArgument(MessageOf(in_.Unexpected("`[` after a dtype")), "; a scalar is `",
                             NameOf(*dtype), "[]`");
    }
    SIGNET_RETURN_IF_ERROR(ReadDims(written));
    if (prefix == Written::Prefix::kNone && in_.Take("@")) {
      SIGNET_ASSIGN_OR_RETURN(written.name, in_.ReadName("a tensor's name"));
    }
    return written;
  }

  Status ReadRaggedOptions(Written& written) {
    do {
      if (in_.Take("rank")) {
        SIGNET_RETURN_IF_ERROR(in_.Expect("=", ""));
        SIGNET_ASSIGN_OR_RETURN(Literal rank, in_.ReadLiteral());
        auto value = rank.AsInt64();
        if (!value || *value < 0 || *value > kMaxNotationRank) {
          return in_.Unexpected(Cat("a ragged rank from 0 to ", kMaxNotationRank));
        }
        written.ragged_rank = static_cast<int>(*value);
      } else if (in_.Take("splits")) {
        SIGNET_RETURN_IF_ERROR(in_.Expect("=", ""));
        if (!in_.Take("int32")) {
          SIGNET_RETURN_IF_ERROR(in_.Expect("int64", "or `int32`"));
        } else {
          written.splits = DType::kInt32;
        }
      } else {
        return in_.Unexpected("`rank` or `splits`");
      }
    } while (in_.Take(","));
    return in_.Expect(">", "");
  }

  Status ReadDims(Written& written) {
    SIGNET_RETURN_IF_ERROR(in_.Expect("[", ""));
    if (in_.Take("...")) {
      written.has_rank = false;
      return in_.Expect("]", "");
    }
    while (!in_.Peek("]")) {
      if (!written.dims.empty()) SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `]`"));
      if (written.dims.size() == kMaxNotationRank) {
        return in_.Unexpected(Cat("`]` after at most ", kMaxNotationRank, " dimensions"));
      }
      Dim dim{kUnknownDim, in_.Take("(")};
      std::string_view word = in_.PeekWord();
      bool may_be_named = dimension_names_ != nullptr && depth_ == 1 && !dim.ragged &&
                          !written.is_structure && written.prefix == Written::Prefix::kNone;
      if (may_be_named && IsIdentifier(word) && !IsPythonKeyword(word)) {
        dim.name = word;
        in_.position_ += word.size();
      } else if (!in_.Take("?")) {
        in_.SkipSpace();
        size_t start = in_.position();
        bool is_number = start < in_.text_.size() && IsDigit(in_.text_[start]);
        auto literal = is_number ? in_.ReadLiteral() : StatusOr<Literal>(Literal());
        auto size = literal.ok() ? literal->AsInt64() : std::nullopt;
        if (!size) {
          in_.position_ = start;
          Status status = in_.Unexpected("a dimension");
          if (!IsIdentifier(word)) return status;
          if (IsPythonKeyword(word)) {
            return InvalidArgument(MessageOf(status), "; an unknown dimension is written as `?`");
          }
          return InvalidArgument(
              MessageOf(status),
              "; only the dimensions of tensors that are parameters have names; ",
              "elsewhere, write `?`");
        }
        dim.size = *size;
      }
      if (dim.ragged) SIGNET_RETURN_IF_ERROR(in_.Expect(")", "after a ragged dimension"));
      written.dims.push_back(dim);
    }
    return in_.Expect("]", "");
  }

  StatusOr<Written> ReadSequence(TypeSpec (*make)(std::vector<TypeSpec>)) {
    SIGNET_RETURN_IF_ERROR(in_.Expect("(", ""));
    std::vector<TypeSpec> elements;
    while (!in_.Peek(")")) {
      if (!elements.empty()) {
        SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `)`"));
        if (in_.Peek(")")) break;
      }
      SIGNET_ASSIGN_OR_RETURN(TypeSpec element, ReadElement());
      elements.push_back(std::move(element));
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect(")", ""));
    return Ready(make(std::move(elements)));
  }

  StatusOr<TypeSpec> ReadElement() {
    SIGNET_ASSIGN_OR_RETURN(Written written, ReadWritten());
    return Build(written, Shape{});
  }

  StatusOr<NamedTypes> ReadNamed(std::string_view what) {
    SIGNET_RETURN_IF_ERROR(in_.Expect("(", ""));
    NamedTypes named;
    while (!in_.Peek(")")) {
      if (!named.empty()) {
        SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `)`"));
        if (in_.Peek(")")) break;
      }
      SIGNET_ASSIGN_OR_RETURN(std::string name, in_.ReadName(what));
      SIGNET_RETURN_IF_ERROR(in_.Expect(":", "after a name"));
      SIGNET_ASSIGN_OR_RETURN(TypeSpec type, ReadElement());
      named.emplace_back(std::move(name), std::move(type));
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect(")", ""));
    return named;
  }

  StatusOr<Written> ReadNamedTuple(NamedTupleSpec::Style style) {
    SIGNET_ASSIGN_OR_RETURN(std::string name, in_.ReadName("a type's name"));
    SIGNET_ASSIGN_OR_RETURN(NamedTypes fields, ReadNamed("a field name"));
    return Made(MakeNamedTupleType(style, std::move(name), std::move(fields)));
  }

  // Returns the type for the name of an extension type at the cursor.
  StatusOr<Written> NamedExtension(const std::string& name, size_t begin) const {
    const auto found = in_.types_->find(name);
    if (found != in_.types_->end() && found->second) return Ready(found->second);
    const std::string where = Cat("column ", begin + 1, ": extension type `", Printable(name), "`");
    if (found != in_.types_->end()) {
      return InvalidArgument(where, ": expected its static attributes and components, such as `",
                             name, "<version=2>(values: float32[?])`; to accept all its values, ",
                             "omit the type");
    }
    std::vector<std::string_view> names;
    for (const auto& [other, type] : *in_.types_) names.push_back(other);
    const auto nearest = NearestName(name, names);
    return InvalidArgument(where, " not found",
                           nearest ? Cat("; did you mean `", *nearest, "`?")
                                   : "; declare its class before its name is used as a type");
  }

  StatusOr<Written> ReadExtension() {
    std::string name(in_.PeekWord());
    const size_t begin = in_.position_;
    in_.position_ += name.size();
    if (in_.types_ != nullptr && !in_.Peek("<") && !in_.Peek("(")) {
      return NamedExtension(name, begin);
    }
    NamedTypes statics;
    if (in_.Take("<")) {
      do {
        SIGNET_ASSIGN_OR_RETURN(std::string attribute, in_.ReadName("an attribute's name"));
        SIGNET_RETURN_IF_ERROR(in_.Expect("=", "after an attribute's name"));
        SIGNET_ASSIGN_OR_RETURN(TypeSpec value, ReadElement());
        statics.emplace_back(std::move(attribute), std::move(value));
      } while (in_.Take(","));
      SIGNET_RETURN_IF_ERROR(in_.Expect(">", ""));
    }
    SIGNET_ASSIGN_OR_RETURN(NamedTypes components, ReadNamed("a component's name"));
    return Made(MakeExtensionType(std::move(name), std::move(statics), std::move(components)));
  }

  NotationReader& in_;
  std::vector<std::string>* dimension_names_;
  int depth_ = 0;
};

StatusOr<TypeSpec> NotationReader::ReadType() { return TypeReader(*this).Read(); }
StatusOr<TypeSpec> NotationReader::ReadType(std::vector<std::string>& dimension_names) {
  return TypeReader(*this, &dimension_names).Read();
}

StatusOr<TypeSpec> ParseTypeSpec(std::string_view text) {
  NotationReader reader(text);
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, reader.ReadType());
  SIGNET_RETURN_IF_ERROR(reader.ExpectEnd());
  return type;
}

}  // namespace signet
