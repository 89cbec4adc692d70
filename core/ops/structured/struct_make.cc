// struct_make: builds a structure from columns.
//
//   struct_make(ids, scores, names=["id", "score"])   ids: int64[?], scores: float32[?]
//   =>  [{id: int64[], score: float32[]}]
// The op is an expansion. At run time, only rows that are not known to be equal are compared.

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

// Returns the smallest rank of the fields, which is the largest number of dimensions that they can
// share.
StatusOr<int> LeastRank(std::span<const FieldPart> fields) {
  int least = -1;
  for (const FieldPart& field : fields) {
    const PartialShape* shape = field.value.spec ? field.value.spec.shape() : nullptr;
    if (shape == nullptr || !shape->has_rank()) {
      return WithConstraint(
          "C2", InvalidArgument(
                    "field `", field.name,
                    "`: expected a tensor, a ragged value, or a structure of known rank, found `",
                    field.value.spec, "`"));
    }
    least = least < 0 ? shape->rank() : std::min(least, shape->rank());
  }
  return std::max(least, 0);
}

StatusOr<std::vector<GraphValue>> ExpandStructMake(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  // C1: `names` has one name per input.
  SIGNET_ASSIGN_OR_RETURN(auto names, WithConstraint("C1", call.attributes.Strings("names")));
  if (names.size() != inputs.size()) {
    return WithConstraint("C1", InvalidArgument("names: expected ", inputs.size(),
                                                " names, one per field, found ", names.size()));
  }
  StructureParts parts;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!inputs[i].spec)
      return WithConstraint(
          "C2", InvalidArgument("field `", Printable(names[i]), "`: expected a value, found none"));
    parts.fields.push_back({names[i], inputs[i]});
  }
  // C2: each field is a tensor, a ragged value, or a structure of rank at least `rank`.
  SIGNET_ASSIGN_OR_RETURN(int least, LeastRank(parts.fields));
  SIGNET_ASSIGN_OR_RETURN(auto rank, WithConstraint("C2", call.attributes.OptionalInt("rank")));
  if (rank && (*rank < 0 || *rank > least)) {
    return WithConstraint("C2", InvalidArgument("rank: expected 0 to ", least,
                                                ", the smallest rank of a field, found ", *rank));
  }
  parts.shape = PartialShape::OfRank(rank ? static_cast<int>(*rank) : least);
  // C3: the first `rank` dimensions of all fields are equal, row by row. Sizes that are not known
  // now are compared at run time.
  SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                          WithConstraint("C3", MakeStructureValue(build, std::move(parts))));
  return std::vector<GraphValue>{made};
}

}  // namespace

OpDef StructMake() {
  return {
      .name = "struct_make",
      .summary = "Creates a structure from columns",
      .description =
          "Creates a structure whose fields are the inputs, with the names in `names`. The first "
          "`rank` dimensions belong to the structure, and the others to the fields. If `rank` is "
          "None, it is the lowest rank of the fields. At run time, rows that are not known to be "
          "equal are compared.",
      .inputs = {"fields..."},
      .attributes = {{"names"}, {"rank", NoneAttribute()}},
      .result = "A structure.",
      .constraints =
          {"`names` has one name per input.",
           "Each field is a tensor, a ragged value, or a structure of rank at least `rank`.",
           "The first `rank` dimensions of all fields are equal, row by row."},
      .composites = "The fields are tensors, ragged values, or structures.",
      .expand = ExpandStructMake,
      .own_dtypes = {"fields"},
  };
}

}  // namespace signet
