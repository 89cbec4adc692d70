// Structure: measures records and rows inside a function. Each row compares a function on
// structures or ragged values with the same work, written by hand with their flat tensors. Ops on
// composites are expanded when a function is specialized, so both should take the same time.
//
//   gather          1,000 of 10,000 records of 20 columns
//   boolean_mask    half of 10,000 records of 20 columns
//   broadcast_field one number per record, repeated for the elements of the record's list
//   arithmetic      x * y + x of two lists of the same records
//   mean, softmax   within the rows of a ragged value of 100,000 numbers in 10,000 rows
//   sort            the numbers of each of these rows
//   broadcast       one number per row, added to the elements of the row
//   matmul          a sparse matrix of 100,000 entries times a dense one of 64 columns, and the
//                   same for a csr.Matrix (examples/models), whose invariants both sides check
//   embedding       rows of 32 numbers, looked up and combined for each of these rows
//   text            100,000 words in rows, converted to lower case
//   unrelated       x + y of two ragged values that are not known to have the same rows, which
//                   requires another comparison of their splits, so the row has no bar

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "bench/subjects.h"
#include "bench/support/program.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr double kMost = 1.05;
constexpr int kColumns = 20;
constexpr int64_t kLongest = 20;  // maximum length of a row
constexpr int64_t kTableRows = 50 * kLongest;

// The arguments of all functions: `rows` records, and the flat tensors in them.
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
  Value ids, sparse, csr;  // one per row, and columns below kTableRows that increase in each row
  Tensor columns_of, entries;  // int64[values], int64[values, 2]: plain tensors
  Tensor table, dense;         // float32[kTableRows, 32 or 64]
  Tensor words;                // string[values]
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
  for (int64_t i = 0; i < rows; ++i) splits.push_back(splits.back() + i % (kLongest + 1));
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
  std::vector<int64_t> numbers;
  std::vector<int64_t> entries;
  std::vector<std::string> words;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < row % (kLongest + 1); ++i) {
      numbers.push_back(50 * i + std::uniform_int_distribution<int64_t>(0, 49)(random));
      entries.insert(entries.end(), {row, numbers.back()});
      words.push_back(Cat("Word ", numbers.back()));
    }
  }
  const auto count = static_cast<int64_t>(numbers.size());
  data.columns_of = Tensor::Of<int64_t>({count}, numbers);
  data.entries = Tensor::Of<int64_t>({count, 2}, entries);
  data.ids = RaggedOf(data.columns_of, data.splits);
  data.table = RandomFloats(kTableRows * 32, random).Reshaped({kTableRows, 32});
  data.dense = RandomFloats(kTableRows * 64, random).Reshaped({kTableRows, 64});
  const std::vector<std::string_view> texts(words.begin(), words.end());
  data.words = Tensor::Strings({count}, texts);
  const int64_t sizes[] = {rows, kTableRows};
  data.sparse = Must(MakeValue(SparseType(DType::kFloat32, {rows, kTableRows}),
                               {data.entries, data.x, Tensor::Of<int64_t>({2}, sizes)}));
  TypeSpec csr = Must(MakeExtensionType("csr.Matrix", {{"columns", AttributeOf(kTableRows)}},
                                        {{"values", data.x.spec()},
                                         {"column_indices", data.columns_of.spec()},
                                         {"row_splits", data.splits.spec()}}));
  data.csr = Must(MakeValue(csr, {data.x, data.columns_of, data.splits}));
  return data;
}

// Measures the nanoseconds of one run of a function on `arguments`. `write` makes its body.
class Side {
 public:
  using Write = std::function<GraphEdge(Program&)>;

  Side(std::vector<Value> arguments, const Write& write)
      : arguments_(std::move(arguments)), program_(TypesOf(arguments_)) {
    program_.Return(write(program_));
    Prepare(PolymorphicFunction(program_.def(), program_));
  }
  // Measures a function of a model in examples/models.
  Side(std::vector<Value> arguments, const std::string& model, std::string_view function)
      : arguments_(std::move(arguments)), program_({}) {
    auto loaded = LoadModel(Cat("examples/models/", model, "/1"), model, 1, {});
    status_ = loaded.status();
    if (!status_.ok()) return;
    model_ = *std::move(loaded);
    Prepare(*Must(model_->FindFunction(function)));
  }

  const Status& status() const { return status_; }
  double Time(const BenchOptions& options) const {
    return TimeOf(options, [&] { Keep(prepared_.function->Run(prepared_.arguments, {})); });
  }

 private:
  void Prepare(const PolymorphicFunction& function) {
    auto prepared = function.Prepare({.positional = arguments_, .keyword = {}}, {});
    status_ = prepared.status();
    if (status_.ok()) prepared_ = *std::move(prepared);
    if (status_.ok()) status_ = prepared_.function->Run(prepared_.arguments, {}).status();
  }

  static std::vector<TypeSpec> TypesOf(const std::vector<Value>& values) {
    std::vector<TypeSpec> out;
    for (const Value& value : values) out.push_back(value.spec());
    return out;
  }

  std::vector<Value> arguments_;
  Program program_;
  std::shared_ptr<const LoadedModel> model_;  // null if the function is a Program
  PolymorphicFunction::Prepared prepared_;
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

// Calls `op` with one more input on each column. The columns are the first parameters.
GraphEdge OnColumns(Program& program, std::string_view op, GraphEdge more) {
  std::vector<GraphEdge> out;
  for (int i = 0; i < kColumns; ++i) out.push_back(program.Op(op, {program.Parameter(i), more}));
  return program.Op("make_tuple", std::move(out));
}

std::vector<Value> With(std::vector<Value> values, const Value& last) {
  values.push_back(last);
  return values;
}

// Rejects values that are not a matrix of kTableRows columns, like the type csr.Matrix.
void CheckMatrix(Program& p, GraphEdge values, GraphEdge columns, GraphEdge splits) {
  auto number = [&](int64_t n) { return p.Constant(Tensor::Scalar(n)); };
  auto all = [&](GraphEdge x) { return p.Op("reduce_all", {std::move(x)}); };
  auto both = [&](GraphEdge x, GraphEdge y) {
    return p.Op("logical_and", {std::move(x), std::move(y)});
  };
  auto from = [&](GraphEdge x, int64_t first) {
    return p.Op("slice", {std::move(x), p.Constant(Tensor::Of<int64_t>({1}, {first}))});
  };
  auto until = [&](GraphEdge x, int64_t last) {
    return p.Op("slice", {std::move(x), p.Constant(Tensor::Of<int64_t>({1}, {0})),
                          p.Constant(Tensor::Of<int64_t>({1}, {last}))});
  };
  auto check = [&](GraphEdge holds, std::string_view message) {
    p.Op("check_true", {std::move(holds)}, Attributes({{"message", AttributeOf(message)}}));
  };
  check(p.Op("is_same", {p.Op("shape", {values}), p.Op("shape", {columns})}),
        "one column per value");

  GraphEdge some = p.Op("greater", {p.Op("size", {splits}), number(0)});
  GraphEdge starts = all(p.Op("equal", {until(splits, 1), number(0)}));
  GraphEdge rises = all(p.Op("less_equal", {until(splits, -1), from(splits, 1)}));
  GraphEdge ends = all(p.Op("equal", {from(splits, -1), p.Op("size", {values})}));
  check(both(both(both(some, starts), rises), ends), "splits in order");

  GraphEdge low = p.Op("greater_equal", {columns, number(0)});
  GraphEdge high = p.Op("less", {columns, number(kTableRows)});
  GraphEdge rows = p.Op("segment_ids", {splits});
  GraphEdge another = p.Op("not_equal", {until(rows, -1), from(rows, 1)});
  GraphEdge rise = p.Op("less", {until(columns, -1), from(columns, 1)});
  GraphEdge in_order = all(p.Op("logical_or", {another, rise}));
  check(both(all(both(low, high)), in_order), "columns in order");
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

  compare("sort within ragged rows",
          Side({data.ragged_x},
               [](Program& p) {
                 return p.Op("sort", {p.Parameter(0)}, Attributes({{"axis", AttributeOf(1)}}));
               }),
          Side({data.x, data.splits}, [](Program& p) {
            return p.Op("segment_sort", {p.Parameter(0), p.Parameter(1)});
          }));

  compare("broadcasting a column to ragged rows",
          Side({data.ragged_x, Value(data.n.Reshaped({data.rows, 1}))},
               [](Program& p) {
                 return p.Op("add", {p.Parameter(0), p.Parameter(1)});
               }),
          Side({data.x, data.n, data.splits}, [](Program& p) {
            GraphEdge rows = p.Op("segment_ids", {p.Parameter(2)});
            return p.Op("add", {p.Parameter(0), p.Op("gather", {p.Parameter(1), rows})});
          }));

  const Side csr({data.x, data.columns_of, data.splits, data.dense}, [](Program& p) {
    CheckMatrix(p, p.Parameter(0), p.Parameter(1), p.Parameter(2));
    return p.Op("csr_matmul", {p.Parameter(0), p.Parameter(1), p.Parameter(2), p.Parameter(3)});
  });
  compare("matmul of a csr.Matrix", Side({data.csr, data.dense}, "csr", "matmul"), csr);
  compare("matmul of a sparse matrix",
          Side({data.sparse, data.dense},
               [](Program& p) {
                 return p.Op("matmul", {p.Parameter(0), p.Parameter(1)});
               }),
          Side({data.entries, data.x, data.dense}, [&](Program& p) {
            auto column = [&](int64_t i) {
              return p.Op("gather", {p.Parameter(0), p.Constant(Tensor::Scalar(i))},
                          Attributes({{"axis", AttributeOf(1)}}));
            };
            GraphEdge rows = p.Constant(Tensor::Scalar(data.rows));
            GraphEdge splits = p.Op("row_splits_from_row_ids", {column(0), rows});
            return p.Op("csr_matmul", {p.Parameter(1), column(1), splits, p.Parameter(2)});
          }));

  for (std::string_view combiner : {"sum", "mean"}) {
    compare(Cat("embedding_lookup combined by ", combiner),
            Side({data.table, data.ids},
                 [&](Program& p) {
                   return p.Op("embedding_lookup", {p.Parameter(0), p.Parameter(1)},
                               Attributes({{"combiner", AttributeOf(combiner)}}));
                 }),
            Side({data.table, data.columns_of, data.splits}, [&](Program& p) {
              GraphEdge rows = p.Op("gather", {p.Parameter(0), p.Parameter(1)});
              GraphEdge sums = p.Op("segment_sum", {rows, p.Parameter(2)});
              if (combiner == "sum") return sums;
              GraphEdge lengths = p.Op("row_lengths", {p.Parameter(2)});
              lengths = p.Op("cast", {lengths}, Attributes({{"dtype", AttributeOf("float32")}}));
              lengths = p.Op("maximum", {lengths, p.Constant(Tensor::Scalar(1.0f))});
              lengths = p.Op("expand_dims", {lengths}, Attributes({{"axis", AttributeOf(1)}}));
              return p.Op("div", {sums, lengths});
            }));
  }

  const Value ragged_words = RaggedOf(data.words, data.splits);
  compare("string_lower of ragged text",
          Side({ragged_words}, [](Program& p) { return p.Op("string_lower", {p.Parameter(0)}); }),
          Side({data.words}, [](Program& p) { return p.Op("string_lower", {p.Parameter(0)}); }));

  Compare(
      "arithmetic on unrelated ragged values",
      Side({data.ragged_x, data.ragged_y},
           [&](Program& p) { return affine(p, p.Parameter(0), p.Parameter(1)); }),
      Side({data.x, data.y}, [&](Program& p) { return affine(p, p.Parameter(0), p.Parameter(1)); }),
      std::nullopt, options, report);
}

}  // namespace signet
