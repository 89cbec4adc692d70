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
    return InvalidArgument("`", Printable(name), "` of `", spec,
                           "`; takes a structure, a dict, a named tuple or an extension value");
  }
  auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  return NotFound("no `", Printable(name), "` in `", spec,
                  "`; names: ", ListNames({names.begin(), names.end()}));
}

StatusOr<size_t> FindChild(const TypeSpec& spec, int64_t index) {
  if (!IsSequence(spec) && !spec.is(TypeKind::kNamedTuple)) {
    return InvalidArgument("element ", index, " of `", spec,
                           "`; takes a list, a tuple or a named tuple");
  }
  auto size = static_cast<int64_t>(spec.children().size());
  if (index < -size || index >= size) {
    return OutOfRange("element ", index, " of `", spec, "`, which has ", size);
  }
  return static_cast<size_t>(index < 0 ? index + size : index);
}

}  // namespace signet
