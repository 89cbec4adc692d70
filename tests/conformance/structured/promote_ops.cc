// promote, broadcast, apply, and merging and partitioning dimensions of structures.

#include "tests/conformance/structured/partitions.h"
#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> AddField(std::string_view op, const Case& one) {
  Attributes attributes({{"path", one.attribute("path")}, {"name", one.attribute("new_name")}});
  if (!one.arg("into").is_null()) attributes = attributes.With("into", one.attribute("into"));
  return RunThreeWays(op, {one.value("value")}, attributes);
}
StatusOr<Answer> Promote(const Case& one) { return AddField("promote", one); }
StatusOr<Answer> Broadcast(const Case& one) { return AddField("broadcast_field", one); }
StatusOr<Answer> PromoteAndBroadcast(const Case& one) {
  return AddField("promote_and_broadcast", one);
}
StatusOr<Answer> Size(const Case& one) { return AddField("struct_size", one); }
StatusOr<Answer> Has(const Case& one) { return AddField("struct_has", one); }

StatusOr<Answer> Apply(const Case& one) {
  return RunThreeWays("struct_map", {one.value("value")},
                      Attributes({{"parent", one.attribute("parent")},
                                  {"fields", one.attribute("sources")},
                                  {"op", one.attribute("fn")},
                                  {"name", one.attribute("new_name")}}));
}

StatusOr<Answer> MergeDims(const Case& one) {
  return RunThreeWays(
      "merge_dims", {one.value("value")},
      Attributes({{"outer", one.attribute("outer_axis")}, {"inner", one.attribute("inner_axis")}}));
}

StatusOr<Answer> PartitionOuterDimension(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition partition, MakePartition(one.arg("partition")));
  if (auto length = partition.uniform_row_length()) {
    return RunThreeWays("partition_outer_dimension", {one.value("value")},
                        Attributes({{"uniform_row_length", AttributeOf(*length)},
                                    {"nrows", AttributeOf(partition.nrows())}}));
  }
  return RunThreeWays("partition_outer_dimension", {one.value("value"), partition.row_splits()});
}

constexpr OpRow kOps[] = {
    {"apply", Apply},
    {"broadcast", Broadcast},
    {"has", Has},
    {"merge_dims", MergeDims},
    {"partition_outer_dimension", PartitionOuterDimension},
    {"promote", Promote},
    {"promote_and_broadcast", PromoteAndBroadcast},
    {"size", Size},
};

}  // namespace

std::span<const OpRow> PromoteOps() { return kOps; }

}  // namespace signet::structured_vectors
