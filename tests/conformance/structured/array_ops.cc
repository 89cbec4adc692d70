// Array operations on structures.

#include "tests/conformance/structured/joins.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Identity(const Case& one) {
  return RunThreeWays("identity", {one.value("value")});
}

// Counts are int64 here; the cases ask for int32 unless they say otherwise.
StatusOr<Answer> Count(std::string_view op, const Case& one) {
  Json dtype = one.arg("out_type").is_null() ? Json("int32") : one.arg("out_type");
  return RunThreeWays(op, {one.value("value")}, Attributes({{"dtype", ToAttribute(dtype)}}));
}
StatusOr<Answer> Rank(const Case& one) { return Count("rank", one); }
StatusOr<Answer> Size(const Case& one) { return Count("size", one); }

StatusOr<Answer> Concat(const Case& one) { return Join("concat", one, false); }
StatusOr<Answer> Stack(const Case& one) { return Join("stack", one, false); }

// Without `num`, the number of outputs is the number of rows.
StatusOr<Answer> Unstack(const Case& one) {
  return RunThreeWays("unstack", {one.value("value")},
                      Attributes({{"axis", one.attribute("axis")}, {"num", one.attribute("num")}}),
                      one.arg("num").is_null() ? Sizes::kNeeded : Sizes::kForgotten);
}

// A number, or a ragged one, for each of the structures.
StatusOr<Answer> Like(std::string_view op, const Case& one) {
  return RunThreeWays(op, {one.value("value")}, Attributes({{"dtype", one.attribute("dtype")}}));
}
StatusOr<Answer> ZerosLike(const Case& one) { return Like("zeros_like", one); }
StatusOr<Answer> OnesLike(const Case& one) { return Like("ones_like", one); }

// Each dimension: its size, or the lengths of its rows.
StatusOr<Answer> Shape(const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(Answer sizes,
                          RunThreeWays("dim_sizes", {one.value("value")},
                                       Attributes({{"dtype", one.attribute("out_type")}})));
  Answer answer;
  answer.data["lengths"] = Json::array();
  for (const Value& size : ChildrenOf(sizes.ways[0][0])) {
    answer.data["lengths"].push_back(ToJson(size));
  }
  return answer;
}

StatusOr<Answer> Elementwise(std::string_view op, const Case& one) {
  return RunThreeWays(op, {one.value("x"), one.value("y")});
}
StatusOr<Answer> Add(const Case& one) { return Elementwise("add", one); }
StatusOr<Answer> Equal(const Case& one) { return Elementwise("equal", one); }

StatusOr<Answer> ReduceSum(const Case& one) {
  return RunThreeWays("reduce_sum", {one.value("value")},
                      Attributes({{"axes", one.attribute("axis")}}));
}

constexpr OpRow kOps[] = {
    {"add", Add},
    {"concat", Concat},
    {"equal", Equal},
    {"identity", Identity},
    {"ones_like", OnesLike},
    {"rank", Rank},
    {"reduce_sum", ReduceSum},
    {"shape", Shape},
    {"size", Size},
    {"split", Split},
    {"stack", Stack},
    {"tile", Tile},
    {"unstack", Unstack},
    {"zeros_like", ZerosLike},
};

}  // namespace

std::span<const OpRow> ArrayOps() { return kOps; }

}  // namespace signet::structured_vectors
