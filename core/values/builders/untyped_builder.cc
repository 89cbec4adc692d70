#include "core/values/builders/untyped_builder.h"

#include "core/types/identifier.h"

namespace signet {

// Checks that a value may come next: no key is missing, and the value is not complete.
Status ValueBuilder::Untyped::CheckPlace(std::string_view found) const {
  if (frames_.empty()) {
    if (!result_) return absl::OkStatus();
    return InvalidWithReason("STRUCTURE_MISMATCH", "expected nothing more, found ", found);
  }
  const Frame& frame = frames_.back();
  if (!frame.is_object || frame.keys.size() > frame.values.size()) return absl::OkStatus();
  return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH",
                                     "expected a key or the end of the object, found ", found));
}

Status ValueBuilder::Untyped::Charge(size_t bytes) {
  bytes_ += static_cast<int64_t>(bytes);
  if (++elements_ > limits_.max_elements) {
    return WithPlace(limits_.TooManyElements());
  }
  if (bytes_ > limits_.max_bytes) {
    return WithPlace(limits_.TooManyBytes());
  }
  return absl::OkStatus();
}

void ValueBuilder::Untyped::Add(Value value) {
  if (frames_.empty()) {
    result_ = std::move(value);
  } else {
    frames_.back().values.push_back(std::move(value));
  }
}

Status ValueBuilder::Untyped::Begin(bool is_object) {
  SIGNET_RETURN_IF_ERROR(CheckPlace(is_object ? "an object" : "a list"));
  if (frames_.size() == static_cast<size_t>(limits_.max_depth)) {
    return WithPlace(limits_.TooDeep());
  }
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(Frame)));
  frames_.push_back({is_object, {}, {}});
  return absl::OkStatus();
}

Status ValueBuilder::Untyped::End(bool is_object) {
  bool fits = !frames_.empty() && frames_.back().is_object == is_object &&
              (!is_object || frames_.back().keys.size() == frames_.back().values.size());
  if (!fits) {
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found the end of ",
                                       is_object ? "an object" : "a list"));
  }
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (!is_object) {
    Add(ListOf(frame.values));
    return absl::OkStatus();
  }
  NamedValues items;
  for (size_t i = 0; i < frame.keys.size(); ++i) {
    items.emplace_back(std::move(frame.keys[i]), std::move(frame.values[i]));
  }
  auto dict = MakeDict(std::move(items));
  if (!dict.ok()) return WithPlace(WithReason("STRUCTURE_MISMATCH", dict.status()));
  Add(*std::move(dict));
  return absl::OkStatus();
}

Status ValueBuilder::Untyped::Key(std::string_view name) {
  bool fits = !frames_.empty() && frames_.back().is_object &&
              frames_.back().keys.size() == frames_.back().values.size();
  if (!fits)
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found a key"));
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(std::string) + name.size()));
  frames_.back().keys.emplace_back(name);
  return absl::OkStatus();
}

Status ValueBuilder::Untyped::Scalar(Literal value) {
  SIGNET_RETURN_IF_ERROR(CheckPlace("a value"));
  size_t text = value.is(Literal::Kind::kString) ? value.string_value().size() : 0;
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(Value) + text));
  Add(Value::OfLiteral(std::move(value)));
  return absl::OkStatus();
}

Status ValueBuilder::Untyped::Int(absl::int128 value) {
  if (value < INT64_MIN || value > absl::int128(UINT64_MAX)) {
    return WithPlace(
        WithReason("OUT_OF_RANGE", OutOfRange("expected an integer from -2^63 to 2^64 - 1, found ",
                                              static_cast<double>(value))));
  }
  return Scalar(Literal::Int(value));
}

std::string ValueBuilder::Untyped::Path() const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (!frame.is_object) {
      path += Cat("[", frame.values.size(), "]");
    } else if (frame.keys.size() > frame.values.size()) {
      path = JoinPath(path, Printable(frame.keys.back()));
    }
  }
  return path;
}

Status ValueBuilder::Untyped::WithPlace(Status status) const {
  std::string path = Path();
  if (path.empty()) return status;
  return WithField(path, At(Cat("`", path, "`"), std::move(status)));
}

StatusOr<Value> ValueBuilder::Untyped::Finish() {
  if (!frames_.empty() || !result_)
    return InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found the end");
  return std::move(result_);
}

}  // namespace signet
