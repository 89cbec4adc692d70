#include "core/model/native/bracket_keys.h"

#include "core/types/notation/notation.h"

namespace signet {
namespace {

class KeyReader {
 public:
  explicit KeyReader(std::string_view text) : in_(text) {}

  StatusOr<BracketKeys> Read() {
    SIGNET_RETURN_IF_ERROR(in_.Expect("[", ""));
    do {
      if (read_.keys.size() == kMaxIndexKeys)
        return in_.Unexpected("the last key, because of the limit");
      SIGNET_ASSIGN_OR_RETURN(IndexKey key, ReadKey());
      read_.keys.push_back(std::move(key));
    } while (in_.Take(","));
    SIGNET_RETURN_IF_ERROR(in_.Expect("]", "or `,`"));
    read_.size = in_.position();
    return std::move(read_);
  }

 private:
  StatusOr<IndexKey> ReadKey() {
    if (in_.Take("...")) return IndexKey(EllipsisKey{});
    if (in_.Peek(":")) return ReadSlice({});
    if (!in_.AtLiteral()) {
      SIGNET_ASSIGN_OR_RETURN(size_t input, ReadReference());
      if (in_.Peek(":")) return ReadSlice({.start_input = input});
      return IndexKey(InputKey{input});
    }
    SIGNET_ASSIGN_OR_RETURN(Literal literal, in_.ReadLiteral());
    if (literal.is(Literal::Kind::kString)) return IndexKey(literal.string_value());
    std::optional<int64_t> index = literal.AsInt64();
    if (!index && !literal.is(Literal::Kind::kNone)) return NoKey(literal);
    if (in_.Peek(":")) return ReadSlice({.start = index});
    if (index) return IndexKey(*index);
    return IndexKey(NewAxisKey{});
  }

  // Reads a slice from its first `:` on.
  StatusOr<IndexKey> ReadSlice(SliceKey slice) {
    in_.Take(":");
    if (AtBound() && !in_.AtLiteral()) {
      SIGNET_ASSIGN_OR_RETURN(slice.stop_input, ReadReference());
    } else {
      SIGNET_ASSIGN_OR_RETURN(slice.stop, ReadBound());
    }
    if (in_.Take(":")) {
      SIGNET_ASSIGN_OR_RETURN(slice.step, ReadBound());
    }
    if (slice.step == 0) return InvalidArgument("expected a step other than 0");
    return IndexKey(slice);
  }

  bool AtBound() { return !in_.Peek(":") && !in_.Peek(",") && !in_.Peek("]"); }

  StatusOr<std::optional<int64_t>> ReadBound() {
    if (!AtBound()) return std::optional<int64_t>();
    SIGNET_ASSIGN_OR_RETURN(Literal literal, in_.ReadLiteral());
    std::optional<int64_t> bound = literal.AsInt64();
    if (bound || literal.is(Literal::Kind::kNone)) return bound;
    return InvalidArgument("expected integers in a slice, found `", literal.ToString(), "`");
  }

  // Returns the number of the input that a reference is.
  StatusOr<size_t> ReadReference() {
    SIGNET_ASSIGN_OR_RETURN(std::string reference, in_.ReadName("a key"));
    while (in_.Take(".")) {
      SIGNET_ASSIGN_OR_RETURN(std::string field, in_.ReadName("a field"));
      reference.append(".").append(field);
    }
    read_.references.push_back(std::move(reference));
    return read_.references.size() - 1;
  }

  static Status NoKey(const Literal& literal) {
    return InvalidArgument("expected an integer, a name, a slice, `...`, or None as a key, found `",
                           literal.ToString(), "`");
  }

  NotationReader in_;
  BracketKeys read_;
};

}  // namespace

StatusOr<BracketKeys> ReadBracketKeys(std::string_view text) { return KeyReader(text).Read(); }

}  // namespace signet
