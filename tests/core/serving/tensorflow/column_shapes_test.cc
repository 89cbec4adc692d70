#include "core/serving/tensorflow/column_shapes.h"

#include <gtest/gtest.h>

#include "signet/notation.h"

namespace signet::tf {
namespace {

TypeSpec Type(std::string_view text) { return *ParseTypeSpec(text); }

TEST(ColumnShapesTest, FindsColumns) {
  EXPECT_TRUE(ColumnShapes::IsColumn(Type("float32[?, 1]")));
  EXPECT_TRUE(ColumnShapes::IsColumn(Type("string[?, 1, 1]")));
  for (const char* other : {"float32[?]", "float32[3, 1]", "float32[?, 2]", "float32[...]",
                            "float32[]", "ragged float32[?, (?)]"}) {
    EXPECT_FALSE(ColumnShapes::IsColumn(Type(other))) << other;
  }
  EXPECT_FALSE(ColumnShapes::IsColumn(TypeSpec()));
}

TEST(ColumnShapesTest, RestoresTheShapeOfTheArgument) {
  const TypeSpec column = Type("float32[?, 1]");
  for (const Shape& given : {Shape{}, Shape{4}, Shape{2, 2}, Shape{0}}) {
    ColumnShapes shapes;
    const Tensor tensor = *Tensor::Allocate(DType::kFloat32, given);
    const Tensor fitted = shapes.Fit(tensor, column);
    EXPECT_EQ(fitted.shape(), (Shape{given.num_elements(), 1}));
    EXPECT_EQ(shapes.Restore(fitted).shape(), given);
    const Tensor other = *Tensor::Allocate(DType::kFloat32, {given.num_elements(), 3});
    EXPECT_EQ(shapes.Restore(other).shape(), other.shape());
  }
}

TEST(ColumnShapesTest, KeepsWhatFits) {
  ColumnShapes shapes;
  const Tensor column = *Tensor::Allocate(DType::kFloat32, {3, 1});
  EXPECT_EQ(shapes.Fit(column, Type("float32[?, 1]")).shape(), (Shape{3, 1}));
  const Tensor vector = *Tensor::Allocate(DType::kFloat32, {3});
  EXPECT_EQ(shapes.Fit(vector, Type("float32[?, 2]")).shape(), (Shape{3}));
  EXPECT_EQ(shapes.Restore(column).shape(), (Shape{3, 1}));
}

}  // namespace
}  // namespace signet::tf
