#include "core/formats/json/json_columns.h"

#include <bit>
#include <cmath>
#include <span>

#include <absl/base/attributes.h>

#include "core/formats/common/needed_columns.h"
#include "core/formats/json/json_words.h"
#include "core/values/builders/value_writer.h"

namespace signet {
namespace {

using Kind = BuilderNode::Kind;

// Returns false for types that only ValueBuilder reads.
bool IsOrdinary(const BuilderNode& node) {
  if (node.kind == Kind::kLiteral || node.is_open || node.has_pairs) return false;
  for (const std::string& name : node.names) {
    bool is_escaped = name.find_first_of("\"\\") != std::string::npos || IsTypeKey(name);
    if (is_escaped) return false;
  }
  for (const BuilderNode* child : node.children) {
    if (!IsOrdinary(*child)) return false;
  }
  return true;
}

int DepthOf(const BuilderNode& node) {
  int deepest = 0;
  for (const BuilderNode* child : node.children) deepest = std::max(deepest, DepthOf(*child));
  bool is_column = node.kind == Kind::kColumn;
  return static_cast<int>(node.axes.size()) + (is_column ? 0 : 1) + deepest;
}

// These functions read the scalar at `at`, in a text that ends at `end`.

// Reads a number, or one of the words for NaN and infinities.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadFloat64(const char* at, const char* end,
                                                     double& number) {
  if (*at != '"') return json::ReadDouble(at, end, number);
  std::string_view text(at + 1, std::min<size_t>(static_cast<size_t>(end - at - 1), 10));
  auto known = FloatOfJsonWord(text.substr(0, text.find('"')));
  number = known.value_or(0);
  return known.has_value();
}

// Reads a number that is converted to a narrower type. A large integer must be rounded once,
// without an intermediate double: the results differ only if the double is halfway between two
// floats.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadFloat32(const char* at, const char* end,
                                                     float& number) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  constexpr uint64_t kBeyondFloat = (uint64_t{1} << 29) - 1;
  constexpr uint64_t kHalfway = uint64_t{1} << 28;
  double wide;
  if (!ReadFloat64(at, end, wide)) return false;
  if (std::abs(wide) >= kExactIntegers &&
      (std::bit_cast<uint64_t>(wide) & kBeyondFloat) == kHalfway) {
    return false;
  }
  number = static_cast<float>(wide);
  return std::isfinite(number) || *at == '"';
}

template <auto narrow, class T>
bool ReadHalf(const char* at, const char* end, T& half) {
  float number;
  if (!ReadFloat32(at, end, number)) return false;
  half = narrow(number);
  return std::isfinite(ToFloat(half)) == std::isfinite(number);
}

inline bool ReadBool(const char* at, const char* end, bool& truth) {
  truth = *at == 't';
  std::string_view word = truth ? "true" : "false";
  std::string_view text(at, static_cast<size_t>(end - at));
  return text.starts_with(word) &&
         (text.size() == word.size() || json::EndsNumber(at[word.size()]));
}

// The type that such a function reads.
template <class T>
T ScalarOf(bool (*read)(const char*, const char*, T&));

}  // namespace

std::optional<JsonColumns> JsonColumns::Make(const TypeSpec& spec, const BuilderLimits& limits,
                                             const std::vector<bool>& needs,
                                             bool skips_unknown_keys) {
  JsonColumns columns(limits, skips_unknown_keys);
  if (!columns.tree_.Compile(spec).ok()) return std::nullopt;
  BuilderNode& root = *columns.tree_.root();
  if (!MarkNeeded(root, needs).ok()) return std::nullopt;
  if (!IsOrdinary(root) || DepthOf(root) > limits.max_depth) return std::nullopt;
  return columns;
}

bool JsonColumns::Read(JsonTokens& tokens) {
  BuilderNode& root = *tree_.root();
  bool is_columns = root.kind == Kind::kStructure && root.axes.size() == 1 && tokens.Peek() == '{';
  if (!is_columns) return Read(tokens, root, 0);
  BuilderAxis& rows = root.axes[0];
  bool is_first = true;
  bool are_read = ReadFields(tokens, root, false, [&](JsonTokens& here, BuilderNode& column) {
    int64_t count = 0;
    tokens.MoveTo(here);
    if (!ReadColumn(tokens, column, count) || (!is_first && count != rows.count)) return false;
    here.MoveTo(tokens);
    is_first = false;
    rows.count = count;
    return true;
  });
  return are_read && !is_first && EndAxis(rows, rows.count);
}

bool JsonColumns::ReadElement(JsonTokens& tokens) {
  BuilderNode& root = *tree_.root();
  if (root.axes.empty() || !Read(tokens, root, 1)) return false;
  ++root.axes[0].count;
  return true;
}

bool JsonColumns::EndElements() {
  BuilderNode& root = *tree_.root();
  return !root.axes.empty() && EndAxis(root.axes[0], root.axes[0].count);
}

bool JsonColumns::Read(JsonTokens& tokens, BuilderNode& node, size_t axis) {
  if (axis < node.axes.size()) return ReadList(tokens, node, axis);
  switch (node.kind) {
    case Kind::kColumn: {
      int64_t count = 0;
      return ReadScalars(tokens, node, /*is_list=*/false, count);
    }
    case Kind::kStructure:
    case Kind::kRecord:
      return ReadFields(tokens, node, true, [&](JsonTokens& here, BuilderNode& field) {
        if (!field.is_needed) return here.Skip();
        tokens.MoveTo(here);
        bool is_read = ReadField(tokens, field);
        here.MoveTo(tokens);
        return is_read;
      });
    case Kind::kSequence:
      return ReadSequence(tokens, node);
    case Kind::kLiteral:
      return false;
  }
  __builtin_unreachable();
}

bool JsonColumns::ReadList(JsonTokens& tokens, BuilderNode& node, size_t axis) {
  BuilderAxis& own = node.axes[axis];
  int64_t start = own.count;
  if (!tokens.Take('[')) {
    return static_cast<int>(axis) == node.scalar_axis && ReadOnlyScalar(tokens, node);
  }
  if (!tokens.Take(']')) {
    bool is_innermost = axis + 1 == node.axes.size();
    if (is_innermost && node.kind == Kind::kColumn) {
      if (!ReadScalars(tokens, node, /*is_list=*/true, own.count)) return false;
    } else {
      do {
        if (!Read(tokens, node, axis + 1)) return false;
        ++own.count;
      } while (tokens.Take(','));
    }
    if (!tokens.Take(']')) return false;
  }
  return EndAxis(own, own.count - start);
}

bool JsonColumns::ReadOnlyScalar(JsonTokens& tokens, BuilderNode& node) {
  int64_t count = 0;
  if (!ReadScalars(tokens, node, /*is_list=*/false, count)) return false;
  for (size_t axis = node.axes.size(); axis-- > static_cast<size_t>(node.scalar_axis);) {
    ++node.axes[axis].count;
    if (!EndAxis(node.axes[axis], 1)) return false;
  }
  return true;
}

bool JsonColumns::EndAxis(BuilderAxis& axis, int64_t length) {
  if (axis.declared != kUnknownDim && length != axis.declared) return false;
  if (axis.is_uniform) {
    if (axis.length == kUnknownDim) axis.length = length;
    if (axis.length != length) return false;
  }
  if (!axis.has_splits) return true;
  return --numbers_left_ >= 0 && axis.splits.Append(axis.count).ok();
}

bool JsonColumns::ReadField(JsonTokens& tokens, BuilderNode& field) {
  if (field.presence_axis < 0) return Read(tokens, field, 0);
  BuilderAxis& presence = field.axes[0];
  const int64_t start = presence.count;
  if (tokens.Peek() == 'n') {
    if (tokens.TakeScalar() != "null") return false;
  } else {
    if (!Read(tokens, field, 1)) return false;
    ++presence.count;
  }
  return EndAxis(presence, presence.count - start);
}

// Ends an object without all fields. ValueBuilder handles fields with a default.
bool JsonColumns::EndAbsent(BuilderNode& node) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    BuilderNode& field = *node.children[i];
    if (node.seen[i] == node.object) continue;
    if (!field.TakesNull()) return false;
    if (!field.is_needed) continue;
    if (field.presence_axis < 0 || !EndAxis(field.axes[0], 0)) return false;
  }
  return true;
}

template <class ReadOne>
bool JsonColumns::ReadFields(JsonTokens& tokens, BuilderNode& node, bool may_be_absent,
                             ReadOne read) {
  JsonTokens here = tokens;  // without a pointer to it, so that it stays in registers
  if (!here.Take('{')) return false;
  const int64_t object = ++node.object;
  const std::span<const size_t> order(node.order);
  const std::span<const std::string> names(node.names);
  const std::span<int64_t> seen(node.seen);
  const std::span<BuilderNode* const> children(node.children);
  size_t position = 0;
  size_t num_seen = 0;
  if (!here.Take('}')) {
    do {
      size_t index;
      if (position < order.size() && here.TakeText(names[index = order[position]])) {
        ++position;
      } else {
        tokens.MoveTo(here);
        node.position = position;
        std::string_view key;
        int found = TakeText(tokens, key) ? node.Lookup(key) : -1;
        if (found < 0) {
          here.MoveTo(tokens);
          bool is_type = IsTypeKey(key);
          bool skips = skips_unknown_keys_ && !key.empty() && !node.spec.is(TypeKind::kSparse) &&
                       (!is_type || (key == kTypeKey && node.spec.is(TypeKind::kExtension)));
          if (!skips || !here.Take(':') || !here.SkipValid(max_depth_)) return false;
          continue;
        }
        index = static_cast<size_t>(found);
        position = node.position;
        here.MoveTo(tokens);
      }
      if (seen[index] == object || !here.Take(':')) return false;
      seen[index] = object;
      ++num_seen;
      if (!read(here, *children[index])) return false;
    } while (here.Take(','));
    if (!here.Take('}')) return false;
  }
  tokens.MoveTo(here);
  return num_seen == node.children.size() || (may_be_absent && EndAbsent(node));
}

bool JsonColumns::ReadColumn(JsonTokens& tokens, BuilderNode& column, int64_t& count) {
  if (!tokens.Take('[')) return false;
  if (tokens.Take(']')) return true;
  do {
    if (!(column.is_needed ? ReadField(tokens, column) : tokens.Skip())) return false;
    ++count;
  } while (tokens.Take(','));
  return tokens.Take(']');
}

bool JsonColumns::ReadSequence(JsonTokens& tokens, BuilderNode& node) {
  if (!tokens.Take('[')) return false;
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0 && !tokens.Take(',')) return false;
    BuilderNode& part = *node.children[i];
    if (!(part.is_needed ? Read(tokens, part, 0) : tokens.Skip())) return false;
  }
  return tokens.Take(']');
}

template <auto read>
bool JsonColumns::ReadNumbers(JsonTokens& tokens, BuilderNode& node, bool is_list, int64_t& count) {
  using T = decltype(ScalarOf(read));
  return tokens.TakeScalars(is_list, [&](const char* at, const char* end) {
    T number;
    if (--numbers_left_ < 0 || !read(at, end, number)) return false;
    ++count;
    return node.data.Append(number).ok();
  });
}

bool JsonColumns::ReadScalars(JsonTokens& tokens, BuilderNode& node, bool is_list, int64_t& count) {
  switch (node.dtype) {
    case DType::kBool:
      return ReadNumbers<ReadBool>(tokens, node, is_list, count);
    case DType::kInt8:
      return ReadNumbers<json::ReadInteger<int8_t>>(tokens, node, is_list, count);
    case DType::kInt16:
      return ReadNumbers<json::ReadInteger<int16_t>>(tokens, node, is_list, count);
    case DType::kInt32:
      return ReadNumbers<json::ReadInteger<int32_t>>(tokens, node, is_list, count);
    case DType::kInt64:
      return ReadNumbers<json::ReadInteger<int64_t>>(tokens, node, is_list, count);
    case DType::kUInt8:
      return ReadNumbers<json::ReadInteger<uint8_t>>(tokens, node, is_list, count);
    case DType::kUInt16:
      return ReadNumbers<json::ReadInteger<uint16_t>>(tokens, node, is_list, count);
    case DType::kUInt32:
      return ReadNumbers<json::ReadInteger<uint32_t>>(tokens, node, is_list, count);
    case DType::kUInt64:
      return ReadNumbers<json::ReadInteger<uint64_t>>(tokens, node, is_list, count);
    case DType::kFloat16:
      return ReadNumbers<ReadHalf<ToFloat16, Float16>>(tokens, node, is_list, count);
    case DType::kBFloat16:
      return ReadNumbers<ReadHalf<ToBFloat16, BFloat16>>(tokens, node, is_list, count);
    case DType::kFloat32:
      return ReadNumbers<ReadFloat32>(tokens, node, is_list, count);
    case DType::kFloat64:
      return ReadNumbers<ReadFloat64>(tokens, node, is_list, count);
    case DType::kString:
      do {
        if (!ReadText(tokens, node)) return false;
        ++count;
      } while (is_list && tokens.Take(','));
      return true;
    case DType::kComplex64:
    case DType::kComplex128:
      return false;
  }
  __builtin_unreachable();
}

bool JsonColumns::ReadText(JsonTokens& tokens, BuilderNode& node) {
  std::string_view text;
  if (--numbers_left_ < 0 || !TakeText(tokens, text)) return false;
  text_left_ -= static_cast<int64_t>(text.size());
  return text_left_ >= 0 && node.text.AppendBytes(text).ok() &&
         node.data.Append(static_cast<int64_t>(node.text.size())).ok();
}

bool JsonColumns::TakeText(JsonTokens& tokens, std::string_view& text) {
  if (tokens.Peek() != '"') return false;
  text = tokens.TakeText();
  if (!JsonTokens::HasEscape(text)) return true;
  if (!tokens.Unescape(text, memory_)) return false;
  text = memory_;
  return true;
}

std::optional<Value> JsonColumns::Finish() {
  int64_t bytes_left = numbers_left_ * static_cast<int64_t>(sizeof(int64_t));
  if (!FillUnneeded(*tree_.root(), bytes_left).ok()) return std::nullopt;
  auto value = tree_.TakeValue();
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

}  // namespace signet
