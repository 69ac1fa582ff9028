#include "app/interop/onnx/read_tensor.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "app/interop/onnx/dtypes.h"
#include "engine/core/codes.h"
#include "engine/io/file/file_bytes.h"

namespace hw::interop {
namespace {

namespace fs = std::filesystem;

constexpr double kMostDense = 0x1p30;    // bytes of all sparse tensors as a whole
constexpr double kAlwaysDense = 0x1p26;  // bytes that they may take whatever the file has of them
constexpr double kMostTimes = 1024;      // more is at most so many times the bytes that the file has of them

/// Values of one of TensorProto's typed fields, each stored as a `T` here.
template <class T, class Field>
bool copy_values(const Field& field, Tensor& to) {
  if (field.size() != to.size()) return false;
  T* out = to.as<T>();
  for (int i = 0; i < field.size(); ++i) out[i] = static_cast<T>(field[i]);
  return true;
}

/// The number in an entry of external data. Error: it is no number of bytes.
Result<uint64_t> byte_count(const std::string& tensor, const std::string& key, const std::string& text) {
  uint64_t count = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (ec == std::errc() && end == text.data() + text.size()) return count;
  return damaged(tensor, "the " + key + " of its external data, \"" + text + "\", is no number of bytes.");
}

/// Bytes of a tensor in a file that is open.
struct OpenPlace {
  std::shared_ptr<const TensorFile> file;  // null: the tensor's elements are in its message
  Place place;
};

/// The bytes that a tensor keeps in another file, beside the model.
Result<OpenPlace> external_place(const onnx::TensorProto& t, ModelFiles& files, size_t wanted) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto& entry : t.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    HW_TRY(const uint64_t count, byte_count(t.name(), entry.key(), entry.value()));
    if (entry.key() == "offset")
      offset = count;
    else
      length = count;
  }
  HW_TRY(const fs::path path, files.resolve(location, t.name()));
  if (const auto size = size_of_file(path); !size)
    return Error{codes::file_unreadable, t.name(), "its external data, \"" + location + "\": " + size.error().reason,
                 "Put the file of that name beside the model."};
  HW_TRY(const auto file, files.open(path));
  if (length && *length != wanted)
    return damaged(t.name(), "its external data has " + std::to_string(*length) + " bytes; " + std::to_string(wanted) +
                                 " are wanted.");
  if (offset > file->size() || wanted > file->size() - offset)
    return Error{codes::file_unreadable, t.name(),
                 "its external data are " + std::to_string(wanted) + " bytes from byte " + std::to_string(offset) +
                     " of \"" + location + "\" on, which has " + std::to_string(file->size()) + ".",
                 "Copy the whole file beside the model, or export the model again."};
  return OpenPlace{file, {offset, wanted}};
}

/// Elements that the message holds in fewer or other bits. A typed field has bytes, or whole numbers, one each.
Result<Tensor> held_wider(const onnx::TensorProto& t, const OnnxDType& type, const Dims& dims) {
  const auto count = static_cast<size_t>(element_count(dims));
  std::string bytes = t.raw_data();
  if (bytes.empty()) {
    const size_t each = std::max<size_t>(1, static_cast<size_t>(type.bits) / 8);
    const auto append = [&](uint64_t value) {
      for (size_t k = 0; k < each; ++k) bytes.push_back(static_cast<char>(value >> (8 * k) & 0xff));
    };
    for (const int32_t value : t.int32_data()) append(static_cast<uint64_t>(static_cast<int64_t>(value)));
    for (const uint64_t value : t.uint64_data()) append(value);
  }
  if (bytes.size() != packed_bytes(type, count))
    return damaged(t.name(), "it has " + std::to_string(bytes.size()) + " bytes; " +
                                 std::to_string(packed_bytes(type, count)) + " are wanted.");
  auto made = unpacked(type, reinterpret_cast<const unsigned char*>(bytes.data()), dims);
  if (!made) return Error{made.error().code, t.name(), made.error().reason, ""};
  return made;
}

}  // namespace

Error damaged(const std::string& where, const std::string& reason) {
  return {codes::file_syntax, where, reason, "Export the model again."};
}

Result<Tensor> tensor_of(const onnx::TensorProto& t, ModelFiles& files) {
  HW_TRY(const StoredTensor stored, stored_tensor_of(t, files));
  return stored.read();
}

Result<StoredTensor> stored_tensor_of(const onnx::TensorProto& t, ModelFiles& files, std::optional<Place> raw) {
  const OnnxDType* type = find_onnx_dtype(t.data_type());
  const auto dtype = dtype_of(t.data_type());
  if (!dtype)
    return Error{codes::dtype_mismatch, t.name(), "Halfwire has no dtype " + onnx_name(t.data_type()) + ".", ""};
  Dims dims(t.dims().begin(), t.dims().end());
  double count = 1;
  for (const int64_t size : dims) {
    if (size < 0) return damaged(t.name(), "a size is negative.");
    count *= static_cast<double>(size);
  }
  if (!(count <= 0x1p40)) return damaged(t.name(), "its sizes are beyond any memory.");
  const size_t bytes = packed_bytes(*type, static_cast<size_t>(count));
  const bool external = t.data_location() == onnx::TensorProto::EXTERNAL;
  // What a file announces is not more than it holds.
  const size_t held =
      t.raw_data().size() + (raw ? raw->size : 0) +
      sizeof(double) * static_cast<size_t>(t.float_data_size() + t.int32_data_size() + t.int64_data_size() +
                                           t.double_data_size() + t.uint64_data_size());
  if (!external && bytes > held) return damaged(t.name(), "it announces more values than it has.");
  OpenPlace from;
  if (external) {
    HW_TRY(from, external_place(t, files, bytes));
  } else if (raw) {
    from = {files.model(), *raw};
  }
  if (type->is_held_wider() && !from.file) {
    HW_TRY(Tensor made, held_wider(t, *type, dims));
    return StoredTensor(std::move(made));
  }
  if (from.file || t.has_raw_data()) {
    const uint64_t has = from.file ? from.place.size : t.raw_data().size();
    if (has != bytes)
      return damaged(t.name(), "it has " + std::to_string(has) + " bytes; " + std::to_string(bytes) + " are wanted.");
  }
  if (from.file) {
    StoredTensor stored(from.file, from.place.at, *type, dims);
    if (bytes >= kLargeTensor && type->holds_all()) return stored;
    auto made = stored.read();
    if (!made && made.error().where.empty()) return Error{made.error().code, t.name(), made.error().reason, ""};
    if (!made) return made.error();
    return StoredTensor(std::move(*made));
  }
  Tensor made(*dtype, dims);
  if (t.has_raw_data()) {
    if (bytes > 0) std::memcpy(made.data(), t.raw_data().data(), bytes);
    return StoredTensor(std::move(made));
  }
  bool fits = false;
  switch (*dtype) {
    case DType::f32:
      fits = copy_values<float>(t.float_data(), made);
      break;
    case DType::f64:
      fits = copy_values<double>(t.double_data(), made);
      break;
    case DType::i64:
      fits = copy_values<int64_t>(t.int64_data(), made);
      break;
    case DType::i32:
      fits = copy_values<int32_t>(t.int32_data(), made);
      break;
    case DType::f16:
    case DType::bf16:
      fits = copy_values<uint16_t>(t.int32_data(), made);
      break;
    default:
      fits = copy_values<uint8_t>(t.int32_data(), made);
  }
  if (!fits) return damaged(t.name(), "it has another number of values than its sizes say.");
  return StoredTensor(std::move(made));
}

/// Sizes, the places of what is not 0 (of the flattened tensor, or a row of indices each), and the values there.
Result<Tensor> dense(const onnx::SparseTensorProto& t, ModelFiles& files, SparseBytes& so_far) {
  HW_TRY(const Tensor values, tensor_of(t.values(), files));
  HW_TRY(const Tensor places, tensor_of(t.indices(), files));
  const Dims dims(t.dims().begin(), t.dims().end());
  const std::string& name = t.values().name();
  const auto rank = static_cast<int64_t>(dims.size()), count = values.size();
  const bool flat = places.dims() == Dims{count}, rows = places.dims() == Dims{count, rank};
  double size = info(values.dtype()).bits / 8.0;
  for (const int64_t d : dims) {
    if (d < 0) return damaged(name, "a size is negative.");
    size *= static_cast<double>(d);
  }
  if ((!flat && !rows) || places.dtype() != DType::i64) return damaged(name, "its places do not fit.");
  so_far.held += static_cast<double>(values.bytes() + places.bytes());
  const double most = std::min(kMostDense, std::max(kAlwaysDense, so_far.held * kMostTimes));
  if (!(so_far.whole + size <= most))
    return Error{codes::dtype_mismatch, name, "it is sparse, and very large as a whole.", ""};
  HW_CHECK(check_memory_for(name, static_cast<uint64_t>(size)));
  so_far.whole += size;
  if (size == 0 && count > 0) return damaged(name, "a place is outside.");
  Tensor made = Tensor::zeros(values.dtype(), dims);
  const size_t bytes = size_of(values.dtype());
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = flat ? places.as<int64_t>()[i] : 0;
    for (int64_t d = 0; rows && d < rank; ++d) {
      const int64_t index = places.as<int64_t>()[i * rank + d];
      if (index < 0 || index >= dims[static_cast<size_t>(d)]) return damaged(name, "a place is outside.");
      at = at * dims[static_cast<size_t>(d)] + index;
    }
    if (at < 0 || at >= made.size()) return damaged(name, "a place is outside.");
    std::memcpy(made.as<char>() + static_cast<size_t>(at) * bytes, values.as<char>() + static_cast<size_t>(i) * bytes,
                bytes);
  }
  return made;
}

}  // namespace hw::interop
