// Batches of values.

#include "signet/ops/batching.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> ManyOf(StatusOr<std::vector<Value>> values) {
  if (!values.ok()) return values.status();
  return Answer{.ways = {*std::move(values)}};
}
StatusOr<Answer> OneOf(StatusOr<Value> value) {
  if (!value.ok()) return value.status();
  return AnswerOf(*std::move(value));
}

// By itself, and as a stack of boxes.
StatusOr<Answer> RunBatch(const Case& one) {
  TypeSpec element = ToType(one.inputs().at("type"));
  std::vector<Value> values;
  std::vector<Boxed> boxes;
  for (const Json& json : one.inputs().at("values")) {
    SIGNET_ASSIGN_OR_RETURN(Value value, MakeValueOf(element, json));
    values.push_back(std::move(value));
    SIGNET_ASSIGN_OR_RETURN(Boxed box, Boxed::Box(element, values.back()));
    boxes.push_back(std::move(box));
  }
  SIGNET_ASSIGN_OR_RETURN(Answer answer, OneOf(Batch(element, values)));
  if (boxes.empty()) return answer;
  SIGNET_ASSIGN_OR_RETURN(Boxed stacked, Boxed::Stack(boxes));
  answer.ways.push_back({Must(stacked.Unbox())});
  return answer;
}

StatusOr<Answer> RunUnbatch(const Case& one) { return ManyOf(Unbatch(one.value("value"))); }

StatusOr<Answer> RunSplitBatches(const Case& one) {
  return ManyOf(SplitBatches(one.value("value"), one.arg("batch_size").get<int64_t>(),
                             one.arg("drop_remainder").get<bool>()));
}

StatusOr<Answer> RunFoldRows(const Case& one) {
  return OneOf(FoldRows(one.value("value"), one.arg("batch_size").get<int64_t>()));
}

StatusOr<Answer> RunConcatBatches(const Case& one) {
  return OneOf(ConcatBatches(one.values("values")));
}

constexpr OpRow kOps[] = {
    {"batch", RunBatch},        {"concat_batches", RunConcatBatches},
    {"fold_rows", RunFoldRows}, {"split_batches", RunSplitBatches},
    {"unbatch", RunUnbatch},
};

}  // namespace

std::span<const OpRow> BatchOps() { return kOps; }

}  // namespace signet::structured_vectors
