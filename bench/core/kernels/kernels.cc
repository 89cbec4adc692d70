// Kernels: measures arithmetic on one thread, for each instruction-set level of this processor.
//
//   elementwise   add, exp, tanh, atan, softmax, and a cast of 10^6 floats, compared with memcpy of
//                 the same number of bytes
//   matmul        x @ constant for square and thin shapes, in GFLOP/s, compared with the
//   multiply-adds
//                 of the same level in registers (bench/support/fma_peak.h), the processor's peak
//   conv          convolutions with constant weights, compared with the same peak. The number of
//                 operations is that of the plain sum; Winograd's algorithm needs fewer.
//
// Each row runs a function with one op, as a server does, including the executor and the allocation
// of the result.

#include <cstring>
#include <random>
#include <vector>

#include "bench/subjects.h"
#include "bench/support/fma_peak.h"
#include "bench/support/program.h"
#include "core/ops/catalog.h"
#include "core/runtime/concrete_function.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

Tensor Numbers(Shape shape) {
  auto tensor = Tensor::Allocate(DType::kFloat32, std::move(shape));
  SIGNET_CHECK(tensor.ok());
  std::mt19937 random(7);
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    tensor->mutable_elements<float>()[i] = distribution(random);
  }
  return *std::move(tensor);
}

// Measures runs of a function with one op, on tensors of the types of its parameters.
class OneOp {
 public:
  // `weights` is a constant last input.
  OneOp(std::string_view op, const std::vector<Tensor>& inputs, std::optional<Tensor> weights = {},
        Attributes attributes = {}) {
    std::vector<TypeSpec> types;
    for (const Tensor& input : inputs) {
      types.push_back(input.spec());
      arguments_.emplace_back(input);
    }
    Program program(types);
    std::vector<GraphEdge> edges;
    for (size_t i = 0; i < inputs.size(); ++i)
      edges.push_back(program.Parameter(static_cast<int>(i)));
    if (weights.has_value()) edges.push_back(program.Constant(*weights));
    if (BuiltinOps().Lookup(op) == nullptr) {
      status_ = NotFound("no op `", op, "`");
      return;
    }
    program.Return(program.Op(op, std::move(edges), std::move(attributes)));
    auto made = MakeConcreteFunction(program.def(), program.def().type, program);
    status_ = made.status();
    if (!status_.ok()) return;
    function_ = *made;
    status_ = function_->Run(arguments_, {}).status();
  }

  const Status& status() const { return status_; }
  double Nanoseconds(const BenchOptions& options) const {
    return TimeOf(options, [this] { Keep(function_->Run(arguments_, {})); });
  }

 private:
  std::shared_ptr<const ConcreteFunction> function_;
  std::vector<Value> arguments_;
  Status status_;
};

void BenchElementwise(const BenchOptions& options, std::string_view level, Report& report) {
  Tensor x = Numbers({1000, 1000});
  std::vector<std::byte> from(x.num_bytes(), std::byte{1});
  std::vector<std::byte> to(x.num_bytes());
  auto copy = [&] {
    return TimeOf(options,
                  [&] {
                    std::memcpy(to.data(), from.data(), from.size());
                    Keep(to[0]);
                  }) /
           1000;
  };
  auto against_copy = [&](std::string_view op, const OneOp& run) {
    std::string name = Cat("kernels: ", level, " ", op, " of 1e6 floats");
    if (!run.status().ok()) return report.Skip(name, MessageOf(run.status()));
    Pair pair = MedianPair(
        options, [&] { return run.Nanoseconds(options) / 1000; }, copy);
    report.Add(Compared(name, "us", "memcpy of 4 MB", pair, Better::kLower));
  };
  against_copy("add", OneOp("add", {x, x}));
  for (std::string_view op : {"exp", "tanh", "atan"}) against_copy(op, OneOp(op, {x}));
  against_copy("softmax", OneOp("softmax", {x}));
  against_copy("cast to float16",
               OneOp("cast", {x}, {}, Attributes({{"dtype", AttributeOf("float16")}})));
}

void BenchMatmul(const BenchOptions& options, IsaLevel level, Report& report) {
  struct Product {
    int64_t rows, inner, columns;
  };
  constexpr Product kProducts[] = {{128, 128, 128},    {256, 256, 256},  {512, 512, 512},
                                   {1024, 1024, 1024}, {32, 1024, 1024}, {1, 1024, 1024},
                                   {1, 768, 3072}};
  for (const Product& product : kProducts) {
    if (options.quick && product.rows > 256) continue;
    std::string name = Cat("kernels: ", NameOf(level), " matmul ", product.rows, "x", product.inner,
                           "x", product.columns);
    OneOp run("matmul", {Numbers({product.rows, product.inner})},
              Numbers({product.inner, product.columns}));
    if (!run.status().ok()) {
      report.Skip(name, MessageOf(run.status()));
      continue;
    }
    auto operations = static_cast<double>(2 * product.rows * product.inner * product.columns);
    Pair pair = MedianPair(
        options, [&] { return operations / run.Nanoseconds(options); },
        [&] { return FmaPeak(options, level); });
    report.Add(Compared(name, "GFLOP/s", "multiply-adds in registers", pair, Better::kHigher));
  }
}

void BenchConv(const BenchOptions& options, IsaLevel level, Report& report) {
  struct Convolution {
    const char* what;
    int64_t channels, size, out, window, stride, groups;
  };
  constexpr Convolution kConvolutions[] = {
      {"3x3 of 64x56x56", 64, 56, 64, 3, 1, 1},
      {"1x1 of 256x14x14", 256, 14, 256, 1, 1, 1},
      {"depthwise 3x3 of 144x56x56", 144, 56, 144, 3, 1, 144},
      {"7x7 of 3x224x224, stride 2", 3, 224, 64, 7, 2, 1},
      {"3x3 of 256x14x14", 256, 14, 256, 3, 1, 1},
      {"3x3 of 512x7x7", 512, 7, 512, 3, 1, 1},
      {"3x3 of 128x56x56, stride 2", 128, 56, 128, 3, 2, 1},
      {"1x1 of 64x56x56", 64, 56, 256, 1, 1, 1},
      {"1x1 of 512x7x7", 512, 7, 2048, 1, 1, 1},
      {"5x5 of 32x27x27", 32, 27, 96, 5, 1, 1},
  };
  for (const Convolution& conv : kConvolutions) {
    if (options.quick && conv.channels < 100) continue;
    std::string name = Cat("kernels: ", NameOf(level), " conv ", conv.what);
    int64_t blanks = conv.window / 2;
    const int64_t pads[] = {blanks, blanks, blanks, blanks};
    const int64_t strides[] = {conv.stride, conv.stride};
    OneOp run("conv", {Numbers({1, conv.channels, conv.size, conv.size})},
              Numbers({conv.out, conv.channels / conv.groups, conv.window, conv.window}),
              Attributes({{"pads", AttributeOf(std::span<const int64_t>(pads))},
                          {"strides", AttributeOf(std::span<const int64_t>(strides))},
                          {"groups", AttributeOf(conv.groups)}}));
    if (!run.status().ok()) {
      report.Skip(name, MessageOf(run.status()));
      continue;
    }
    int64_t positions = conv.size / conv.stride * (conv.size / conv.stride);
    auto operations = static_cast<double>(2 * conv.out * positions * conv.channels / conv.groups *
                                          conv.window * conv.window);
    Pair pair = MedianPair(
        options, [&] { return operations / run.Nanoseconds(options); },
        [&] { return FmaPeak(options, level); });
    report.Add(Compared(name, "GFLOP/s", "multiply-adds in registers", pair, Better::kHigher));
  }
}

}  // namespace

void BenchKernels(const BenchOptions& options, Report& report) {
  IsaLevel active = ActiveIsaLevel();
  for (IsaLevel level : AvailableIsaLevels()) {
    if (options.quick && level != active) continue;
    SetIsaLevel(level);
    BenchElementwise(options, NameOf(level), report);
    BenchMatmul(options, level, report);
    BenchConv(options, level, report);
  }
  SetIsaLevel(active);
}

}  // namespace signet
