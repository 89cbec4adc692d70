// SparseSpec: the type of a tensor that stores only some elements: `sparse float32[2, 3]`.
//
//   signet::TypeSpec type = signet::SparseType(signet::DType::kFloat32, {2, 3});
//   std::string text = type.ToString();  // sparse float32[2, 3]
//
// A value consists of its indices int64[n, rank], its values [n], and its dense shape int64[rank].

#pragma once

#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

class SparseSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kSparse;

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return *TypeSpecRep::shape(); }

  uint64_t HashFixed() const override { return static_cast<uint64_t>(dtype_); }
  bool EqualFixed(const TypeSpecRep& other) const override {
    return dtype_ == static_cast<const SparseSpec&>(other).dtype_;
  }
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend TypeSpec SparseType(DType dtype, PartialShape shape);
  SparseSpec(DType dtype, PartialShape shape)
      : TypeSpecRep(kKind, std::move(shape)), dtype_(dtype) {}

  const DType dtype_;
};

TypeSpec SparseType(DType dtype, PartialShape shape);

}  // namespace signet
