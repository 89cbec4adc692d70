// Dispatch: measures a call without a server, from its arguments to its result.
//
//   exact hit        a lookup in a FunctionCache with 1,000 and with 10,000 concrete functions, for
//                    types that it contains, as most calls do. One row for each size requests the
//                    same 256 types, which measures the table. Another row requests any type of the
//                    table, which adds the misses of the processor's caches.
//   remembered hit   types that were seen before, which no target equals and a wider target accepts
//   prepare          Function::Prepare of 8 tensors: bind, canonicalize, dispatch; on 1 and 2
//                    threads
//   call             Function::Call of a tiny plan, which measures the executor. ONNX Runtime's
//   Run()
//                    needs 1.0 microseconds for an identity model, which is the bar.

#include <random>
#include <vector>

#include "bench/subjects.h"
#include "bench/support/program.h"
#include "core/runtime/function_cache.h"
#include "core/runtime/polymorphic_function.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int kRequests = 256;          // distinct types that are requested repeatedly
constexpr double kMostHit = 500;        // ns
constexpr double kMostPrepare = 3000;   // ns
constexpr double kMostTinyCall = 1000;  // ns

FunctionType TypeOf(std::vector<TypeSpec> parameters) {
  return Program(std::move(parameters)).def().type;
}

// Returns the i-th of many types that differ in their sizes: (x0: float32[i, 3], x1: int64[])
FunctionType NthType(int64_t i) {
  return TypeOf({TensorType(DType::kFloat32, {i, 3}), TensorType(DType::kInt64, {})});
}

FunctionCache::Target TargetOf(FunctionType type) {
  return std::make_shared<const DispatchTarget>(std::move(type));
}

// Returns requests in random order, each with the type of one of `targets` targets.
std::vector<FunctionType> Requests(int count, int targets) {
  std::vector<FunctionType> requests;
  for (int i = 0; i < count; ++i) requests.push_back(NthType(int64_t{i} * targets / count));
  std::shuffle(requests.begin(), requests.end(), std::mt19937(7));
  return requests;
}

void BenchHits(const BenchOptions& options, Report& report) {
  auto cache_of = [](int targets) {
    auto cache = std::make_unique<FunctionCache>(
        FunctionCache::Options{.capacity = 20'000, .generalize_after = 0});
    for (int i = 0; i < targets; ++i) cache->Add(TargetOf(NthType(i)));
    return cache;
  };
  auto small = cache_of(1'000);
  auto large = cache_of(10'000);
  auto time_of = [&](const FunctionCache& cache, const std::vector<FunctionType>& requests) {
    size_t next = 0;
    return TimeOf(options, [&] { Keep(cache.Lookup(requests[++next % requests.size()])); });
  };
  const std::vector<FunctionType> requests = Requests(kRequests, 1'000);
  auto time = [&](const FunctionCache& cache) { return time_of(cache, requests); };
  report.Add({.name = "dispatch: exact hit, 1000 targets",
              .value = MedianOf(options, [&] { return time(*small); }),
              .unit = "ns",
              .bar = kMostHit});
  Pair pair = MedianPair(
      options, [&] { return time(*large); }, [&] { return time(*small); });
  report.Add(Compared("dispatch: exact hit, 10000 targets", "ns", "the same, 1000 targets", pair,
                      Better::kLower, 1.1));
  const std::vector<FunctionType> all = Requests(10'000, 10'000);
  report.Add({.name = "dispatch: exact hit, any of 10000 targets",
              .value = MedianOf(options, [&] { return time_of(*large, all); }),
              .unit = "ns",
              .bar = kMostHit});

  FunctionCache inexact({.capacity = 1024, .generalize_after = 0});
  inexact.Add(TargetOf(
      TypeOf({TensorType(DType::kFloat32, {kUnknownDim, 3}), TensorType(DType::kInt64, {})})));
  for (const FunctionType& request : requests) SIGNET_CHECK(inexact.Lookup(request) != nullptr);
  Pair remembered = MedianPair(
      options, [&] { return time(inexact); }, [&] { return time(*small); });
  report.Add(Compared("dispatch: remembered hit of a wider target", "ns", "exact hit", remembered,
                      Better::kLower));
}

void BenchPrepare(const BenchOptions& options, Report& report) {
  Program program(std::vector<TypeSpec>(8, TensorType(DType::kFloat32, {kUnknownDim, 3})));
  program.Return(program.Parameter(0));
  PolymorphicFunction function(program.def(), program);
  CallArguments arguments;
  for (int i = 0; i < 8; ++i) {
    auto tensor = Tensor::Allocate(DType::kFloat32, {i + 1, 3});
    SIGNET_CHECK(tensor.ok());
    arguments.positional.emplace_back(*std::move(tensor));
  }
  SIGNET_CHECK(function.Prepare(arguments, {}).ok());
  auto prepare = [&] { Keep(function.Prepare(arguments, {})); };
  report.Add({.name = "dispatch: prepare 8 tensors",
              .value = MedianOf(options, [&] { return TimeOf(options, prepare); }),
              .unit = "ns",
              .bar = kMostPrepare});
  double two =
      MedianOf(options, [&] { return TimeOnThreads(options, 2, [&](int) { prepare(); }); });
  report.Add({.name = "dispatch: prepare 8 tensors, 2 threads at once",
              .value = two,
              .unit = "ns",
              .bar = kMostPrepare});
}

void BenchCalls(const BenchOptions& options, Report& report) {
  TypeSpec four = TensorType(DType::kFloat32, {4});
  Value x = Tensor::Of<float>({4}, {1, 2, 3, 4});
  auto call = [&](std::string_view name, const Program& program) {
    PolymorphicFunction function(program.def(), program);
    Status works = function.Call({.positional = {x}, .keyword = {}}, {}).status();
    if (!works.ok()) {
      report.Skip(name, MessageOf(works));
      return;
    }
    double time = MedianOf(options, [&] {
      return TimeOf(options, [&] { Keep(function.Call({.positional = {x}, .keyword = {}}, {})); });
    });
    report.Add({.name = Cat(name), .value = time, .unit = "ns", .bar = kMostTinyCall});
  };
  Program identity({four});
  identity.Return(identity.Parameter(0));
  call("dispatch: call x of float32[4]", identity);

  Program affine({four});
  GraphEdge product =
      affine.Op("mul", {affine.Parameter(0), affine.Constant(Tensor::Scalar(2.0f))});
  affine.Return(affine.Op("add", {product, affine.Constant(Tensor::Scalar(1.0f))}));
  call("dispatch: call x * 2 + 1 of float32[4]", affine);
}

}  // namespace

void BenchDispatch(const BenchOptions& options, Report& report) {
  BenchHits(options, report);
  BenchPrepare(options, report);
  BenchCalls(options, report);
}

}  // namespace signet
