#include "core/function/plain_tensor.h"

#include "core/values/growing_buffer.h"
#include "core/values/plain_numbers.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Elements of one dtype, appended in row-major order.
class Elements {
 public:
  explicit Elements(DType dtype) : dtype_(dtype) {}

  // Writes what comes before the first element: the first offset of strings.
  Status Begin() { return dtype_ == DType::kString ? data_.Append(int64_t{0}) : absl::OkStatus(); }

  Status Append(const Literal& literal) {
    switch (literal.kind()) {
      case Literal::Kind::kNone:
        return InvalidWithReason("NOT_CONVERTIBLE", "expected ", PlainFormOf(dtype_), " for `",
                                 NameOf(dtype_), "`, found `None`, which has no tensor form");
      case Literal::Kind::kBool:
        return AppendBool(dtype_, literal.bool_value(), data_);
      case Literal::Kind::kInt:
        SIGNET_RETURN_IF_ERROR(AppendInt(dtype_, literal.int_value(), data_));
        return AppendImaginary();
      case Literal::Kind::kFloat:
        SIGNET_RETURN_IF_ERROR(AppendFloat(dtype_, literal.float_value(), data_));
        return AppendImaginary();
      case Literal::Kind::kString:
        return AppendText(literal.string_value());
    }
    __builtin_unreachable();
  }

  Tensor Finish(Shape shape) && {
    return Tensor::Trusted(dtype_, std::move(shape), std::move(data_).Finish(),
                           std::move(text_).Finish());
  }

 private:
  Status AppendImaginary() {
    return IsComplex(dtype_) ? AppendInt(dtype_, 0, data_) : absl::OkStatus();
  }

  Status AppendText(std::string_view text) {
    if (dtype_ != DType::kString) {
      return InvalidWithReason("DTYPE_MISMATCH", "expected ", PlainFormOf(dtype_), " for `",
                               NameOf(dtype_), "`, found `\"", Printable(text), "\"`");
    }
    SIGNET_RETURN_IF_ERROR(text_.AppendBytes(text));
    return data_.Append(static_cast<int64_t>(text_.size()));
  }

  const DType dtype_;
  GrowingBuffer data_;  // elements, or offsets into `text_`
  GrowingBuffer text_;
};

Status AtElement(size_t index, Status status) {
  return status.ok() ? status : WithField(Cat("[", index, "]"), std::move(status));
}

// The elements along one axis are sequences of one length, or scalars.
class ElementReader {
 public:
  ElementReader(const Shape& shape, Elements& out) : shape_(shape), out_(out) {}

  Status Read(const TypeSpec& nest, int axis) {
    if (axis == shape_.rank()) {
      if (const auto* literal = nest.As<LiteralSpec>()) return out_.Append(literal->literal());
      return IsSequence(nest) ? NotRectangular("a list", "a scalar") : NotConvertible(nest);
    }
    if (!IsSequence(nest)) {
      bool is_none =
          nest.is(TypeKind::kLiteral) && nest.As<LiteralSpec>()->literal().is(Literal::Kind::kNone);
      if (!nest.is(TypeKind::kLiteral) || is_none) return NotConvertible(nest);
      return NotRectangular("a scalar", Cat("a list of ", shape_.dim(axis)));
    }
    auto length = static_cast<int64_t>(nest.children().size());
    if (length != shape_.dim(axis)) {
      return NotRectangular(Cat("a list of ", length), Cat("one of ", shape_.dim(axis)));
    }
    for (size_t i = 0; i < nest.children().size(); ++i) {
      SIGNET_RETURN_IF_ERROR(AtElement(i, Read(nest.children()[i], axis + 1)));
    }
    return absl::OkStatus();
  }

 private:
  static Status NotConvertible(const TypeSpec& nest) {
    return InvalidWithReason("NOT_CONVERTIBLE",
                             "expected numbers, booleans, text, and lists of them, found `",
                             Printable(nest.ToString()), "`, which has no tensor form");
  }
  static Status NotRectangular(std::string_view found, std::string_view wanted) {
    return InvalidWithReason("NOT_RECTANGULAR", found, " where its neighbors have ", wanted);
  }

  const Shape& shape_;
  Elements& out_;
};

}  // namespace

StatusOr<Tensor> PlainTensor(const TypeSpec& nest, DType dtype) {
  // The first element of each level determines the length of the others.
  Shape shape;
  for (const TypeSpec* level = &nest; IsSequence(*level); level = &level->children()[0]) {
    shape.push_back(static_cast<int64_t>(level->children().size()));
    if (level->children().empty()) break;
  }
  Elements elements(dtype);
  SIGNET_RETURN_IF_ERROR(elements.Begin());
  SIGNET_RETURN_IF_ERROR(ElementReader(shape, elements).Read(nest, 0));
  // There are as many elements as literals in the nest, so their number does not overflow.
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
  return std::move(elements).Finish(std::move(shape));
}

}  // namespace signet
