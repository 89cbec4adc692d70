// Array operations on structures.

#include "core/eager/run_op.h"
#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Identity(const Case& one) {
  return RunThreeWays("identity", {one.value("value")});
}

// Counts are int64 here; the cases ask for int32 unless they say otherwise.
StatusOr<Answer> Count(std::string_view op, const Case& one) {
  SIGNET_ASSIGN_OR_RETURN(Answer answer, RunThreeWays(op, {one.value("value")}));
  Json dtype = one.arg("out_type").is_null() ? Json("int32") : one.arg("out_type");
  for (std::vector<Value>& results : answer.ways) {
    SIGNET_ASSIGN_OR_RETURN(
        results[0], RunOp1("cast", {results[0]}, Attributes({{"dtype", ToAttribute(dtype)}})));
  }
  return answer;
}
StatusOr<Answer> Rank(const Case& one) { return Count("rank", one); }
StatusOr<Answer> Size(const Case& one) { return Count("size", one); }

StatusOr<Answer> Concat(const Case& one) {
  return RunThreeWays("concat", one.values("values"),
                      Attributes({{"axis", one.attribute("axis")}}));
}

StatusOr<Answer> ReduceSum(const Case& one) {
  return RunThreeWays("reduce_sum", {one.value("value")},
                      Attributes({{"axes", one.attribute("axis")}}));
}

constexpr OpRow kOps[] = {
    {"concat", Concat},        {"identity", Identity}, {"rank", Rank},
    {"reduce_sum", ReduceSum}, {"size", Size},
};

}  // namespace

std::span<const OpRow> ArrayOps() { return kOps; }

}  // namespace signet::structured_vectors
