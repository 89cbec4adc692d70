// ToValue, ValueAs: convert C++ values, containers, and structs to values of calls, and back.
//
//   struct Dish {
//     std::string title;
//     std::vector<int64_t> ids;
//     std::optional<float> score;
//   };
//   constexpr auto RecordFields(const Dish*) {
//     return std::tuple(signet::Field("title", &Dish::title), signet::Field("ids", &Dish::ids),
//                       signet::Field("score", &Dish::score));
//   }
//   signet::StatusOr<std::vector<Dish>> SendAndReceive(const std::vector<Dish>& dishes) {
//     signet::Value value = signet::ToValue(dishes);  // 2 records, stored as columns
//     return signet::ValueAs<std::vector<Dish>>(value);
//   }
//
// The function RecordFields describes a struct once. It is in the namespace of the struct, so that
// argument-dependent lookup finds it.
//
//   C++                                          type
//   bool, integers, float, double, std::complex  a tensor of this dtype
//   std::string, std::string_view                string
//   std::vector<T>                               one more dimension; within a vector, a ragged one
//   std::array<T, N>                             a dimension of size N
//   a struct with RecordFields                   a record
//   std::optional<T>, as a field                 an optional field
//   Tensor, Value, Literal                       itself, except within containers and structs
//
// ValueAs also reads a dict or a named tuple into a struct, a list into a vector or a std::tuple,
// and a literal into a number or a string. Numbers are not converted: a float64 is not read into a
// float. An optional field that the value lacks is read as empty. Errors have the reason
// TYPE_MISMATCH and state the path. Stateless; thread-safe.

#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "signet/value.h"

namespace signet {

// A field of a struct: its name in records, which is a letter followed by letters, digits, and
// underscores, and its member. Another name does not compile.
template <class Struct, class Member>
struct Field {
  using Type = Member;

  consteval Field(const char* field_name, Member Struct::*field_member)
      : name(field_name), member(field_member) {
    for (const char* c = field_name; *c != '\0' || c == field_name; ++c) {
      const bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
      const bool is_other = *c == '_' || (*c >= '0' && *c <= '9');
      if (!is_letter && (c == field_name || !is_other)) throw "expected the name of a field";
    }
  }

  const char* name;
  Member Struct::*member;
};

// Has a function RecordFields.
template <class T>
concept Record = requires(const T* record) {
  RecordFields(record);
};

namespace record {

template <class T>
struct Kind {
  static constexpr bool kIsList = false;
  static constexpr bool kIsOptional = false;
  static constexpr bool kIsTuple = false;
};
template <class T>
struct Kind<std::vector<T>> : Kind<void> {
  using Element = T;
  static constexpr bool kIsList = true;
};
template <class T, size_t n>
struct Kind<std::array<T, n>> : Kind<void> {
  using Element = T;
  static constexpr bool kIsList = true;
};
template <class T>
struct Kind<std::optional<T>> : Kind<void> {
  using Element = T;
  static constexpr bool kIsOptional = true;
};
template <class... T>
struct Kind<std::tuple<T...>> : Kind<void> {
  static constexpr bool kIsTuple = true;
};

template <class T>
inline constexpr bool kIsFixed = false;
template <class T, size_t n>
inline constexpr bool kIsFixed<std::array<T, n>> = true;

template <class T>
inline constexpr bool kIsText =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
template <class T>
inline constexpr bool kIsNumber =
    std::is_arithmetic_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
// A type whose values are elements of tensors.
template <class T>
inline constexpr bool kIsElement = kIsText<T> || kIsNumber<T>;

// The type of the elements of a tensor that stores T: int64_t for long long, for example.
template <class T>
constexpr auto StoredTag() {
  if constexpr (kIsText<T>) {
    return TypeTag<std::string_view>{};
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    static_assert(sizeof(T) <= 8, "expected an integer of at most 64 bits");
    using Signed = std::conditional_t<
        sizeof(T) == 1, int8_t,
        std::conditional_t<sizeof(T) == 2, int16_t,
                           std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>;
    return TypeTag<std::conditional_t<std::is_signed_v<T>, Signed, std::make_unsigned_t<Signed>>>{};
  } else {
    static_assert(!std::is_same_v<T, long double>, "expected float or double");
    return TypeTag<T>{};
  }
}
template <class T>
using Stored = typename decltype(StoredTag<T>())::type;

// Calls `visit` with each field of a struct, until it returns an error.
template <class Struct, class Visit>
Status VisitFields(const Visit& visit) {
  Status status;
  std::apply(
      [&](const auto&... field) { static_cast<void>(((status = visit(field)).ok() && ...)); },
      RecordFields(static_cast<const Struct*>(nullptr)));
  return status;
}

// Returns a value with one more dimension: `rows`, whose elements `row_lengths` divides into rows.
Value PartitionRows(const Value& rows, std::span<const int64_t> row_lengths);
// Does the same with `count` rows of `length`.
Value PartitionRowsEvenly(const Value& rows, int64_t count, int64_t length);
// Returns a structure of one rank with the fields; `count` if it has rows.
Value StructureOf(NamedValues fields, std::optional<int64_t> count);

// Rows of a value of at least two dimensions.
struct Rows {
  Value elements;  // has one dimension less
  std::vector<int64_t> row_splits;
};
StatusOr<Rows> RowsOf(const Value& value);
// Returns the tensor of a value; an error unless it has the dtype and the rank.
StatusOr<Tensor> TensorOf(const Value& value, DType dtype, int rank);
// Returns the number of elements along the first dimension of a tensor, ragged value, or structure.
StatusOr<int64_t> CountOf(const Value& value);
// Returns the field of a structure, dict, named tuple, or extension value; empty if it is absent.
StatusOr<std::optional<Value>> LookupPart(const Value& value, std::string_view name);
// Returns the elements of a list, tuple, or named tuple.
StatusOr<std::vector<Value>> ElementsOf(const Value& value);
bool IsSequence(const Value& value);
Status Mismatch(const Value& value, std::string_view expected);

template <class T>
Tensor TensorOfPointers(std::span<const T* const> elements) {
  const auto count = static_cast<int64_t>(elements.size());
  if constexpr (kIsText<T>) {
    std::vector<std::string_view> texts;
    texts.reserve(elements.size());
    for (const T* element : elements) texts.push_back(*element);
    return Tensor::Strings({count}, texts);
  } else {
    auto tensor = Tensor::Allocate(DTypeOf<Stored<T>>::value, {count});
    SIGNET_CHECK(tensor.ok());
    Stored<T>* out = tensor->template mutable_elements<Stored<T>>();
    for (const T* element : elements) *out++ = static_cast<Stored<T>>(*element);
    return *std::move(tensor);
  }
}

// Returns the elements of all lists as one tensor.
template <class List>
Tensor TensorOfLists(std::span<const List* const> lists) {
  using T = typename Kind<List>::Element;
  size_t count = 0;
  for (const List* list : lists) count += list->size();
  if constexpr (kIsText<T>) {
    std::vector<std::string_view> texts;
    texts.reserve(count);
    for (const List* list : lists) texts.insert(texts.end(), list->begin(), list->end());
    return Tensor::Strings({static_cast<int64_t>(count)}, texts);
  } else {
    auto tensor = Tensor::Allocate(DTypeOf<Stored<T>>::value, {static_cast<int64_t>(count)});
    SIGNET_CHECK(tensor.ok());
    Stored<T>* out = tensor->template mutable_elements<Stored<T>>();
    for (const List* list : lists) {
      for (const T element : *list) *out++ = static_cast<Stored<T>>(element);
    }
    return *std::move(tensor);
  }
}

// Returns values as one column: its first dimension has an entry per value.
template <class T>
Value ColumnOf(std::span<const T* const> values);

// Returns the elements of all lists as one column.
template <class List>
Value ColumnOfLists(std::span<const List* const> lists) {
  using T = typename Kind<List>::Element;
  if constexpr (kIsElement<T>) {
    return TensorOfLists(lists);
  } else {
    std::vector<const T*> elements;
    for (const List* list : lists) {
      for (const T& element : *list) elements.push_back(&element);
    }
    return ColumnOf<T>(elements);
  }
}

template <class T>
Value ColumnOf(std::span<const T* const> values) {
  const auto count = static_cast<int64_t>(values.size());
  if constexpr (kIsElement<T>) {
    return TensorOfPointers(values);
  } else if constexpr (kIsFixed<T>) {
    return PartitionRowsEvenly(ColumnOfLists(values), count,
                               static_cast<int64_t>(std::tuple_size_v<T>));
  } else if constexpr (Kind<T>::kIsList) {
    std::vector<int64_t> lengths;
    lengths.reserve(values.size());
    for (const T* list : values) lengths.push_back(static_cast<int64_t>(list->size()));
    return PartitionRows(ColumnOfLists(values), lengths);
  } else if constexpr (Kind<T>::kIsOptional) {
    using Element = typename Kind<T>::Element;
    std::vector<int64_t> lengths;
    std::vector<const Element*> present;
    for (const T* value : values) {
      lengths.push_back(value->has_value() ? 1 : 0);
      if (value->has_value()) present.push_back(&**value);
    }
    return PartitionRows(ColumnOf<Element>(present), lengths);
  } else {
    static_assert(Record<T>,
                  "expected a number, a text, a container, or a struct with RecordFields");
    NamedValues fields;
    static_cast<void>(VisitFields<T>([&](const auto& field) {
      using Member = typename std::remove_cvref_t<decltype(field)>::Type;
      std::vector<const Member*> members;
      members.reserve(values.size());
      for (const T* value : values) members.push_back(&(value->*field.member));
      fields.emplace_back(field.name, ColumnOf<Member>(members));
      return absl::OkStatus();
    }));
    return StructureOf(std::move(fields), count);
  }
}

// Reads the entries of a column.
template <class T>
StatusOr<std::vector<T>> ReadColumn(const Value& column);

// Reads the list of elements [begin, end) of a column.
template <class List, class Elements>
StatusOr<List> TakeList(Elements& elements, size_t begin, size_t end) {
  const auto from = std::make_move_iterator(elements.begin() + static_cast<std::ptrdiff_t>(begin));
  const auto to = std::make_move_iterator(elements.begin() + static_cast<std::ptrdiff_t>(end));
  if constexpr (kIsFixed<List>) {
    List out = {};
    if (end - begin != out.size()) {
      return InvalidWithReason("TYPE_MISMATCH", "expected lists of ", out.size(),
                               " elements, found one of ", end - begin);
    }
    std::copy(from, to, out.begin());
    return out;
  } else {
    return List(from, to);
  }
}

template <class T>
StatusOr<std::vector<T>> ReadColumn(const Value& column) {
  std::vector<T> out;
  if constexpr (kIsElement<T>) {
    static_assert(!std::is_same_v<T, std::string_view>,
                  "expected std::string, which owns its text");
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorOf(column, DTypeOf<Stored<T>>::value, 1));
    out.reserve(static_cast<size_t>(tensor.num_elements()));
    if constexpr (kIsText<T>) {
      for (int64_t i = 0; i < tensor.num_elements(); ++i) out.emplace_back(tensor.string_at(i));
    } else {
      for (Stored<T> element : tensor.elements<Stored<T>>()) out.push_back(static_cast<T>(element));
    }
  } else if constexpr (Kind<T>::kIsList || Kind<T>::kIsOptional) {
    using Element = typename Kind<T>::Element;
    SIGNET_ASSIGN_OR_RETURN(Rows rows, RowsOf(column));
    SIGNET_ASSIGN_OR_RETURN(std::vector<Element> elements, ReadColumn<Element>(rows.elements));
    out.reserve(rows.row_splits.size() - 1);
    for (size_t i = 0; i + 1 < rows.row_splits.size(); ++i) {
      const auto begin = static_cast<size_t>(rows.row_splits[i]);
      const auto end = static_cast<size_t>(rows.row_splits[i + 1]);
      if constexpr (Kind<T>::kIsList) {
        SIGNET_ASSIGN_OR_RETURN(T list, TakeList<T>(elements, begin, end));
        out.push_back(std::move(list));
      } else {
        if (end - begin > 1) return Mismatch(column, "an optional value in each row");
        out.emplace_back();
        if (begin < end) out.back() = std::move(elements[begin]);
      }
    }
  } else {
    static_assert(Record<T>,
                  "expected a number, a text, a container, or a struct with RecordFields");
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountOf(column));
    out.resize(static_cast<size_t>(count));
    SIGNET_RETURN_IF_ERROR(VisitFields<T>([&](const auto& field) -> Status {
      using Member = typename std::remove_cvref_t<decltype(field)>::Type;
      SIGNET_ASSIGN_OR_RETURN(std::optional<Value> part, LookupPart(column, field.name));
      if (!part.has_value()) {
        if (Kind<Member>::kIsOptional) return absl::OkStatus();
        return Mismatch(column, Cat("a field `", field.name, "`"));
      }
      auto members = ReadColumn<Member>(*part);
      if (!members.ok()) return At(Cat("`", field.name, "`"), members.status());
      if (members->size() != out.size()) return Mismatch(column, "columns of equal length");
      for (size_t i = 0; i < out.size(); ++i) out[i].*field.member = std::move((*members)[i]);
      return absl::OkStatus();
    }));
  }
  return out;
}

StatusOr<Literal> LiteralFor(const Value& value, Literal::Kind kind);

// Reads a literal into a number or a text, without changing its value.
template <class T>
StatusOr<T> FromLiteral(const Value& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    SIGNET_ASSIGN_OR_RETURN(Literal literal, LiteralFor(value, Literal::Kind::kString));
    return literal.string_value();
  } else if constexpr (std::is_same_v<T, bool>) {
    SIGNET_ASSIGN_OR_RETURN(Literal literal, LiteralFor(value, Literal::Kind::kBool));
    return literal.bool_value();
  } else if constexpr (std::is_integral_v<T>) {
    SIGNET_ASSIGN_OR_RETURN(Literal literal, LiteralFor(value, Literal::Kind::kInt));
    if (literal.int_value() < std::numeric_limits<T>::min() ||
        literal.int_value() > std::numeric_limits<T>::max()) {
      return Mismatch(value, Cat("a number that fits in ", NameOf(DTypeOf<Stored<T>>::value)));
    }
    return static_cast<T>(literal.int_value());
  } else if constexpr (std::is_floating_point_v<T>) {
    SIGNET_ASSIGN_OR_RETURN(Literal literal, LiteralFor(value, Literal::Kind::kFloat));
    return static_cast<T>(literal.float_value());
  } else {
    return Mismatch(value, NameOf(DTypeOf<Stored<T>>::value));
  }
}

}  // namespace record

// Returns the value of `object`.
template <class T>
Value ToValue(const T& object) {
  if constexpr (std::is_same_v<T, Value> || std::is_same_v<T, Tensor>) {
    return object;
  } else if constexpr (std::is_same_v<T, Literal>) {
    return Value::OfLiteral(object);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    const std::string_view text = object;
    return Tensor::Strings({}, std::span(&text, 1));
  } else if constexpr (record::kIsElement<T>) {
    return Tensor::Scalar(static_cast<record::Stored<T>>(object));
  } else if constexpr (record::Kind<T>::kIsList) {
    const T* lists[] = {&object};
    return record::ColumnOfLists<T>(lists);
  } else {
    static_assert(Record<T>,
                  "expected a number, a text, a container, or a struct with RecordFields");
    NamedValues fields;
    static_cast<void>(record::VisitFields<T>([&](const auto& field) {
      using Member = typename std::remove_cvref_t<decltype(field)>::Type;
      const Member& member = object.*field.member;
      if constexpr (record::Kind<Member>::kIsOptional) {
        using Element = typename record::Kind<Member>::Element;
        std::vector<const Element*> present;
        if (member.has_value()) present.push_back(&*member);
        fields.emplace_back(field.name, record::ColumnOf<Element>(present));
      } else {
        fields.emplace_back(field.name, ToValue(member));
      }
      return absl::OkStatus();
    }));
    return record::StructureOf(std::move(fields), std::nullopt);
  }
}

// Returns the object whose value is `value`.
template <class T>
StatusOr<T> ValueAs(const Value& value) {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_same_v<T, Tensor>) {
    if (!value.spec().is(TypeKind::kTensor)) return record::Mismatch(value, "a tensor");
    return value.tensor();
  } else if constexpr (record::kIsElement<T>) {
    static_assert(!std::is_same_v<T, std::string_view>,
                  "expected std::string, which owns its text");
    if (value.spec().is(TypeKind::kLiteral)) return record::FromLiteral<T>(value);
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor,
                            record::TensorOf(value, DTypeOf<record::Stored<T>>::value, 0));
    if constexpr (record::kIsText<T>) {
      return T(tensor.string_at(0));
    } else {
      return static_cast<T>(tensor.scalar<record::Stored<T>>());
    }
  } else if constexpr (record::Kind<T>::kIsTuple) {
    SIGNET_ASSIGN_OR_RETURN(std::vector<Value> elements, record::ElementsOf(value));
    if (elements.size() != std::tuple_size_v<T>) {
      return record::Mismatch(value, Cat(std::tuple_size_v<T>, " elements"));
    }
    T out{};
    Status status;
    auto read = [&](auto& member, size_t i) {
      auto element = ValueAs<std::remove_reference_t<decltype(member)>>(elements[i]);
      if (element.ok()) {
        member = *std::move(element);
      } else {
        status = At(Cat("element ", i), element.status());
      }
      return status.ok();
    };
    size_t i = 0;
    std::apply([&](auto&... member) { static_cast<void>((read(member, i++) && ...)); }, out);
    SIGNET_RETURN_IF_ERROR(status);
    return out;
  } else if constexpr (record::Kind<T>::kIsList) {
    using Element = typename record::Kind<T>::Element;
    std::vector<Element> elements;
    if (record::IsSequence(value)) {
      SIGNET_ASSIGN_OR_RETURN(std::vector<Value> parts, record::ElementsOf(value));
      for (size_t i = 0; i < parts.size(); ++i) {
        auto element = ValueAs<Element>(parts[i]);
        if (!element.ok()) return At(Cat("element ", i), element.status());
        elements.push_back(*std::move(element));
      }
    } else {
      SIGNET_ASSIGN_OR_RETURN(elements, record::ReadColumn<Element>(value));
    }
    return record::TakeList<T>(elements, 0, elements.size());
  } else {
    static_assert(Record<T>,
                  "expected a number, a text, a container, or a struct with RecordFields");
    T out{};
    SIGNET_RETURN_IF_ERROR(record::VisitFields<T>([&](const auto& field) -> Status {
      using Member = typename std::remove_cvref_t<decltype(field)>::Type;
      SIGNET_ASSIGN_OR_RETURN(std::optional<Value> part, record::LookupPart(value, field.name));
      if constexpr (record::Kind<Member>::kIsOptional) {
        using Element = typename record::Kind<Member>::Element;
        if (!part.has_value()) return absl::OkStatus();
        if (value.spec().is(TypeKind::kStructured)) {
          auto members = record::ReadColumn<Element>(*part);
          if (!members.ok()) return At(Cat("`", field.name, "`"), members.status());
          if (members->size() > 1) return record::Mismatch(*part, "at most one value");
          if (!members->empty()) out.*field.member = std::move(members->front());
          return absl::OkStatus();
        } else {
          auto member = ValueAs<Element>(*part);
          if (!member.ok()) return At(Cat("`", field.name, "`"), member.status());
          out.*field.member = *std::move(member);
        }
      } else {
        if (!part.has_value()) return record::Mismatch(value, Cat("a field `", field.name, "`"));
        auto member = ValueAs<Member>(*part);
        if (!member.ok()) return At(Cat("`", field.name, "`"), member.status());
        out.*field.member = *std::move(member);
      }
      return absl::OkStatus();
    }));
    return out;
  }
}

}  // namespace signet
