#include "signet/tensor_spec.h"

#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "signet/literal.h"

namespace signet {
namespace {

const TensorSpec& AsTensor(const TypeSpecRep& rep) { return static_cast<const TensorSpec&>(rep); }

}  // namespace

TypeSpec TensorType(DType dtype, PartialShape shape, std::string name) {
  return Intern(TensorSpec(dtype, std::move(shape), std::move(name)));
}

bool TensorSpec::EqualFixed(const TypeSpecRep& other) const {
  return dtype_ == AsTensor(other).dtype_ && name_ == AsTensor(other).name_;
}

bool TensorSpec::FixedBelow(const TypeSpecRep& other) const {
  return dtype_ == AsTensor(other).dtype_ && (name_.empty() || name_ == AsTensor(other).name_);
}

bool TensorSpec::FixedCompatible(const TypeSpecRep& other) const {
  return dtype_ == AsTensor(other).dtype_;
}

StatusOr<TypeSpec> TensorSpec::Rebuild(PartialShape shape, std::vector<TypeSpec>) const {
  return TensorType(dtype_, std::move(shape), name_);
}

TypeSpec TensorSpec::WithNotes(std::vector<TypeSpec>, TypeNotes notes) const {
  return Intern(TensorSpec(dtype_, shape(), name_, std::move(notes.default_value)));
}

void TensorSpec::AppendComponents(std::string_view path, int,
                                  std::vector<ComponentSpec>& out) const {
  out.push_back({std::string(path), TensorType(dtype_, shape(), name_)});
}

void TensorSpec::AppendTo(std::string& out) const {
  if (AppendWithDefault(*this, out)) return;
  out.append(NameOf(dtype_)).append(shape().ToString());
  if (!name_.empty()) out.append("@").append(IsIdentifier(name_) ? name_ : Quote(name_));
}

}  // namespace signet
