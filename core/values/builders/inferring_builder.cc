#include "core/values/builders/inferring_builder.h"

#include <cstring>

namespace signet {

// What follows each event on the tape; nothing, unless stated otherwise.
enum class InferringBuilder::Event : uint8_t {
  kBeginList,
  kEndList,
  kBeginObject,
  kKey,  // the text
  kEndObject,
  kFalse,
  kTrue,
  kInt,       // an int64_t
  kUnsigned,  // a uint64_t: an integer beyond int64_t
  kFloat,     // a double
  kString,    // a uint64_t size and that many bytes
};

namespace {

// Reads the tape from the beginning.
class Tape {
 public:
  explicit Tape(std::string_view bytes) : bytes_(bytes) {}

  bool AtEnd() const { return bytes_.empty(); }

  template <class T>
  T Take() {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }

  std::string_view TakeText() {
    auto size = static_cast<size_t>(Take<uint64_t>());
    std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

InferringBuilder::InferringBuilder(InferOptions options, BuilderLimits limits,
                                   InferLimits infer_limits)
    : dtype_(options.dtype), limits_(limits), inference_(std::move(options), infer_limits) {}

Status InferringBuilder::WithPlace(Status status) const {
  std::string path = Path();
  if (path.empty()) return status;
  return WithField(path, At(Cat("`", path, "`"), std::move(status)));
}

Status InferringBuilder::Charge(size_t bytes) {
  if (static_cast<int64_t>(tape_.size() + bytes) <= limits_.max_bytes) return absl::OkStatus();
  return WithPlace(limits_.TooManyBytes());
}

Status InferringBuilder::CountScalar() {
  if (++scalars_ <= limits_.max_elements) return absl::OkStatus();
  return WithPlace(limits_.TooManyElements());
}

Status InferringBuilder::Record(Event event) {
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(event)));
  return tape_.Append(event);
}

template <class T>
Status InferringBuilder::RecordNumber(Event event, T number) {
  SIGNET_RETURN_IF_ERROR(CountScalar());
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(event) + sizeof(number)));
  SIGNET_RETURN_IF_ERROR(tape_.Append(event));
  return tape_.Append(number);
}

Status InferringBuilder::Record(Event event, std::string_view text) {
  SIGNET_RETURN_IF_ERROR(Charge(sizeof(event) + sizeof(uint64_t) + text.size()));
  SIGNET_RETURN_IF_ERROR(tape_.Append(event));
  SIGNET_RETURN_IF_ERROR(tape_.Append(uint64_t{text.size()}));
  return tape_.AppendBytes(text);
}

Status InferringBuilder::BeginList() {
  SIGNET_RETURN_IF_ERROR(Record(Event::kBeginList));
  return inference_.BeginList();
}

Status InferringBuilder::EndList() {
  SIGNET_RETURN_IF_ERROR(Record(Event::kEndList));
  return inference_.EndList();
}

Status InferringBuilder::BeginObject() {
  SIGNET_RETURN_IF_ERROR(Record(Event::kBeginObject));
  return inference_.BeginObject();
}

Status InferringBuilder::Key(std::string_view name) {
  SIGNET_RETURN_IF_ERROR(Record(Event::kKey, name));
  return inference_.Key(name);
}

Status InferringBuilder::EndObject() {
  SIGNET_RETURN_IF_ERROR(Record(Event::kEndObject));
  return inference_.EndObject();
}

Status InferringBuilder::Null() { return inference_.Null(); }

Status InferringBuilder::Bool(bool value) {
  SIGNET_RETURN_IF_ERROR(CountScalar());
  SIGNET_RETURN_IF_ERROR(Record(value ? Event::kTrue : Event::kFalse));
  return inference_.Bool();
}

Status InferringBuilder::Int(absl::int128 value) {
  bool fits = value >= INT64_MIN && value <= absl::int128(UINT64_MAX);
  if (!fits) {
    return WithPlace(
        WithReason("OUT_OF_RANGE", OutOfRange("expected an integer from -2^63 to 2^64 - 1, found ",
                                              static_cast<double>(value))));
  }
  SIGNET_RETURN_IF_ERROR(value > INT64_MAX
                             ? RecordNumber(Event::kUnsigned, static_cast<uint64_t>(value))
                             : RecordNumber(Event::kInt, static_cast<int64_t>(value)));
  return inference_.Int(value);
}

Status InferringBuilder::Float(double value) {
  SIGNET_RETURN_IF_ERROR(RecordNumber(Event::kFloat, value));
  return inference_.Float();
}

Status InferringBuilder::String(std::string_view bytes) {
  SIGNET_RETURN_IF_ERROR(CountScalar());
  SIGNET_RETURN_IF_ERROR(Record(Event::kString, bytes));
  return inference_.String();
}

StatusOr<Value> InferringBuilder::Finish() {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, inference_.Finish());
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(std::move(spec), limits_));
  Buffer bytes = std::move(tape_).Finish();
  Tape tape(bytes.text());
  while (!tape.AtEnd()) {
    Status status;
    switch (tape.Take<Event>()) {
      case Event::kBeginList:
        status = builder.BeginList();
        break;
      case Event::kEndList:
        status = builder.EndList();
        break;
      case Event::kBeginObject:
        status = builder.BeginObject();
        break;
      case Event::kKey:
        status = builder.Key(tape.TakeText());
        break;
      case Event::kEndObject:
        status = builder.EndObject();
        break;
      case Event::kFalse:
        status = builder.Bool(false);
        break;
      case Event::kTrue:
        status = builder.Bool(true);
        break;
      case Event::kInt:
        status = builder.Int(tape.Take<int64_t>());
        break;
      case Event::kUnsigned:
        status = builder.Int(tape.Take<uint64_t>());
        break;
      case Event::kFloat:
        status = builder.Float(tape.Take<double>());
        break;
      case Event::kString:
        status = builder.String(tape.TakeText());
        break;
    }
    SIGNET_RETURN_IF_ERROR(status);
  }
  return builder.Finish();
}

}  // namespace signet
