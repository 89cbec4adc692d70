#include "server/protocols/json/json_call.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <absl/strings/match.h>

#include "core/formats/json/json_call.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/http/url.h"

namespace signet {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kLinesType = "application/x-ndjson";
constexpr std::string_view kArrowType = "application/vnd.apache.arrow.stream";
constexpr std::string_view kProtobufType = "application/x-protobuf";

// Reasons of errors that have a status of HTTP of their own.
constexpr std::string_view kNotAcceptable = "NOT_ACCEPTABLE";
constexpr std::string_view kUnsupported = "UNSUPPORTED_MEDIA_TYPE";

// A media type and its parameters `type` and `q`.
struct MediaType {
  std::string_view name;
  std::string_view message_type;
  double weight = 1;
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool IsType(std::string_view given, std::string_view wanted) {
  return absl::EqualsIgnoreCase(absl::string_view(given.data(), given.size()),
                                absl::string_view(wanted.data(), wanted.size()));
}

MediaType ParseMediaType(std::string_view text) {
  MediaType out;
  size_t end = std::min(text.find(';'), text.size());
  out.name = Trimmed(text.substr(0, end));
  while (end < text.size()) {
    text.remove_prefix(end + 1);
    end = std::min(text.find(';'), text.size());
    const std::string_view parameter = Trimmed(text.substr(0, end));
    const size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string_view name = parameter.substr(0, equals);
    std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    if (IsType(name, "type")) out.message_type = value;
    if (IsType(name, "q")) {
      out.weight = 0;  // of a malformed number, too
      std::from_chars(value.data(), value.data() + value.size(), out.weight);
    }
  }
  return out;
}

std::optional<DataFormat> FormatOf(std::string_view type) {
  if (IsType(type, kJsonType)) return DataFormat::kJson;
  for (std::string_view lines : {kLinesType, std::string_view("application/jsonl")}) {
    if (IsType(type, lines)) return DataFormat::kJsonLines;
  }
  for (std::string_view arrow :
       {kArrowType, std::string_view("application/vnd.apache.arrow.file")}) {
    if (IsType(type, arrow)) return DataFormat::kArrow;
  }
  for (std::string_view protobuf : {kProtobufType, std::string_view("application/protobuf")}) {
    if (IsType(type, protobuf)) return DataFormat::kProtobuf;
  }
  return std::nullopt;
}

// Splits rows, each of which follows its length as a varint.
StatusOr<std::vector<Buffer>> SplitRows(const Buffer& body) {
  std::vector<Buffer> rows;
  size_t at = 0;
  while (at < body.size()) {
    uint64_t length = 0;
    bool is_complete = false;
    for (int shift = 0; shift < 64 && at < body.size(); shift += 7) {
      const auto byte = static_cast<uint64_t>(body.data()[at++]);
      length |= (byte & 127) << shift;
      if ((is_complete = byte < 128)) break;
    }
    if (!is_complete || length > body.size() - at) {
      return InvalidArgument("body: row ", rows.size(),
                             ": expected messages that each follow their length");
    }
    rows.push_back(body.Slice(at, length));
    at += length;
  }
  return rows;
}

Buffer LengthBefore(const Buffer& row) {
  std::string out;
  uint64_t length = row.size();
  for (; length >= 128; length >>= 7) out += static_cast<char>((length & 127) | 128);
  return Buffer::Copy(out + static_cast<char>(length));
}

// Returns true for the media type of a data format that Signet does not have.
bool IsOtherFormat(std::string_view type) {
  constexpr std::string_view kOthers[] = {"text/csv",
                                          "application/csv",
                                          "text/tab-separated-values",
                                          "application/vnd.apache.parquet",
                                          "application/x-parquet",
                                          "application/msgpack",
                                          "application/x-msgpack",
                                          "application/cbor",
                                          "application/xml",
                                          "text/xml",
                                          "application/yaml",
                                          "multipart/form-data"};
  return std::any_of(std::begin(kOthers), std::end(kOthers),
                     [&](std::string_view other) { return IsType(type, other); });
}

Status UnknownFormat(std::string_view reason, std::string_view header, std::string_view type) {
  return InvalidWithReason(
      reason, "header ", header, ": expected one of the types ", kJsonType, ", ", kLinesType, ", ",
      kArrowType, ", ", kProtobufType, "; found `", Printable(type), "`",
      IsType(type, "text/csv") ? "; `signet call --in FILE.csv --out FILE.csv` reads and writes CSV"
                               : "");
}

// Returns the format of the result: the known type of the largest weight, or the first of several.
// Browsers and tools send many types, so an answer in JSON is better than none, unless the client
// accepts only other data formats.
StatusOr<ResultFormat> ReadAccept(std::string_view accept) {
  ResultFormat out{.format = DataFormat::kJson};
  std::string_view other;
  double best = 0;
  while (!accept.empty()) {
    const size_t comma = std::min(accept.find(','), accept.size());
    const MediaType type = ParseMediaType(accept.substr(0, comma));
    accept.remove_prefix(std::min(comma + 1, accept.size()));
    const bool is_any = type.name == "*/*" || IsType(type.name, "application/*");
    const auto format = FormatOf(is_any ? kJsonType : type.name);
    if (IsOtherFormat(type.name) && type.weight > 0) other = type.name;
    if (!format || !(type.weight > best)) continue;
    best = type.weight;
    out.format = *format;
    out.message_type = type.message_type;
  }
  if (best == 0 && !other.empty()) return UnknownFormat(kNotAcceptable, "Accept", other);
  return out;
}

// Returns whether `body` is an object that begins with the name of an argument, as in
// {"orders": [...]}.
bool StatesArgumentByName(const Buffer& body, std::string_view name) {
  auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  std::string text;  // the beginning, without spaces
  const std::string wanted = Cat("{\"", name, "\":");
  for (size_t i = 0; i < body.size() && text.size() < wanted.size(); ++i) {
    const auto c = static_cast<char>(body.data()[i]);
    if (!is_space(c)) text.push_back(c);
  }
  return !name.empty() && text == wanted;
}

}  // namespace

Status ReadQueryArguments(std::string_view query, const Limits& limits, CallRequest& call) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view item = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (item.empty()) continue;
    const size_t equals = std::min(item.find('='), item.size());
    SIGNET_ASSIGN_OR_RETURN(std::string name, DecodePercent(item.substr(0, equals), true));
    SIGNET_ASSIGN_OR_RETURN(std::string value,
                            DecodePercent(item.substr(std::min(equals + 1, item.size())), true));
    for (const auto& [other, unused] : call.arguments.keyword) {
      if (other != name) continue;
      return InvalidArgument("query: `", Printable(name), "` is given twice");
    }
    SIGNET_RETURN_IF_ERROR(AddJsonKeyword(call, std::move(name), Buffer::Copy(value), limits));
  }
  return absl::OkStatus();
}

bool JsonCallProtocol::HasLines(const HttpRequest& head) {
  if (FormatOf(ParseMediaType(head.Header("content-type")).name) != DataFormat::kJsonLines) {
    return false;
  }
  const auto accepted = ReadAccept(head.Header("accept"));
  return accepted.ok() && accepted->format == DataFormat::kJsonLines;
}

StatusOr<CallRequest> JsonCallProtocol::Read(const HttpRequest& request,
                                             const Access& /*access*/) const {
  CallRequest call;
  call.model = target_.model;
  call.version = target_.version;
  call.label = target_.label;
  call.function = target_.function;
  SIGNET_ASSIGN_OR_RETURN(call.result_format, ReadAccept(request.Header("accept")));
  const MediaType type = ParseMediaType(request.Header("content-type"));
  if (IsOtherFormat(type.name)) return UnknownFormat(kUnsupported, "Content-Type", type.name);
  const DataFormat format = FormatOf(type.name).value_or(DataFormat::kJson);
  if (format == DataFormat::kJson) {
    SIGNET_RETURN_IF_ERROR(ReadJsonArguments(request.body, server_.limits, call));
  } else if (format == DataFormat::kProtobuf) {
    if (type.message_type.empty()) {
      return InvalidArgument("header Content-Type: expected the type of the messages, such as `",
                             kProtobufType, "; type=shop.Order`");
    }
    EncodedArgument& argument = AddEncodedArgument(call, format, {});
    SIGNET_ASSIGN_OR_RETURN(argument.rows, SplitRows(request.body));
    argument.message_type = type.message_type;
  } else {
    AddEncodedArgument(call, format, request.body);
  }
  SIGNET_RETURN_IF_ERROR(ReadQueryArguments(request.query, server_.limits, call));
  return call;
}

StatusOr<HttpResponse> JsonCallProtocol::Write(const HttpRequest& /*request*/,
                                               CallOutput output) const {
  auto* encoded = std::get_if<EncodedResult>(&output.result);
  if (encoded == nullptr) return Internal("the result has no data format");
  HttpResponse response;
  response.may_compress = true;
  switch (encoded->format) {
    case DataFormat::kJson:
      response.content_type = kJsonType;
      break;
    case DataFormat::kJsonLines:
      response.content_type = kLinesType;
      break;
    case DataFormat::kArrow:
      response.content_type = kArrowType;
      break;
    case DataFormat::kProtobuf:
      response.content_type = Cat(kProtobufType, "; type=", encoded->message_type);
      for (Buffer& row : encoded->rows) {
        response.body.push_back(LengthBefore(row));
        response.body.push_back(std::move(row));
      }
      return response;
    case DataFormat::kExample:
      return Internal("the result is in a format of arguments");
  }
  response.body = std::move(encoded->data);
  if (encoded->format == DataFormat::kJson) response.body.push_back(Buffer::Copy("\n"));
  return response;
}

HttpResponse JsonCallProtocol::Fail(const HttpRequest& request, const Status& status) const {
  const std::string reason = ReasonOf(status);
  if (reason == kNotAcceptable) return ProblemOf(status, 406);
  if (reason == kUnsupported) return ProblemOf(status, 415);
  const std::string field = FieldOf(status);
  if (!StatesArgumentByName(request.body, field.substr(0, field.find_first_of(".[")))) {
    return ProblemOf(status);
  }
  Status hint = MakeStatus(status.code(), Cat(MessageOf(status),
                                              "; the body is the value of the argument, or "
                                              "`{\"args\": [...], \"kwargs\": {...}}`"));
  return ProblemOf(WithField(field, WithReason(ReasonOf(status), std::move(hint))));
}

}  // namespace signet
