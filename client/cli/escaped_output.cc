#include "client/cli/escaped_output.h"

#include <iostream>
#include <streambuf>
#include <string>
#include <utility>

namespace signet {
namespace {

constexpr char kSecondPageLead = '\xC2';  // begins U+0080 to U+00BF in UTF-8

bool IsControl(unsigned char byte) {
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
}

std::string Escaped(unsigned char byte) {
  constexpr char kHex[] = "0123456789abcdef";
  return {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
}

}  // namespace

// Has no buffer of its own. It keeps only a lead byte, whose character is not known yet.
class EscapedOutput::Buffer final : public std::streambuf {
 public:
  explicit Buffer(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~Buffer() override {
    WriteLead();
    stream_.rdbuf(target_);
  }

  std::streambuf& target() { return *target_; }
  // Writes a lead byte that was kept. Returns false if the target fails.
  bool WriteLead() { return !std::exchange(has_lead_, false) || Put({&kSecondPageLead, 1}); }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::string_view rest(text, static_cast<size_t>(size));
    while (!rest.empty()) {
      size_t plain = 0;
      if (!has_lead_) {
        while (plain < rest.size() && IsPlain(rest[plain])) ++plain;
      }
      const bool is_written = plain > 0 ? Put(rest.substr(0, plain)) : PutSpecial(rest[plain++]);
      if (!is_written) return size - static_cast<std::streamsize>(rest.size());
      rest.remove_prefix(plain);
    }
    return size;
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override { return WriteLead() ? target_->pubsync() : -1; }

 private:
  static bool IsPlain(char c) {
    return !IsControl(static_cast<unsigned char>(c)) && c != kSecondPageLead;
  }
  bool Put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return target_->sputn(text.data(), size) == size;
  }
  // Writes a byte after a lead byte, or one that is not plain.
  bool PutSpecial(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (has_lead_ && byte >= 0x80 && byte < 0xA0) {
      has_lead_ = false;
      return Put(Escaped(byte));
    }
    if (!WriteLead()) return false;
    if (c == kSecondPageLead) {
      has_lead_ = true;
      return true;
    }
    return Put(IsControl(byte) ? Escaped(byte) : std::string(1, c));
  }

  std::ostream& stream_;
  std::streambuf* const target_;
  bool has_lead_ = false;
};

EscapedOutput::EscapedOutput()
    : out_(std::make_unique<Buffer>(std::cout)), err_(std::make_unique<Buffer>(std::cerr)) {}

EscapedOutput::~EscapedOutput() = default;

void WriteControls(std::ostream& out, std::string_view controls) {
  auto* buffer = dynamic_cast<EscapedOutput::Buffer*>(out.rdbuf());
  if (buffer != nullptr) buffer->WriteLead();
  std::streambuf& target = buffer != nullptr ? buffer->target() : *out.rdbuf();
  target.sputn(controls.data(), static_cast<std::streamsize>(controls.size()));
}

}  // namespace signet
