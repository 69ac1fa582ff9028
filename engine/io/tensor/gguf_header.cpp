#include "engine/io/tensor/gguf_header.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"

namespace hw {
namespace {

constexpr uint64_t kMostText = 1 << 16, kMostEntries = 1 << 20, kMostElements = uint64_t{1} << 32;
constexpr uint32_t kMostAxes = 8, kArray = 9, kText = 8;
constexpr uint64_t kAlignment = 32;  // where the file says nothing

struct Type {
  uint32_t number;
  const char* name;
  std::optional<DType> dtype = {};
};

constexpr Type kTypes[]{{0, "F32", DType::f32},
                        {1, "F16", DType::f16},
                        {2, "Q4_0"},
                        {3, "Q4_1"},
                        {6, "Q5_0"},
                        {7, "Q5_1"},
                        {8, "Q8_0"},
                        {9, "Q8_1"},
                        {10, "Q2_K"},
                        {11, "Q3_K"},
                        {12, "Q4_K"},
                        {13, "Q5_K"},
                        {14, "Q6_K"},
                        {15, "Q8_K"},
                        {16, "IQ2_XXS"},
                        {17, "IQ2_XS"},
                        {18, "IQ3_XXS"},
                        {19, "IQ1_S"},
                        {20, "IQ4_NL"},
                        {21, "IQ3_S"},
                        {22, "IQ2_S"},
                        {23, "IQ4_XS"},
                        {24, "I8", DType::i8},
                        {25, "I16"},
                        {26, "I32", DType::i32},
                        {27, "I64", DType::i64},
                        {28, "F64", DType::f64},
                        {29, "IQ1_M"},
                        {30, "BF16", DType::bf16},
                        {34, "TQ1_0"},
                        {35, "TQ2_0"},
                        {39, "MXFP4"}};

/// Bytes of a value of the file's metadata; 0: of no fixed size.
uint64_t bytes_of_value(uint32_t type) {
  constexpr uint64_t kBytes[]{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

/// Reads from the beginning on.
class Reader {
 public:
  Reader(const TensorFile& in, const std::string& file) : in_(in), file_(file) {}

  Error bad(const std::string& reason) const {
    return {codes::file_syntax, file_, reason, "Get the file again, or make it anew with the tool that made it."};
  }
  uint64_t place() const { return at_; }

  template <class T>
  Result<T> number() {
    T value = 0;
    HW_CHECK(bytes(&value, sizeof value));
    return value;
  }
  Result<std::string> text() {
    HW_TRY(const uint64_t length, number<uint64_t>());
    if (length > kMostText) return bad("a name has " + std::to_string(length) + " bytes.");
    std::string made(length, '\0');
    HW_CHECK(bytes(made.data(), length));
    return made;
  }
  Status skip(uint64_t count) {
    if (count > in_.size() || at_ > in_.size() - count) return bad("the file ends before its header does.");
    at_ += count;
    return ok();
  }
  /// A value of the metadata, an array of arrays not among them.
  Status skip_value(uint32_t type) {
    if (type == kText) {
      HW_TRY(const uint64_t length, number<uint64_t>());
      return skip(length);
    }
    if (type != kArray) {
      const uint64_t size = bytes_of_value(type);
      return size == 0 ? Status(bad("a value of an unknown kind, " + std::to_string(type) + ".")) : skip(size);
    }
    HW_TRY(const uint32_t of, number<uint32_t>());
    HW_TRY(const uint64_t count, number<uint64_t>());
    if (count > kMostElements || of == kArray) return bad("an array that is too large, or of arrays.");
    if (const uint64_t size = bytes_of_value(of); size > 0) return skip(count * size);
    for (uint64_t i = 0; i < count; ++i) HW_CHECK(skip_value(of));
    return ok();
  }

 private:
  Status bytes(void* to, uint64_t count) {
    HW_CHECK(skip(count));
    const uint64_t from = at_ - count;
    if (count > 0 && (from < begin_ || from + count > begin_ + held_.size())) {
      begin_ = from;
      held_.resize(std::min(in_.size() - from, std::max<uint64_t>(count, kMostText)));
      HW_CHECK(in_.read(from, held_.data(), held_.size()));
    }
    if (count > 0) std::memcpy(to, held_.data() + (from - begin_), count);
    return ok();
  }

  const TensorFile& in_;
  const std::string& file_;
  std::string held_;  // bytes of the file from begin_ on
  uint64_t begin_ = 0, at_ = 0;
};

Status read_tensor(Reader& r, TensorEntries& into) {
  TensorEntry entry;
  HW_TRY(entry.name, r.text());
  HW_TRY(const uint32_t axes, r.number<uint32_t>());
  if (axes > kMostAxes) return r.bad(entry.name + " has " + std::to_string(axes) + " axes.");
  uint64_t elements = 1;
  for (uint32_t d = 0; d < axes; ++d) {
    HW_TRY(const uint64_t size, r.number<uint64_t>());
    if (size > static_cast<uint64_t>(INT64_MAX) || __builtin_mul_overflow(elements, size, &elements))
      return r.bad(entry.name + " has more elements than any memory.");
    entry.dims.push_back(static_cast<int64_t>(size));
  }
  std::ranges::reverse(entry.dims);  // the file has the innermost first
  HW_TRY(const uint32_t number, r.number<uint32_t>());
  HW_TRY(entry.begin, r.number<uint64_t>());
  const Type* type = std::ranges::find(kTypes, number, &Type::number);
  if (type == std::end(kTypes) || !type->dtype) {
    const std::string name = type == std::end(kTypes) ? "type " + std::to_string(number) : type->name;
    into.unread[entry.name] = unread_tensor(name, entry.dims);
    return ok();
  }
  entry.dtype = *type->dtype;
  const auto bytes = checked_bytes(static_cast<uint64_t>(info(entry.dtype).bits), elements);
  if (!bytes || __builtin_add_overflow(entry.begin, *bytes, &entry.end))
    return r.bad(entry.name + " has more bytes than any file.");
  into.read.push_back(std::move(entry));
  return ok();
}

}  // namespace

Result<TensorEntries> read_gguf_header(const TensorFile& in, const std::string& file) {
  Reader r(in, file);
  HW_CHECK(r.skip(4));
  HW_TRY(const uint32_t version, r.number<uint32_t>());
  if (version != 2 && version != 3)
    return r.bad("it is GGUF of version " + std::to_string(version) + " or big-endian; 2 and 3 are read.");
  HW_TRY(const uint64_t tensors, r.number<uint64_t>());
  HW_TRY(const uint64_t values, r.number<uint64_t>());
  if (tensors > kMostEntries || values > kMostEntries) return r.bad("its header claims more entries than it can have.");
  uint64_t alignment = kAlignment;
  for (uint64_t i = 0; i < values; ++i) {
    HW_TRY(const std::string key, r.text());
    HW_TRY(const uint32_t type, r.number<uint32_t>());
    if (key == "general.alignment" && bytes_of_value(type) == 4) {
      HW_TRY(alignment, r.number<uint32_t>());
    } else {
      HW_CHECK(r.skip_value(type));
    }
  }
  if (alignment == 0) return r.bad("its alignment is 0.");
  TensorEntries entries;
  for (uint64_t i = 0; i < tensors; ++i) HW_CHECK(read_tensor(r, entries));
  entries.data = (r.place() + alignment - 1) / alignment * alignment;
  const uint64_t size = in.size() - std::min(in.size(), entries.data);
  std::ranges::sort(entries.read, {}, &TensorEntry::name);
  for (size_t i = 0; i < entries.read.size(); ++i) {
    const TensorEntry& e = entries.read[i];
    if (e.end > size)
      return r.bad(e.name + ": its bytes end at " + std::to_string(e.end) + "; the file has " + std::to_string(size) +
                   " after the header.");
    if (i > 0 && entries.read[i - 1].name == e.name) return r.bad(e.name + " is there twice.");
  }
  return entries;
}

}  // namespace hw
