#include "core/formats/inference/generate_json.h"

#include <algorithm>
#include <span>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/formats/inference/infer_data.h"

namespace signet {
namespace {

class GenerateReader {
 public:
  GenerateReader(std::string_view text, JsonTokens tokens, FindGenerateInput find,
                 const Limits& limits)
      : text_(text), tokens_(tokens), find_(find), allowance_(limits) {}

  StatusOr<InferRequest> Read() {
    SIGNET_RETURN_IF_ERROR(ReadMembers(/*is_nested=*/false));
    if (!tokens_.AtEnd()) return Malformed("the end of the JSON");
    return std::move(request_);
  }

 private:
  Status Malformed(std::string_view what) const {
    return InvalidArgument("failed to parse the request JSON buffer: byte ", tokens_.at(),
                           ": expected ", what);
  }

  StatusOr<std::string> ReadText(std::string_view what) {
    if (tokens_.Peek() != '"') return Malformed(what);
    const std::string_view raw = tokens_.TakeText();
    if (!JsonTokens::HasEscape(raw)) return std::string(raw);
    std::string out;
    if (!tokens_.Unescape(raw, out)) return Malformed("a valid string");
    return out;
  }

  Status ReadMembers(bool is_nested) {
    if (!tokens_.Take('{')) return Malformed("an object");
    if (tokens_.Take('}')) return absl::OkStatus();
    do {
      SIGNET_RETURN_IF_ERROR(allowance_.TakeNames());
      SIGNET_ASSIGN_OR_RETURN(const std::string key, ReadText("a key"));
      if (!tokens_.Take(':')) return Malformed("`:`");
      SIGNET_RETURN_IF_ERROR(ReadMember(key, is_nested));
    } while (tokens_.Take(','));
    return tokens_.Take('}') ? absl::OkStatus() : Malformed("`,` or `}`");
  }

  Status ReadMember(const std::string& key, bool is_nested) {
    const JsonTokens value = tokens_;
    if (!tokens_.SkipValid(allowance_.limits().nesting_depth)) return Malformed("a JSON value");
    const std::string_view text = text_.substr(value.at(), tokens_.at() - value.at());
    if (text.starts_with('n')) return absl::OkStatus();  // null
    SIGNET_ASSIGN_OR_RETURN(const std::optional<GenerateInput> input,
                            find_(key, Examine(value, tokens_.at())));
    if (input) {
      Status read = ReadInput(key, *input, value, text);
      return read.ok() ? read : WithField(key, At(Cat("input `", Printable(key), "`"), read));
    }
    if (is_nested || (key != "id" && key != "parameters")) return UseParameter(key, value);
    tokens_.MoveTo(value);
    if (key == "parameters") return ReadMembers(/*is_nested=*/true);
    SIGNET_ASSIGN_OR_RETURN(request_.id, ReadText("a string for `id`"));
    if (request_.id.size() <= kMaxIdBytes) return absl::OkStatus();
    return InvalidArgument("`id`: expected at most ", kMaxIdBytes, " bytes, found ",
                           request_.id.size());
  }

  // `end` is the offset of the token after the value, which is valid JSON.
  static GenerateValue Examine(JsonTokens tokens, size_t end) {
    GenerateValue out{.is_list = tokens.Peek() == '[', .dims = DimsOf(tokens)};
    if (tokens.Peek() == '{') {  // no input of tensors has such an element
      out.num_elements = 1;
      return out;
    }
    while (tokens.at() < end) {
      const char next = tokens.Peek();
      if (next == '[' || next == ']' || next == '{' || next == '}' || next == ',' || next == ':') {
        tokens.Pass();
        continue;
      }
      if (out.num_elements++ == 0) out.first = next;
      if (next == '"') {
        tokens.TakeText();
        continue;
      }
      const std::string_view token = tokens.TakeScalar();
      const bool is_number = next == '-' || (next >= '0' && next <= '9');
      out.has_fraction |= is_number && token.find_first_of(".eE") != token.npos;
    }
    return out;
  }

  // Returns the lengths of the first list at each depth, if the first element is a list.
  static Dims DimsOf(JsonTokens tokens) {
    Dims out;
    std::vector<JsonTokens> lists;  // after the bracket
    while (tokens.Take('[')) lists.push_back(tokens);
    if (lists.size() < 2) return out;
    for (JsonTokens& list : lists) {
      int64_t length = 0;
      while (list.Peek() != ']' && list.Skip()) {
        ++length;
        if (!list.Take(',')) break;
      }
      out.push_back(length);
    }
    return out;
  }

  Status ReadInput(const std::string& name, const GenerateInput& input, JsonTokens value,
                   std::string_view text) {
    if (!names_.insert(name).second) {
      return InvalidArgument("input '", Printable(name), "' already exists in request");
    }
    NamedTensor out{.name = name, .is_json = input.is_json};
    if (input.is_json) {
      SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(text.size()));
      out.tensor = Tensor::Strings(Shape{}, std::span(&text, 1));
    } else {
      SIGNET_RETURN_IF_ERROR(CheckInferShape(input.dtype, input.dims, allowance_.limits()));
      Shape shape{std::span<const int64_t>(input.dims)};
      SIGNET_ASSIGN_OR_RETURN(
          out.tensor, ReadInferData(text_, value, input.dtype, std::move(shape), allowance_));
    }
    request_.inputs.push_back(std::move(out));
    return absl::OkStatus();
  }

  Status UseParameter(std::string_view key, JsonTokens value) {
    const bool is_timeout = key == "timeout";
    if (!is_timeout && key != "priority") return CheckParameterKey(key);
    const bool is_number = json::IsDigit(value.Peek());
    const std::string_view token = is_number ? value.TakeScalar() : std::string_view();
    const auto number = json::FormOf(token).is_integer ? json::ParseInteger(token) : std::nullopt;
    if (!number || *number > INT64_MAX) {
      return InvalidArgument("parameter `", key, "`: expected a whole number of at least 0");
    }
    (is_timeout ? request_.parameters.timeout_us : request_.parameters.priority) =
        static_cast<uint64_t>(*number);
    return absl::OkStatus();
  }

  std::string_view text_;
  JsonTokens tokens_;
  FindGenerateInput find_;
  Allowance allowance_;
  absl::flat_hash_set<std::string> names_;  // of the inputs
  InferRequest request_;
};

}  // namespace

StatusOr<InferRequest> ParseGenerateJson(const Buffer& body, FindGenerateInput find,
                                         const Limits& limits) {
  const std::string_view text = body.text();
  auto json = JsonText::Make(text);
  if (!json.ok()) return At("failed to parse the request JSON buffer", json.status());
  return GenerateReader(text, json->tokens(), find, limits).Read();
}

StatusOr<std::string> WriteGenerateJson(const InferResponse& response, const Limits& limits) {
  std::string out = "{";
  auto add_key = [&](std::string_view key) {
    if (out.size() > 1) out += ',';
    AppendInferString(key, out);
    out += ':';
  };
  auto add_text = [&](std::string_view key, std::string_view text) {
    const bool is_output =
        std::any_of(response.outputs.begin(), response.outputs.end(),
                    [&](const InferOutput& output) { return output.tensor.name == key; });
    if (is_output) return;
    add_key(key);
    AppendInferString(text, out);
  };
  add_text("model_name", response.model);
  add_text("model_version", response.version);
  if (!response.id.empty()) add_text("id", response.id);
  const auto limit = static_cast<size_t>(limits.message_bytes);
  auto too_large = [&] {
    return ResourceExhausted("the response exceeds the limit of ", limit,
                             " bytes (--max_message_bytes)");
  };
  for (const InferOutput& output : response.outputs) {
    const Tensor& tensor = output.tensor.tensor;
    // An element is at least two bytes of text, so that a larger text is not built.
    if (static_cast<size_t>(tensor.num_elements()) > limit / 2) return too_large();
    add_key(output.tensor.name);
    const size_t begin = out.size();
    Status written = AppendInferData(tensor, out);
    if (!written.ok()) {
      return At(Cat("output `", Printable(output.tensor.name), "`"), std::move(written));
    }
    if (tensor.num_elements() == 1 && !IsComplex(tensor.dtype())) {
      out.pop_back();
      out.erase(begin, 1);
    }
    if (out.size() > limit) return too_large();
  }
  out += '}';
  return out;
}

}  // namespace signet
