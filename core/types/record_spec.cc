#include "signet/record_spec.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/types/identifier.h"
#include "core/types/record_parts.h"
#include "signet/literal.h"

namespace signet {

StatusOr<TypeSpec> MakeDictType(NamedTypes items) {
  SIGNET_ASSIGN_OR_RETURN(RecordParts parts, SplitSorted("key", std::move(items)));
  return Intern(
      DictSpec(std::move(parts.names), std::move(parts.types), {std::move(parts.order), {}, {}}));
}

StatusOr<TypeSpec> MakeNamedTupleType(NamedTupleSpec::Style style, std::string name,
                                      NamedTypes fields) {
  if (!IsIdentifier(name)) {
    return InvalidArgument("name of a named tuple: expected an identifier, found `",
                           Printable(name), "`");
  }
  for (const auto& [field, type] : fields) {
    if (!IsIdentifier(field)) {
      return InvalidArgument("named tuple `", name,
                             "`: expected an identifier as the name of a field, found `",
                             Printable(field), "`");
    }
  }
  SIGNET_ASSIGN_OR_RETURN(RecordParts parts, SplitInOrder("field", std::move(fields)));
  return Intern(
      NamedTupleSpec(style, std::move(name), std::move(parts.names), std::move(parts.types)));
}

uint64_t DictSpec::HashFixed() const { return HashNames(keys_); }

StatusOr<TypeSpec> DictSpec::Rebuild(PartialShape, std::vector<TypeSpec> children) const {
  return MakeDictType(ZipWritten(*this, keys_, std::move(children)));
}

TypeSpec DictSpec::WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const {
  return Intern(DictSpec(keys_, std::move(children), {std::move(notes.order), {}, {}}));
}

void DictSpec::AppendComponents(std::string_view path, int, std::vector<ComponentSpec>& out) const {
  for (size_t i = 0; i < keys_.size(); ++i) {
    children()[i].rep().AppendComponents(JoinPath(path, keys_[i]), 0, out);
  }
}

void DictSpec::AppendTo(std::string& out) const {
  out.append("dict");
  AppendNamed(out, keys_, *this);
}

uint64_t NamedTupleSpec::HashFixed() const {
  return MixHash(MixHash(static_cast<uint64_t>(style_), HashBytes(name_)), HashNames(field_names_));
}

bool NamedTupleSpec::EqualFixed(const TypeSpecRep& other) const {
  const auto& o = static_cast<const NamedTupleSpec&>(other);
  return style_ == o.style_ && name_ == o.name_ && field_names_ == o.field_names_;
}

StatusOr<TypeSpec> NamedTupleSpec::Rebuild(PartialShape, std::vector<TypeSpec> children) const {
  return MakeNamedTupleType(style_, name_, ZipNames(field_names_, std::move(children)));
}

void NamedTupleSpec::AppendComponents(std::string_view path, int,
                                      std::vector<ComponentSpec>& out) const {
  for (size_t i = 0; i < field_names_.size(); ++i) {
    children()[i].rep().AppendComponents(JoinPath(path, field_names_[i]), 0, out);
  }
}

void NamedTupleSpec::AppendTo(std::string& out) const {
  out.append(style_ == Style::kAttrs ? "attrs " : "namedtuple ").append(name_);
  AppendNamed(out, field_names_, *this);
}

}  // namespace signet
