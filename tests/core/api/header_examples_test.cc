// The examples of the headers in include/signet: each is here, between the path of its header and
// `end`, with a check of what it says. tests/checks/header_examples.py compares both. The example
// of client.h is in tests/server/client_example_test.cc.

#include <gtest/gtest.h>

#include "signet/any_spec.h"
#include "signet/attributes.h"
#include "signet/buffer.h"
#include "signet/cat.h"
#include "signet/dtype.h"
#include "signet/explanation.h"
#include "signet/extension_spec.h"
#include "signet/extension_type.h"
#include "signet/function.h"
#include "signet/function_type.h"
#include "signet/index_key.h"
#include "signet/json.h"
#include "signet/literal.h"
#include "signet/literal_spec.h"
#include "signet/model.h"
#include "signet/model_builder.h"
#include "signet/nest.h"
#include "signet/notation.h"
#include "signet/ops/arrays.h"
#include "signet/ops/batching.h"
#include "signet/ops/broadcasting.h"
#include "signet/ops/indexing.h"
#include "signet/ops/picking.h"
#include "signet/ops/ragged.h"
#include "signet/ops/run_op.h"
#include "signet/ops/structured.h"
#include "signet/ragged_spec.h"
#include "signet/record_spec.h"
#include "signet/row_partition.h"
#include "signet/row_partition_spec.h"
#include "signet/sequence_spec.h"
#include "signet/shape.h"
#include "signet/sparse_spec.h"
#include "signet/status.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "signet/tensor.h"
#include "signet/tensor_spec.h"
#include "signet/type_spec.h"
#include "signet/value.h"
#include "tests/support/temporary_folder.h"

namespace {

TEST(HeaderExamplesTest, AnySpec) {
  // signet/any_spec.h
  signet::TypeSpec any = signet::AnyType();  // any
  // end
  EXPECT_EQ(any.ToString(), "any");
}

TEST(HeaderExamplesTest, Attributes) {
  // signet/attributes.h
  signet::Attributes attributes({{"axis", signet::AttributeOf(1)}});
  auto axis = attributes.Int("axis");  // 1
  // end
  EXPECT_EQ(*axis, 1);
}

TEST(HeaderExamplesTest, Buffer) {
  // signet/buffer.h
  auto text = std::make_shared<std::string>("bytes that others own");
  auto buffer =
      signet::Buffer::Borrow(std::as_bytes(std::span(*text)), text);  // keeps `text` alive
  // end
  text.reset();
  EXPECT_EQ(buffer.text(), "bytes that others own");
}

TEST(HeaderExamplesTest, Cat) {
  // signet/cat.h
  std::string message = signet::Cat("shape ", signet::Shape{2, 2});  // shape [2, 2]
  // end
  EXPECT_EQ(message, "shape [2, 2]");
}

TEST(HeaderExamplesTest, DType) {
  // signet/dtype.h
  signet::DType dtype = signet::DTypeOf<float>::value;  // DType::kFloat32
  std::string_view name = signet::NameOf(dtype);        // float32
  // end
  EXPECT_EQ(name, "float32");
}

TEST(HeaderExamplesTest, Explanation) {
  signet::ModelBuilder builder;
  builder.AddFunction("f", "(x: float32[?])").Result("x");
  auto model = builder.Build();
  ASSERT_TRUE(model.ok()) << model.status();
  auto function = *model->FindFunction();
  signet::Value query = signet::Value::OfLiteral(signet::Literal::String("text"));
  // signet/explanation.h
  signet::Explanation explanation = function.Explain({query});
  bool fits = explanation.outcome != signet::Explanation::Outcome::kRejected;
  std::string why = fits ? explanation.plan : std::string(explanation.error.message());
  // end
  EXPECT_FALSE(fits);
  EXPECT_NE(why.find("x"), std::string::npos) << why;
}

TEST(HeaderExamplesTest, ExtensionSpec) {
  // signet/extension_spec.h
  auto amount = signet::TensorType(signet::DType::kInt64, signet::Shape());
  auto money = signet::MakeExtensionType("shop.Money", {}, {{"amount", amount}});
  auto name = money->As<signet::ExtensionSpec>()->name();  // shop.Money
  // end
  EXPECT_EQ(name, "shop.Money");
  EXPECT_EQ(money->ToString(), "shop.Money(amount: int64[])");
}

TEST(HeaderExamplesTest, ExtensionType) {
  // signet/extension_type.h
  signet::ModelBuilder builder;
  builder.AddFunction("add_amounts", "(a, b)")
      .Node("sum", "add", {"a.amount", "b.amount"})
      .Node("total", "make_extension", {"sum"}, {{"type", "shop.Money"}})
      .Result("total");
  builder.AddExtensionType(
      {.name = "shop.Money",
       .components = {{"amount", "int64[...]"}},
       .overrides = {{.op = "add", .function = "add_amounts", .inputs = {"shop.Money"}}}});
  // end
  builder.AddFunction("total", "(a: shop.Money(amount: int64[]), b: shop.Money(amount: int64[]))")
      .Node("total", "add", {"a", "b"})
      .Result("total");
  auto model = builder.Build();
  ASSERT_TRUE(model.ok()) << model.status();
  auto price = signet::ParseValue("shop.Money(amount: int64[]) {amount: 2}");
  ASSERT_TRUE(price.ok()) << price.status();
  auto total = model->FindFunction("total")->Call({*price, *price});
  ASSERT_TRUE(total.ok()) << total.status();
  EXPECT_EQ(total->components()[0].scalar<int64_t>(), 4);
}

TEST(HeaderExamplesTest, Function) {
  signet::ModelBuilder builder;
  builder.AddFunction("score", "(recipes: [{title: string[]}], top_k: int64[] = 1)")
      .Node("lengths", "string_length", {"recipes.title"})
      .Node("scores", "mul", {"lengths", "top_k"})
      .Result("scores");
  auto model = *builder.Build();
  // signet/function.h
  auto function = model.FindFunction("score");
  auto recipes = function->ParseArgument("recipes", R"([{"title": "soup"}])");
  auto scores = function->Call({*recipes}, {{"top_k", signet::Tensor::Scalar<int64_t>(3)}});
  // end
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ(signet::ToString(*scores), "int64[1] [12]");
}

TEST(HeaderExamplesTest, FunctionType) {
  // signet/function_type.h
  auto vector = signet::TensorType(signet::DType::kFloat32, {signet::kUnknownDim});
  auto type = signet::FunctionType::Make({{.name = "x", .type = vector}});
  std::string text = type->ToString();  // (x: float32[?])
  // end
  EXPECT_EQ(text, "(x: float32[?])");
}

TEST(HeaderExamplesTest, IndexKey) {
  // signet/index_key.h
  const signet::IndexKey keys[] = {0, signet::SliceKey{.start = 1}, "name"};  // x[0, 1:, "name"]
  // end
  EXPECT_EQ(std::get<int64_t>(keys[0]), 0);
  EXPECT_EQ(std::get<std::string>(keys[2]), "name");
}

TEST(HeaderExamplesTest, Json) {
  // signet/json.h
  auto type = signet::ParseTypeSpec("[{title: string[], rating: float32[]}]");
  auto recipes = signet::ParseJson(R"([{"title": "soup", "rating": 4.5}])", *type);
  auto text = signet::FormatJson(*recipes);  // [{"title":"soup","rating":4.5}]
  // end
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, R"([{"title":"soup","rating":4.5}])");
  EXPECT_EQ(signet::ParseJson(R"([{"title": 3}])", *type).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HeaderExamplesTest, Literal) {
  // signet/literal.h
  signet::Literal three = signet::Literal::Int(3);
  signet::Value value = signet::Value::OfLiteral(three);  // its type is `3`
  // end
  EXPECT_EQ(value.spec().ToString(), "3");
}

TEST(HeaderExamplesTest, LiteralSpec) {
  // signet/literal_spec.h
  signet::TypeSpec spec = signet::LiteralType(signet::Literal::String("mean"));
  std::string text = signet::LookupLiteral(spec)->string_value();  // mean
  // end
  EXPECT_EQ(text, "mean");
}

TEST(HeaderExamplesTest, Model) {
  // signet/model.h
  auto model = signet::Model::Load("examples/models/recipes");  // or a file, such as model.onnx
  std::vector<std::string> signatures;
  for (const signet::Function& function : model->functions()) {
    signatures.push_back(function.signature());
  }
  // end
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->name(), "recipes");
  EXPECT_FALSE(signatures.empty());
}

TEST(HeaderExamplesTest, ModelBuilder) {
  const auto before = std::filesystem::current_path();
  signet::TemporaryFolder folder;
  std::filesystem::current_path(folder.path());
  // signet/model_builder.h
  signet::ModelBuilder builder("Scores documents");
  builder.AddCapture("weights", signet::Tensor::Of<float>({4}, {1, 2, 3, 4}));
  builder.AddFunction("score", "(x: float32[?, 4], /, *, scale: float32[] = 1.0) -> float32[?]")
      .Node("weighted", "mul", {"x", "weights"})
      .Node("sums", "reduce_sum", {"weighted"}, {{"axes", 1}})
      .Node("y", "mul", {"sums", "scale"})
      .Result("y");
  auto model = builder.Build();                     // a signet::Model, or what is wrong with it
  auto saved = builder.Save("models/documents/1");  // for signet-server
  // end
  auto loaded = signet::Model::Load("models/documents");
  std::filesystem::current_path(before);
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_TRUE(saved.ok()) << saved;
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  for (const signet::Model& each : {*model, *loaded}) {
    auto scores = each.FindFunction()->Call({signet::Tensor::Of<float>({1, 4}, {1, 1, 1, 1})});
    ASSERT_TRUE(scores.ok()) << scores.status();
    EXPECT_EQ(scores->tensor().elements<float>()[0], 10);
  }
}

TEST(HeaderExamplesTest, Nest) {
  auto value = *signet::ParseValue("list(dict(b: int64[], a: int64[]), int64[]) [{b: 1, a: 2}, 3]");
  // signet/nest.h
  std::vector<signet::Value> leaves = signet::FlattenNest(value);
  auto same = signet::PackNest(value.spec(), leaves);
  // end
  EXPECT_EQ(leaves.size(), 3u);
  EXPECT_TRUE(signet::SameValue(*same, value));
}

TEST(HeaderExamplesTest, Notation) {
  // signet/notation.h
  auto type = signet::ParseTypeSpec("[{title: string[], ids: int64[(?)]}]");
  auto value = signet::ParseValue("float32[2] [1.0, 2.0]");
  std::string text = signet::ToString(*value);  // float32[2] [1.0, 2.0]
  // end
  ASSERT_TRUE(type.ok()) << type.status();
  EXPECT_EQ(text, "float32[2] [1.0, 2.0]");
}

TEST(HeaderExamplesTest, Arrays) {
  signet::Value first = signet::Tensor::Of<float>({2}, {1, 2});
  signet::Value second = signet::Tensor::Of<float>({1}, {3});
  // signet/ops/arrays.h
  const signet::Value parts[] = {first, second};
  auto joined = signet::Concat(parts);                       // float32[3] [1.0, 2.0, 3.0]
  auto split = signet::Split(*joined, {.sizes = {{1, 2}}});  // [1.0] and [2.0, 3.0]
  // end
  EXPECT_EQ(signet::ToString(*joined), "float32[3] [1.0, 2.0, 3.0]");
  EXPECT_EQ(split->size(), 2u);
}

TEST(HeaderExamplesTest, Batching) {
  // signet/ops/batching.h
  auto row = signet::ParseTypeSpec("{a: int32[]}");
  const signet::Value rows[] = {*signet::ParseValue("{a: int32[]} {a: 1}"),
                                *signet::ParseValue("{a: int32[]} {a: 2}")};
  auto batch = signet::Batch(*row, rows);  // [{a: int32[]}] [{a: 1}, {a: 2}]
  auto again = signet::Unbatch(*batch);
  // end
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(again->size(), 2u);
  EXPECT_TRUE(signet::SameValue((*again)[1], rows[1]));
}

TEST(HeaderExamplesTest, Broadcasting) {
  // signet/ops/broadcasting.h
  signet::Value column = signet::Tensor::Of<int64_t>({2, 1}, {1, 2});
  auto rows = signet::BroadcastTo(column, {2, signet::RowLengths{3, 0}});  // [[1, 1, 1], []]
  // end
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(signet::ToString(*rows), "ragged int64[2, (?)] [[1, 1, 1], []]");
}

TEST(HeaderExamplesTest, Indexing) {
  // signet/ops/indexing.h
  signet::Value x = signet::Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  auto last = signet::GetItem(x, {signet::EllipsisKey{}, -1});  // x[..., -1]
  // end
  EXPECT_EQ(signet::ToString(*last), "float32[2] [2.0, 4.0]");
}

TEST(HeaderExamplesTest, Picking) {
  signet::Value titles = signet::Tensor::Strings({3}, std::vector<std::string_view>{"a", "b", "c"});
  // signet/ops/picking.h
  auto chosen = signet::Gather(titles, signet::Tensor::Of<int64_t>({2}, {2, 0}));
  // end
  EXPECT_EQ(signet::ToString(*chosen), R"(string[2] ["c", "a"])");
}

TEST(HeaderExamplesTest, Ragged) {
  // signet/ops/ragged.h
  signet::Value padded = signet::Tensor::Of<int64_t>({2, 2}, {5, 7, 6, 0});
  signet::Value zero = signet::Tensor::Scalar<int64_t>(0);
  auto rows = signet::RaggedFromDense(padded, {.padding = zero});  // [[5, 7], [6]]
  // end
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(signet::ToString(*rows), "ragged int64[2, (?)] [[5, 7], [6]]");
}

TEST(HeaderExamplesTest, RunOp) {
  // signet/ops/run_op.h
  signet::Value x = signet::Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  auto sums =
      signet::RunOp1("reduce_sum", {x}, signet::Attributes({{"axes", signet::AttributeOf(1)}}));
  // end
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(signet::ToString(*sums), "float32[2] [3.0, 7.0]");
}

TEST(HeaderExamplesTest, StructuredOps) {
  auto recipes =
      *signet::ParseValue(R"([{title: string[], draft: bool[]}] [{title: "soup", draft: True}])");
  // signet/ops/structured.h
  const signet::FieldUpdate updates[] = {{{"draft"}, signet::DeleteField{}}};
  auto published = signet::WithUpdates(recipes, updates);
  // end
  ASSERT_TRUE(published.ok()) << published.status();
  EXPECT_EQ(signet::FieldNamesOf(*published).size(), 1u);
}

TEST(HeaderExamplesTest, RaggedSpec) {
  // signet/ragged_spec.h
  auto type = signet::MakeRaggedType(signet::DType::kInt64, {2, signet::kUnknownDim}, 1);
  std::string text = type->ToString();  // ragged int64[2, (?)]
  // end
  EXPECT_EQ(text, "ragged int64[2, (?)]");
}

TEST(HeaderExamplesTest, RecordSpec) {
  auto number = signet::TensorType(signet::DType::kFloat32, {});
  // signet/record_spec.h
  auto type = signet::MakeDictType({{"x", number}, {"y", number}});
  auto keys = type->As<signet::DictSpec>()->keys();  // x, y
  // end
  EXPECT_EQ(keys[1], "y");
}

TEST(HeaderExamplesTest, RowPartition) {
  // signet/row_partition.h
  auto lengths = signet::Tensor::Of<int64_t>({4}, {4, 0, 3, 1});
  auto partition = signet::RowPartition::FromRowLengths(lengths);  // row splits 0, 4, 4, 7, 8
  // end
  EXPECT_EQ(partition->nvals(), 8);
}

TEST(HeaderExamplesTest, RowPartitionSpec) {
  // signet/row_partition_spec.h
  auto spec = signet::RowPartitionSpec::Make({.nrows = 5, .uniform_row_length = 8});
  int64_t nvals = spec->nvals;  // 40
  // end
  EXPECT_EQ(nvals, 40);
}

TEST(HeaderExamplesTest, SequenceSpec) {
  // signet/sequence_spec.h
  auto scalar = signet::TensorType(signet::DType::kFloat32, signet::Shape());
  std::string text = signet::TupleType({scalar}).ToString();  // tuple(float32[])
  // end
  EXPECT_EQ(text, "tuple(float32[])");
}

TEST(HeaderExamplesTest, Shape) {
  // signet/shape.h
  signet::PartialShape declared{2, signet::kUnknownDim};                        // [2, ?]
  bool fits = signet::PartialShape(signet::Shape{2, 3}).IsSubtypeOf(declared);  // true
  // end
  EXPECT_TRUE(fits);
}

TEST(HeaderExamplesTest, SparseSpec) {
  // signet/sparse_spec.h
  signet::TypeSpec type = signet::SparseType(signet::DType::kFloat32, {2, 3});
  std::string text = type.ToString();  // sparse float32[2, 3]
  // end
  EXPECT_EQ(text, "sparse float32[2, 3]");
}

TEST(HeaderExamplesTest, Status) {
  // signet/status.h
  auto check_axis = [](int axis, int rank) -> signet::Status {
    if (axis < rank) return absl::OkStatus();
    return signet::InvalidArgument("expected an axis below ", rank, ", found ", axis);
  };
  signet::Status status = signet::At("argument `axis`", check_axis(3, 2));
  // end
  EXPECT_EQ(status.message(), "argument `axis`: expected an axis below 2, found 3");
}

TEST(HeaderExamplesTest, Structured) {
  auto ids = signet::Tensor::Of<int32_t>({2}, {1, 2});
  // signet/structured.h
  auto table = signet::MakeStructured({signet::kUnknownDim}, {{"id", ids}});
  auto column = signet::FieldOf(*table, "id");  // int32[2] [1, 2]
  // end
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ(signet::ToString(*column), "int32[2] [1, 2]");
}

TEST(HeaderExamplesTest, StructuredSpec) {
  auto type = *signet::ParseTypeSpec("[{title: string[], ids: int64[(?)]}]");
  // signet/structured_spec.h
  auto ids = type.As<signet::StructuredSpec>()->FindField("ids");  // ragged int64[?, (?)]
  // end
  EXPECT_EQ(ids->ToString(), "ragged int64[?, (?)]");
}

TEST(HeaderExamplesTest, Tensor) {
  // signet/tensor.h
  auto matrix = signet::Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  std::span<const float> elements = matrix.elements<float>();  // row-major: 1, 2, 3, 4
  // end
  EXPECT_EQ(elements[3], 4);
}

TEST(HeaderExamplesTest, TensorSpec) {
  // signet/tensor_spec.h
  signet::TypeSpec type = signet::TensorType(signet::DType::kFloat32, {signet::kUnknownDim, 3});
  signet::DType dtype = type.As<signet::TensorSpec>()->dtype();  // of float32[?, 3]
  // end
  EXPECT_EQ(dtype, signet::DType::kFloat32);
  EXPECT_EQ(type.ToString(), "float32[?, 3]");
}

TEST(HeaderExamplesTest, TypeSpec) {
  auto any_rows = *signet::ParseTypeSpec("float32[?, 3]");
  auto two_rows = *signet::ParseTypeSpec("float32[2, 3]");
  // signet/type_spec.h
  bool is_below = signet::IsSubtype(two_rows, any_rows);   // of 2 and of ? rows: true
  const auto* tensor = two_rows.As<signet::TensorSpec>();  // null for types of other kinds
  // end
  EXPECT_TRUE(is_below);
  EXPECT_NE(tensor, nullptr);
}

TEST(HeaderExamplesTest, Value) {
  // signet/value.h
  signet::Value one = signet::Tensor::Scalar(1.0f);
  const signet::Value both[] = {one, signet::Value::None()};
  signet::Value list = signet::ListOf(both);
  std::string type = list.spec().ToString();  // list(float32[], None)
  // end
  EXPECT_EQ(type, "list(float32[], None)");
}

}  // namespace
