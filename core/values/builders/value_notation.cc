#include "core/values/builders/value_notation.h"

#include "core/types/identifier.h"
#include "core/values/builders/value_writer.h"

namespace signet {
namespace {

// Writes events as text.
class NotationSink : public ValueSink {
 public:
  NotationSink(std::string& out, int64_t max_elements) : out_(out), left_(max_elements) {}

  void BeginList() override { Open('[', ']'); }
  void EndList() override { Close(); }
  void BeginObject() override { Open('{', '}'); }
  void EndObject() override { Close(); }
  void Key(std::string_view name) override {
    Separate();
    out_.append(IsIdentifier(name) ? std::string(name) : Quote(name)).append(": ");
    is_first_ = true;
  }
  void Null() override { Scalar("None"); }
  void Bool(bool value) override { Scalar(value ? "True" : "False"); }
  void Int(absl::int128 value) override { Scalar(Literal::Int(value).ToString()); }
  void Float(double value, DType dtype) override {
    if (!Count()) return;
    Separate();
    AppendFloat(out_, value, dtype);
    is_first_ = false;
  }
  void String(std::string_view bytes) override { Scalar(Quote(bytes)); }
  bool IsFull() const override { return left_ < 0; }

  // Writes the replacement for the rest if the traversal ended early.
  void Finish() {
    if (!IsFull()) return;
    while (!open_.empty()) Close();
  }

 private:
  void Separate() {
    if (!is_first_) out_.append(", ");
  }
  // Counts a scalar. Writes `...` for the first one above the limit.
  bool Count() {
    if (left_ < 0) return false;
    if (--left_ >= 0) return true;
    Separate();
    out_.append("...");
    return false;
  }
  void Scalar(std::string_view text) {
    if (!Count()) return;
    Separate();
    out_.append(text);
    is_first_ = false;
  }
  void Open(char begin, char end) {
    if (IsFull()) return;
    Separate();
    out_.push_back(begin);
    open_.push_back(end);
    is_first_ = true;
  }
  // An empty list counts like a scalar, because any number of them needs no memory.
  void Close() {
    if (open_.empty()) return;
    if (is_first_ && !IsFull() && --left_ < 0) {
      out_.back() = '.';  // replaces its beginning
      out_.append("..");
      open_.pop_back();
      return;
    }
    out_.push_back(open_.back());
    open_.pop_back();
    is_first_ = false;
  }

  std::string& out_;
  std::string open_;      // the closing brackets of open lists and objects
  bool is_first_ = true;  // no separator is needed
  int64_t left_;
};

// Sends the data after a type to a builder. A loop, whose depth the builder limits.
class DataReader {
 public:
  DataReader(NotationReader& in, ValueBuilder& builder) : in_(in), builder_(builder) {}

  Status Read() {
    do {
      SIGNET_RETURN_IF_ERROR(ReadStart());
      while (!open_.empty() && is_after_value_) SIGNET_RETURN_IF_ERROR(ReadNext());
    } while (!open_.empty());
    return absl::OkStatus();
  }

 private:
  // Reads a value: a scalar, or the beginning of a list or object (and its first key).
  Status ReadStart() {
    is_after_value_ = false;
    if (in_.Take("[")) {
      SIGNET_RETURN_IF_ERROR(Placed(builder_.BeginList()));
      open_.push_back(']');
      if (in_.Peek("]")) return ReadNext();
      return absl::OkStatus();
    }
    if (in_.Take("{")) {
      SIGNET_RETURN_IF_ERROR(Placed(builder_.BeginObject()));
      open_.push_back('}');
      if (in_.Peek("}")) return ReadNext();
      return ReadKey();
    }
    if (!in_.AtLiteral()) return in_.Unexpected("a value");
    SIGNET_ASSIGN_OR_RETURN(Literal literal, in_.ReadLiteral());
    is_after_value_ = true;
    return Placed(Tell(literal));
  }

  // Reads what follows a value: a comma, or the end of the surrounding list or object.
  Status ReadNext() {
    bool is_list = open_.back() == ']';
    std::string_view end = is_list ? "]" : "}";
    if (in_.Take(end)) {
      open_.pop_back();
      is_after_value_ = true;
      return Placed(is_list ? builder_.EndList() : builder_.EndObject());
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect(",", is_list ? "or `]`" : "or `}`"));
    if (in_.Peek(end)) return ReadNext();  // at most once: after a trailing comma
    is_after_value_ = false;
    return is_list ? absl::OkStatus() : ReadKey();
  }

  Status ReadKey() {
    SIGNET_ASSIGN_OR_RETURN(std::string key, in_.ReadName("a key"));
    SIGNET_RETURN_IF_ERROR(in_.Expect(":", "after a key"));
    return Placed(builder_.Key(key));
  }

  Status Tell(const Literal& literal) {
    switch (literal.kind()) {
      case Literal::Kind::kNone:
        return builder_.Null();
      case Literal::Kind::kBool:
        return builder_.Bool(literal.bool_value());
      case Literal::Kind::kInt:
        return builder_.Int(literal.int_value());
      case Literal::Kind::kFloat:
        return builder_.Float(literal.float_value());
      case Literal::Kind::kString:
        return builder_.String(literal.string_value());
    }
    __builtin_unreachable();
  }

  Status Placed(Status status) { return At(Cat("column ", in_.position()), std::move(status)); }

  NotationReader& in_;
  ValueBuilder& builder_;
  std::string open_;             // the closing brackets of open lists and objects
  bool is_after_value_ = false;  // a comma or an end comes next
};

}  // namespace

std::string ToString(const Value& value) { return ToString(value, BuilderLimits().max_elements); }

std::string ToString(const Value& value, int64_t max_elements) {
  std::string out = value.spec().ToString();
  if (value.is_placeholder() || value.spec().is(TypeKind::kLiteral)) return out;
  out.push_back(' ');
  NotationSink sink(out, max_elements);
  WriteValue(value, sink);
  sink.Finish();
  return out;
}

StatusOr<Value> ReadData(NotationReader& in, const TypeSpec& spec, BuilderLimits limits) {
  limits.max_depth = INT32_MAX;  // the depth of the type limits the depth of its data
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, limits));
  SIGNET_RETURN_IF_ERROR(DataReader(in, builder).Read());
  auto value = builder.Finish();
  if (!value.ok()) return At(Cat("column ", in.position()), value.status());
  return Value::Trusted(spec, {value->components().begin(), value->components().end()});
}

StatusOr<Value> ReadValue(NotationReader& in, BuilderLimits limits) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, in.ReadType());
  if (spec.is(TypeKind::kLiteral)) return Value::Trusted(std::move(spec), {});
  return ReadData(in, spec, limits);
}

StatusOr<Value> ParseValue(std::string_view text) { return ParseValue(text, BuilderLimits()); }

StatusOr<Value> ParseValue(std::string_view text, BuilderLimits limits) {
  NotationReader in(text);
  SIGNET_ASSIGN_OR_RETURN(Value value, ReadValue(in, limits));
  SIGNET_RETURN_IF_ERROR(in.ExpectEnd());
  return value;
}

}  // namespace signet
