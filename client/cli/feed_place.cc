#include "client/cli/feed_place.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "core/formats/arrow/arrow.h"
#include "core/formats/arrow/arrow_stream.h"
#include "core/formats/json/json.h"
#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "signet/record_spec.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

bool IsByKeyword(const CallSpec& call, const std::string& name) {
  return std::any_of(call.kwargs.begin(), call.kwargs.end(),
                     [&](const auto& named) { return named.first == name; });
}

// Returns the required parameters for which `call` has no argument.
std::vector<Parameter> MissingParameters(const FunctionType& type, const CallSpec& call) {
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

bool HasOneColumn(const TypeSpec& type) {
  return type.is(TypeKind::kTensor) && type.shape()->has_rank() && type.shape()->rank() == 2 &&
         type.shape()->dim(1) == 1;
}

// Reads columns that may have other names than their fields. A dict has keys of any text, so the
// columns are read as its items.
StatusOr<Value> RecordsFromArrow(const Buffer& stream, const TypeSpec& type,
                                 const FieldNames& names, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(const ArrowStream read, ArrowStream::Read(stream, limits));
  const std::span<const std::string> fields = type.As<StructuredSpec>()->field_names();
  std::map<std::string, std::string> columns;  // by field
  for (const std::string& field : fields) columns.emplace(field, field);
  for (const ArrowField& column : read.rows().children) {
    auto renamed = names.find(column.name);
    if (renamed != names.end()) columns[renamed->second] = column.name;
  }
  NamedTypes items;
  for (size_t i = 0; i < fields.size(); ++i) {
    items.emplace_back(columns[fields[i]], type.children()[i]);
  }
  SIGNET_ASSIGN_OR_RETURN(const TypeSpec dict, MakeDictType(std::move(items)));
  SIGNET_ASSIGN_OR_RETURN(const Value value, ValueFromArrow(stream, dict, limits));
  const std::vector<Value> children = ChildrenOf(value);
  const auto& keys = dict.As<DictSpec>()->keys();
  NamedValues out;
  for (const std::string& field : fields) {
    const auto key = std::find(keys.begin(), keys.end(), columns[field]);
    out.emplace_back(field, children[static_cast<size_t>(key - keys.begin())]);
  }
  return MakeStructured(PartialShape({kUnknownDim}), std::move(out));
}

StatusOr<Value> DecodeRecords(v1::Encoded chunk, const TypeSpec& type, const FieldNames& names,
                              bool reject_unknown_fields) {
  Limits limits;
  limits.reject_unknown_fields = reject_unknown_fields;
  switch (chunk.format()) {
    case v1::Encoded::JSON:
      return ValueFromJson(RenameFields(chunk.data(), names), type, limits);
    case v1::Encoded::JSON_LINES:
      return ValueFromJsonLines(RenameFields(chunk.data(), names), type, limits);
    case v1::Encoded::ARROW_IPC: {
      auto owner = std::make_shared<const std::string>(std::move(*chunk.mutable_data()));
      const Buffer stream = Buffer::Borrow(std::as_bytes(std::span(*owner)), owner);
      return names.empty() ? ValueFromArrow(stream, type, limits)
                           : RecordsFromArrow(stream, type, names, limits);
    }
    default:
      return InvalidArgument("messages can be the rows of only one parameter; use --in NAME=FILE");
  }
}

}  // namespace

StatusOr<RowParameters> RowParameters::Find(const FunctionType& type, const CallSpec& call,
                                            const std::string& name, const SourceNames& sources) {
  const std::vector<Parameter>& parameters = type.parameters();
  auto is_source = [&](const Parameter& parameter) {
    auto source = sources.find(parameter.name);
    return source != sources.end() && source->second == name;
  };
  auto is_meant = [&](const Parameter& parameter) {
    return name.empty()
               ? parameter.type.is(TypeKind::kStructured) && !IsByKeyword(call, parameter.name)
               : parameter.name == name;
  };
  auto found = parameters.end();
  if (!name.empty()) found = std::find_if(parameters.begin(), parameters.end(), is_source);
  if (found == parameters.end()) {
    found = std::find_if(parameters.begin(), parameters.end(), is_meant);
  }
  if (found == parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    if (!name.empty()) {
      return NotFound("parameter `", Printable(name),
                      "` not found; parameters: ", ListNames(names));
    }
    std::vector<Parameter> missing = MissingParameters(type, call);
    if (missing.size() > 1) return FromColumns(missing, sources);
    if (missing.empty()) {
      return NotFound("every required parameter has an argument; use --in NAME=FILE; parameters: ",
                      ListNames(names));
    }
    found = std::find(parameters.begin(), parameters.end(), missing[0]);
  }
  auto position = static_cast<size_t>(found - parameters.begin());
  RowParameters out;
  out.rows_ = found->type;
  if (found->kind <= ParameterKind::kPositionalOrKeyword && position <= call.args.size()) {
    out.position_ = position;
  } else if (found->kind == ParameterKind::kPositionalOnly) {
    return InvalidArgument("parameter `", found->name, "` is positional-only: expected ", position,
                           " arguments before it, found ", call.args.size());
  }
  out.keyword_ = found->name;
  return out;
}

StatusOr<RowParameters> RowParameters::FromColumns(const std::vector<Parameter>& parameters,
                                                   const SourceNames& sources) {
  RowParameters out;
  NamedTypes fields;
  std::set<std::string> taken;
  for (const Parameter& parameter : parameters) taken.insert(parameter.name);
  for (const Parameter& parameter : parameters) {
    bool is_column = parameter.type.is(TypeKind::kTensor) || parameter.type.is(TypeKind::kRagged);
    const PartialShape* shape = is_column ? parameter.type.shape() : nullptr;
    if (shape == nullptr || !shape->has_rank() || shape->rank() == 0) {
      return InvalidArgument("parameter `", parameter.name,
                             "`: expected a tensor with one element per row, found `",
                             parameter.type ? parameter.type.ToString() : "any",
                             "`; pass it as an argument, or use --in NAME=FILE");
    }
    bool has_one_column = HasOneColumn(parameter.type);
    PartialShape rows = shape->WithDim(0, kUnknownDim);
    SIGNET_ASSIGN_OR_RETURN(
        TypeSpec field,
        parameter.type.rep().Rebuild(has_one_column ? rows.Slice(0, 1) : std::move(rows), {}));
    // A missing field of a row has the default that the parameter declares.
    if (TypeSpec default_value = DefaultOfElement(parameter.type)) {
      field = field.rep().WithNotes({}, {{}, {}, std::move(default_value)});
    }
    std::string name = parameter.name;
    if (!IsFieldName(name)) {
      do {
        name.insert(0, "column");
      } while (!taken.insert(name).second);
      out.field_names_.emplace(parameter.name, name);
    }
    auto source = sources.find(parameter.name);
    if (source != sources.end()) out.field_names_.insert_or_assign(source->second, name);
    fields.emplace_back(name, std::move(field));
    out.columns_.push_back({parameter.name, std::move(name),
                            parameter.kind == ParameterKind::kPositionalOnly, has_one_column});
  }
  auto records = MakeStructuredType(PartialShape({kUnknownDim}), std::move(fields));
  if (!records.ok()) {
    return At("rows with one field per parameter", std::move(records).status());
  }
  out.rows_ = *std::move(records);
  return out;
}

Status RowParameters::WithColumnNames(Status status) const {
  std::string renamed;
  for (const Column& column : columns_) {
    if (column.field == column.name) continue;
    renamed += Cat(renamed.empty() ? "rows, in which `" : ", and `", column.field,
                   "` is the parameter `", column.name, "`");
  }
  return renamed.empty() ? status : At(renamed, std::move(status));
}

Status RowParameters::AddRows(v1::Encoded chunk, CallSpec& call) const {
  if (position_) {
    call.args.emplace(call.args.begin() + static_cast<std::ptrdiff_t>(*position_),
                      std::move(chunk));
    return absl::OkStatus();
  }
  if (columns_.empty()) {
    call.kwargs.emplace_back(keyword_, std::move(chunk));
    return absl::OkStatus();
  }
  auto decoded = DecodeRecords(std::move(chunk), rows_, field_names_, call.reject_unknown_fields);
  if (!decoded.ok()) return WithColumnNames(std::move(decoded).status());
  const Value records = *std::move(decoded);
  for (const Column& column : columns_) {
    SIGNET_ASSIGN_OR_RETURN(Value value, FieldOf(records, column.field));
    if (column.has_one_column) value = value.tensor().Reshaped({NumRowsOf(records), 1});
    if (column.is_by_position) {
      call.args.emplace_back(std::move(value));
    } else {
      call.kwargs.emplace_back(column.name, std::move(value));
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
