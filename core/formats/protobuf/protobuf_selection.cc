#include "core/formats/protobuf/protobuf_selection.h"

#include <algorithm>
#include <set>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "core/formats/common/missing_fields.h"
#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

namespace pb = google::protobuf;
using Presence = SelectedField::Presence;
using Source = SelectedField::Source;

DType DTypeOf(const pb::FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      return DType::kInt32;
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return DType::kInt64;
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return DType::kUInt32;
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return DType::kUInt64;
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return DType::kFloat32;
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return DType::kFloat64;
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return DType::kBool;
    case pb::FieldDescriptor::CPPTYPE_STRING:
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
      return DType::kString;
  }
  __builtin_unreachable();
}

Presence PresenceOf(const pb::FieldDescriptor& field, bool honor) {
  if (field.containing_type()->options().map_entry() && !field.is_extension()) {
    return Presence::kDense;
  }
  if (field.is_repeated()) return Presence::kRepeated;
  if (field.is_required()) return Presence::kRequired;
  if (field.has_presence()) return Presence::kOptional;
  return honor ? Presence::kDefaulted : Presence::kImplicit;
}

// Returns true for google.protobuf.Any and messages like it.
bool IsAny(const pb::Descriptor& type) {
  const pb::FieldDescriptor* url = type.FindFieldByNumber(1);
  const pb::FieldDescriptor* value = type.FindFieldByNumber(2);
  return url != nullptr && value != nullptr && url->name() == "type_url" &&
         url->type() == pb::FieldDescriptor::TYPE_STRING && !url->is_repeated() &&
         value->name() == "value" && value->type() == pb::FieldDescriptor::TYPE_BYTES &&
         !value->is_repeated();
}

std::vector<const pb::FieldDescriptor*> FieldsOf(const pb::Descriptor& type) {
  std::vector<const pb::FieldDescriptor*> fields;
  for (int i = 0; i < type.field_count(); ++i) fields.push_back(type.field(i));
  return fields;
}

StatusOr<const pb::FieldDescriptor*> FindField(const pb::Descriptor& type, std::string_view name) {
  const pb::FieldDescriptor* field = type.FindFieldByName(std::string(name));
  if (field != nullptr) return field;
  std::vector<std::string> names;
  for (const auto* each : FieldsOf(type)) names.push_back(each->name());
  return NotFound("no field `", Printable(name), "` in message type `", type.full_name(),
                  "`; fields: ", ListNames(std::move(names)));
}

// Returns the field that a step refers to, without its subtree.
StatusOr<SelectedField> FieldOfStep(const ProtobufSchema& schema, const pb::Descriptor& type,
                                    const std::string& text, bool honor) {
  SIGNET_ASSIGN_OR_RETURN(ProtobufStep step, ParseProtobufStep(text));
  SelectedField out = {text, Source::kField, Presence::kOptional, nullptr, {}, {}, nullptr};
  switch (step.kind) {
    case ProtobufStep::Kind::kField: {
      SIGNET_ASSIGN_OR_RETURN(out.field, FindField(type, step.name));
      break;
    }
    case ProtobufStep::Kind::kExtension: {
      out.field = schema.LookupExtension(step.name);
      if (out.field == nullptr || out.field->containing_type() != &type) {
        return NotFound("no extension `", Printable(step.name), "` of message type `",
                        type.full_name(), "`");
      }
      break;
    }
    case ProtobufStep::Kind::kMapLookup: {
      SIGNET_ASSIGN_OR_RETURN(out.field, FindField(type, step.name));
      if (!out.field->is_map()) {
        return InvalidArgument("`", Printable(text), "`: field `", out.field->name(),
                               "` is not a map; write `", out.field->name(), "`");
      }
      out.source = Source::kMapLookup;
      out.key = step.key;
      return out;
    }
    case ProtobufStep::Kind::kAnyCast:
      if (!IsAny(type)) {
        return InvalidArgument("`", Printable(text),
                               "`: expected google.protobuf.Any, found message type `",
                               type.full_name(), "`");
      }
      out.source = Source::kAnyCast;
      out.key = step.name;
      return out;
    case ProtobufStep::Kind::kWildcard:
      return InvalidArgument("expected `*` only as the last step of a path");
  }
  out.presence = PresenceOf(*out.field, honor);
  return out;
}

// Returns the field that has the value: the value field of a map for a lookup, and null for an Any
// cast.
const pb::FieldDescriptor* ValueOf(const SelectedField& field) {
  if (field.source == Source::kMapLookup) return field.field->message_type()->map_value();
  return field.field;
}

// Returns the message type of a field. Null for scalars, and for an Any cast to an unknown type.
const pb::Descriptor* MessageOf(const ProtobufSchema& schema, const SelectedField& field) {
  if (field.source == Source::kAnyCast) return schema.LookupMessage(field.key);
  return ValueOf(field)->message_type();
}

bool IsMessage(const SelectedField& field) {
  return field.source == Source::kAnyCast || ValueOf(field)->message_type() != nullptr;
}

// Paths as a tree of steps.
struct PathTree {
  bool is_whole = false;  // a path ends here: all fields are read
  std::vector<std::pair<std::string, std::unique_ptr<PathTree>>> steps;

  PathTree& Child(const std::string& step) {
    for (auto& [text, child] : steps) {
      if (text == step) return *child;
    }
    return *steps.emplace_back(step, std::make_unique<PathTree>()).second;
  }
};

Status AddPath(const ProtobufPath& path, PathTree& tree) {
  PathTree* node = &tree;
  for (const std::string& step : path) {
    if (node->is_whole) break;
    node = &node->Child(step);
  }
  if (node->is_whole || !node->steps.empty()) {
    return InvalidArgument("path `", Printable(ToText(path)), "` is a duplicate");
  }
  node->is_whole = true;
  return absl::OkStatus();
}

// Builds selections. One per call; stores the types that it is inside of.
class Selector {
 public:
  Selector(const ProtobufSchema& schema, const ProtobufOptions& options, const Limits& limits)
      : schema_(schema), options_(options), limits_(limits), fields_left_(limits.names) {}

  StatusOr<SelectedMessage> Everything(const pb::Descriptor* type) {
    SelectedMessage out = {type, {}};
    if (type == nullptr) return out;
    if (std::count(within_.begin(), within_.end(), type) > 0) {
      return InvalidArgument("message type `", type->full_name(),
                             "` contains itself; list the paths to read");
    }
    std::vector<std::string> steps;
    for (const auto* field : FieldsOf(*type)) steps.push_back(field->name());
    for (const auto& [text, name] : options_.names) {
      auto step = ParseProtobufStep(text);
      if (!step.ok() || step->kind != ProtobufStep::Kind::kExtension) continue;
      const auto* extension = schema_.LookupExtension(step->name);
      if (extension != nullptr && extension->containing_type() == type) steps.push_back(text);
    }
    within_.push_back(type);
    for (const std::string& step : steps) {
      SIGNET_RETURN_IF_ERROR(AtField(step, Add(*type, step, nullptr, out)));
    }
    within_.pop_back();
    return out;
  }

  StatusOr<SelectedMessage> OnPaths(const pb::Descriptor* type, const PathTree& tree) {
    if (tree.is_whole) return Everything(type);
    SelectedMessage out = {type, {}};
    if (type == nullptr) return NotFound("a message type that is not known has no fields");
    within_.push_back(nullptr);
    for (const auto& [step, child] : tree.steps) {
      SIGNET_RETURN_IF_ERROR(AtField(step, Add(*type, step, child.get(), out)));
    }
    within_.pop_back();
    return out;
  }

  StatusOr<SelectedMessage> Like(const StructuredSpec& spec, const pb::Descriptor* type) {
    SelectedMessage out = {type, {}};
    if (type == nullptr) {
      return NotFound("a message type that is not known has no fields");
    }
    within_.push_back(nullptr);
    for (size_t i = 0; i < spec.field_names().size(); ++i) {
      const std::string& name = spec.field_names()[i];
      if (MayBeMissing(spec, i) && IsMissing(*type, name)) continue;
      SIGNET_RETURN_IF_ERROR(AtField(name, AddLike(*type, i, spec, out)));
    }
    within_.pop_back();
    return out;
  }

 private:
  Status CheckDepth() {
    if (within_.size() > static_cast<size_t>(limits_.nesting_depth)) {
      return InvalidArgument("messages nested more than ", limits_.nesting_depth,
                             " deep, which is the limit (--max_nesting_depth)");
    }
    // Without this limit, types that contain one another twice would produce an exponentially large
    // tree.
    if (--fields_left_ < 0) {
      return InvalidArgument(
          "more than ", limits_.names,
          " fields, which is the limit (--max_names); list paths to fewer fields");
    }
    return absl::OkStatus();
  }

  static Status AtField(const std::string& step, Status status) {
    if (status.ok()) return status;
    return WithField(step, std::move(status));
  }

  // Adds the field of `step`: all of it, or the parts in `tree`.
  Status Add(const pb::Descriptor& type, const std::string& step, const PathTree* tree,
             SelectedMessage& out) {
    SIGNET_RETURN_IF_ERROR(CheckDepth());
    SIGNET_ASSIGN_OR_RETURN(
        SelectedField field,
        FieldOfStep(schema_, type, step, options_.honor_proto3_optional_semantics));
    SIGNET_RETURN_IF_ERROR(Name(step, out, field));
    if (IsMessage(field)) {
      const pb::Descriptor* message = MessageOf(schema_, field);
      bool is_whole = tree == nullptr || tree->is_whole;
      SIGNET_ASSIGN_OR_RETURN(SelectedMessage selected,
                              is_whole ? Everything(message) : OnPaths(message, *tree));
      field.message = std::make_unique<SelectedMessage>(std::move(selected));
    } else {
      if (tree != nullptr && !tree->is_whole) {
        return NotFound("`", step, "` is not a message, so it has no fields");
      }
      field.dtype = DTypeOf(*ValueOf(field));
    }
    out.fields.push_back(std::move(field));
    return absl::OkStatus();
  }

  Status Name(const std::string& step, const SelectedMessage& out, SelectedField& field) {
    auto given = options_.names.find(step);
    field.name = given == options_.names.end() ? step : given->second;
    if (!IsFieldName(field.name)) {
      return InvalidArgument(
          "`", Printable(field.name),
          "` is not a valid field name; choose a name that starts with a letter, "
          "followed by letters, digits, or underscores");
    }
    for (const SelectedField& other : out.fields) {
      if (other.name != field.name) continue;
      return InvalidArgument("duplicate field name `", field.name, "`");
    }
    return absl::OkStatus();
  }

  // Returns the step for the field `name` of the structure.
  std::string StepOf(const pb::Descriptor& type, const std::string& name) {
    if (type.FindFieldByName(name) != nullptr) return name;
    for (const auto& [step, given] : options_.names) {
      if (given == name && FieldOfStep(schema_, type, step, false).ok()) return step;
    }
    return name;
  }

  static bool MayBeMissing(const StructuredSpec& parent, size_t child) {
    const TypeSpec& spec = parent.children()[child];
    return parent.IsOptionalChild(child) ||
           (!spec.is(TypeKind::kStructured) && DefaultOfWhole(spec, parent.rank()));
  }

  bool IsMissing(const pb::Descriptor& type, const std::string& name) {
    return absl::IsNotFound(FieldOfStep(schema_, type, StepOf(type, name), false).status());
  }

  Status AddLike(const pb::Descriptor& type, size_t child, const StructuredSpec& parent,
                 SelectedMessage& out) {
    const std::string& name = parent.field_names()[child];
    const TypeSpec& spec = parent.children()[child];
    SIGNET_RETURN_IF_ERROR(CheckDepth());
    SIGNET_ASSIGN_OR_RETURN(SelectedField field,
                            FieldOfStep(schema_, type, StepOf(type, name), false));
    field.name = name;
    int rank = spec.shape()->rank() - parent.rank();
    if (rank == 0 && field.presence == Presence::kImplicit) field.presence = Presence::kDense;
    if (IsMessage(field)) {
      const auto* structured = spec.As<StructuredSpec>();
      if (structured == nullptr) return Misfit(field, spec, parent);
      SIGNET_ASSIGN_OR_RETURN(SelectedMessage selected,
                              Like(*structured, MessageOf(schema_, field)));
      field.message = std::make_unique<SelectedMessage>(std::move(selected));
    } else {
      field.dtype = DTypeOf(*ValueOf(field));
      const auto* ragged = spec.As<RaggedSpec>();
      const auto* tensor = spec.As<TensorSpec>();
      bool fits = (ragged != nullptr && ragged->dtype() == field.dtype) ||
                  (tensor != nullptr && tensor->dtype() == field.dtype);
      if (!fits) return Misfit(field, spec, parent);
    }
    const bool is_scalar = field.message == nullptr;
    const bool fills_default = rank == 0 && is_scalar && field.presence == Presence::kOptional &&
                               DefaultOfWhole(spec, parent.rank());
    const bool is_always_there =
        rank == 1 && is_scalar && !field.has_axis() && parent.IsOptionalChild(child);
    const bool is_repeated = parent.IsOptionalChild(child) && field.presence == Presence::kRepeated;
    bool fits = rank == (field.has_axis() ? 1 : 0) && !is_repeated;
    if (!fits && !fills_default && !is_always_there) return Misfit(field, spec, parent);
    out.fields.push_back(std::move(field));
    return absl::OkStatus();
  }

  // Returns the notation of a field of a structure: `int64[(?)]`.
  static std::string Written(std::string_view what, bool is_structure, int rank) {
    if (is_structure) {
      return Cat(std::string(static_cast<size_t>(rank), '['), what,
                 std::string(static_cast<size_t>(rank), ']'));
    }
    std::string dims;
    for (int i = 0; i < rank; ++i) dims += i == 0 ? "(?)" : ", (?)";
    return Cat(what, "[", dims, "]");
  }

  static Status Misfit(const SelectedField& field, const TypeSpec& spec,
                       const StructuredSpec& parent) {
    int rank = spec.shape()->rank() - parent.rank();
    std::string given = "{..}";
    if (const auto* ragged = spec.As<RaggedSpec>()) given = Cat(NameOf(ragged->dtype()));
    if (const auto* tensor = spec.As<TensorSpec>()) given = Cat(NameOf(tensor->dtype()));
    bool is_structure = spec.is(TypeKind::kStructured);
    std::string_view often = field.presence == Presence::kRequired   ? "required"
                             : field.presence == Presence::kDense    ? "always there"
                             : field.presence == Presence::kRepeated ? "repeated"
                                                                     : "optional";
    std::string fits = IsMessage(field) ? "{..}" : Cat(NameOf(field.dtype));
    return InvalidWithReason("STRUCTURE_MISMATCH", "it is ", often, " in the message, which fits `",
                             Written(fits, IsMessage(field), field.has_axis() ? 1 : 0),
                             "`; the parameter has `", Written(given, is_structure, rank), "`");
  }

  const ProtobufSchema& schema_;
  const ProtobufOptions& options_;
  const Limits& limits_;
  int64_t fields_left_;
  std::vector<const pb::Descriptor*> within_;  // the types that are read whole; null for the others
};

// Adds the path in the payload of an error to its message.
template <class T>
StatusOr<T> WithPath(StatusOr<T> result) {
  if (result.ok()) return result;
  std::string path = FieldOf(result.status());
  if (path.empty()) return result;
  return At(Cat("`", Printable(path), "`"), std::move(result).status());
}

StatusOr<TypeSpec> TypeOfFields(const SelectedMessage& message, int rank);

StatusOr<TypeSpec> TypeOfField(const SelectedField& field, int rank) {
  int own = rank + (field.has_axis() ? 1 : 0);
  if (field.message != nullptr) return TypeOfFields(*field.message, own);
  PartialShape shape = PartialShape::OfRank(own);
  if (own <= 1) return TensorType(field.dtype, std::move(shape));
  return MakeRaggedType(field.dtype, std::move(shape), own - 1);
}

StatusOr<TypeSpec> TypeOfFields(const SelectedMessage& message, int rank) {
  NamedTypes fields;
  for (const SelectedField& field : message.fields) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeOfField(field, rank));
    fields.emplace_back(field.name, std::move(type));
  }
  return MakeStructuredType(PartialShape::OfRank(rank), std::move(fields));
}

// Appends the paths of all leaves below `prefix`.
Status AppendLeaves(const pb::Descriptor& type, const ProtobufPath& prefix,
                    std::vector<const pb::Descriptor*> within, std::vector<ProtobufPath>& out) {
  constexpr size_t kMostLeaves = 100000;
  if (std::count(within.begin(), within.end(), &type) > 0) {
    return InvalidArgument("`*` below message type `", type.full_name(),
                           "`, which contains itself; list the paths to read");
  }
  within.push_back(&type);
  for (const auto* field : FieldsOf(type)) {
    ProtobufPath path = prefix;
    path.push_back(field->name());
    if (field->message_type() != nullptr) {
      SIGNET_RETURN_IF_ERROR(AppendLeaves(*field->message_type(), path, within, out));
    } else {
      if (out.size() == kMostLeaves)
        return InvalidArgument("`*` expands to more than 100000 paths");
      out.push_back(std::move(path));
    }
  }
  return absl::OkStatus();
}

Status AppendExpanded(const ProtobufSchema& schema, const pb::Descriptor& root,
                      const ProtobufPath& path, std::vector<ProtobufPath>& out) {
  const pb::Descriptor* type = &root;
  for (size_t i = 0; i < path.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(ProtobufStep step, ParseProtobufStep(path[i]));
    if (type == nullptr) {
      return NotFound("`", Printable(path[i - 1]), "` is not a message, so it has no fields");
    }
    if (step.kind == ProtobufStep::Kind::kWildcard && i + 1 == path.size()) {
      return AppendLeaves(*type, {path.begin(), path.end() - 1}, {}, out);
    }
    SIGNET_ASSIGN_OR_RETURN(SelectedField field, FieldOfStep(schema, *type, path[i], false));
    type = MessageOf(schema, field);
  }
  out.push_back(path);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::vector<ProtobufPath>> ExpandPaths(const ProtobufSchema& schema,
                                                const pb::Descriptor& type,
                                                const std::vector<ProtobufPath>& paths) {
  std::vector<ProtobufPath> out;
  for (const ProtobufPath& path : paths) {
    SIGNET_RETURN_IF_ERROR(
        At(Cat("path `", Printable(ToText(path)), "`"), AppendExpanded(schema, type, path, out)));
  }
  PathTree tree;
  for (const ProtobufPath& path : out) SIGNET_RETURN_IF_ERROR(AddPath(path, tree));
  return out;
}

StatusOr<SelectedMessage> SelectFields(const ProtobufSchema& schema, const pb::Descriptor& type,
                                       const ProtobufOptions& options, const Limits& limits) {
  Selector selector(schema, options, limits);
  if (options.paths.empty()) return WithPath(selector.Everything(&type));
  SIGNET_ASSIGN_OR_RETURN(auto paths, ExpandPaths(schema, type, options.paths));
  PathTree tree;
  for (const ProtobufPath& path : paths) SIGNET_RETURN_IF_ERROR(AddPath(path, tree));
  return WithPath(selector.OnPaths(&type, tree));
}

StatusOr<SelectedMessage> SelectFieldsOf(const TypeSpec& spec, const ProtobufSchema& schema,
                                         const pb::Descriptor& type, const ProtobufOptions& options,
                                         const Limits& limits) {
  const auto* structured = spec.As<StructuredSpec>();
  if (structured == nullptr || structured->rank() > 1) {
    return InvalidWithReason("STRUCTURE_MISMATCH",
                             "expected `[{..}]`, a structure with one row per message, found `",
                             spec, "`");
  }
  return WithPath(Selector(schema, options, limits).Like(*structured, &type));
}

StatusOr<TypeSpec> PresentType(const TypeSpec& spec, const SelectedMessage& message) {
  const auto& structured = *spec.As<StructuredSpec>();
  const int outer = structured.rank();
  NamedTypes fields;
  std::vector<bool> optional;
  // Fields were selected in the order of the fields of the structure.
  size_t next = 0;
  for (size_t i = 0; i < structured.field_names().size(); ++i) {
    const std::string& name = structured.field_names()[i];
    if (next == message.fields.size() || message.fields[next].name != name) continue;
    const SelectedField& field = message.fields[next++];
    TypeSpec type = structured.children()[i];
    int rank = type.shape()->rank() - outer;
    if (field.message != nullptr) {
      SIGNET_ASSIGN_OR_RETURN(type, PresentType(type, *field.message));
    } else if (rank == 0 && field.has_axis()) {
      SIGNET_ASSIGN_OR_RETURN(type, WithRowsForNulls(type, outer));
    } else if (rank == 1 && !field.has_axis()) {
      SIGNET_ASSIGN_OR_RETURN(type, TypeOfField(field, outer));
    }
    optional.push_back(structured.IsOptionalChild(i) && CanBeOptional(type, outer));
    fields.emplace_back(name, std::move(type));
  }
  return MakeStructuredType(structured.shape(), std::move(fields), std::move(optional));
}

StatusOr<TypeSpec> TypeOf(const SelectedMessage& message) { return TypeOfFields(message, 1); }

}  // namespace signet
