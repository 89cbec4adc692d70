// Ops reject unsupported values: on values of any type, each result of an op passes the checks
// of values from outside, and no error is a fault of Signet.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/values/builders/value_notation.h"
#include "signet/ops/run_op.h"
#include "tests/properties/op_call_random.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

class OpRejectionsTest : public testing::Test {
 protected:
  // Mostly tensors and ragged values of `dtype`, which some op takes, so that many calls go
  // through.
  TypeSpec AnyType(DType dtype) {
    switch (random_.Below(6)) {
      case 0:
        return random_.Type(1);
      case 1:
      case 2:
        return TensorType(random_.Chance(4) ? DType::kInt64 : dtype, random_.AnyShape(0));
      default: {
        PartialShape shape = random_.AnyShape(1);
        int ragged_rank = random_.Below(shape.rank());
        return *MakeRaggedType(dtype, std::move(shape), ragged_rank,
                               random_.Chance(4) ? DType::kInt32 : DType::kInt64);
      }
    }
  }

  // Of a type that has values.
  Value AnyValue(DType dtype) {
    while (true) {
      TypeSpec type = AnyType(dtype);
      auto builder = ValueBuilder::Make(type);
      if (!builder.ok() || !random_.Fill(type, *builder).ok()) continue;
      if (auto value = builder->Finish(); value.ok()) return *std::move(value);
    }
  }

  std::vector<Value> AnyInputs(const OpDef& op) {
    constexpr DType kDTypes[] = {DType::kInt64, DType::kFloat32, DType::kString, DType::kInt32,
                                 DType::kBool};
    DType dtype = kDTypes[random_.Below(5)];
    bool variadic = !op.inputs.empty() && op.inputs.back().ends_with("...");
    std::vector<Value> inputs;
    size_t count = variadic ? static_cast<size_t>(random_.Below(4)) : op.inputs.size();
    while (inputs.size() < count) inputs.push_back(AnyValue(dtype));
    return inputs;
  }

  // Small numbers, and lists of them, for what must be given, or is about dimensions.
  Attributes AnyAttributes(const OpDef& op) {
    NamedTypes attributes;
    for (const AttributeDef& attribute : op.attributes) {
      bool about_dims = attribute.name == "axis" || attribute.name == "axes";
      if (attribute.default_value && !about_dims) continue;
      std::vector<int64_t> list;
      for (int n = random_.Below(4); n > 0; --n) list.push_back(random_.Below(4));
      attributes.emplace_back(attribute.name, attribute.name != "axes" && random_.Chance(2)
                                                  ? AttributeOf(random_.Below(5) - 2)
                                                  : AttributeOf(std::span<const int64_t>(list)));
    }
    return Attributes(std::move(attributes));
  }

  RandomValues random_;
};

TEST_F(OpRejectionsTest, WhatIsMadeIsWhole) {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : BuiltinOps().All()) {
    if (op->control == Control::kNone) ops.push_back(op);  // others call functions
  }
  size_t made = 0;
  for (int i = 0; i < 200'000; ++i) {
    const OpDef& op = *ops[static_cast<size_t>(random_.Below(static_cast<int>(ops.size())))];
    std::vector<Value> inputs = AnyInputs(op);
    Attributes attributes = AnyAttributes(op);
    SCOPED_TRACE(Cat(op.name, " ", attributes.ToString(), " ", ToString(TupleOf(inputs))));
    auto outputs = RunOp(op.name, inputs, attributes);
    EXPECT_NE(outputs.status().code(), absl::StatusCode::kInternal) << outputs.status();
    if (!outputs.ok()) continue;
    ++made;
    for (const Value& output : *outputs) {
      Components components(output.components().begin(), output.components().end());
      auto checked = MakeValue(output.spec(), std::move(components));
      EXPECT_TRUE(checked.ok()) << checked.status();
    }
  }
  EXPECT_GT(made, 10'000u);
}

// While it lives, a crash prints the call that caused it.
class CrashReport {
 public:
  explicit CrashReport(const RandomOpCall& call) {
    current_ = &call;
    for (int signal : kSignals) std::signal(signal, Print);
  }
  ~CrashReport() {
    for (int signal : kSignals) std::signal(signal, SIG_DFL);
    current_ = nullptr;
  }
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  static constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL};

  static void Print(int signal) {
    std::signal(signal, SIG_DFL);
    std::fprintf(stderr, "crash in: %s\n", current_->ToString().c_str());
    std::raise(signal);
  }

  static inline const RandomOpCall* current_ = nullptr;
};

// SIGNET_OP_CALLS sets the number of calls for a longer search.
int NumCalls() {
  const char* text = std::getenv("SIGNET_OP_CALLS");
  return text != nullptr ? std::atoi(text) : 60'000;
}

TEST_F(OpRejectionsTest, RejectsBadAttributesAndValuesAtLoadAndAtCall) {
  RandomOpCalls calls(random_);
  std::map<std::string, int> answered;
  for (int i = 0; i < NumCalls(); ++i) {
    const RandomOpCall call = calls.Next();
    CrashReport report(call);
    TestLibrary library;
    DefineFunctionsToCall(library);
    for (bool at_once : {true, false}) {
      OpCallOutcome outcome =
          at_once ? RunOpCallAtOnce(call, library) : RunOpCallInFunction(call, library);
      ASSERT_NE(outcome.status.code(), absl::StatusCode::kInternal) << outcome.status << "\n"
                                                                    << call.ToString();
      for (const Value& value : outcome.values) {
        Components components(value.components().begin(), value.components().end());
        auto checked = MakeValue(value.spec(), std::move(components));
        ASSERT_TRUE(checked.ok()) << checked.status() << "\n" << call.ToString();
      }
      if (outcome.status.ok()) ++answered[call.op->name];
    }
  }
  // Calls that no op answers would find nothing.
  EXPECT_GT(answered.size(), BuiltinOps().All().size() / 3);
  std::printf("%d calls; %zu of %zu ops answered some\n", NumCalls(), answered.size(),
              BuiltinOps().All().size());
}

}  // namespace
}  // namespace signet
