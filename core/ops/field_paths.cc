#include "core/ops/field_paths.h"

#include <algorithm>

namespace signet {

StatusOr<std::vector<std::string>> SplitPath(std::string_view path) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('.', begin), path.size());
    if (end == begin) {
      return InvalidArgument("path `", Printable(path), "` has a name of no letters");
    }
    names.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

Status CheckApart(std::span<const std::string> paths) {
  for (size_t i = 0; i < paths.size(); ++i) {
    for (size_t j = 0; j < paths.size(); ++j) {
      if (i == j) continue;
      if (paths[i] == paths[j] || paths[j].starts_with(paths[i] + ".")) {
        return InvalidArgument("paths `", Printable(paths[i]), "` and `", Printable(paths[j]),
                               "`; takes each once, and none that leads through another");
      }
    }
  }
  return absl::OkStatus();
}

StatusOr<size_t> FindField(const StructureParts& parts, std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < parts.fields.size(); ++i) {
    if (parts.fields[i].name == name) return i;
    names.push_back(parts.fields[i].name);
  }
  return NotFound("no field `", Printable(name), "`; fields: ", ListNames(std::move(names)));
}

StatusOr<GraphValue> ChangeParent(
    Expander& expander, const GraphValue& structure, std::span<const std::string> path,
    const std::function<Status(StructureParts& parent, const std::string& name)>& change) {
  if (!structure.spec.is(TypeKind::kStructured)) {
    return InvalidArgument("`", Printable(path[0]), "` of `", structure.spec,
                           "`; takes a structure");
  }
  StructureParts parts = StructurePartsOf(structure);
  if (path.size() == 1) {
    SIGNET_RETURN_IF_ERROR(change(parts, path[0]));
    return MakeStructureValue(expander, std::move(parts));
  }
  SIGNET_ASSIGN_OR_RETURN(size_t i, FindField(parts, path[0]));
  auto child = ChangeParent(expander, parts.fields[i].value, path.subspan(1), change);
  if (!child.ok()) return At(Cat("`", path[0], "`"), child.status());
  parts.fields[i].value = *std::move(child);
  return MakeStructureValue(expander, std::move(parts));
}

}  // namespace signet
