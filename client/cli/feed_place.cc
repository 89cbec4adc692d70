#include "client/cli/feed_place.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/types/default_value.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

bool IsByKeyword(const CallSpec& call, const std::string& name) {
  return std::any_of(call.kwargs.begin(), call.kwargs.end(),
                     [&](const auto& named) { return named.first == name; });
}

// What `call` must give and does not.
std::vector<Parameter> MissingOf(const FunctionType& type, const CallSpec& call) {
  std::vector<Parameter> out;
  for (size_t i = 0; i < type.parameters().size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    bool is_by_position =
        i < call.args.size() && parameter.kind <= ParameterKind::kPositionalOrKeyword;
    bool is_required = !parameter.optional && !IsVariadic(parameter.kind);
    if (is_required && !is_by_position && !IsByKeyword(call, parameter.name)) {
      out.push_back(parameter);
    }
  }
  return out;
}

bool IsOfOnes(const TypeSpec& type) {
  return type.is(TypeKind::kTensor) && type.shape()->has_rank() && type.shape()->rank() == 2 &&
         type.shape()->dim(1) == 1;
}

StatusOr<Value> DecodeRecords(v1::Encoded chunk, const TypeSpec& type, bool reject_unknown_fields) {
  Limits limits;
  limits.reject_unknown_fields = reject_unknown_fields;
  switch (chunk.format()) {
    case v1::Encoded::JSON:
      return ValueFromJson(chunk.data(), type, limits);
    case v1::Encoded::JSON_LINES:
      return ValueFromJsonLines(chunk.data(), type, limits);
    case v1::Encoded::ARROW_IPC: {
      auto owner = std::make_shared<const std::string>(std::move(*chunk.mutable_data()));
      return ValueFromArrow(Buffer::Borrow(std::as_bytes(std::span(*owner)), owner), type, limits);
    }
    default:
      return InvalidArgument("messages are of one parameter; takes --in NAME=FILE");
  }
}

}  // namespace

StatusOr<FeedPlace> FeedPlace::Find(const FunctionType& type, const CallSpec& call,
                                    const std::string& name) {
  const std::vector<Parameter>& parameters = type.parameters();
  auto is_meant = [&](const Parameter& parameter) {
    return name.empty()
               ? parameter.type.is(TypeKind::kStructured) && !IsByKeyword(call, parameter.name)
               : parameter.name == name;
  };
  auto found = std::find_if(parameters.begin(), parameters.end(), is_meant);
  if (found == parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    if (!name.empty()) {
      return NotFound("no parameter `", Printable(name), "`; parameters: ", ListNames(names));
    }
    std::vector<Parameter> missing = MissingOf(type, call);
    if (missing.size() > 1) return OfColumns(missing);
    if (missing.empty()) {
      return NotFound("no parameter is left that must be given; takes --in NAME=FILE; parameters: ",
                      ListNames(names));
    }
    found = std::find(parameters.begin(), parameters.end(), missing[0]);
  }
  auto position = static_cast<size_t>(found - parameters.begin());
  FeedPlace place;
  place.rows_ = found->type;
  if (found->kind <= ParameterKind::kPositionalOrKeyword && position <= call.args.size()) {
    place.position_ = position;
  } else if (found->kind == ParameterKind::kPositionalOnly) {
    return InvalidArgument("parameter `", found->name, "` is positional-only; takes ", position,
                           " arguments before it");
  }
  place.keyword_ = found->name;
  return place;
}

StatusOr<FeedPlace> FeedPlace::OfColumns(const std::vector<Parameter>& parameters) {
  FeedPlace place;
  NamedTypes fields;
  for (const Parameter& parameter : parameters) {
    bool is_column = parameter.type.is(TypeKind::kTensor) || parameter.type.is(TypeKind::kRagged);
    const PartialShape* shape = is_column ? parameter.type.shape() : nullptr;
    if (shape == nullptr || !shape->has_rank() || shape->rank() == 0) {
      return InvalidArgument("rows have no field for parameter `", parameter.name, "`, `",
                             parameter.type ? parameter.type.ToString() : "any",
                             "`; takes it as an argument, or --in NAME=FILE");
    }
    bool is_of_ones = IsOfOnes(parameter.type);
    PartialShape rows = shape->WithDim(0, kUnknownDim);
    SIGNET_ASSIGN_OR_RETURN(
        TypeSpec field,
        parameter.type.rep().Rebuild(is_of_ones ? rows.Slice(0, 1) : std::move(rows), {}));
    // Missing elements of the rows take the default that the parameter declares.
    if (TypeSpec default_value = DefaultOfElement(parameter.type)) {
      field = field.rep().WithNotes({}, {{}, {}, std::move(default_value)});
    }
    fields.emplace_back(parameter.name, std::move(field));
    place.columns_.push_back(
        {parameter.name, parameter.kind == ParameterKind::kPositionalOnly, is_of_ones});
  }
  auto records = MakeStructuredType(PartialShape({kUnknownDim}), std::move(fields));
  if (!records.ok()) {
    return At("rows with a field for each parameter", std::move(records).status());
  }
  place.rows_ = *std::move(records);
  return place;
}

Status FeedPlace::Put(v1::Encoded chunk, CallSpec& call) const {
  if (position_) {
    call.args.emplace(call.args.begin() + static_cast<std::ptrdiff_t>(*position_),
                      std::move(chunk));
    return absl::OkStatus();
  }
  if (columns_.empty()) {
    call.kwargs.emplace_back(keyword_, std::move(chunk));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(Value records,
                          DecodeRecords(std::move(chunk), rows_, call.reject_unknown_fields));
  for (const Column& column : columns_) {
    SIGNET_ASSIGN_OR_RETURN(Value value, FieldOf(records, column.name));
    if (column.is_of_ones) value = value.tensor().Reshaped({NumRowsOf(records), 1});
    if (column.is_by_position) {
      call.args.emplace_back(std::move(value));
    } else {
      call.kwargs.emplace_back(column.name, std::move(value));
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
