// Format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
#include "engine/io/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <functional>

#include "engine/core/codes.h"
#include "engine/io/atomic_file.h"
#include "engine/io/file_bytes.h"

namespace hw {
namespace {

constexpr size_t kMostHeader = size_t{1} << 20;  // of any sense: the longest that NumPy writes is a few kilobytes
constexpr int64_t kPiece = int64_t{1} << 20;     // elements that are converted at a time
constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::array<std::pair<std::string_view, DType>, 8> kNames{{{"<f8", DType::f64},
                                                                    {"<f4", DType::f32},
                                                                    {"<f2", DType::f16},
                                                                    {"<i8", DType::i64},
                                                                    {"<i4", DType::i32},
                                                                    {"|i1", DType::i8},
                                                                    {"|u1", DType::u8},
                                                                    {"|b1", DType::boolean}}};

std::string_view trimmed(std::string_view s) {
  const size_t a = s.find_first_not_of(" \n\t");
  if (a == std::string_view::npos) return {};
  return s.substr(a, s.find_last_not_of(" \n\t") - a + 1);
}

/// The text of `'key': …` in the header, up to the end of the header.
std::string_view after_key(std::string_view header, const std::string& key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + key + quote;
    const size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = trimmed(header.substr(at + quoted.size()));
    if (!rest.empty() && rest[0] == ':') return trimmed(rest.substr(1));
  }
  return {};
}

/// `text` is the Python dict literal. Error: a reason.
Result<NpyHeader> parse_header(std::string_view text) {
  const auto error = [](const std::string& reason) { return Error{codes::file_syntax, "", reason, ""}; };
  NpyHeader h;
  const std::string_view descr = after_key(text, "descr");
  if (descr.size() < 2 || (descr[0] != '\'' && descr[0] != '"'))
    return error("the header has no plain 'descr', as a NumPy file of numbers has; arrays of records are not read.");
  std::string name(descr.substr(1, descr.find(descr[0], 1) - 1));
  if (name.size() == 3 && name[0] == '<' && name[2] == '1') name[0] = '|';
  if (name.size() == 3 && name[0] == '=') name[0] = '<';
  bool found = false;
  for (const auto& [n, d] : kNames) {
    if (n == name) h.dtype = d, found = true;
  }
  if (!found)
    return error("dtype '" + name.substr(0, 20) + "' is not read; f8 f4 f2 i8 i4 i1 u1 b1, little endian, are.");

  const std::string_view order = after_key(text, "fortran_order");
  if (order.starts_with("True"))
    return error("the array is in Fortran order; only C order is read, which numpy.ascontiguousarray makes of it.");
  if (!order.starts_with("False")) return error("the header lacks 'fortran_order'.");

  std::string_view shape = after_key(text, "shape");
  const size_t close = shape.find(')');
  if (shape.empty() || shape[0] != '(' || close == std::string_view::npos) return error("the header lacks 'shape'.");
  shape = shape.substr(1, close - 1);
  h.bytes = size_of(h.dtype);
  for (shape = trimmed(shape); !shape.empty();) {
    int64_t size = -1;
    const auto [end, ec] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    if (ec != std::errc() || size < 0) return error("a shape has whole numbers from 0.");
    if (__builtin_mul_overflow(h.bytes, static_cast<uint64_t>(size), &h.bytes))
      return error("the shape has more elements than any memory.");
    h.dims.push_back(size);
    shape = trimmed(shape.substr(static_cast<size_t>(end - shape.data())));
    if (shape.empty()) break;
    if (shape[0] != ',') return error("the shape is no list of whole numbers.");
    shape = trimmed(shape.substr(1));
  }
  return h;
}

/// `bytes(at, size)`: of the file; `size`: the whole file's.
Result<NpyHeader> header_of(const std::string& where, uint64_t size,
                            const std::function<Result<std::string>(uint64_t, uint64_t)>& bytes_at) {
  const auto error = [&](const std::string& reason) {
    return Error{codes::file_syntax, where, reason, "Save it again with numpy.save."};
  };
  HW_TRY(std::string bytes, bytes_at(0, std::min<uint64_t>(size, 12)));
  if (bytes.size() < 10 || std::string_view(bytes).substr(0, 6) != kMagic) return error("this is not a .npy file.");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t major = byte(6);
  if (major < 1 || major > 3) return error("format version " + std::to_string(major) + " is not read; 1 to 3 are.");
  const size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start) return error("the file is cut short.");
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > size - start) return error("the file is cut short inside its header.");
  if (length > kMostHeader) return error("its header has " + std::to_string(length) + " bytes; that is no array's.");
  HW_TRY(bytes, bytes_at(start, length));
  Result<NpyHeader> header = parse_header(bytes);
  if (!header) return error(header.error().reason);
  header->data_at = start + length;
  const uint64_t have = size - header->data_at;
  if (have != header->bytes) {
    return error("the shape asks for " + std::to_string(header->bytes) + " bytes; the file has " +
                 std::to_string(have) + ".");
  }
  return header;
}

}  // namespace

Result<NpyHeader> read_npy_header(const std::filesystem::path& file) {
  HW_TRY(const uint64_t size, size_of_file(file));
  return header_of(file.string(), size, [&](uint64_t at, uint64_t bytes) { return read_file_part(file, at, bytes); });
}

Result<Tensor> parse_npy(std::string_view bytes, const std::string& where) {
  HW_TRY(const NpyHeader header, header_of(where, bytes.size(), [&](uint64_t at, uint64_t size) {
           return Result<std::string>(std::string(bytes.substr(at, size)));
         }));
  Tensor tensor(header.dtype, header.dims);
  std::memcpy(tensor.data(), bytes.data() + header.data_at, header.bytes);
  return tensor;
}

Result<Tensor> read_npy(const std::filesystem::path& file) {
  HW_TRY(const NpyHeader header, read_npy_header(file));
  return read_npy(file, header, header.dtype);
}

Result<Tensor> read_npy(const std::filesystem::path& file, const NpyHeader& header, DType dtype) {
  const size_t from_size = size_of(header.dtype), to_size = size_of(dtype);
  const int64_t count = static_cast<int64_t>(header.bytes / from_size);
  HW_CHECK(check_memory_for(file, static_cast<uint64_t>(count) * to_size));
  HW_TRY(FileReader in, FileReader::open(file, header.data_at));
  Tensor tensor(dtype, header.dims);
  if (dtype == header.dtype) {
    HW_CHECK(in.read(tensor.data(), header.bytes));
    return tensor;
  }
  for (int64_t at = 0; at < count; at += kPiece) {
    const int64_t part = std::min(kPiece, count - at);
    Tensor piece(header.dtype, {part});
    HW_CHECK(in.read(piece.data(), piece.bytes()));
    std::memcpy(tensor.as<std::byte>() + static_cast<size_t>(at) * to_size, piece.to(dtype).data(),
                static_cast<size_t>(part) * to_size);
  }
  return tensor;
}

Status save_npy(const Tensor& tensor, const std::filesystem::path& file) {
  Tensor t = tensor;
  std::string_view descr;
  for (const auto& [n, d] : kNames) {
    if (d == t.dtype()) descr = n;
  }
  if (descr.empty()) {  // NumPy has no bf16 or f8; f32 holds both exactly
    t = t.to(DType::f32);
    descr = "<f4";
  }
  std::string shape;
  for (const int64_t n : t.dims()) shape += std::to_string(n) + ", ";
  if (t.dims().size() > 1) shape.resize(shape.size() - 2);
  if (t.dims().size() == 1) shape.resize(shape.size() - 1);
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  const size_t total = (kMagic.size() + 4 + header.size() + 1 + 63) / 64 * 64;
  const size_t length = total - kMagic.size() - 4;
  if (length > 0xFFFF) return Error{codes::file_unwritable, file.string(), "the shape has too many axes.", ""};
  header.resize(length, ' ');
  header.back() = '\n';
  std::string front(kMagic);
  front += {'\1', '\0', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  front += header;
  const std::array<std::string_view, 2> pieces{front, {static_cast<const char*>(t.data()), t.bytes()}};
  return write_pieces_atomically(file, pieces);
}

}  // namespace hw
