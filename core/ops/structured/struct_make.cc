// struct_make: makes a structure of columns.
//
//   struct_make(ids, scores, names=["id", "score"])   ids: int64[?], scores: float32[?]
//   =>  [{id: int64[], score: float32[]}]
//
// Expansion only: at run time it costs the comparison of rows that are not known to be the same.

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

// The least rank of the fields: the most dimensions that they can share.
StatusOr<int> LeastRank(std::span<const FieldPart> fields) {
  int least = -1;
  for (const FieldPart& field : fields) {
    const PartialShape* shape = field.value.spec ? field.value.spec.shape() : nullptr;
    if (shape == nullptr || !shape->has_rank()) {
      return InvalidArgument("C2 field `", field.name, "` is `", field.value.spec,
                             "`; takes a tensor, ragged or structured value of known rank");
    }
    least = least < 0 ? shape->rank() : std::min(least, shape->rank());
  }
  return std::max(least, 0);
}

StatusOr<std::vector<GraphValue>> ExpandStructMake(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  // C1: `names` has a name for each input.
  SIGNET_ASSIGN_OR_RETURN(auto names, Labelled("C1", call.attributes.Strings("names")));
  if (names.size() != inputs.size()) {
    return InvalidArgument("C1 ", names.size(), " names; there are ", inputs.size(), " fields");
  }
  StructureParts parts;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!inputs[i].spec) return InvalidArgument("C2 field `", Printable(names[i]), "` is left out");
    parts.fields.push_back({names[i], inputs[i]});
  }
  // C2: each field is a tensor, a ragged or a structured value, of rank at least `rank`.
  SIGNET_ASSIGN_OR_RETURN(int least, LeastRank(parts.fields));
  SIGNET_ASSIGN_OR_RETURN(auto rank, Labelled("C2", call.attributes.OptionalInt("rank")));
  if (rank && (*rank < 0 || *rank > least)) {
    return InvalidArgument("C2 rank ", *rank, "; takes 0 to the least rank of a field, ", least);
  }
  parts.shape = PartialShape::OfRank(rank ? static_cast<int>(*rank) : least);
  // C3: the first `rank` dimensions of all fields are the same, row by row. What is not known now
  // is compared at run time.
  SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                          Labelled("C3", MakeStructureValue(build, std::move(parts))));
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
