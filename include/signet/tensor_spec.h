// TensorSpec: the type of a dense tensor: `float32[?, 3]`, `string[]`, `int64[...]` (unknown rank).
//
//   signet::TypeSpec type = signet::TensorType(signet::DType::kFloat32, {signet::kUnknownDim, 3});
//   signet::DType dtype = type.As<signet::TensorSpec>()->dtype();  // of float32[?, 3]
//
// Only types from other systems have a name (`float32[2]@x`); models drop it when they are loaded.
// An unnamed type is a subtype of a named one; two different names have no common supertype.

#pragma once

#include <string>

#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

class TensorSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kTensor;

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return *TypeSpecRep::shape(); }
  const std::string& name() const { return name_; }

  uint64_t HashFixed() const override { return static_cast<uint64_t>(dtype_); }
  bool EqualFixed(const TypeSpecRep& other) const override;
  bool FixedBelow(const TypeSpecRep& other) const override;
  bool FixedCompatible(const TypeSpecRep& other) const override;
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  TypeSpec WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend TypeSpec TensorType(DType dtype, PartialShape shape, std::string name);
  TensorSpec(DType dtype, PartialShape shape, std::string name, TypeSpec default_value = {})
      : TypeSpecRep(kKind, std::move(shape)), dtype_(dtype), name_(std::move(name)) {
    if (default_value) SetNotes({{}, {}, std::move(default_value)});
  }

  const DType dtype_;
  const std::string name_;
};

TypeSpec TensorType(DType dtype, PartialShape shape, std::string name = "");

}  // namespace signet
