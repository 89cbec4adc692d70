#include "signet/nest.h"

#include "core/types/child_path.h"
#include "core/types/identifier.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

// How a value is expanded.
enum class Form : uint8_t { kLeaf, kChildren, kComponents, kFields };

Form FormOf(const TypeSpec& spec, bool expand) {
  switch (spec.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
      return Form::kChildren;
    case TypeKind::kExtension:
      return expand ? Form::kChildren : Form::kLeaf;
    case TypeKind::kRagged:
    case TypeKind::kSparse:
      return expand ? Form::kComponents : Form::kLeaf;
    case TypeKind::kStructured:
      return expand ? Form::kFields : Form::kLeaf;
    case TypeKind::kTensor:
    case TypeKind::kLiteral:
    case TypeKind::kAny:
      return Form::kLeaf;
  }
  __builtin_unreachable();
}

// Returns the number of components before the fields of a structure: nrows and row splits.
size_t NumRowComponents(const TypeSpec& structured) {
  return static_cast<size_t>(structured.As<StructuredSpec>()->rank());
}

void Flatten(const Value& value, bool expand, std::vector<Value>& out) {
  auto components = [&](size_t count) {
    auto specs = value.is_placeholder() ? ComponentsOf(value.spec()) : std::vector<ComponentSpec>();
    for (size_t i = 0; i < count; ++i) {
      out.push_back(value.is_placeholder() ? Value::OfType(specs[i].spec)
                                           : Value(value.components()[i]));
    }
  };
  switch (FormOf(value.spec(), expand)) {
    case Form::kLeaf:
      out.push_back(value);
      return;
    case Form::kChildren:
      for (const Value& child : ChildrenOf(value)) Flatten(child, expand, out);
      return;
    case Form::kComponents:
      return components(value.spec().num_components());
    case Form::kFields:
      for (const std::string& name : value.spec().As<StructuredSpec>()->field_names()) {
        Value field = *FieldOf(value, name);
        bool is_component = field.spec().is(TypeKind::kTensor) && !field.is_placeholder();
        Flatten(is_component ? Value(field.tensor()) : field, expand, out);
      }
      return components(NumRowComponents(value.spec()));
  }
}

// Appends the paths in the order in which Flatten appends the leaves.
void AppendPaths(const TypeSpec& spec, const std::string& path, bool expand,
                 std::vector<std::string>& out) {
  auto components = [&](size_t count) {
    auto specs = ComponentsOf(spec);
    for (size_t i = 0; i < count; ++i) out.push_back(JoinPath(path, specs[i].name));
  };
  Form form = FormOf(spec, expand);
  switch (form) {
    case Form::kLeaf:
      out.push_back(path);
      return;
    case Form::kComponents:
      return components(spec.num_components());
    case Form::kChildren:
    case Form::kFields:
      for (size_t i = 0; i < spec.children().size(); ++i) {
        AppendPaths(spec.children()[i], ChildPath(path, spec, i), expand, out);
      }
      if (form == Form::kFields) components(NumRowComponents(spec));
      return;
  }
}

// Consumes leaves in the order in which Flatten appends them. There are enough leaves.
class Packer {
 public:
  Packer(std::span<const Value> leaves, bool expand) : leaves_(leaves), expand_(expand) {}

  StatusOr<Value> Pack(const TypeSpec& spec) {
    switch (FormOf(spec, expand_)) {
      case Form::kLeaf:
        return leaves_[next_++];
      case Form::kChildren: {
        std::vector<Value> children;
        for (const TypeSpec& child : spec.children()) {
          SIGNET_ASSIGN_OR_RETURN(Value packed, Pack(child));
          children.push_back(std::move(packed));
        }
        return WithChildren(spec, children);
      }
      case Form::kComponents: {
        Components components;
        SIGNET_RETURN_IF_ERROR(TakeTensors(spec.num_components(), components));
        return MakeValue(spec, std::move(components));
      }
      case Form::kFields:
        return PackStructure(spec);
    }
    __builtin_unreachable();
  }

 private:
  Status TakeTensors(size_t count, Components& out) {
    for (size_t i = 0; i < count; ++i) {
      const Value& leaf = leaves_[next_++];
      if (!leaf.spec().is(TypeKind::kTensor) || leaf.is_placeholder()) {
        return InvalidWithReason("STRUCTURE_MISMATCH", "leaf ", next_ - 1,
                                 ": expected a tensor, found `", leaf.spec(), "`");
      }
      out.push_back(leaf.tensor());
    }
    return absl::OkStatus();
  }

  StatusOr<Value> PackStructure(const TypeSpec& spec) {
    const auto& structured = *spec.As<StructuredSpec>();
    std::vector<Value> fields;
    for (const TypeSpec& field : structured.children()) {
      SIGNET_ASSIGN_OR_RETURN(Value packed, Pack(field));
      fields.push_back(std::move(packed));
    }
    Components components;
    SIGNET_RETURN_IF_ERROR(TakeTensors(NumRowComponents(spec), components));
    size_t shared = components.size();
    components.resize(spec.num_components());
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string& name = structured.field_names()[i];
      auto positions = FieldComponents(spec, name);
      if (fields[i].components().size() != positions->size()) {
        return InvalidWithReason("STRUCTURE_MISMATCH", "field `", name, "`: expected `",
                                 structured.children()[i], "`, found `", fields[i].spec(), "`");
      }
      for (size_t k = 0; k < positions->size(); ++k) {
        auto at = static_cast<size_t>((*positions)[k]);
        const Tensor& own = fields[i].components()[k];
        if (at >= shared) {
          components[at] = own;
        } else if (!SameTensor(components[at], own)) {
          return InvalidWithReason("ROW_SPLITS", "field `", name,
                                   "` has other rows than its structure");
        }
      }
    }
    return MakeValue(spec, std::move(components));
  }

  std::span<const Value> leaves_;
  size_t next_ = 0;
  const bool expand_;
};

class Comparison {
 public:
  explicit Comparison(SameStructureOptions options) : options_(options) {}

  Status Check(const TypeSpec& a, const TypeSpec& b, const std::string& path) const {
    Form form = FormOf(a, options_.expand_composites);
    Form other = FormOf(b, options_.expand_composites);
    if (form != other) return Differ(path, a, b, "only one of them is expanded");
    if (form == Form::kLeaf) return absl::OkStatus();
    if (form != Form::kChildren) {
      bool same = static_cast<bool>(MostSpecificCommonSupertype(a, b));
      return same ? absl::OkStatus() : Differ(path, a, b, "they have no common type");
    }
    bool is_dict = a.is(TypeKind::kDict) || b.is(TypeKind::kDict);
    bool is_extension = a.is(TypeKind::kExtension) || b.is(TypeKind::kExtension);
    bool strict = options_.check_kinds || is_dict || is_extension;
    if (strict && a.kind() != b.kind()) return Differ(path, a, b, "they are of different kinds");
    if (a.children().size() != b.children().size())
      return Differ(path, a, b, "they have different lengths");
    if (strict && !a.rep().EqualFixed(b.rep())) {
      return Differ(path, a, b, "they have different names or attributes");
    }
    for (size_t i = 0; i < a.children().size(); ++i) {
      SIGNET_RETURN_IF_ERROR(Check(a.children()[i], b.children()[i], ChildPath(path, a, i)));
    }
    return absl::OkStatus();
  }

 private:
  static Status Differ(std::string_view path, const TypeSpec& a, const TypeSpec& b,
                       std::string_view why) {
    Status status =
        InvalidWithReason("STRUCTURE_MISMATCH", "`", a, "` and `", b, "` differ: ", why);
    return path.empty() ? status : WithField(path, At(Cat("`", path, "`"), std::move(status)));
  }

  const SameStructureOptions options_;
};

}  // namespace

std::vector<Value> FlattenNest(const Value& value, NestOptions options) {
  std::vector<Value> leaves;
  Flatten(value, options.expand_composites, leaves);
  return leaves;
}

size_t NumLeaves(const TypeSpec& spec, NestOptions options) {
  switch (FormOf(spec, options.expand_composites)) {
    case Form::kLeaf:
      return 1;
    case Form::kComponents:
      return spec.num_components();
    case Form::kChildren:
    case Form::kFields:
      break;
  }
  size_t count = spec.is(TypeKind::kStructured) ? NumRowComponents(spec) : 0;
  for (const TypeSpec& child : spec.children()) count += NumLeaves(child, options);
  return count;
}

std::vector<std::string> NestPaths(const TypeSpec& spec, NestOptions options) {
  std::vector<std::string> paths;
  AppendPaths(spec, "", options.expand_composites, paths);
  return paths;
}

StatusOr<Value> PackNest(const TypeSpec& spec, std::span<const Value> leaves, NestOptions options) {
  size_t count = NumLeaves(spec, options);
  if (leaves.size() != count) {
    return InvalidWithReason("STRUCTURE_MISMATCH", "number of leaves of `", spec, "`: expected ",
                             count, ", found ", leaves.size());
  }
  return Packer(leaves, options.expand_composites).Pack(spec);
}

StatusOr<Value> MapNest(const Value& value,
                        const std::function<StatusOr<Value>(const Value& leaf)>& map,
                        NestOptions options) {
  std::vector<Value> leaves = FlattenNest(value, options);
  for (Value& leaf : leaves) {
    SIGNET_ASSIGN_OR_RETURN(leaf, map(leaf));
  }
  return PackNest(value.spec(), leaves, options);
}

Status CheckSameStructure(const TypeSpec& a, const TypeSpec& b, SameStructureOptions options) {
  return Comparison(options).Check(a, b, "");
}

}  // namespace signet
