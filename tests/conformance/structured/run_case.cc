#include "tests/conformance/structured/run_case.h"

namespace signet::structured_vectors {
namespace {

const OpRow* LookupOp(const VectorFile& file, std::string_view op) {
  for (std::span<const OpRow> ops : file.ops) {
    for (const OpRow& row : ops) {
      if (row.op == op) return &row;
    }
  }
  return nullptr;
}

// Returns what is wrong with the answer to `one`, or an empty text if it is as expected.
std::string Judge(const Json& one, const StatusOr<Answer>& answer) {
  if (!one.contains("error")) {
    return answer.ok() ? Difference(one.at("expect"), *answer)
                       : Cat("error: ", answer.status().ToString());
  }
  const std::string code = one.at("error").at("code");
  if (answer.ok()) return Cat("expected ", code, "; found a result");
  return CodeOf(answer.status()) == code
             ? ""
             : Cat("expected ", code, "; found the error: ", answer.status().ToString());
}

}  // namespace

std::string RunCase(const VectorFile& file, const Json& json) {
  Case one(json);
  const OpRow* row = LookupOp(file, one.op());
  StatusOr<Answer> answer = row == nullptr ? StatusOr<Answer>(NotBuilt(one.op())) : row->run(one);
  if (answer.ok() && !answer->not_built.empty()) {
    return Cat(file.is_complete ? "not built: " : kSkipped, answer->not_built);
  }
  std::string wrong = Judge(json, answer);
  if (!wrong.empty()) return wrong;
  return std::string(answer.ok() && answer->sizes_needed ? kPassedWithSizes : kPassed);
}

}  // namespace signet::structured_vectors
