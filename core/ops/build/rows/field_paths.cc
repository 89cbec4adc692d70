#include "core/ops/build/rows/field_paths.h"

#include <algorithm>

#include "core/base/nearest_name.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/nest_children.h"
#include "core/types/identifier.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

const std::string* TextOf(const TypeSpec& spec) {
  const auto* literal = spec ? spec.As<LiteralSpec>() : nullptr;
  bool is_text = literal != nullptr && literal->literal().is(Literal::Kind::kString);
  return is_text ? &literal->literal().string_value() : nullptr;
}

FieldPath SplitPath(std::string_view text) {
  FieldPath path;
  for (size_t begin = 0; !text.empty() && begin <= text.size();) {
    size_t end = std::min(text.find('.', begin), text.size());
    path.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return path;
}

StatusOr<FieldPath> PathOf(std::string_view attribute, const TypeSpec& spec) {
  if (const std::string* text = TextOf(spec)) return SplitPath(*text);
  FieldPath path;
  bool fits = spec && IsSequence(spec);
  for (size_t i = 0; fits && i < spec.children().size(); ++i) {
    const std::string* name = TextOf(spec.children()[i]);
    fits = name != nullptr;
    if (fits) path.push_back(*name);
  }
  if (fits) return path;
  return InvalidArgument("attribute `", attribute,
                         "`: expected a path, as names joined by dots or a list of names, found `",
                         spec ? spec.ToString() : "None", "`");
}

// Returns the child of `value` called `name`.
StatusOr<GraphValue> Step(const GraphValue& value, std::string_view name) {
  if (name.empty()) return InvalidArgument("expected the name of a field, found an empty name");
  if (!value.spec) return NotFound("`", Printable(name), "` not found in a missing input");
  if (value.spec.is(TypeKind::kStructured)) return FieldValue(value, name);
  if (const auto* extension = value.spec.As<ExtensionSpec>()) {
    if (TypeSpec attribute = extension->LookupStatic(name)) return GraphValue{attribute, {}};
  }
  auto child = FindChild(value.spec, name);
  // A value without names has no child of this name.
  if (!child.ok()) return NotFound(MessageOf(child.status()));
  return ChildOf(value, *child);
}

// Returns the index of `name` in parts.fields. A NOT_FOUND error lists the fields.
StatusOr<size_t> FindField(const StructureParts& parts, std::string_view name) {
  if (name.empty()) return InvalidArgument("expected the name of a field, found an empty name");
  std::vector<std::string> names;
  for (size_t i = 0; i < parts.fields.size(); ++i) {
    if (parts.fields[i].name == name) return i;
    names.push_back(parts.fields[i].name);
  }
  const std::string nearest = NearestHint(name, names);
  return NotFound("no field `", Printable(name), "`; fields: ", ListNames(std::move(names)),
                  nearest);
}

Status NoStructure(const GraphValue& value) {
  return InvalidArgument("expected a structure, found `",
                         value.spec ? value.spec.ToString() : "None", "`");
}

}  // namespace

std::string PathText(FieldNames path) {
  std::string text;
  for (const std::string& name : path) text = JoinPath(text, name);
  return Printable(text);
}

StatusOr<FieldPath> PathAttribute(const Attributes& attributes, std::string_view name) {
  return PathOf(name, attributes.Lookup(name));
}

StatusOr<std::vector<FieldPath>> PathsAttribute(const Attributes& attributes,
                                                std::string_view name) {
  TypeSpec found = attributes.Lookup(name);
  if (!found || !IsSequence(found)) {
    return InvalidArgument("attribute `", name, "`: expected a list of paths, found `",
                           found ? found.ToString() : "None", "`");
  }
  std::vector<FieldPath> paths;
  for (const TypeSpec& child : found.children()) {
    SIGNET_ASSIGN_OR_RETURN(FieldPath path, PathOf(name, child));
    paths.push_back(std::move(path));
  }
  return paths;
}

bool LeadsTo(FieldNames path, FieldNames other) {
  return path.size() <= other.size() && std::equal(path.begin(), path.end(), other.begin());
}

Status CheckApart(std::vector<FieldPath> paths) {
  // In sorted order, a path is directly before one of the paths that begin with it.
  std::sort(paths.begin(), paths.end());
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty() || std::find(paths[i].begin(), paths[i].end(), "") != paths[i].end()) {
      return InvalidArgument("path `", PathText(paths[i]),
                             "`: expected names of fields, found an empty name");
    }
    if (i == 0 || !LeadsTo(paths[i - 1], paths[i])) continue;
    return InvalidArgument("expected different paths, none of which leads through another, found `",
                           PathText(paths[i - 1]), "` and `", PathText(paths[i]), "`");
  }
  return absl::OkStatus();
}

StatusOr<GraphValue> ValueAt(const GraphValue& value, FieldNames path) {
  GraphValue at = value;
  for (size_t i = 0; i < path.size(); ++i) {
    auto next = Step(at, path[i]);
    if (!next.ok()) {
      return i == 0 ? next.status() : At(Cat("`", PathText(path.first(i)), "`"), next.status());
    }
    at = *std::move(next);
  }
  return at;
}

StatusOr<GraphValue> StructureAt(const GraphValue& value, FieldNames path) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue found, ValueAt(value, path));
  if (found.spec && found.spec.is(TypeKind::kStructured)) return found;
  return path.empty() ? NoStructure(found) : At(Cat("`", PathText(path), "`"), NoStructure(found));
}

StatusOr<std::vector<FieldPath>> ListedFields(const OpCall& call, const GraphValue& structure) {
  SIGNET_RETURN_IF_ERROR(WithConstraint("C1", StructureAt(structure, {}).status()));
  SIGNET_ASSIGN_OR_RETURN(auto paths,
                          WithConstraint("C2", PathsAttribute(call.attributes, "names")));
  for (const FieldPath& path : paths) {
    if (path.empty())
      return WithConstraint("C2",
                            InvalidArgument("expected the path of a field, found an empty path"));
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", ValueAt(structure, path).status()));
  }
  return paths;
}

StatusOr<GraphValue> ChangeParent(
    OpBuilder& build, const GraphValue& structure, FieldNames path,
    const std::function<Status(StructureParts& parent, const std::string& name)>& change) {
  if (!structure.spec || !structure.spec.is(TypeKind::kStructured)) return NoStructure(structure);
  StructureParts parts = StructurePartsOf(structure);
  if (path.size() == 1) {
    SIGNET_RETURN_IF_ERROR(change(parts, path[0]));
    return MakeStructureValue(build, std::move(parts));
  }
  SIGNET_ASSIGN_OR_RETURN(size_t i, FindField(parts, path[0]));
  auto child = ChangeParent(build, parts.fields[i].value, path.subspan(1), change);
  if (!child.ok()) return At(Cat("`", path[0], "`"), child.status());
  parts.fields[i].value = *std::move(child);
  return MakeStructureValue(build, std::move(parts));
}

void PutField(StructureParts& parent, FieldPart field) {
  for (FieldPart& old : parent.fields) {
    if (old.name != field.name) continue;
    old = std::move(field);
    return;
  }
  parent.fields.push_back(std::move(field));
}

Status DropField(StructureParts& parent, std::string_view name) {
  SIGNET_ASSIGN_OR_RETURN(size_t i, FindField(parent, name));
  parent.fields.erase(parent.fields.begin() + static_cast<std::ptrdiff_t>(i));
  return absl::OkStatus();
}

StatusOr<GraphValue> WithValueAt(OpBuilder& build, const GraphValue& structure, FieldNames path,
                                 const GraphValue& value) {
  return ChangeParent(build, structure, path, [&](StructureParts& parent, const std::string& name) {
    PutField(parent, {name, value, true});
    return absl::OkStatus();
  });
}

}  // namespace signet
