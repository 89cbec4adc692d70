// Kernels check, while they work, whether their call must end.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/kernels/catalog.h"
#include "signet/sequence_spec.h"
#include "tests/core/kernels/kernel_call.h"
#include "tests/core/kernels/large_calls.h"
#include "tests/support/case_file.h"

namespace signet {
namespace {

// Kernels whose work does not grow with their inputs: views, scalars, sizes, errors.
const std::set<std::string>& ConstantTimeOps() {
  static const std::set<std::string> ops = {
      "check_index",    "check_num_values", "check_same_size", "check_true",   "clip_slice",
      "complete_shape", "cut_rows",         "dynamic_shape",   "dynamic_size", "expand_dims",
      "flatten",        "identity",         "num_rows",        "num_values",   "fail",
      "reshape",        "sparse_window",    "squeeze",
  };
  return ops;
}

// Ops whose inputs have to agree in ways that MakeLargeCalls does not know, such as row splits that
// end at the same number: their small cases have to do.
const std::set<std::string>& OpsOfRelatedInputs() {
  static const std::set<std::string> ops = {
      "affine_grid", "check_row_splits",       "check_same_splits",      "deform_conv",
      "group_equal", "interleave_rows",        "mel_weight_matrix",      "overlay_rows",
      "row_lengths", "row_splits_from_limits", "row_splits_from_starts", "scatter_dense",
      "slice_rows",  "uniform_row_splits",
  };
  return ops;
}

// Elements of the largest input of a large call, and bytes that a kernel writes at most between two
// checks: a fraction of a millisecond.
constexpr int64_t kLargeElements = int64_t{1} << 20;
constexpr size_t kMostUncheckedBytes = size_t{8} << 20;
// The time of `soft_non_max_suppression` grows with the square of the number of boxes.
int64_t LargeElementsOf(const std::string& op) {
  return op == "soft_non_max_suppression" ? kLargeElements / 64 : kLargeElements;
}

struct LargeCall {
  const char* op;
  NamedTypes attributes;
  std::vector<Tensor> inputs;
  double nanoseconds;  // of work at least, on any machine of today
};
std::vector<LargeCall> LargeCalls();
constexpr int64_t kLargeCallInterval = 20'000;  // nanoseconds between checks

// Every op with a kernel: with checks that are not rationed, some case of it makes checks, and a
// check that says so ends the run, whichever it is. Calls with large inputs have a test of their
// own.
TEST(StopTest, EveryKernelChecksAndStops) {
  std::map<std::string, int64_t> most_checks;
  for (const KernelDef& kernel : AllKernels()) most_checks[kernel.op] = 0;
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) {
      if (!op_case.error.empty() || !IsKernelCall(op_case)) continue;
      if (!most_checks.contains(op_case.op)) continue;
      SCOPED_TRACE(Cat(file.name, ":", op_case.line, ": ", op_case.call));
      std::vector<Tensor> inputs;
      for (const Value& input : op_case.inputs) {
        inputs.push_back(input.components().empty() ? Tensor() : input.tensor());
      }
      auto call = KernelCall::Make(op_case.op, op_case.attributes, std::move(inputs));
      if (!call.ok()) continue;  // needs inputs that are constants
      int64_t all = 0;
      ASSERT_TRUE(call->Run(0, 0, 2, all).ok());
      most_checks[op_case.op] = std::max(most_checks[op_case.op], all);
      // The first checks and some of the later ones; each, where there are few.
      for (int64_t stop_at = 1; stop_at <= all; stop_at += 1 + stop_at / 8) {
        int64_t checks = 0;
        Status status = call->Run(0, stop_at, 2, checks);
        EXPECT_EQ(status.code(), absl::StatusCode::kCancelled)
            << "check " << stop_at << ": " << status;
      }
    }
  }
  std::set<std::string> large;
  for (const LargeCall& call : LargeCalls()) large.insert(call.op);
  for (const auto& [op, checks] : most_checks) {
    if (ConstantTimeOps().contains(op) || large.contains(op)) continue;
    EXPECT_GT(checks, 0) << "`" << op << "` never checks whether its call must end";
  }
}

// --- large inputs
// ---------------------------------------------------------------------------------

Tensor Floats(std::vector<int64_t> dims) {
  Tensor made = *Tensor::Allocate(DType::kFloat32, Shape(std::span<const int64_t>(dims)));
  float* out = made.mutable_elements<float>();
  uint32_t state = 1;
  for (int64_t i = 0; i < made.num_elements(); ++i) {
    state = state * 1664525u + 1013904223u;
    out[i] = static_cast<float>(state >> 8) / static_cast<float>(1 << 24) + 0.1f;
  }
  return made;
}
template <class T>
Tensor Ints(std::vector<int64_t> dims, int64_t below) {
  Tensor made = *Tensor::Allocate(DTypeOf<T>::value, Shape(std::span<const int64_t>(dims)));
  T* out = made.mutable_elements<T>();
  uint32_t state = 1;
  for (int64_t i = 0; i < made.num_elements(); ++i) {
    state = state * 1664525u + 1013904223u;
    out[i] = static_cast<T>(static_cast<int64_t>(state >> 8) % below);
  }
  return made;
}
Tensor Bools(std::vector<int64_t> dims) {
  Tensor made = *Tensor::Allocate(DType::kBool, Shape(std::span<const int64_t>(dims)));
  for (int64_t i = 0; i < made.num_elements(); ++i) made.mutable_elements<bool>()[i] = i % 2 == 0;
  return made;
}
Tensor Range(int64_t count) {
  Tensor made = *Tensor::Allocate(DType::kInt64, {count});
  for (int64_t i = 0; i < count; ++i) made.mutable_elements<int64_t>()[i] = i;
  return made;
}
Tensor Splits(std::vector<int64_t> splits) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(splits.size())}, splits);
}
Tensor Int(int64_t value) { return Tensor::Scalar<int64_t>(value); }
Tensor Text(std::string_view text) { return Tensor::Strings({1}, std::span(&text, 1)); }
Tensor Texts(int64_t count) {
  static std::vector<std::string> all;
  if (all.empty()) {
    for (int i = 0; i < 1000; ++i) all.push_back(Cat("text ", i * 7919 % 1000));
  }
  std::vector<std::string_view> views;
  for (int64_t i = 0; i < count; ++i) views.push_back(all[static_cast<size_t>(i % 1000)]);
  return Tensor::Strings({count}, views);
}
TypeSpec IntList(std::vector<int64_t> ints) {
  std::vector<TypeSpec> out;
  for (int64_t i : ints) out.push_back(AttributeOf(i));
  return ListType(std::move(out));
}

// Kernels that have much to do within one row, one matrix, or one text, where checks between these
// would not do. An element is taken to be half a nanosecond at least.
std::vector<LargeCall> LargeCalls() {
  constexpr int64_t kN = 400'000;
  constexpr double kBlock = 4.0 * kLargeCallInterval;  // of which each has a check
  const double linear = 0.25 * kN;
  const std::string spaces(kN, ' ');
  const std::string words = [] {
    std::string out;
    while (out.size() < kN) out += "ab ";
    return out;
  }();
  constexpr int64_t kLong = 8 * kN;
  const Tensor row = Floats({kN});
  const Tensor long_row = Floats({kLong});
  const Tensor one_row = Splits({0, kN});
  const Tensor longs = Ints<int64_t>({kN}, 1000);
  const Tensor square = Floats({200, 200});
  return {
      {"random_permutation", {}, {Int(1), Int(kN)}, 5.0 * kN},
      {"random_normal", {{"shape", IntList({kN})}}, {Int(1)}, 5.0 * kN},
      {"random_uniform", {{"shape", IntList({kN})}}, {Int(1)}, 2.0 * kN},
      {"random_categorical", {{"num_samples", AttributeOf(10)}}, {Int(1), row}, 4.0 * kN},
      {"dft", {{"axis", AttributeOf(1)}}, {Floats({1, 100'003, 1})}, 20.0 * 100'003},
      {"dft", {{"axis", AttributeOf(1)}}, {Floats({1, 131'072, 2})}, 20.0 * 131'072},
      {"det", {}, {square}, 200.0 * 200 * 200 / 3 / 8},
      // In blocks of about five milliseconds.
      {"matmul", {}, {Floats({1024, 1024}), Floats({1024, 1024})}, 8 * kBlock},
      {"matmul", {}, {Ints<int64_t>({256, 256}, 9), Ints<int64_t>({256, 256}, 9)}, 4 * kBlock},
      {"matmul_integer",
       {},
       {Ints<int8_t>({1024, 1024}, 100), Ints<int8_t>({1024, 1024}, 100)},
       4 * kBlock},
      // Many products that are tiny, and a product of few columns.
      {"matmul", {}, {Floats({kN, 1, 2}), Floats({kN, 2, 1})}, 4.0 * kN},
      {"linear", {}, {Floats({8 * kN, 1}), Floats({1, 2})}, linear},
      {"csr_matmul",
       {},
       {row, Ints<int64_t>({kN}, 100), one_row, Floats({100, 64})},
       0.1 * 64 * kN},
      {"mul", {}, {Floats({1000, 1}), Floats({1, 1000})}, 0.1 * 1e6},
      {"exp", {}, {row}, linear},
      {"softmax", {{"axis", AttributeOf(0)}}, {long_row}, 0.5 * kLong},
      {"softmax", {{"axis", AttributeOf(0)}}, {Floats({kLong / 4, 4})}, 0.5 * kLong},
      {"softmax", {{"axis", AttributeOf(0)}}, {Floats({4, kLong / 4})}, 0.5 * kLong},
      {"softmax", {{"axis", AttributeOf(1)}}, {Floats({kLong / 4, 4})}, 0.5 * kLong},
      {"log_softmax", {{"axis", AttributeOf(0)}}, {long_row}, 0.5 * kLong},
      {"layer_norm", {{"axis", AttributeOf(0)}}, {long_row}, 0.25 * kLong},
      {"rms_norm", {{"axis", AttributeOf(0)}}, {long_row}, 0.25 * kLong},
      {"sort", {{"axis", AttributeOf(0)}}, {row}, 20.0 * kN},
      {"sort", {{"axis", AttributeOf(0)}}, {Texts(50'000)}, 20.0 * 50'000},
      {"unique", {}, {longs}, 20.0 * kN},
      {"top_k", {{"k", AttributeOf(5)}, {"axis", AttributeOf(0)}}, {row}, linear},
      {"top_k", {{"k", AttributeOf(kN / 2)}, {"axis", AttributeOf(0)}}, {row}, 10.0 * kN},
      {"argmax", {{"axis", AttributeOf(0)}}, {row}, linear},
      {"cumsum", {{"axis", AttributeOf(0)}}, {row}, linear},
      {"gather", {}, {row, Ints<int64_t>({kN}, kN)}, linear},
      {"scatter_nd", {}, {row, Ints<int64_t>({kN, 1}, kN), row}, linear},
      {"one_hot", {{"depth", AttributeOf(1000)}}, {Ints<int64_t>({400}, 1000)}, linear},
      {"range", {}, {Int(kN)}, linear},
      {"zeros_like", {}, {row}, 0.1 * kN},
      {"where_indices", {}, {Bools({kN})}, linear},
      {"broadcast_to", {{"shape", IntList({kN})}}, {Floats({1})}, linear},
      {"cast", {{"dtype", AttributeOf("string")}}, {longs}, 10.0 * kN},
      {"number_to_string", {}, {longs}, 10.0 * kN},
      {"string_lower", {}, {Text(words)}, linear},
      {"string_lower", {{"unicode", AttributeOf(true)}}, {Text(words)}, 4.0 * kN},
      {"string_length", {{"unit", AttributeOf("utf8")}}, {Text(words)}, 0.2 * kN},
      {"string_strip", {}, {Text(spaces)}, linear},
      {"string_concat", {}, {Texts(50'000), Texts(50'000)}, 5.0 * 50'000},
      {"substr", {{"start", AttributeOf(3)}, {"unit", AttributeOf("utf8")}}, {Text(words)}, linear},
      {"split_text", {}, {Text(words)}, linear},
      {"split_text", {{"separator", AttributeOf("b a")}}, {Text(words)}, linear},
      {"join_row_text", {{"separator", AttributeOf(",")}}, {Texts(kN), one_row}, linear},
      {"regex_replace",
       {{"pattern", AttributeOf("a")}, {"rewrite", AttributeOf("b")}},
       {Text(words)},
       20.0 * kN / 3},
      {"ngram_rows", {{"widths", IntList({3})}}, {Texts(kN), one_row}, linear},
      {"segment_sum", {}, {row, one_row}, linear},
      {"segment_softmax", {}, {row, one_row}, linear},
      {"segment_sort", {}, {row, one_row}, 20.0 * kN},
      {"segment_cumsum", {}, {row, one_row}, linear},
      {"segment_top_k", {{"k", AttributeOf(10)}}, {row, one_row}, 4.0 * kN},
      {"segment_ids", {}, {one_row}, linear},
      {"repeat_rows", {}, {Floats({1}), one_row}, linear},
      {"tile_rows", {}, {Splits({0, 1000}), Int(400)}, linear},
      {"row_ranges", {}, {Splits({0}), Splits({kN}), Splits({1})}, linear},
      {"cross_rows", {}, {Splits({0, 700}), Splits({0, 700})}, 0.25 * 490'000},
      {"gather_row_splits", {}, {one_row, Splits({0})}, linear},
      {"lookup", {}, {Texts(1000), Texts(50'000)}, 10.0 * 50'000},
      {"bucketize", {}, {Floats({10}), Range(kN)}, linear},
      {"reduce_sum", {{"axes", AttributeOf(0)}}, {Floats({8 * kN})}, 0.05 * 8 * kN},
      {"squared_distances", {}, {Floats({1, 100}), Floats({4000, 100})}, linear},
      {"vote_pairs", {{"num_classes", AttributeOf(1000)}}, {Floats({1, 499'500})}, linear},
      {"couple_pairs", {{"num_classes", AttributeOf(200)}}, {Floats({1, 19'900})}, 40'000},
      {"conv", {}, {Floats({1, 8, 128, 128}), Floats({16, 8, 3, 3})}, 2.0 * 16 * 16384 * 72 / 300},
      {"conv_transpose",
       {},
       {Floats({1, 8, 64, 64}), Floats({8, 8, 3, 3})},
       2.0 * 8 * 8 * 4096 * 9 / 300},
      {"max_pool", {{"kernel", IntList({9, 9})}}, {Floats({1, 1, 400, 400})}, 0.25 * 160'000},
      {"resize",
       {},
       {Floats({1, 1, 300, 300}), Tensor::Of<float>({4}, {1, 1, 2, 2})},
       0.25 * 360'000},
      {"local_response_norm",
       {{"size", AttributeOf(200)},
        {"alpha", AttributeOf(1.0)},
        {"beta", AttributeOf(1.0)},
        {"bias", AttributeOf(1.0)}},
       {Floats({1, 200, 40, 40})},
       4 * kBlock},
      {"local_response_norm",
       {{"size", AttributeOf(3)},
        {"alpha", AttributeOf(1.0)},
        {"beta", AttributeOf(1.0)},
        {"bias", AttributeOf(1.0)}},
       {Floats({1, kN, 1})},
       4.0 * kN},
      {"rnn",
       {},
       {Floats({500, 1, 8}), Floats({1, 32, 8}), Floats({1, 32, 32})},
       500.0 * 32 * 32 / 16},
      // Many steps of one unit, and many sequences.
      {"gru", {}, {Floats({kN / 4, 1, 1}), Floats({1, 3, 1}), Floats({1, 3, 1})}, 10.0 * kN / 4},
      {"lstm", {}, {Floats({1, kN / 4, 1}), Floats({1, 4, 1}), Floats({1, 4, 1})}, 10.0 * kN / 4},
      // Trees of one leaf each, which are packed when the kernel runs.
      {"tree_ensemble",
       {{"num_targets", AttributeOf(1)}},
       {Floats({1, 1}), Ints<int64_t>({kN / 4, 5}, 1), Floats({kN / 4}), Range(1),
        Ints<int64_t>({1}, 1), Floats({1})},
       5.0 * kN / 4},
      {"concat",
       {{"axis", AttributeOf(1)}},
       {Floats({2, 3 * kLong}), Floats({2, 3 * kLong})},
       0.1 * 12 * kLong},
      {"stack",
       {{"axis", AttributeOf(1)}},
       {Floats({2, 3 * kLong}), Floats({2, 3 * kLong})},
       0.1 * 12 * kLong},
  };
}

// Each case of each op, with inputs made large: a kernel that writes much makes checks in between,
// and ends when a check says so.
TEST(StopTest, EveryKernelChecksWithinLargeOutputs) {
  constexpr int kCasesPerOp = 3;
  std::map<std::string, int64_t> most_elements;
  for (const KernelDef& kernel : AllKernels()) most_elements[kernel.op] = 0;
  std::map<std::string, int> cases;
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) {
      if (!op_case.error.empty() || !IsKernelCall(op_case)) continue;
      if (!most_elements.contains(op_case.op) || ++cases[op_case.op] > kCasesPerOp) continue;
      for (const LargeOpCall& large : MakeLargeCalls(op_case, LargeElementsOf(op_case.op))) {
        auto call = KernelCall::Make(op_case.op, large.attributes, large.inputs);
        if (!call.ok()) continue;  // such sizes are not legal
        int64_t checks = 0;
        auto written = call->CountWrittenBytes(kLargeCallInterval, size_t{256} << 20, checks);
        if (!written.ok()) continue;
        for (const Tensor& input : large.inputs) {
          if (!input.has_value()) continue;
          int64_t& most = most_elements[op_case.op];
          const auto bytes = static_cast<int64_t>(input.bytes().size());
          most = std::max({most, input.num_elements(), bytes});
        }
        EXPECT_GE(static_cast<size_t>(checks), *written / kMostUncheckedBytes)
            << file.name << ":" << op_case.line << ": " << large.text << ": " << *written
            << " bytes";
        if (checks == 0) continue;
        int64_t until_end = 0;
        EXPECT_EQ(call->Run(kLargeCallInterval, 1, 1, until_end).code(),
                  absl::StatusCode::kCancelled)
            << file.name << ":" << op_case.line << ": " << large.text;
      }
    }
  }
  // No op is left out.
  std::set<std::string> covered = ConstantTimeOps();
  covered.insert(OpsOfRelatedInputs().begin(), OpsOfRelatedInputs().end());
  for (const LargeCall& call : LargeCalls()) covered.insert(call.op);
  for (const auto& [op, elements] : most_elements) {
    if (!covered.contains(op)) {
      EXPECT_GE(elements, LargeElementsOf(op) / 4) << "`" << op << "` was not run on large inputs";
    }
  }
}

// The interval between checks is far below the one that servers use, so that the inputs need not be
// huge.
TEST(StopTest, LongWorkIsCheckedWithinRowsAndTexts) {
  constexpr int64_t kInterval = kLargeCallInterval;
  for (const LargeCall& large : LargeCalls()) {
    SCOPED_TRACE(large.op);
    Attributes attributes(large.attributes);
    auto call = KernelCall::Make(large.op, attributes, large.inputs);
    EXPECT_TRUE(call.ok()) << call.status();
    if (!call.ok()) continue;
    int64_t checks = 0;
    Status ran = call->Run(kInterval, 0, 1, checks);
    EXPECT_TRUE(ran.ok()) << ran;
    EXPECT_GE(static_cast<double>(checks), std::floor(large.nanoseconds / (4 * kInterval)))
        << checks << " checks";
    if (checks == 0) continue;
    int64_t until_end = 0;
    EXPECT_EQ(call->Run(kInterval, 1, 1, until_end).code(), absl::StatusCode::kCancelled);
    // What follows on the check that ends the run is not work: few more checks are made.
    EXPECT_LE(until_end, 8);
  }
}

}  // namespace
}  // namespace signet
