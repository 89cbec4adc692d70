#include <absl/strings/escaping.h>
#include <simdjson.h>

#include "core/formats/json/json.h"
#include "core/values/builders/value_writer.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

class JsonSink : public ValueSink {
 public:
  // If `lines` is true, each element of the outermost list is written on a line of its own.
  explicit JsonSink(int64_t max_bytes, const JsonOptions& options, bool lines = false)
      : max_bytes_(static_cast<size_t>(max_bytes)), options_(options), lines_(lines) {
    NoteName(options.name);
  }

  StatusOr<std::string> Take() && {
    if (!IsFull()) return std::move(out_);
    return ResourceExhausted("more than ", max_bytes_,
                             " bytes of JSON; that is the limit (--max_message_bytes)");
  }
  bool IsFull() const override { return out_.size() > max_bytes_; }
  bool WritesTypes() const override { return true; }

  void BeginList() override { Open('['); }
  void EndList() override { Close(']'); }
  void BeginObject() override { Open('{'); }
  void EndObject() override { Close('}'); }
  void Key(std::string_view name) override {
    Separate();
    AppendText(name);
    out_ += options_.indent > 0 ? ": " : ":";
    is_behind_key_ = true;
    NoteName(name);
  }
  void Null() override { AppendWord("null"); }
  void Bool(bool value) override { AppendWord(value ? "true" : "false"); }
  void Int(absl::int128 value) override {
    Separate();
    if (value < 0) {
      AppendPart(out_, static_cast<int64_t>(value));
    } else {
      AppendPart(out_, static_cast<uint64_t>(value));
    }
  }
  void Float(double value, DType dtype) override {
    if (value != value) return AppendNumberWord("NaN");
    if (value - value != 0) return AppendNumberWord(value > 0 ? "Infinity" : "-Infinity");
    Separate();
    AppendFloat(out_, value, dtype);
  }
  void String(std::string_view bytes) override {
    if (!is_base64_ && simdjson::validate_utf8(bytes.data(), bytes.size())) {
      Separate();
      return AppendText(bytes);
    }
    BeginObject();
    Separate();
    AppendText("b64");
    out_ += options_.indent > 0 ? ": " : ":";
    is_behind_key_ = true;
    AppendWord(Cat("\"", absl::Base64Escape(absl::string_view(bytes.data(), bytes.size())), "\""));
    EndObject();
  }

 private:
  void NoteName(std::string_view name) {
    is_base64_ = !options_.base64_suffix.empty() && name.ends_with(options_.base64_suffix);
  }
  // Writes what comes before a key or value: a comma and a line end, except before the first one
  // and after a key.
  void Separate() {
    if (is_behind_key_) {
      is_behind_key_ = false;
      return;
    }
    if (depth_ == 0) return;
    if (!is_first_) out_ += lines_ && depth_ == 1 ? '\n' : ',';
    is_first_ = false;
    NewLine();
  }
  void NewLine() {
    if (options_.indent == 0) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(options_.indent) * static_cast<size_t>(depth_), ' ');
  }
  void Open(char bracket) {
    Separate();
    if (!lines_ || depth_ > 0) out_ += bracket;
    ++depth_;
    is_first_ = true;
  }
  void Close(char bracket) {
    --depth_;
    if (lines_ && depth_ == 0) {
      if (!is_first_) out_ += '\n';
      return;
    }
    if (!is_first_) NewLine();
    out_ += bracket;
    is_first_ = false;
  }
  void AppendWord(std::string_view word) {
    Separate();
    out_ += word;
  }
  void AppendNumberWord(std::string_view word) {
    AppendWord(options_.bare_words ? std::string(word) : Cat("\"", word, "\""));
  }
  void AppendText(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    out_ += '"';
    for (char c : text) {
      if (c == '"' || c == '\\') {
        out_ += {'\\', c};
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (c == '\t') {
        out_ += "\\t";
      } else if (c == '\r') {
        out_ += "\\r";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        out_ += "\\u00";
        out_ += {kHex[c >> 4], kHex[c & 15]};
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  const size_t max_bytes_;
  const JsonOptions options_;
  const bool lines_;
  int depth_ = 0;
  bool is_first_ = true;  // the innermost list or object is still empty
  bool is_behind_key_ = false;
  bool is_base64_ = false;  // strings are written as bytes
  std::string out_;
};

StatusOr<std::string> Written(const Value& value, int64_t max_bytes, JsonOptions options) {
  JsonSink sink(max_bytes, options);
  const auto* structured = value.spec().As<StructuredSpec>();
  if (value.is_placeholder()) {
    sink.String(value.spec().ToString());
  } else if (options.rows) {
    SIGNET_RETURN_IF_ERROR(WriteRows(value, sink));
  } else if (options.columns && structured != nullptr && structured->rank() == 1) {
    WriteColumns(value, sink);
  } else {
    WriteValue(value, sink);
  }
  return std::move(sink).Take();
}

}  // namespace

std::string ValueToJson(const Value& value, JsonOptions options) {
  return *Written(value, INT64_MAX, options);
}

StatusOr<std::string> JsonFromValue(const Value& value, const Limits& limits, JsonOptions options) {
  return Written(value, limits.message_bytes, options);
}

StatusOr<std::string> JsonLinesFromValue(const Value& value, const Limits& limits) {
  JsonSink sink(limits.message_bytes, {}, /*lines=*/true);
  SIGNET_RETURN_IF_ERROR(WriteRows(value, sink));
  return std::move(sink).Take();
}

}  // namespace signet
