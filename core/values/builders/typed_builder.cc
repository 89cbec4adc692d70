#include "core/values/builders/typed_builder.h"

#include "core/base/nearest_name.h"
#include "core/types/child_path.h"
#include "core/types/identifier.h"
#include "core/values/builders/value_writer.h"
#include "core/values/plain_numbers.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

using Kind = BuilderNode::Kind;

constexpr size_t kMaxUnknownKeys = 8;  // that an error shows

std::string CountOf(size_t n, std::string_view what) {
  return Cat(n, " ", what, n == 1 ? "" : "s");
}

// Returns a default for elements of `dtype` to show in a hint.
std::string_view ExampleOfDefault(DType dtype) {
  if (dtype == DType::kBool) return "False";
  if (dtype == DType::kString) return "\"\"";
  return IsFloat(dtype) ? "nan" : "0";
}

// Returns a default for a whole value of `column` to show in a hint: `nan`, `[]`, `[0, 0]`. Empty
// if it would be long or if the rank is unknown.
std::string ExampleOfDefault(const BuilderNode& column) {
  constexpr int64_t kMostShown = 4;
  if (column.is_open || column.has_pairs) return "";
  std::string text(ExampleOfDefault(column.dtype));
  for (size_t axis = column.axes.size(); axis-- > 0;) {
    int64_t size = column.axes[axis].declared;
    if (size > kMostShown) return "";
    if (size == kUnknownDim) size = 0;
    std::vector<std::string> elements(static_cast<size_t>(size), text);
    text = Cat("[", Join(elements, ", "), "]");
  }
  return text;
}

// Returns how the type of `node` can declare that child `i` may be missing.
std::string HintForDeclaration(const BuilderNode& node, size_t i) {
  const auto* structured = node.spec.As<StructuredSpec>();
  if (structured == nullptr) {
    return node.has_columns
               ? "; a field that may be missing is declared as optional or with a default"
               : "";
  }
  const std::string& name = node.names[i];
  const BuilderNode& child = *node.children[i];
  std::string type = structured->FieldToString(i).substr(name.size() + 2);  // after `name: `
  if (child.default_element) type.resize(type.find(" = "));
  std::string hint =
      Cat("; a field that may be missing is declared as optional, `", name, "?: ", type, "`");
  std::string value = child.kind == Kind::kColumn ? ExampleOfDefault(child) : "";
  if (!value.empty()) hint += Cat(", or with a default, `", name, ": ", type, " = ", value, "`");
  return hint;
}

}  // namespace

Status ValueBuilder::Typed::Compile(const TypeSpec& spec) {
  SIGNET_RETURN_IF_ERROR(tree_.Compile(spec));
  Expect(tree_.root(), 0);
  return absl::OkStatus();
}

Status ValueBuilder::Typed::CompileColumns(const TypeSpec& structured) {
  SIGNET_RETURN_IF_ERROR(tree_.CompileColumns(structured));
  Expect(tree_.root(), 0);
  return absl::OkStatus();
}

void ValueBuilder::Typed::Expect(BuilderNode* node, size_t axis) {
  expects_ = Expects::kValue;
  node_ = node;
  axis_ = axis;
  if (static_cast<int>(axis) != node->presence_axis) return;
  frames_.push_back({Frame::Kind::kPresence, axis, node, node->axes[axis].count});
  ++axis_;
}

Status ValueBuilder::Typed::Push(Frame frame) {
  if (frames_.size() >= static_cast<size_t>(limits_.max_depth)) {
    return WithPlace(limits_.TooDeep());
  }
  frames_.push_back(frame);
  return absl::OkStatus();
}

// Counts a complete value in the innermost list or object.
Status ValueBuilder::Typed::EndValue() {
  if (frames_.empty()) {
    expects_ = Expects::kEnd;
    return absl::OkStatus();
  }
  Frame& frame = frames_.back();
  switch (frame.kind) {
    case Frame::Kind::kAxis:
      ++frame.node->axes[frame.index].count;
      Expect(frame.node, frame.index + 1);
      return absl::OkStatus();
    case Frame::Kind::kSequence:
      ++frame.index;
      ExpectChild();
      return absl::OkStatus();
    case Frame::Kind::kObject:
      frame.index = frame.node->children.size();
      expects_ = Expects::kKey;
      return absl::OkStatus();
    case Frame::Kind::kPresence: {
      Frame presence = frame;
      frames_.pop_back();
      ++presence.node->axes[presence.index].count;
      SIGNET_RETURN_IF_ERROR(EndAxis(presence));
      return EndValue();
    }
  }
  __builtin_unreachable();
}

void ValueBuilder::Typed::ExpectChild() {
  const Frame& frame = frames_.back();
  if (frame.index < frame.node->children.size()) {
    Expect(frame.node->children[frame.index], 0);
  } else {
    expects_ = Expects::kEnd;
  }
}

Status ValueBuilder::Typed::BeginList() {
  if (expects_ != Expects::kValue) return Misplaced("a list");
  if (node_->kind == Kind::kSequence) {
    SIGNET_RETURN_IF_ERROR(Push({Frame::Kind::kSequence, 0, node_, 0}));
    ExpectChild();
    return absl::OkStatus();
  }
  if (AtElement() && node_->is_open) SIGNET_RETURN_IF_ERROR(OpenAxis());
  if (AtElement()) return Misplaced("a list");
  SIGNET_RETURN_IF_ERROR(Push({Frame::Kind::kAxis, axis_, node_, node_->axes[axis_].count}));
  Expect(node_, axis_ + 1);
  return absl::OkStatus();
}

// Adds a dimension for a list, while the depth of lists is not known yet.
Status ValueBuilder::Typed::OpenAxis() {
  BuilderAxis axis;
  axis.is_uniform = true;
  node_->axes.push_back(std::move(axis));
  return absl::OkStatus();
}

// Fixes the rank at the first scalar.
Status ValueBuilder::Typed::CloseAxes() {
  node_->is_open = false;
  if (!IsComplex(node_->dtype)) return absl::OkStatus();
  size_t needed = node_->ragged_rank > 0 ? static_cast<size_t>(node_->ragged_rank) + 2 : 1;
  if (node_->axes.size() < needed) {
    return WithPlace(InvalidWithReason("SHAPE_MISMATCH", "expected [real, imaginary] for `",
                                       node_->spec, "`, found a number"));
  }
  node_->has_pairs = true;
  node_->axes.back().declared = 2;
  return absl::OkStatus();
}

Status ValueBuilder::Typed::EndList() {
  // In a column, the list ends where the next row of an optional field could come.
  if (IsAtPresence()) frames_.pop_back();
  bool is_list = !frames_.empty() && (frames_.back().kind == Frame::Kind::kAxis ||
                                      frames_.back().kind == Frame::Kind::kSequence);
  if (!is_list) return Misplaced("the end of a list");
  Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.kind == Frame::Kind::kAxis) {
    SIGNET_RETURN_IF_ERROR(EndAxis(frame));
  } else if (frame.index < frame.node->children.size()) {
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "expected a list of ",
                                       frame.node->children.size(), " for `", frame.node->spec,
                                       "`, found a list of ", frame.index));
  }
  return EndValue();
}

Status ValueBuilder::Typed::EndAxis(const Frame& frame) {
  BuilderAxis& axis = frame.node->axes[frame.index];
  int64_t length = axis.count - frame.start;
  if (axis.declared != kUnknownDim && length != axis.declared) {
    return WithPlace(InvalidWithReason("SHAPE_MISMATCH", "expected a list of ", axis.declared,
                                       " in dimension ", frame.index, " of `", frame.node->spec,
                                       "`, found a list of ", length));
  }
  if (axis.is_uniform) {
    if (axis.length == kUnknownDim) axis.length = length;
    if (axis.length != length) {
      return WithPlace(InvalidWithReason("NOT_RECTANGULAR", "expected lists of one length for `",
                                         frame.node->spec, "`, found a list of ", length,
                                         " and one of ", axis.length));
    }
  }
  if (!axis.has_splits) return absl::OkStatus();
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(int64_t)));
  return axis.splits.Append(axis.count);
}

Status ValueBuilder::Typed::BeginObject() {
  bool fits = expects_ == Expects::kValue &&
              (node_->kind == Kind::kRecord || (node_->kind == Kind::kStructure && AtElement()));
  if (!fits) return Misplaced("an object");
  SIGNET_RETURN_IF_ERROR(Push({Frame::Kind::kObject, node_->children.size(), node_, 0}));
  ++node_->object;
  node_->num_seen = 0;
  node_->position = 0;
  expects_ = Expects::kKey;
  return absl::OkStatus();
}

Status ValueBuilder::Typed::Key(std::string_view name) {
  if (expects_ != Expects::kKey) return Misplaced("a key");
  Frame& frame = frames_.back();
  BuilderNode& node = *frame.node;
  frame.index = node.children.size();
  int child = node.Lookup(name);
  if (child < 0) {
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "key `", Printable(name),
                                       "`; expected one of ", ListNames(node.names)));
  }
  auto index = static_cast<size_t>(child);
  if (node.seen[index] == node.object) {
    return WithPlace(
        InvalidWithReason("STRUCTURE_MISMATCH", "duplicate key `", Printable(name), "`"));
  }
  node.seen[index] = node.object;
  ++node.num_seen;
  frame.index = index;
  Expect(node.children[index], 0);
  return absl::OkStatus();
}

Status ValueBuilder::Typed::EndObject() {
  if (expects_ != Expects::kKey) return Misplaced("the end of an object");
  BuilderNode& node = *frames_.back().node;
  if (node.num_seen < node.children.size()) {
    std::vector<std::string> missing;
    std::vector<size_t> absent;
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (node.seen[i] == node.object) continue;
      absent.push_back(i);
      bool fits = node.children[i]->TakesNull() && !(node.has_columns && node.num_seen == 0);
      if (!fits) missing.push_back(node.names[i]);
    }
    if (!missing.empty()) {
      frames_.pop_back();
      const auto first = static_cast<size_t>(node.IndexOf(missing[0]));
      return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "no ",
                                         missing.size() == 1 ? "key " : "keys ", ListNames(missing),
                                         HintForMissing(node, first)));
    }
    for (size_t i : absent) SIGNET_RETURN_IF_ERROR(EndMissing(node, i));
  }
  frames_.pop_back();
  return EndValue();
}

// Reads a child that the current object does not have as null. In an object of columns, reads one
// null per row.
Status ValueBuilder::Typed::EndMissing(BuilderNode& node, size_t child) {
  frames_.back().index = child;
  Expect(node.children[child], 0);
  if (!node.has_columns) return Null();
  int64_t rows = 0;
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (node.seen[i] == node.object) rows = node.children[i]->axes[0].count;
  }
  SIGNET_RETURN_IF_ERROR(BeginList());
  for (int64_t i = 0; i < rows; ++i) SIGNET_RETURN_IF_ERROR(Null());
  return EndList();
}

Status ValueBuilder::Typed::Charge(size_t bytes) {
  bytes_ += static_cast<int64_t>(bytes);
  if (bytes_ <= limits_.max_bytes) return absl::OkStatus();
  return WithPlace(limits_.TooManyBytes());
}

// Prepares for a scalar, which an error calls `found`.
Status ValueBuilder::Typed::EnterColumn(std::string_view found) {
  if (expects_ != Expects::kValue || node_->kind != Kind::kColumn) return Misplaced(found);
  is_pair_ = node_->has_pairs && axis_ + 1 == node_->axes.size();
  if (AtOnlyScalar()) {
    implied_ = node_->axes.size() - axis_;
    for (size_t i = 0; i < implied_; ++i) SIGNET_RETURN_IF_ERROR(BeginList());
  }
  if (!AtElement() && !is_pair_) return Misplaced(found);
  if (node_->is_open) {
    SIGNET_RETURN_IF_ERROR(CloseAxes());
  }
  if (++elements_ > limits_.max_elements) {
    return WithPlace(limits_.TooManyElements());
  }
  size_t size = node_->dtype == DType::kString ? sizeof(int64_t) : SizeOf(node_->dtype);
  return Charge(size);
}

Status ValueBuilder::Typed::LeaveColumn(Status appended) {
  if (!appended.ok()) return WithPlace(std::move(appended));
  if (is_pair_) SIGNET_RETURN_IF_ERROR(AppendFloat(node_->dtype, 0, node_->data));
  SIGNET_RETURN_IF_ERROR(EndValue());
  for (size_t i = std::exchange(implied_, 0); i > 0; --i) SIGNET_RETURN_IF_ERROR(EndList());
  return absl::OkStatus();
}

Status ValueBuilder::Typed::Scalar(const Literal& value) {
  if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral) {
    if (node_->spec.As<LiteralSpec>()->literal() != value) {
      return WithPlace(InvalidWithReason("LITERAL_MISMATCH", "expected `", node_->spec,
                                         "`, found `", value, "`"));
    }
    return EndValue();
  }
  return Misplaced(Cat("`", value, "`"));
}

bool ValueBuilder::Typed::IsAtPresence() const {
  return expects_ == Expects::kValue && !frames_.empty() &&
         frames_.back().kind == Frame::Kind::kPresence && frames_.back().node == node_ &&
         axis_ == frames_.back().index + 1;
}

Status ValueBuilder::Typed::Null() {
  if (expects_ != Expects::kValue) return Misplaced("null");
  if (node_->kind == Kind::kLiteral) return Scalar(Literal());
  if (IsAtPresence()) {
    Frame presence = frames_.back();
    frames_.pop_back();
    SIGNET_RETURN_IF_ERROR(EndAxis(presence));
    return EndValue();
  }
  if (node_->default_value && static_cast<int>(axis_) == node_->default_axis) {
    return Replay(node_->default_value);
  }
  if (node_->default_element && (AtScalar() || AtOnlyScalar())) {
    return Replay(node_->default_element);
  }
  return Misplaced("null");
}

// Replays the default value as if it had been written.
Status ValueBuilder::Typed::Replay(const TypeSpec& default_value) {
  if (const auto* spec = default_value.As<LiteralSpec>()) {
    const Literal& literal = spec->literal();
    switch (literal.kind()) {
      case Literal::Kind::kNone:
        return Misplaced("null");
      case Literal::Kind::kBool:
        return Bool(literal.bool_value());
      case Literal::Kind::kInt:
        return Int(literal.int_value());
      case Literal::Kind::kFloat:
        return Float(literal.float_value());
      case Literal::Kind::kString:
        return String(literal.string_value());
    }
    __builtin_unreachable();
  }
  SIGNET_RETURN_IF_ERROR(BeginList());
  for (const TypeSpec& element : default_value.children()) SIGNET_RETURN_IF_ERROR(Replay(element));
  return EndList();
}

Status ValueBuilder::Typed::Bool(bool value) {
  if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral)
    return Scalar(Literal::Bool(value));
  SIGNET_RETURN_IF_ERROR(EnterColumn("a bool"));
  return LeaveColumn(AppendBool(node_->dtype, value, node_->data));
}

Status ValueBuilder::Typed::Int(absl::int128 value) {
  if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral)
    return Scalar(Literal::Int(value));
  SIGNET_RETURN_IF_ERROR(EnterColumn("a number"));
  return LeaveColumn(AppendInt(node_->dtype, value, node_->data));
}

Status ValueBuilder::Typed::Float(double value) {
  if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral)
    return Scalar(Literal::Float(value));
  SIGNET_RETURN_IF_ERROR(EnterColumn("a number"));
  return LeaveColumn(AppendFloat(node_->dtype, value, node_->data));
}

Status ValueBuilder::Typed::String(std::string_view bytes) {
  if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral) {
    return Scalar(Literal::String(std::string(bytes)));
  }
  SIGNET_RETURN_IF_ERROR(EnterColumn("text"));
  if (node_->dtype != DType::kString) {
    return WithPlace(InvalidWithReason("DTYPE_MISMATCH", "expected ", PlainFormOf(node_->dtype),
                                       " for `", NameOf(node_->dtype), "`, found text \"",
                                       Printable(bytes), "\""));
  }
  SIGNET_RETURN_IF_ERROR(Charge(bytes.size()));
  SIGNET_RETURN_IF_ERROR(node_->text.AppendBytes(bytes));
  return LeaveColumn(node_->data.Append(static_cast<int64_t>(node_->text.size())));
}

bool ValueBuilder::Typed::TakesObject() const {
  return expects_ == Expects::kValue &&
         (node_->kind == Kind::kRecord || node_->kind == Kind::kStructure);
}

bool ValueBuilder::Typed::TakesKey(std::string_view name) {
  // Key reports errors for misplaced keys and for the parts of a sparse value.
  if (expects_ != Expects::kKey || frames_.back().node->spec.is(TypeKind::kSparse)) return true;
  const BuilderNode& node = *frames_.back().node;
  if (node.IndexOf(name) >= 0) return true;
  if (unknown_.node != &node || unknown_.object != node.object) unknown_ = {&node, node.object};
  if (unknown_.keys.size() < kMaxUnknownKeys) unknown_.keys.push_back(Printable(name));
  return false;
}

std::string ValueBuilder::Typed::HintForMissing(const BuilderNode& node, size_t child) const {
  if (unknown_.node != &node || unknown_.object != node.object) {
    return HintForDeclaration(node, child);
  }
  const std::string& name = node.names[child];
  const std::vector<std::string_view> keys(unknown_.keys.begin(), unknown_.keys.end());
  if (auto nearest = NearestName(name, keys)) {
    return Cat("; the key `", *nearest, "` is unknown: did you mean `", name, "`?");
  }
  return Cat("; unknown ", keys.size() == 1 ? "key: " : "keys: ", ListNames(unknown_.keys));
}

bool ValueBuilder::Typed::IsTypePart(std::string_view key) const {
  if (expects_ == Expects::kEnd) return false;
  const BuilderNode& node = expects_ == Expects::kKey ? *frames_.back().node : *node_;
  const auto* extension = node.spec.As<ExtensionSpec>();
  return extension != nullptr && (key == kTypeKey || extension->LookupStatic(key));
}

std::optional<DType> ValueBuilder::Typed::ScalarDType() const {
  bool is_column = expects_ == Expects::kValue && node_->kind == Kind::kColumn;
  if (!is_column || !(AtScalar() || AtOnlyScalar())) return std::nullopt;
  return node_->dtype;
}

std::string ValueBuilder::Typed::Path() const {
  std::string path;
  for (const Frame& frame : frames_) {
    switch (frame.kind) {
      case Frame::Kind::kAxis:
        path += Cat("[", frame.node->axes[frame.index].count - frame.start, "]");
        break;
      case Frame::Kind::kSequence:
        path += Cat("[", frame.index, "]");
        break;
      case Frame::Kind::kObject:
        if (frame.index < frame.node->names.size()) {
          path = JoinPath(path, Printable(frame.node->names[frame.index]));
        }
        break;
      case Frame::Kind::kPresence:
        break;
    }
  }
  return path;
}

Status ValueBuilder::Typed::WithPlace(Status status) const {
  std::string path = Path();
  if (path.empty()) return status;
  return WithField(path, At(Cat("`", path, "`"), std::move(status)));
}

std::string ValueBuilder::Typed::Wanted() const {
  if (expects_ == Expects::kKey) return "a key or the end of the object";
  if (expects_ == Expects::kEnd) {
    if (frames_.empty()) return "nothing more";
    return Cat("the end of the list for `", BriefOf(frames_.back().node->spec), "`");
  }
  std::string type = Cat("`", BriefOf(node_->spec), "`");
  switch (node_->kind) {
    case Kind::kColumn:
      if (!AtElement()) return Cat("a list for ", type);
      return Cat(PlainFormOf(node_->dtype), " for ", type);
    case Kind::kStructure:
      return Cat(AtElement() ? "an object for " : "a list for ", type);
    case Kind::kSequence:
      return Cat("a list of ", CountOf(node_->children.size(), "element"), " for ", type);
    case Kind::kRecord:
      return Cat("an object for ", type);
    case Kind::kLiteral:
      return type;
  }
  __builtin_unreachable();
}

namespace {

// Returns what null would mean in a column of `dtype`, and what to send instead.
std::string HintForNull(DType dtype) {
  const std::string_view name = NameOf(dtype);
  return Cat("; null stands for a default that the type declares, as `x: ", name,
             "[] = ", ExampleOfDefault(dtype), "` does, or for an optional field, `x?: ", name,
             "[]`; ",
             IsFloat(dtype) ? "write \"NaN\" to send a float that is missing" : "send a value");
}

}  // namespace

Status ValueBuilder::Typed::Misplaced(std::string_view found) const {
  std::string_view reason = "STRUCTURE_MISMATCH";
  if (expects_ == Expects::kValue && node_->kind == Kind::kColumn) {
    bool has_tensor_form = found != "an object" && found != "null";
    reason = has_tensor_form ? "SHAPE_MISMATCH" : "NOT_CONVERTIBLE";
  } else if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral) {
    reason = "LITERAL_MISMATCH";
  }
  // States where null would be accepted.
  bool is_null_value =
      found == "null" && expects_ == Expects::kValue && node_->kind != Kind::kLiteral;
  std::string hint;
  if (is_null_value && node_->kind == Kind::kColumn) {
    hint = HintForNull(node_->dtype);
  } else if (is_null_value) {
    hint = "; null stands for an optional field, such as `x` in `{x?: {a: string[]}}`";
  }
  const bool is_column = expects_ == Expects::kValue && frames_.size() == 1 && axis_ == 0 &&
                         frames_[0].kind == Frame::Kind::kObject && frames_[0].node->has_columns;
  if (is_column && found != "null") {
    hint = "; an object instead of a list of records has columns; write `[{...}]` for one record";
  }
  return WithPlace(InvalidWithReason(reason, "expected ", Wanted(), ", found ", found, hint));
}

StatusOr<Value> ValueBuilder::Typed::Finish() {
  if (!frames_.empty() || expects_ != Expects::kEnd) return Misplaced("the end");
  return tree_.TakeValue();
}

}  // namespace signet
