#include "core/types/stacking.h"

#include "core/types/child_path.h"
#include "signet/ragged_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// Changes the shape of a type by `steps` leading dimensions: adds one of size n, or removes one.
class Change {
 public:
  static Change Stack(int64_t n) { return Change(1, n); }
  static Change Unstack() { return Change(-1, kUnknownDim); }

  StatusOr<TypeSpec> Apply(const TypeSpec& spec) const {
    switch (spec.kind()) {
      case TypeKind::kTensor:
      case TypeKind::kSparse:
        return Rebuilt(spec, {});
      case TypeKind::kRagged:
        return ApplyToRagged(spec);
      case TypeKind::kStructured: {
        SIGNET_RETURN_IF_ERROR(CheckRank(spec));
        SIGNET_ASSIGN_OR_RETURN(auto fields, ApplyToChildren(spec));
        return Rebuilt(spec, std::move(fields));
      }
      case TypeKind::kLiteral:
        return spec;
      case TypeKind::kList:
      case TypeKind::kTuple:
      case TypeKind::kDict:
      case TypeKind::kNamedTuple:
      case TypeKind::kExtension: {
        SIGNET_ASSIGN_OR_RETURN(auto children, ApplyToChildren(spec));
        return spec.rep().Rebuild({}, std::move(children));
      }
      case TypeKind::kAny:
        return InvalidWithReason("STRUCTURE_MISMATCH",
                                 "expected a type that values can have, found `", spec, "`");
    }
    __builtin_unreachable();
  }

 private:
  Change(int steps, int64_t n) : steps_(steps), n_(n) {}

  bool removes() const { return steps_ < 0; }

  Status CheckRank(const TypeSpec& spec) const {
    const PartialShape& shape = *spec.shape();
    if (!removes() || !shape.has_rank() || shape.rank() > 0) return absl::OkStatus();
    return InvalidWithReason("SHAPE_MISMATCH",
                             "expected a type with at least one dimension, found `", spec, "`");
  }

  PartialShape Changed(const PartialShape& shape) const {
    if (!shape.has_rank()) return shape;
    if (removes()) return shape.Slice(1, shape.rank());
    return PartialShape{n_}.Concatenate(shape);
  }

  StatusOr<TypeSpec> Rebuilt(const TypeSpec& spec, std::vector<TypeSpec> children) const {
    SIGNET_RETURN_IF_ERROR(CheckRank(spec));
    return spec.rep().Rebuild(Changed(*spec.shape()), std::move(children));
  }

  StatusOr<TypeSpec> ApplyToRagged(const TypeSpec& spec) const {
    SIGNET_RETURN_IF_ERROR(CheckRank(spec));
    const auto& ragged = *spec.As<RaggedSpec>();
    PartialShape shape = Changed(ragged.shape());
    int ragged_rank = ragged.ragged_rank() + steps_;
    // A scalar has no rows that could be ragged, and neither has a batch of scalars.
    bool is_scalar = removes() ? shape.has_rank() && shape.rank() == 0
                               : ragged.shape().has_rank() && ragged.shape().rank() == 0;
    if (ragged_rank < 0 || is_scalar) return TensorType(ragged.dtype(), std::move(shape));
    return MakeRaggedType(ragged.dtype(), std::move(shape), ragged_rank, ragged.splits_dtype());
  }

  StatusOr<std::vector<TypeSpec>> ApplyToChildren(const TypeSpec& spec) const {
    std::vector<TypeSpec> children;
    children.reserve(spec.children().size());
    for (size_t i = 0; i < spec.children().size(); ++i) {
      auto changed = Apply(spec.children()[i]);
      if (!changed.ok()) {
        std::string step = ChildStep(spec, i);
        return WithField(step, At(Cat("`", step, "`"), changed.status()));
      }
      children.push_back(*std::move(changed));
    }
    return children;
  }

  const int steps_;
  const int64_t n_;
};

void AppendLeaves(const TypeSpec& spec, const std::string& path, std::vector<std::string>& out) {
  switch (spec.kind()) {
    case TypeKind::kTensor:
    case TypeKind::kRagged:
    case TypeKind::kSparse:
      out.push_back(path);
      return;
    case TypeKind::kLiteral:
    case TypeKind::kAny:
      return;
    case TypeKind::kStructured:
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
    case TypeKind::kExtension:
      for (size_t i = 0; i < spec.children().size(); ++i) {
        AppendLeaves(spec.children()[i], ChildPath(path, spec, i), out);
      }
      return;
  }
}

}  // namespace

StatusOr<TypeSpec> StackedType(const TypeSpec& spec, int64_t n) {
  if (n < kUnknownDim) {
    return InvalidWithReason("INVALID_DIMENSION", "expected a batch of at least 0 values, found ",
                             n);
  }
  return Change::Stack(n).Apply(spec);
}

StatusOr<TypeSpec> UnstackedType(const TypeSpec& spec) { return Change::Unstack().Apply(spec); }

std::vector<std::string> BoxedLayout(const TypeSpec& spec) {
  std::vector<std::string> paths;
  AppendLeaves(spec, "", paths);
  return paths;
}

}  // namespace signet
