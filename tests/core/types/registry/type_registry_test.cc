#include "core/types/registry/type_registry.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"

namespace signet {
namespace {

ExtensionDeclaration Declare(std::string name, std::string class_name = "") {
  ExtensionDeclaration declaration;
  declaration.name = std::move(name);
  declaration.class_name = std::move(class_name);
  return declaration;
}

TEST(TypeRegistryTest, RegistersOneNameAClassAndOneClassAName) {
  struct Step {
    const char *name, *class_name, *reason;
  } const steps[] = {
      {"tf.A", "A", ""},
      {"tf.A", "B", "NAME_TAKEN"},
      {"tf.NewName", "A", "CLASS_ALREADY_REGISTERED"},
      {"tf.A", "A", "CLASS_ALREADY_REGISTERED"},
      {"bad", "A", "INVALID_NAME"},
      {"a.b\n", "C", "INVALID_NAME"},
      {"\xc3\xa9.b", "C", "INVALID_NAME"},
      {"1.2", "C", ""},
  };
  TypeRegistry registry;
  for (const Step& step : steps) {
    SCOPED_TRACE(step.name);
    EXPECT_EQ(ReasonOf(registry.Register(Declare(step.name, step.class_name))), step.reason);
  }
  EXPECT_EQ(registry.Find("tf.A").value()->class_name, "A");
  EXPECT_EQ(*registry.FindName("C"), "1.2");
  EXPECT_EQ(registry.Names(), (std::vector<std::string>{"1.2", "tf.A"}));
}

TEST(TypeRegistryTest, LooksUpWhatIsThere) {
  TypeRegistry registry;
  ASSERT_TRUE(registry.Register(Declare("tf.A")).ok());
  Status unknown = registry.Find("foo.bar").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReasonOf(unknown), "NOT_REGISTERED");
  EXPECT_EQ(MessageOf(unknown), "no extension type `foo.bar`; registered: `tf.A`");
  EXPECT_EQ(ReasonOf(registry.FindName("Foo").status()), "NOT_REGISTERED");
}

TEST(TypeRegistryTest, ChecksTypesAgainstTheirDeclaration) {
  TypeRegistry registry;
  ExtensionDeclaration masked = Declare("app.Masked");
  masked.attributes = {"n"};
  masked.components = {{"values", {}}, {"mask", *ParseTypeSpec("bool[?]")}};
  ASSERT_TRUE(registry.Register(masked).ok());
  struct Case {
    const char* type;
    bool fits;
  } const cases[] = {
      {"app.Masked<n=3>(values: string[], mask: bool[2])", true},
      {"list(3, dict(a: app.Masked<n=3>(values: string[], mask: bool[2])))", true},
      {"float32[2]", true},
      {"app.Masked<n=3>(values: string[], mask: int8[2])", false},
      {"app.Masked<n=3>(mask: bool[2], values: string[])", false},
      {"app.Masked(values: string[], mask: bool[2])", false},
      {"list(app.Other())", false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(registry.CheckType(*ParseTypeSpec(c.type)).ok(), c.fits) << c.type;
}

TEST(TypeRegistryTest, ParentsComeFirst) {
  TypeRegistry registry;
  ExtensionDeclaration child = Declare("a.Child");
  child.parent = "a.Parent";
  EXPECT_EQ(ReasonOf(registry.Register(child)), "NOT_REGISTERED");
  ASSERT_TRUE(registry.Register(Declare("a.Parent")).ok());
  ASSERT_TRUE(registry.Register(child).ok());
  EXPECT_TRUE(registry.IsA("a.Child", "a.Parent"));
  EXPECT_TRUE(registry.IsA("a.Child", "a.Child"));
  EXPECT_FALSE(registry.IsA("a.Parent", "a.Child"));
}

TEST(TypeRegistryTest, RejectsPartsThatAreNotUniqueIdentifiers) {
  TypeRegistry registry;
  ExtensionDeclaration twice = Declare("a.T");
  twice.attributes = {"n"};
  twice.components = {{"n", {}}};
  EXPECT_FALSE(registry.Register(twice).ok());
  ExtensionDeclaration odd = Declare("a.T");
  odd.components = {{"a b", {}}};
  EXPECT_FALSE(registry.Register(odd).ok());
  odd.components = {{"__class__", {}}};
  EXPECT_FALSE(registry.Register(odd).ok());
  EXPECT_TRUE(registry.Names().empty());
}

}  // namespace
}  // namespace signet
