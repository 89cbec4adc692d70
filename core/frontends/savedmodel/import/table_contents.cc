// The entries of tables: from tensors, or from the lines of a file in assets/.

#include <charconv>
#include <cstring>

#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/initialization.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxTableLines = 16 << 20;

// A file name that is one plain part of a path.
bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

// A column of a vocabulary: text, or integers with an offset.
class Column {
 public:
  Column(int64_t index, DType dtype, int64_t offset)
      : index_(index), dtype_(dtype), offset_(offset) {}

  Status Add(std::string_view line, int64_t number, std::string_view delimiter) {
    if (index_ == -1) {
      numbers_.push_back(number + offset_);
      return absl::OkStatus();
    }
    std::string_view text = line;
    for (int64_t i = 0; i < index_; ++i) {
      const size_t end = text.find(delimiter);
      if (end == std::string_view::npos) {
        return InvalidArgument("expected at least ", index_ + 1, " columns");
      }
      text.remove_prefix(end + delimiter.size());
    }
    if (index_ >= 0) text = text.substr(0, std::min(text.find(delimiter), text.size()));
    if (dtype_ == DType::kString) {
      texts_.push_back(text);
      return absl::OkStatus();
    }
    const char* last = text.data() + text.size();
    if (dtype_ == DType::kFloat32 || dtype_ == DType::kFloat64) {
      double value;
      auto [stop, error] = std::from_chars(text.data(), last, value);
      if (error != std::errc() || stop != last) return NoNumber(text);
      floats_.push_back(value);
      return absl::OkStatus();
    }
    int64_t value;
    auto [stop, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc() || stop != last) return NoNumber(text);
    if (dtype_ == DType::kInt32 && (value != static_cast<int32_t>(value))) return NoNumber(text);
    numbers_.push_back(dtype_ == DType::kInt32 ? value + offset_ : value);
    return absl::OkStatus();
  }

  StatusOr<Tensor> Finish() const {
    switch (dtype_) {
      case DType::kString:
        if (index_ == -1) break;
        return Tensor::Strings({static_cast<int64_t>(texts_.size())}, texts_);
      case DType::kInt64:
        return Numbers<int64_t>(numbers_);
      case DType::kInt32:
        return Numbers<int32_t>(numbers_);
      case DType::kFloat32:
        if (index_ == -1) break;
        return Numbers<float>(floats_);
      case DType::kFloat64:
        if (index_ == -1) break;
        return Numbers<double>(floats_);
      default:
        break;
    }
    return Unimplemented("unsupported dtype `", InfoOf(dtype_).name,
                         "` of a column of a vocabulary");
  }

 private:
  static Status NoNumber(std::string_view text) {
    return InvalidArgument("expected a number, found `", Printable(std::string(text)), "`");
  }
  template <class T, class From>
  static Tensor Numbers(const std::vector<From>& from) {
    std::vector<T> out;
    out.reserve(from.size());
    for (From number : from) out.push_back(static_cast<T>(number));
    return Tensor::Of<T>({static_cast<int64_t>(out.size())}, std::span<const T>(out));
  }

  const int64_t index_;
  const DType dtype_;
  const int64_t offset_;
  std::vector<std::string_view> texts_;
  std::vector<int64_t> numbers_;
  std::vector<double> floats_;
};

StatusOr<Tensor> EmptyVector(DType dtype) {
  if (dtype == DType::kString) return Tensor::Strings({0}, {});
  return Tensor::Allocate(dtype, {0});
}

// The bytes of an element.
std::string_view BytesOf(const Tensor& tensor, int64_t i) {
  if (tensor.is_string()) return tensor.string_at(i);
  const size_t size = SizeOf(tensor.dtype());
  return tensor.data().text().substr(static_cast<size_t>(i) * size, size);
}

// Rejects a key with two values. Compares the bytes of elements.
Status CheckKeys(const Tensor& keys, const Tensor& values) {
  absl::flat_hash_map<absl::string_view, int64_t> seen;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const std::string_view key = BytesOf(keys, i);
    auto [found, is_new] = seen.emplace(absl::string_view(key.data(), key.size()), i);
    if (is_new || BytesOf(values, i) == BytesOf(values, found->second)) continue;
    return InvalidArgument("entries ", found->second, " and ", i,
                           " have the same key and different values");
  }
  return absl::OkStatus();
}

// Returns the elements of a vector at some positions.
StatusOr<Tensor> ElementsAt(const Tensor& vector, std::span<const int64_t> positions) {
  const auto count = static_cast<int64_t>(positions.size());
  if (vector.is_string()) {
    std::vector<std::string_view> texts;
    for (int64_t i : positions) texts.push_back(vector.string_at(i));
    return Tensor::Strings({count}, texts);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(vector.dtype(), {count}));
  std::byte* to = out.data().mutable_data();
  for (int64_t i : positions) {
    const std::string_view bytes = BytesOf(vector, i);
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
  return out;
}

// Removes the entries with the key of `unused`, a tensor of one element.
Status RemoveKey(const Tensor& unused, std::pair<Tensor, Tensor>& entries) {
  if (unused.dtype() != entries.first.dtype() || unused.num_elements() != 1) {
    return InvalidArgument("expected an unused key of `", InfoOf(entries.first.dtype()).name,
                           "`, found `", unused.spec(), "`");
  }
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < entries.first.num_elements(); ++i) {
    if (BytesOf(entries.first, i) != BytesOf(unused, 0)) kept.push_back(i);
  }
  if (static_cast<int64_t>(kept.size()) == entries.first.num_elements()) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(entries.first, ElementsAt(entries.first, kept));
  SIGNET_ASSIGN_OR_RETURN(entries.second, ElementsAt(entries.second, kept));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::pair<Tensor, Tensor>> Initialization::Read(const ModelTable& table) {
  auto read = [&]() -> StatusOr<std::pair<Tensor, Tensor>> {
    SIGNET_ASSIGN_OR_RETURN(DType key_type, tf::StoredDTypeFromNumber(table.key_type));
    SIGNET_ASSIGN_OR_RETURN(DType value_type, tf::StoredDTypeFromNumber(table.value_type));
    std::pair<Tensor, Tensor> out;
    if (table.starts_empty) {
      SIGNET_ASSIGN_OR_RETURN(out.first, EmptyVector(key_type));
      SIGNET_ASSIGN_OR_RETURN(out.second, EmptyVector(value_type));
    } else if (table.file) {
      SIGNET_ASSIGN_OR_RETURN(out, ReadTextFile(table));
    } else {
      if (!table.keys || !table.values) {
        const std::string& fault = table.keys.fault.empty() ? table.values.fault : table.keys.fault;
        return FailedPrecondition("its contents are not known when the model is loaded",
                                  fault.empty() ? "" : ": ", fault);
      }
      SIGNET_ASSIGN_OR_RETURN(CapturedValue keys, Read(table.keys));
      SIGNET_ASSIGN_OR_RETURN(CapturedValue values, Read(table.values));
      SIGNET_ASSIGN_OR_RETURN(Value key_value, keys.Get());
      SIGNET_ASSIGN_OR_RETURN(Value value_value, values.Get());
      out = {key_value.tensor(), value_value.tensor()};
      if (out.first.num_elements() != out.second.num_elements()) {
        return InvalidArgument("expected as many values as keys, found ", out.second.num_elements(),
                               " and ", out.first.num_elements());
      }
      out.first = out.first.Reshaped({out.first.num_elements()});
      out.second = out.second.Reshaped({out.second.num_elements()});
    }
    if (out.first.dtype() != key_type || out.second.dtype() != value_type) {
      return InvalidArgument("expected keys of `", InfoOf(key_type).name, "` and values of `",
                             InfoOf(value_type).name, "`, found `", out.first.spec(), "` and `",
                             out.second.spec(), "`");
    }
    for (const InitialTensor& unused : table.unused_keys) {
      SIGNET_ASSIGN_OR_RETURN(CapturedValue captured, Read(unused));
      SIGNET_ASSIGN_OR_RETURN(Value key, captured.Get());
      SIGNET_RETURN_IF_ERROR(RemoveKey(key.tensor(), out));
    }
    SIGNET_RETURN_IF_ERROR(CheckKeys(out.first, out.second));
    return out;
  };
  auto contents = read();
  if (contents.ok()) return contents;
  return At(Cat("table `", Printable(table.name), "`"), contents.status());
}

StatusOr<std::shared_ptr<const MappedFile>> Initialization::MapAsset(const std::string& asset) {
  if (!IsPlainName(asset)) {
    return InvalidArgument("expected the name of a file in assets/, found `", Printable(asset),
                           "`");
  }
  const std::string place = Cat("assets/", Printable(asset));
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(folder_ / "assets", error);
  const fs::path path = fs::weakly_canonical(folder / asset, error);
  if (error || path.parent_path() != folder ||
      folder.parent_path() != fs::weakly_canonical(folder_, error)) {
    return InvalidArgument(place, ": expected a file in the directory of the version");
  }
  auto file = MappedFile::Map(path);
  if (!file.ok()) return At(place, file.status());
  return *std::move(file);
}

StatusOr<Tensor> Initialization::ReadAsset(const std::string& asset) {
  SIGNET_ASSIGN_OR_RETURN(auto file, MapAsset(asset));
  const std::string_view content(reinterpret_cast<const char*>(file->bytes().data()),
                                 file->bytes().size());
  return Tensor::Strings({}, {&content, 1});
}

StatusOr<std::pair<Tensor, Tensor>> Initialization::ReadTextFile(const ModelTable& table) {
  const ModelTable::TextFile& form = *table.file;
  SIGNET_ASSIGN_OR_RETURN(auto file, MapAsset(form.asset));
  const std::string place = Cat("assets/", Printable(form.asset));
  if (form.delimiter.size() != 1)
    return At(place, InvalidArgument("expected a delimiter of 1 byte"));
  SIGNET_ASSIGN_OR_RETURN(DType key_type, tf::StoredDTypeFromNumber(table.key_type));
  SIGNET_ASSIGN_OR_RETURN(DType value_type, tf::StoredDTypeFromNumber(table.value_type));
  if (form.key_index < -2 || form.value_index < -2 || form.key_index > 1000 ||
      form.value_index > 1000) {
    return At(place, InvalidArgument("expected indices of columns from -2 to 1000"));
  }
  Column keys(form.key_index, key_type, form.offset);
  Column values(form.value_index, value_type, form.offset);
  std::string_view rest(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  int64_t number = 0;
  while (!rest.empty() && (form.vocab_size < 0 || number < form.vocab_size)) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string at = Cat(place, ": line ", number + 1);
    if (line.empty()) return InvalidArgument(at, ": expected text, found an empty line");
    if (number == kMaxTableLines) {
      return ResourceExhausted(place, ": more than ", kMaxTableLines, " lines");
    }
    SIGNET_RETURN_IF_ERROR(At(at, keys.Add(line, number, form.delimiter)));
    SIGNET_RETURN_IF_ERROR(At(at, values.Add(line, number, form.delimiter)));
    ++number;
  }
  if (form.vocab_size >= 0 && number < form.vocab_size) {
    return InvalidArgument(place, ": expected ", form.vocab_size, " lines, found ", number);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor key_tensor, keys.Finish());
  SIGNET_ASSIGN_OR_RETURN(Tensor value_tensor, values.Finish());
  return std::pair(std::move(key_tensor), std::move(value_tensor));
}

}  // namespace signet
