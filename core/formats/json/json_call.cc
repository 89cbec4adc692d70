#include "core/formats/json/json_call.h"

#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/formats/json/json_tokens.h"

namespace signet {
namespace {

Status CheckCount(const CallRequest& call, const Limits& limits) {
  const size_t count = call.arguments.positional.size() + call.arguments.keyword.size();
  if (count <= static_cast<size_t>(limits.names)) return absl::OkStatus();
  return ResourceExhausted("body: expected at most ", limits.names, " arguments");
}

// Reads the parts of `{"args": [...], "kwargs": {...}}` as texts, without their values.
class EnvelopeReader {
 public:
  EnvelopeReader(const Buffer& body, JsonTokens tokens, const Limits& limits, CallRequest& call)
      : body_(body), tokens_(tokens), limits_(limits), call_(call) {}

  // Returns whether the text is an object whose keys are `args` and `kwargs` only.
  static bool IsEnvelope(JsonTokens tokens) {
    if (!tokens.Take('{')) return false;
    do {
      if (!tokens.TakeText("args") && !tokens.TakeText("kwargs")) return false;
      if (!tokens.Take(':') || !tokens.Skip()) return false;
    } while (tokens.Take(','));
    return tokens.Take('}') && tokens.AtEnd();
  }

  Status Read() {
    bool has_args = false;
    bool has_kwargs = false;
    tokens_.Take('{');
    do {
      const bool is_args = tokens_.TakeText("args");
      if (!is_args) tokens_.TakeText("kwargs");
      bool& is_given = is_args ? has_args : has_kwargs;
      if (std::exchange(is_given, true)) {
        return InvalidArgument("body: duplicate key `", is_args ? "args" : "kwargs", "`");
      }
      tokens_.Take(':');
      SIGNET_RETURN_IF_ERROR(is_args ? ReadArgs() : ReadKwargs());
    } while (tokens_.Take(','));
    return absl::OkStatus();
  }

 private:
  StatusOr<Buffer> TakeValue() {
    const size_t begin = tokens_.at();
    if (!tokens_.SkipValid(limits_.nesting_depth)) {
      return InvalidArgument("body: byte ", begin, ": expected a JSON value with at most ",
                             limits_.nesting_depth, " nested lists and objects");
    }
    // The token after the value, or the end of the text.
    return body_.Slice(begin, tokens_.at() - begin);
  }

  Status ReadArgs() {
    if (!tokens_.Take('[')) return InvalidArgument("body: `args`: expected a list");
    if (tokens_.Take(']')) return absl::OkStatus();
    do {
      SIGNET_ASSIGN_OR_RETURN(Buffer value, TakeValue());
      AddEncodedArgument(call_, DataFormat::kJson, std::move(value));
      SIGNET_RETURN_IF_ERROR(CheckCount(call_, limits_));
    } while (tokens_.Take(','));
    return tokens_.Take(']') ? absl::OkStatus() : Malformed();
  }

  Status ReadKwargs() {
    if (!tokens_.Take('{')) return InvalidArgument("body: `kwargs`: expected an object");
    if (tokens_.Take('}')) return absl::OkStatus();
    absl::flat_hash_set<std::string> names;
    do {
      if (tokens_.Peek() != '"') return Malformed();
      const std::string_view raw = tokens_.TakeText();
      std::string name(raw);
      if (JsonTokens::HasEscape(raw) && !tokens_.Unescape(raw, name)) return Malformed();
      if (!tokens_.Take(':')) return Malformed();
      SIGNET_ASSIGN_OR_RETURN(Buffer value, TakeValue());
      if (!names.insert(name).second) {
        return InvalidArgument("body: `kwargs`: duplicate key `", Printable(name), "`");
      }
      SIGNET_RETURN_IF_ERROR(AddJsonKeyword(call_, std::move(name), std::move(value), limits_));
    } while (tokens_.Take(','));
    return tokens_.Take('}') ? absl::OkStatus() : Malformed();
  }

  Status Malformed() const {
    return InvalidArgument("body: byte ", tokens_.at(), ": the text is not JSON");
  }

  const Buffer& body_;
  JsonTokens tokens_;
  const Limits& limits_;
  CallRequest& call_;
};

}  // namespace

EncodedArgument& AddEncodedArgument(CallRequest& call, DataFormat format, Buffer data) {
  call.arguments.positional.emplace_back();
  call.encoded.push_back(
      {.index = call.arguments.positional.size() - 1, .format = format, .data = std::move(data)});
  return call.encoded.back();
}

Status AddJsonKeyword(CallRequest& call, std::string name, Buffer value, const Limits& limits) {
  call.arguments.keyword.emplace_back(std::move(name), Value());
  call.encoded.push_back({.is_keyword = true,
                          .index = call.arguments.keyword.size() - 1,
                          .format = DataFormat::kJson,
                          .data = std::move(value)});
  return CheckCount(call, limits);
}

Status ReadJsonArguments(const Buffer& body, const Limits& limits, CallRequest& call) {
  if (body.text().find_first_not_of(" \t\r\n") == std::string_view::npos) return absl::OkStatus();
  auto json = JsonText::Make(body.text());
  if (!json.ok()) return At("body", json.status());
  if (EnvelopeReader::IsEnvelope(json->tokens())) {
    return EnvelopeReader(body, json->tokens(), limits, call).Read();
  }
  AddEncodedArgument(call, DataFormat::kJson, body);
  return absl::OkStatus();
}

}  // namespace signet
