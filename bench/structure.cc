// Structure: what records and rows cost inside a function. Each row is a function over structures
// or ragged values, against the same work written by hand over their flat tensors: ops on
// composites are expanded when a function is specialised, so the two should run alike.
//
//   gather          1,000 of 10,000 records of 20 columns
//   boolean_mask    half of 10,000 records of 20 columns
//   broadcast_field a number of the records brought to the elements of their lists
//   arithmetic      x * y + x of two lists of the same records
//   mean, softmax   within the rows of a ragged value of 100,000 numbers in 10,000 rows
//   unrelated       x + y of two ragged values that are not known to have the same rows: a compare
//                   of their splits more, and so without a bar

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "bench/program.h"
#include "bench/subjects.h"
#include "core/runtime/function.h"
#include "core/types/ragged_spec.h"
#include "core/types/structured_spec.h"
#include "core/types/tensor_spec.h"
#include "core/values/structured.h"

namespace signet {
namespace {

constexpr double kMost = 1.05;
constexpr int kColumns = 20;

// What all functions are given: `rows` records and the flat tensors in them.
struct Data {
  int64_t rows = 0;
  Tensor splits;             // int64[rows + 1]
  Tensor x, y;               // float32[values]
  Value ragged_x, ragged_y;  // float32[rows, (?)]
  Value records;             // [{n: float32[], items: [{x: float32[], y: float32[]}]}]
  Tensor n;                  // float32[rows]
  std::vector<Value> columns;
  Value wide;  // [{c0: float32[], ..}]
  Value positions, mask;
};

template <class T>
T Must(StatusOr<T> value) {
  SIGNET_CHECK(value.ok());
  return *std::move(value);
}

Tensor RandomFloats(int64_t size, std::mt19937& random) {
  std::vector<float> out(static_cast<size_t>(size));
  for (float& x : out) x = std::uniform_real_distribution<float>(-1, 1)(random);
  return Tensor::Of<float>({size}, out);
}

Value RaggedOf(const Tensor& values, const Tensor& splits) {
  PartialShape shape({splits.num_elements() - 1, kUnknownDim});
  TypeSpec type = Must(MakeRaggedType(values.dtype(), shape, 1, DType::kInt64));
  return Must(MakeValue(type, {values, splits}));
}

Data MakeData(int64_t rows) {
  std::mt19937 random(7);
  std::vector<int64_t> splits = {0};
  for (int64_t i = 0; i < rows; ++i) splits.push_back(splits.back() + i % 21);
  Data data;
  data.rows = rows;
  data.splits = Tensor::Of<int64_t>({rows + 1}, splits);
  data.x = RandomFloats(splits.back(), random);
  data.y = RandomFloats(splits.back(), random);
  data.n = RandomFloats(rows, random);
  data.ragged_x = RaggedOf(data.x, data.splits);
  data.ragged_y = RaggedOf(data.y, data.splits);
  PartialShape items_shape({rows, kUnknownDim});
  NamedValues items = {{"x", data.ragged_x}, {"y", data.ragged_y}};
  NamedValues fields = {{"n", Value(data.n)}, {"items", Must(MakeStructured(items_shape, items))}};
  data.records = Must(MakeStructured(PartialShape({rows}), fields));
  NamedValues columns;
  for (int i = 0; i < kColumns; ++i) {
    data.columns.emplace_back(RandomFloats(rows, random));
    columns.emplace_back(Cat("c", i), data.columns.back());
  }
  data.wide = Must(MakeStructured(PartialShape({rows}), columns));
  std::vector<int64_t> positions(1000);
  for (int64_t& at : positions) at = std::uniform_int_distribution<int64_t>(0, rows - 1)(random);
  data.positions = Value(Tensor::Of<int64_t>({1000}, positions));
  auto mask = Must(Tensor::Allocate(DType::kBool, {rows}));
  for (int64_t i = 0; i < rows; ++i) mask.mutable_elements<bool>()[i] = random() % 2 == 0;
  data.mask = Value(mask);
  return data;
}

// Nanoseconds of one run of a function of `arguments` with the body that `write` makes.
class Side {
 public:
  using Write = std::function<GraphEdge(Program&)>;

  Side(std::vector<Value> arguments, const Write& write)
      : arguments_(std::move(arguments)), program_(TypesOf(arguments_)) {
    program_.Return(write(program_));
    Function function(program_.def(), program_);
    auto prepared = function.Prepare({.positional = arguments_, .keyword = {}}, {});
    status_ = prepared.status();
    if (status_.ok()) prepared_ = *std::move(prepared);
    if (status_.ok()) status_ = prepared_.function->Run(prepared_.arguments, {}).status();
  }

  const Status& status() const { return status_; }
  double Time(const BenchOptions& options) const {
    return TimeOf(options, [&] { Keep(prepared_.function->Run(prepared_.arguments, {})); });
  }

 private:
  static std::vector<TypeSpec> TypesOf(const std::vector<Value>& values) {
    std::vector<TypeSpec> out;
    for (const Value& value : values) out.push_back(value.spec());
    return out;
  }

  std::vector<Value> arguments_;
  Program program_;
  Function::Prepared prepared_;
  Status status_;
};

void Compare(std::string_view what, const Side& structured, const Side& flat,
             std::optional<double> bar, const BenchOptions& options, Report& report) {
  for (const Side* side : {&structured, &flat}) {
    if (side->status().ok()) continue;
    report.Skip(Cat("structure: ", what), MessageOf(side->status()));
    return;
  }
  Pair pair = MedianPair(
      options, [&] { return structured.Time(options); }, [&] { return flat.Time(options); });
  report.Add(Compared(Cat("structure: ", what), "ns", "flat, by hand", pair, Better::kLower, bar));
}

// `op` on each of the columns, which are parameters from 0 on, with one input more.
GraphEdge OnColumns(Program& program, std::string_view op, GraphEdge more) {
  std::vector<GraphEdge> out;
  for (int i = 0; i < kColumns; ++i) out.push_back(program.Op(op, {program.Parameter(i), more}));
  return program.Op("make_tuple", std::move(out));
}

std::vector<Value> With(std::vector<Value> values, const Value& last) {
  values.push_back(last);
  return values;
}

}  // namespace

void BenchStructure(const BenchOptions& options, Report& report) {
  const Data data = MakeData(options.quick ? 1'000 : 10'000);
  auto compare = [&](std::string_view what, const Side& structured, const Side& flat) {
    Compare(what, structured, flat, kMost, options, report);
  };
  compare("gather records of 20 columns",
          Side({data.wide, data.positions},
               [](Program& p) {
                 return p.Op("gather", {p.Parameter(0), p.Parameter(1)});
               }),
          Side(With(data.columns, data.positions),
               [](Program& p) { return OnColumns(p, "gather", p.Parameter(kColumns)); }));

  compare("boolean_mask of records of 20 columns",
          Side({data.wide, data.mask},
               [](Program& p) {
                 return p.Op("boolean_mask", {p.Parameter(0), p.Parameter(1)});
               }),
          Side(With(data.columns, data.mask), [&](Program& p) {
            GraphEdge rows = p.Constant(Tensor::Scalar(data.rows));
            return OnColumns(p, "gather", p.Op("where_rows", {p.Parameter(kColumns), rows}));
          }));

  compare(
      "broadcast_field to the elements of lists",
      Side({data.records},
           [](Program& p) {
             GraphEdge wider = p.Op("broadcast_field", {p.Parameter(0)},
                                    Attributes({{"path", AttributeOf("n")},
                                                {"into", AttributeOf("items")},
                                                {"name", AttributeOf("n")}}));
             return p.Op("struct_get", {wider}, Attributes({{"field", AttributeOf("items.n")}}));
           }),
      Side({data.n, data.splits}, [](Program& p) {
        return p.Op("gather", {p.Parameter(0), p.Op("segment_ids", {p.Parameter(1)})});
      }));

  auto affine = [](Program& p, GraphEdge x, GraphEdge y) {
    return p.Op("add", {p.Op("mul", {x, y}), x});
  };
  compare("arithmetic on lists of the same records",
          Side({data.records},
               [&](Program& p) {
                 auto get = [&](std::string_view path) {
                   return p.Op("struct_get", {p.Parameter(0)},
                               Attributes({{"field", AttributeOf(path)}}));
                 };
                 return affine(p, get("items.x"), get("items.y"));
               }),
          Side({data.x, data.y},
               [&](Program& p) { return affine(p, p.Parameter(0), p.Parameter(1)); }));

  for (auto [op, by_segment] : {std::pair("reduce_mean", "segment_mean"),
                                {"reduce_sum", "segment_sum"},
                                {"reduce_max", "segment_max"},
                                {"softmax", "segment_softmax"}}) {
    std::string axis = op == std::string_view("softmax") ? "axis" : "axes";
    compare(Cat(op, " within ragged rows"),
            Side({data.ragged_x},
                 [&](Program& p) {
                   return p.Op(op, {p.Parameter(0)}, Attributes({{axis, AttributeOf(1)}}));
                 }),
            Side({data.x, data.splits}, [&](Program& p) {
              return p.Op(by_segment, {p.Parameter(0), p.Parameter(1)});
            }));
  }

  Compare(
      "arithmetic on unrelated ragged values",
      Side({data.ragged_x, data.ragged_y},
           [&](Program& p) { return affine(p, p.Parameter(0), p.Parameter(1)); }),
      Side({data.x, data.y}, [&](Program& p) { return affine(p, p.Parameter(0), p.Parameter(1)); }),
      std::nullopt, options, report);
}

}  // namespace signet
