// Format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
#include "engine/io/tensor/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <functional>

#include "engine/core/codes.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/file_bytes.h"

namespace hw {
namespace {

constexpr size_t kMostHeader = size_t{1} << 20;  // of any sense: the longest that NumPy writes is a few kilobytes
constexpr int64_t kPiece = int64_t{1} << 19;     // elements that are converted at a time
constexpr std::string_view kMagic("\x93NUMPY", 6);

/// What NumPy calls a dtype, behind the sign of its byte order, and the dtype that holds all of its values. u8 is whole
/// numbers of 8 bytes: those beyond i64 are refused.
struct Stored {
  std::string_view name;
  DType dtype;
};
constexpr std::array<Stored, 12> kStored{{{"f8", DType::f64},
                                          {"f4", DType::f32},
                                          {"f2", DType::f16},
                                          {"i8", DType::i64},
                                          {"i4", DType::i32},
                                          {"i2", DType::i32},
                                          {"i1", DType::i8},
                                          {"u8", DType::i64},
                                          {"u4", DType::i64},
                                          {"u2", DType::i32},
                                          {"u1", DType::u8},
                                          {"b1", DType::boolean}}};

/// Bytes of an element of that name in the file.
size_t stored_size(std::string_view name) {
  return static_cast<size_t>(name[1] - '0');
}

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
  const std::string name(descr.substr(1, descr.find(descr[0], 1) - 1));
  const auto known = std::ranges::find_if(
      kStored, [&](const Stored& row) { return name.size() == 3 && std::string_view(name).substr(1) == row.name; });
  if (known == kStored.end() || std::string_view("<>|=").find(name[0]) == std::string_view::npos) {
    Error refused = error("dtype '" + name.substr(0, 20) + "' is not read; f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 b1 are.");
    refused.remedy = name.find('c') != std::string::npos
                         ? "Save its real and imaginary parts, x.real and x.imag, in two files."
                         : "Save it in one of these dtypes: numpy.save(FILE, x.astype(numpy.float32)).";
    return refused;
  }
  h.stored = known->name;
  h.dtype = known->dtype;
  h.swapped = name[0] == '>' && stored_size(h.stored) > 1;

  const std::string_view order = after_key(text, "fortran_order");
  h.fortran = order.starts_with("True");
  if (!h.fortran && !order.starts_with("False")) return error("the header lacks 'fortran_order'.");

  std::string_view shape = after_key(text, "shape");
  const size_t close = shape.find(')');
  if (shape.empty() || shape[0] != '(' || close == std::string_view::npos) return error("the header lacks 'shape'.");
  shape = shape.substr(1, close - 1);
  h.bytes = stored_size(h.stored);
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
  if (!header && !header.error().remedy.empty())
    return Error{codes::file_syntax, where, header.error().reason, header.error().remedy};
  if (!header) return error(header.error().reason);
  header->data_at = start + length;
  const uint64_t have = size - header->data_at;
  if (have != header->bytes) {
    return error("the shape asks for " + std::to_string(header->bytes) + " bytes; the file has " +
                 std::to_string(have) + ".");
  }
  return header;
}

template <class From, class To>
void widen(const std::byte* from, To* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof value);
    to[i] = static_cast<To>(value);
  }
}

/// Elements as they are in the file, their bytes put in order here, as those of a tensor of the header's dtype. Error:
/// a reason.
Status decode(const NpyHeader& header, std::byte* from, size_t count, void* to) {
  const size_t size = stored_size(header.stored);
  if (header.swapped)
    for (size_t i = 0; i < count; ++i) std::reverse(from + i * size, from + (i + 1) * size);
  const std::string_view name = header.stored;
  if (name == "i2") {
    widen<int16_t>(from, static_cast<int32_t*>(to), count);
  } else if (name == "u2") {
    widen<uint16_t>(from, static_cast<int32_t*>(to), count);
  } else if (name == "u4") {
    widen<uint32_t>(from, static_cast<int64_t*>(to), count);
  } else {
    std::memcpy(to, from, count * size);
  }
  if (name == "b1") {
    auto* flags = static_cast<uint8_t*>(to);
    for (size_t i = 0; i < count; ++i) flags[i] = flags[i] != 0;
  }
  if (name != "u8") return ok();
  const auto* values = static_cast<const int64_t*>(to);
  const auto* beyond = std::find_if(values, values + count, [](int64_t v) { return v < 0; });
  if (beyond == values + count) return ok();
  return Error{"", "", "it holds " + std::to_string(static_cast<uint64_t>(*beyond)) + ", which is more than i64 holds.",
               "Save it as numpy.int64, or as a float dtype."};
}

/// Whether the file holds a tensor's own bytes, but for their order.
bool is_plain(const NpyHeader& header) {
  return !header.swapped && stored_size(header.stored) == size_of(header.dtype) && header.stored != "b1" &&
         header.stored != "u8";
}

/// Column after column as row after row.
Tensor in_row_order(const Tensor& columns, const Dims& dims) {
  Tensor rows(columns.dtype(), dims);
  const size_t size = size_of(columns.dtype()), rank = dims.size();
  std::vector<int64_t> step(rank), at(rank, 0);
  int64_t from = 0, each = 1;
  for (size_t axis = 0; axis < rank; ++axis) step[axis] = std::exchange(each, each * dims[axis]);
  const auto* in = columns.as<std::byte>();
  auto* out = rows.as<std::byte>();
  for (int64_t i = 0, count = rows.size(); i < count; ++i) {
    std::memcpy(out + static_cast<size_t>(i) * size, in + static_cast<size_t>(from) * size, size);
    for (size_t axis = rank; axis-- > 0;) {
      from += step[axis];
      if (++at[axis] < dims[axis]) break;
      from -= step[axis] * dims[axis];
      at[axis] = 0;
    }
  }
  return rows;
}

}  // namespace

Result<NpyHeader> read_npy_header(const std::filesystem::path& file) {
  HW_TRY(const uint64_t size, size_of_file(file));
  return header_of(file.string(), size, [&](uint64_t at, uint64_t bytes) { return read_file_part(file, at, bytes); });
}

Result<Tensor> parse_npy(std::string bytes, const std::string& where) {
  HW_TRY(const NpyHeader header, header_of(where, bytes.size(), [&](uint64_t at, uint64_t size) {
           return Result<std::string>(bytes.substr(at, size));
         }));
  Tensor tensor(header.dtype, header.dims);
  const Status decoded = decode(header, reinterpret_cast<std::byte*>(bytes.data()) + header.data_at,
                                static_cast<size_t>(tensor.size()), tensor.data());
  if (!decoded) return Error{codes::file_syntax, where, decoded.error().reason, decoded.error().remedy};
  return header.fortran ? in_row_order(tensor, header.dims) : tensor;
}

Result<Tensor> read_npy(const std::filesystem::path& file) {
  HW_TRY(const NpyHeader header, read_npy_header(file));
  return read_npy(file, header, header.dtype);
}

Status each_npy_piece(const std::filesystem::path& file, const NpyHeader& header,
                      const std::function<void(const Tensor& piece, int64_t at)>& see) {
  HW_TRY(FileReader in, FileReader::open(file, header.data_at));
  const size_t size = stored_size(header.stored);
  const int64_t count = static_cast<int64_t>(header.bytes / size);
  std::vector<std::byte> raw;
  for (int64_t at = 0; at < count; at += kPiece) {
    const int64_t part = std::min(kPiece, count - at);
    Tensor piece(header.dtype, {part});
    if (is_plain(header)) {
      HW_CHECK(in.read(piece.data(), piece.bytes()));
    } else {
      raw.resize(static_cast<size_t>(part) * size);
      HW_CHECK(in.read(raw.data(), raw.size()));
      const Status decoded = decode(header, raw.data(), static_cast<size_t>(part), piece.data());
      if (!decoded) return Error{codes::file_syntax, file.string(), decoded.error().reason, decoded.error().remedy};
    }
    see(piece, at);
  }
  return ok();
}

Result<Tensor> read_npy(const std::filesystem::path& file, const NpyHeader& header, DType dtype) {
  const size_t to_size = size_of(dtype);
  const uint64_t bytes = byte_count(dtype, element_count(header.dims));
  HW_CHECK(check_memory_for(file, header.fortran ? 2 * bytes : bytes));
  Tensor tensor(dtype, header.dims);
  if (dtype == header.dtype && is_plain(header)) {
    HW_TRY(FileReader in, FileReader::open(file, header.data_at));
    HW_CHECK(in.read(tensor.data(), header.bytes));
  } else {
    HW_CHECK(each_npy_piece(file, header, [&](const Tensor& piece, int64_t at) {
      const Tensor part = piece.to(dtype);
      std::memcpy(tensor.as<std::byte>() + static_cast<size_t>(at) * to_size, part.data(), part.bytes());
    }));
  }
  return header.fortran ? in_row_order(tensor, header.dims) : tensor;
}

Status save_npy(const Tensor& tensor, const std::filesystem::path& file) {
  Tensor t = tensor;
  const auto stored_as = [](DType dtype) {
    return std::ranges::find_if(kStored, [&](const Stored& row) {
      return row.dtype == dtype && stored_size(row.name) == size_of(dtype) && row.name != "u8";
    });
  };
  const Stored* stored = stored_as(t.dtype());
  if (stored == kStored.end()) {  // NumPy has no bf16 or f8; f32 holds both exactly
    t = t.to(DType::f32);
    stored = stored_as(DType::f32);
  }
  const std::string descr = (info(t.dtype()).bits == 8 ? "|" : "<") + std::string(stored->name);
  std::string shape;
  for (const int64_t n : t.dims()) shape += std::to_string(n) + ", ";
  if (t.dims().size() > 1) shape.resize(shape.size() - 2);
  if (t.dims().size() == 1) shape.resize(shape.size() - 1);
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
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
