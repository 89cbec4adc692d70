#include "core/values/typed_builder.h"

#include "core/types/identifier.h"
#include "core/types/literal_spec.h"
#include "core/values/plain_numbers.h"

namespace signet {
namespace {

using Kind = BuilderNode::Kind;

std::string CountOf(size_t n, std::string_view what) {
  return Cat(n, " ", what, n == 1 ? "" : "s");
}

}  // namespace

Status ValueBuilder::Typed::Compile(const TypeSpec& spec) {
  SIGNET_RETURN_IF_ERROR(tree_.Compile(spec));
  Expect(tree_.root(), 0);
  return absl::OkStatus();
}

void ValueBuilder::Typed::Expect(BuilderNode* node, size_t axis) {
  expects_ = Expects::kValue;
  node_ = node;
  axis_ = axis;
}

Status ValueBuilder::Typed::Push(Frame frame) {
  if (frames_.size() == static_cast<size_t>(limits_.max_depth)) {
    return Refused(limits_.TooDeep());
  }
  frames_.push_back(frame);
  return absl::OkStatus();
}

// The innermost list or object has got one more value.
void ValueBuilder::Typed::EndValue() {
  if (frames_.empty()) {
    expects_ = Expects::kEnd;
    return;
  }
  Frame& frame = frames_.back();
  switch (frame.kind) {
    case Frame::Kind::kAxis:
      ++frame.node->axes[frame.index].count;
      Expect(frame.node, frame.index + 1);
      return;
    case Frame::Kind::kSequence:
      ++frame.index;
      ExpectChild();
      return;
    case Frame::Kind::kObject:
      frame.index = frame.node->children.size();
      expects_ = Expects::kKey;
      return;
  }
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

// A list where the depth of lists is still open: one more dimension.
Status ValueBuilder::Typed::OpenAxis() {
  BuilderAxis axis;
  axis.is_uniform = true;
  node_->axes.push_back(std::move(axis));
  return absl::OkStatus();
}

// The first scalar settles the rank.
Status ValueBuilder::Typed::CloseAxes() {
  node_->is_open = false;
  if (!IsComplex(node_->dtype)) return absl::OkStatus();
  size_t needed = node_->ragged_rank > 0 ? static_cast<size_t>(node_->ragged_rank) + 2 : 1;
  if (node_->axes.size() < needed) {
    return Refused(
        Refuse("SHAPE_MISMATCH", "a number; `", node_->spec, "` takes [real, imaginary]"));
  }
  node_->has_pairs = true;
  node_->axes.back().declared = 2;
  return absl::OkStatus();
}

Status ValueBuilder::Typed::EndList() {
  bool is_list = !frames_.empty() && frames_.back().kind != Frame::Kind::kObject;
  if (!is_list) return Misplaced("the end of a list");
  Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.kind == Frame::Kind::kAxis) {
    SIGNET_RETURN_IF_ERROR(EndAxis(frame));
  } else if (frame.index < frame.node->children.size()) {
    return Refused(Refuse("STRUCTURE_MISMATCH", "a list of ", frame.index, "; `", frame.node->spec,
                          "` takes ", frame.node->children.size()));
  }
  EndValue();
  return absl::OkStatus();
}

Status ValueBuilder::Typed::EndAxis(const Frame& frame) {
  BuilderAxis& axis = frame.node->axes[frame.index];
  int64_t length = axis.count - frame.start;
  if (axis.declared != kUnknownDim && length != axis.declared) {
    return Refused(Refuse("SHAPE_MISMATCH", "a list of ", length, "; `", frame.node->spec,
                          "` takes ", axis.declared, " in dimension ", frame.index));
  }
  if (axis.is_uniform) {
    if (axis.length == kUnknownDim) axis.length = length;
    if (axis.length != length) {
      return Refused(Refuse("NOT_RECTANGULAR", "a list of ", length, " beside one of ", axis.length,
                            "; `", frame.node->spec, "` takes lists of one length"));
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
    return Refused(Refuse("STRUCTURE_MISMATCH", "key `", Printable(name), "`; `", node.spec,
                          "` has ", ListNames(node.names)));
  }
  auto index = static_cast<size_t>(child);
  if (node.seen[index] == node.object) {
    return Refused(Refuse("STRUCTURE_MISMATCH", "key `", Printable(name),
                          "` appears twice; takes each key once"));
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
  frames_.pop_back();
  if (node.num_seen < node.children.size()) {
    std::vector<std::string> missing;
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (node.seen[i] != node.object) missing.push_back(node.names[i]);
    }
    return Refused(Refuse("STRUCTURE_MISMATCH", "no ", missing.size() == 1 ? "key " : "keys ",
                          ListNames(missing), "; `", node.spec, "` takes every key"));
  }
  EndValue();
  return absl::OkStatus();
}

Status ValueBuilder::Typed::Charge(size_t bytes) {
  bytes_ += static_cast<int64_t>(bytes);
  if (bytes_ <= limits_.max_bytes) return absl::OkStatus();
  return Refused(limits_.TooManyBytes());
}

// A scalar, called `found` in a refusal, is about to be appended to the column.
Status ValueBuilder::Typed::EnterColumn(std::string_view found) {
  if (expects_ != Expects::kValue || node_->kind != Kind::kColumn) return Misplaced(found);
  is_pair_ = node_->has_pairs && axis_ + 1 == node_->axes.size();
  if (!AtElement() && !is_pair_) return Misplaced(found);
  if (node_->is_open) {
    SIGNET_RETURN_IF_ERROR(CloseAxes());
  }
  if (++elements_ > limits_.max_elements) {
    return Refused(limits_.TooManyElements());
  }
  size_t size = node_->dtype == DType::kString ? sizeof(int64_t) : SizeOf(node_->dtype);
  return Charge(size);
}

Status ValueBuilder::Typed::LeaveColumn(Status appended) {
  if (!appended.ok()) return Refused(std::move(appended));
  if (is_pair_) SIGNET_RETURN_IF_ERROR(AppendFloat(node_->dtype, 0, node_->data));
  EndValue();
  return absl::OkStatus();
}

Status ValueBuilder::Typed::Scalar(const Literal& value) {
  if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral) {
    if (node_->spec.As<LiteralSpec>()->literal() != value) {
      return Refused(Refuse("LITERAL_MISMATCH", "`", value, "`; takes `", node_->spec, "`"));
    }
    EndValue();
    return absl::OkStatus();
  }
  return Misplaced(value.is(Literal::Kind::kNone) ? std::string("null") : Cat("`", value, "`"));
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
    return Refused(Refuse("DTYPE_MISMATCH", "text \"", Printable(bytes), "\"; `",
                          NameOf(node_->dtype), "` takes ", PlainFormOf(node_->dtype)));
  }
  SIGNET_RETURN_IF_ERROR(Charge(bytes.size()));
  SIGNET_RETURN_IF_ERROR(node_->text.AppendBytes(bytes));
  return LeaveColumn(node_->data.Append(static_cast<int64_t>(node_->text.size())));
}

bool ValueBuilder::Typed::TakesObject() const {
  return expects_ == Expects::kValue &&
         (node_->kind == Kind::kRecord || node_->kind == Kind::kStructure);
}

std::optional<DType> ValueBuilder::Typed::ScalarDType() const {
  bool is_column = expects_ == Expects::kValue && node_->kind == Kind::kColumn;
  if (!is_column) return std::nullopt;
  bool at_pair = node_->has_pairs && axis_ + 1 == node_->axes.size();
  if (!AtElement() && !at_pair) return std::nullopt;
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
    }
  }
  return path;
}

Status ValueBuilder::Typed::Refused(Status status) const {
  std::string path = Path();
  if (path.empty()) return status;
  return WithField(path, At(Cat("`", path, "`"), std::move(status)));
}

std::string ValueBuilder::Typed::Wanted() const {
  if (expects_ == Expects::kKey) return "a key or the end of the object";
  if (expects_ == Expects::kEnd) {
    if (frames_.empty()) return "nothing more";
    return Cat("the end of the list, `", frames_.back().node->spec, "`");
  }
  std::string type = Cat("`", node_->spec, "` takes ");
  switch (node_->kind) {
    case Kind::kColumn:
      if (!AtElement()) return Cat(type, "a list");
      return Cat(type, PlainFormOf(node_->dtype));
    case Kind::kStructure:
      return Cat(type, AtElement() ? "an object" : "a list");
    case Kind::kSequence:
      return Cat(type, "a list of ", CountOf(node_->children.size(), "element"));
    case Kind::kRecord:
      return Cat(type, "an object");
    case Kind::kLiteral:
      return type + "that value";
  }
  __builtin_unreachable();
}

Status ValueBuilder::Typed::Misplaced(std::string_view found) const {
  std::string_view reason = "STRUCTURE_MISMATCH";
  if (expects_ == Expects::kValue && node_->kind == Kind::kColumn) {
    bool has_tensor_form = found != "an object" && found != "null";
    reason = has_tensor_form ? "SHAPE_MISMATCH" : "NOT_CONVERTIBLE";
  } else if (expects_ == Expects::kValue && node_->kind == Kind::kLiteral) {
    reason = "LITERAL_MISMATCH";
  }
  return Refused(Refuse(reason, found, "; ", Wanted()));
}

StatusOr<Value> ValueBuilder::Typed::Finish() {
  if (!frames_.empty() || expects_ != Expects::kEnd) return Misplaced("the end");
  return tree_.TakeValue();
}

}  // namespace signet
