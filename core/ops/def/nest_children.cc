#include "core/ops/def/nest_children.h"

#include <algorithm>
#include <string>

#include "signet/extension_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"

namespace signet {

StatusOr<size_t> FindChild(const TypeSpec& spec, std::string_view name) {
  std::span<const std::string> names;
  if (const auto* dict = spec.As<DictSpec>()) {
    names = dict->keys();
  } else if (const auto* tuple = spec.As<NamedTupleSpec>()) {
    names = tuple->field_names();
  } else if (const auto* extension = spec.As<ExtensionSpec>()) {
    names = extension->component_names();
  } else {
    return InvalidArgument(
        "`", Printable(name),
        "`: expected a structure, a dict, a named tuple or an extension value, found `", spec, "`");
  }
  auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  return NotFound("name `", Printable(name), "` not found in `", spec,
                  "`; names: ", ListNames({names.begin(), names.end()}));
}

StatusOr<size_t> FindChild(const TypeSpec& spec, int64_t index) {
  if (!IsSequence(spec) && !spec.is(TypeKind::kNamedTuple)) {
    return InvalidArgument("element ", index,
                           ": expected a list, a tuple or a named tuple, found `", spec, "`");
  }
  auto size = static_cast<int64_t>(spec.children().size());
  if (index < -size || index >= size) {
    return OutOfRange("element ", index, " is out of range for `", spec, "`, which has ", size,
                      " elements");
  }
  return static_cast<size_t>(index < 0 ? index + size : index);
}

}  // namespace signet
