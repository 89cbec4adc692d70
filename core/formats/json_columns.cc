#include "core/formats/json_columns.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/formats/json_words.h"
#include "core/formats/needed_columns.h"

namespace signet {
namespace {

using Kind = BuilderNode::Kind;

// What ValueBuilder's other ways are for.
bool IsOrdinary(const BuilderNode& node) {
  if (node.kind == Kind::kLiteral || node.is_open || node.has_pairs) return false;
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

template <class T>
bool AppendInteger(simdjson::ondemand::value& value, GrowingBuffer& out) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    uint64_t number;
    return !value.get_uint64().get(number) && out.Append(number).ok();
  } else {
    int64_t number;
    if (value.get_int64().get(number)) return false;
    if (number < std::numeric_limits<T>::min() ||
        number > static_cast<int64_t>(std::numeric_limits<T>::max())) {
      return false;
    }
    return out.Append(static_cast<T>(number)).ok();
  }
}

// The words for what numbers cannot say.
bool ReadWord(simdjson::ondemand::value& value, double& number) {
  std::string_view word;
  if (value.get_string().get(word)) return false;
  auto known = FloatOfJsonWord(word);
  number = known.value_or(0);
  return known.has_value();
}

bool ReadFloat64(simdjson::ondemand::value& value, double& number) {
  if (value.get_double().get(number) == simdjson::SUCCESS) return std::isfinite(number);
  return ReadWord(value, number);
}

// A number on its way to a narrower type. A large integer is to be rounded once, not by way of a
// double: the two differ only where the double lies halfway between two floats.
bool ReadFloat(simdjson::ondemand::value& value, float& number) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  constexpr uint64_t kBeyondFloat = (uint64_t{1} << 29) - 1;
  constexpr uint64_t kHalfway = uint64_t{1} << 28;
  double wide;
  if (value.get_double().get(wide)) {
    if (!ReadWord(value, wide)) return false;
    number = static_cast<float>(wide);
    return true;
  }
  if (std::abs(wide) >= kExactIntegers &&
      (std::bit_cast<uint64_t>(wide) & kBeyondFloat) == kHalfway) {
    return false;
  }
  number = static_cast<float>(wide);
  return std::isfinite(number);
}

template <class T>
bool AppendHalf(simdjson::ondemand::value& value, GrowingBuffer& out, T (*narrow)(float)) {
  float number;
  if (!ReadFloat(value, number)) return false;
  T half = narrow(number);
  return std::isfinite(ToFloat(half)) == std::isfinite(number) && out.Append(half).ok();
}

}  // namespace

std::optional<JsonColumns> JsonColumns::Make(const TypeSpec& spec, const BuilderLimits& limits,
                                             const std::vector<bool>& needs) {
  JsonColumns columns(limits);
  if (!columns.tree_.Compile(spec).ok()) return std::nullopt;
  BuilderNode& root = *columns.tree_.root();
  if (!MarkNeeded(root, needs).ok()) return std::nullopt;
  if (!IsOrdinary(root) || DepthOf(root) > limits.max_depth) return std::nullopt;
  return columns;
}

bool JsonColumns::Read(simdjson::ondemand::value value) { return Read(value, *tree_.root(), 0); }

bool JsonColumns::ReadElement(simdjson::ondemand::value value) {
  BuilderNode& root = *tree_.root();
  if (root.axes.empty() || !Read(value, root, 1)) return false;
  ++root.axes[0].count;
  return true;
}

bool JsonColumns::EndElements() {
  BuilderNode& root = *tree_.root();
  return !root.axes.empty() && EndAxis(root.axes[0], root.axes[0].count);
}

bool JsonColumns::Read(simdjson::ondemand::value& value, BuilderNode& node, size_t axis) {
  if (axis < node.axes.size()) return ReadList(value, node, axis);
  switch (node.kind) {
    case Kind::kColumn:
      return ReadScalar(value, node);
    case Kind::kStructure:
    case Kind::kRecord:
      return ReadObject(value, node);
    case Kind::kSequence:
      return ReadSequence(value, node);
    case Kind::kLiteral:
      return false;
  }
  __builtin_unreachable();
}

bool JsonColumns::ReadList(simdjson::ondemand::value& value, BuilderNode& node, size_t axis) {
  simdjson::ondemand::array list;
  if (value.get_array().get(list)) return false;
  BuilderAxis& own = node.axes[axis];
  int64_t start = own.count;
  for (auto element : list) {
    simdjson::ondemand::value child;
    if (std::move(element).get(child) || !Read(child, node, axis + 1)) return false;
    ++own.count;
  }
  return EndAxis(own, own.count - start);
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

bool JsonColumns::ReadObject(simdjson::ondemand::value& value, BuilderNode& node) {
  simdjson::ondemand::object object;
  if (value.get_object().get(object)) return false;
  ++node.object;
  node.position = 0;
  size_t num_seen = 0;
  for (auto entry : object) {
    if (entry.error()) return false;
    auto&& field = std::move(entry).value_unsafe();  // in its place: moving it out costs more
    size_t index = node.Expected();
    if (index < node.names.size() && field.key().unsafe_is_equal(node.names[index])) {
      ++node.position;
    } else {
      std::string_view key;
      if (field.unescaped_key().get(key)) return false;
      int found = node.Lookup(key);
      if (found < 0) return false;
      index = static_cast<size_t>(found);
    }
    if (node.seen[index] == node.object) return false;
    node.seen[index] = node.object;
    ++num_seen;
    // What is not read here, the next step of the loop passes over.
    BuilderNode& child = *node.children[index];
    if (child.is_needed && !Read(field.value(), child, 0)) return false;
  }
  return num_seen == node.children.size();
}

bool JsonColumns::ReadSequence(simdjson::ondemand::value& value, BuilderNode& node) {
  simdjson::ondemand::array list;
  if (value.get_array().get(list)) return false;
  size_t index = 0;
  for (auto element : list) {
    simdjson::ondemand::value child;
    if (index == node.children.size() || std::move(element).get(child)) return false;
    BuilderNode& part = *node.children[index++];
    if (part.is_needed && !Read(child, part, 0)) return false;
  }
  return index == node.children.size();
}

bool JsonColumns::ReadScalar(simdjson::ondemand::value& value, BuilderNode& node) {
  if (--numbers_left_ < 0) return false;
  GrowingBuffer& out = node.data;
  switch (node.dtype) {
    case DType::kBool: {
      bool truth;
      return !value.get_bool().get(truth) && out.Append(truth).ok();
    }
    case DType::kInt8:
      return AppendInteger<int8_t>(value, out);
    case DType::kInt16:
      return AppendInteger<int16_t>(value, out);
    case DType::kInt32:
      return AppendInteger<int32_t>(value, out);
    case DType::kInt64:
      return AppendInteger<int64_t>(value, out);
    case DType::kUInt8:
      return AppendInteger<uint8_t>(value, out);
    case DType::kUInt16:
      return AppendInteger<uint16_t>(value, out);
    case DType::kUInt32:
      return AppendInteger<uint32_t>(value, out);
    case DType::kUInt64:
      return AppendInteger<uint64_t>(value, out);
    case DType::kFloat16:
      return AppendHalf<Float16>(value, out, ToFloat16);
    case DType::kBFloat16:
      return AppendHalf<BFloat16>(value, out, ToBFloat16);
    case DType::kFloat32: {
      float number;
      return ReadFloat(value, number) && out.Append(number).ok();
    }
    case DType::kFloat64: {
      double number;
      return ReadFloat64(value, number) && out.Append(number).ok();
    }
    case DType::kString:
      return ReadText(value, node);
    case DType::kComplex64:
    case DType::kComplex128:
      return false;
  }
  __builtin_unreachable();
}

bool JsonColumns::ReadText(simdjson::ondemand::value& value, BuilderNode& node) {
  std::string_view text;
  if (value.get_string().get(text)) return false;
  text_left_ -= static_cast<int64_t>(text.size());
  return text_left_ >= 0 && node.text.AppendBytes(text).ok() &&
         node.data.Append(static_cast<int64_t>(node.text.size())).ok();
}

std::optional<Value> JsonColumns::Finish() {
  int64_t bytes_left = numbers_left_ * static_cast<int64_t>(sizeof(int64_t));
  if (!FillUnneeded(*tree_.root(), bytes_left).ok()) return std::nullopt;
  auto value = tree_.TakeValue();
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

}  // namespace signet
