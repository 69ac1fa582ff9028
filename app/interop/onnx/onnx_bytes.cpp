// Layout: the members of each struct in order; texts, vectors, maps and sets behind their counts; what may be missing
// and variants behind a byte that says which.
#include "app/interop/onnx/onnx_bytes.h"

#include <concepts>
#include <cstring>
#include <tuple>

#include "app/interop/onnx/model_files.h"
#include "engine/core/codes.h"
#include "engine/io/child/outcome_bytes.h"
#include "engine/io/file/file_bytes.h"

namespace hw::interop {
namespace {

constexpr uint64_t kMagic = 0x3230584e4f5748;  // "HWONX02"
constexpr int64_t kMostElements = int64_t{1} << 40;
constexpr uint64_t kLargeBlock = 1 << 20;  // bytes; whether there is memory for it is asked

/// The members of a struct, in order. One that is added does not compile until it stands here.
template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;
auto members(Is<OnnxScope> auto& s) {
  auto& [path, kind] = s;
  return std::tie(path, kind);
}
auto members(Is<OnnxDim> auto& d) {
  auto& [size, symbol] = d;
  return std::tie(size, symbol);
}
auto members(Is<OnnxValue> auto& v) {
  auto& [name, dtype, type, dims, number] = v;
  return std::tie(name, dtype, type, dims, number);
}
auto members(Is<OnnxNode> auto& n) {
  auto& [name, op, domain, overload, inputs, outputs, attributes, references, unreadable, value_number, scopes] = n;
  return std::tie(name, op, domain, overload, inputs, outputs, attributes, references, unreadable, value_number,
                  scopes);
}
auto members(Is<OnnxGraph> auto& g) {
  auto& [name, nodes, inputs, outputs, initializers, held_wider, parameters, unread] = g;
  return std::tie(name, nodes, inputs, outputs, initializers, held_wider, parameters, unread);
}
auto members(Is<OnnxFunction> auto& f) {
  auto& [name, domain, overload, inputs, outputs, attributes, defaults, nodes, opset, has_unknown_parts] = f;
  return std::tie(name, domain, overload, inputs, outputs, attributes, defaults, nodes, opset, has_unknown_parts);
}
auto members(Is<OnnxModel> auto& m) {
  auto& [opset, producer, domains, graph, functions] = m;
  return std::tie(opset, producer, domains, graph, functions);
}
template <class T>
concept Struct = requires(T& value) {
  members(value);
};

class Writer {
 public:
  explicit Writer(ByteWriter& to) : to_(to) {}

  template <Struct T>
  void put(const T& value) {
    std::apply([this](const auto&... member) { (put(member), ...); }, members(value));
  }
  void put(const std::string& value) { to_.text(value); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) { to_.number(value); }
  void put(DType dtype) { put(static_cast<uint8_t>(dtype)); }
  template <class T>
  void put(const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>)
      to_.array(values);
    else
      put_each(values);
  }
  template <class T>
  void put(const std::set<T>& values) {
    put_each(values);
  }
  template <class Key, class T>
  void put(const std::map<Key, T>& values) {
    put_each(values);
  }
  template <class Key, class T>
  void put(const std::pair<const Key, T>& entry) {
    put(entry.first);
    put(entry.second);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  void put(const OnnxAttribute& attribute) {
    put(static_cast<uint8_t>(attribute.index()));
    std::visit([this](const auto& value) { put(value); }, attribute);
  }
  void put(const std::shared_ptr<const OnnxGraph>& graph) { put(*graph); }
  void put(const Tensor& tensor) {
    put(tensor.dtype());
    put(tensor.dims());
    to_.block(tensor.data(), tensor.empty() ? 0 : tensor.bytes());
  }
  void put(const StoredTensor& stored) {
    const StoredTensor::InFile place = stored.in_file();
    put(place.file != nullptr);
    if (!place.file) {
      const auto tensor = stored.read();  // fails where it is turned, which no model that was read is
      return put(tensor ? *tensor : Tensor());
    }
    put(place.file);
    put(place.at);
    put(place.type->number);
    put(stored.dims());
  }

 private:
  template <class Values>
  void put_each(const Values& values) {
    put(uint64_t{values.size()});
    for (const auto& value : values) put(value);
  }
  /// Its number; the first time its name, too, and what it was.
  void put(const std::shared_ptr<const TensorFile>& file) {
    const auto [known, is_new] = files_.try_emplace(file.get(), files_.size());
    put(known->second);
    if (!is_new) return;
    put(file->path().string());
    const FileStamp stamp = file->stamp();
    put(stamp.device);
    put(stamp.inode);
    put(stamp.size);
    put(stamp.changed_s);
    put(stamp.changed_ns);
  }

  ByteWriter& to_;
  std::map<const TensorFile*, uint64_t> files_;
};

/// Everything in it stays as it is after the first misfit, or the first file that is not what it was.
class Reader {
 public:
  Reader(ByteReader& from, const std::filesystem::path& file, std::shared_ptr<const TensorFile> open, Status& failed)
      : from_(from), file_(file), files_(file, std::move(open)), failed_(failed) {}

  bool good() const { return good_ && from_.good(); }

  template <Struct T>
  void get(T& value) {
    std::apply([this](auto&... member) { (get(member), ...); }, members(value));
  }
  void get(std::string& value) { from_.text(value); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void get(T& value) { from_.number(value); }
  void get(bool& value) { value = choice(2) == 1; }
  void get(DType& dtype) {
    dtype = static_cast<DType>(choice(kDTypeCount));
    check(info(dtype).storable);
  }
  template <class T>
  void get(std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      from_.array(values);
    } else {
      // One by one: each that is there takes bytes, however many are announced.
      for (size_t left = from_.count(1); left > 0 && good(); --left) get(values.emplace_back());
    }
  }
  template <class T>
  void get(std::set<T>& values) {
    for (size_t left = from_.count(1); left > 0 && good(); --left) {
      T value;
      get(value);
      check(values.insert(std::move(value)).second);
    }
  }
  template <class Key, class T>
  void get(std::map<Key, T>& values) {
    for (size_t left = from_.count(1); left > 0 && good(); --left) {
      Key key;
      get(key);
      const auto [entry, is_new] = values.try_emplace(std::move(key));
      check(is_new);
      get(entry->second);
    }
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  void get(OnnxAttribute& attribute) {
    get_alternative(choice(std::variant_size_v<OnnxAttribute>), attribute,
                    std::make_index_sequence<std::variant_size_v<OnnxAttribute>>());
  }
  void get(std::shared_ptr<const OnnxGraph>& graph) {
    auto made = std::make_shared<OnnxGraph>();
    if (check(depth_ < kDeepestGraph)) {
      ++depth_;
      get(*made);
      --depth_;
    }
    graph = std::move(made);
  }
  void get(Tensor& tensor) {
    DType dtype{};
    Dims dims;
    get(dtype);
    get(dims);
    const std::string_view bytes = from_.block();
    const int64_t count = element_count(dims);
    if (!good() || !check(count >= 0 && count <= kMostElements) || !check(bytes.size() == byte_count(dtype, count)))
      return;
    if (bytes.size() >= kLargeBlock && !check(check_memory_for(file_, bytes.size()))) return;
    tensor = Tensor(dtype, std::move(dims));
    if (!bytes.empty()) std::memcpy(tensor.data(), bytes.data(), bytes.size());
  }
  void get(StoredTensor& stored) {
    bool is_in_file = false;
    get(is_in_file);
    if (!is_in_file) {
      Tensor tensor;
      get(tensor);
      stored = StoredTensor(std::move(tensor));
      return;
    }
    StoredTensor::InFile place;
    get(place.file);
    get(place.at);
    int64_t number = 0;
    get(number);
    Dims dims;
    get(dims);
    const int64_t count = element_count(dims);
    place.type = find_onnx_dtype(number);
    if (!good() || !check(place.type && place.type->kind != OnnxDType::Kind::none) ||
        !check(count >= 0 && count <= kMostElements))
      return;
    const uint64_t bytes = packed_bytes(*place.type, static_cast<size_t>(count)), has = place.file->size();
    if (!check(place.at <= has && bytes <= has - place.at)) return;
    stored = StoredTensor(place.file, place.at, *place.type, std::move(dims));
  }

 private:
  bool check(bool fits) {
    good_ = good_ && fits;
    return good_;
  }
  bool check(const Status& status) {
    if (!status && failed_) failed_ = status;
    return check(static_cast<bool>(status));
  }
  /// A byte below `count`; 0 where it is not.
  size_t choice(size_t count) {
    const auto which = from_.number<uint8_t>();
    return check(which < count) ? which : 0;
  }
  template <size_t... kWhich>
  void get_alternative(size_t which, OnnxAttribute& to, std::index_sequence<kWhich...>) {
    ((which == kWhich ? get(to.emplace<kWhich>()) : void()), ...);
  }
  void get(std::shared_ptr<const TensorFile>& file) {
    uint64_t number = 0;
    get(number);
    if (!good()) return;
    if (number < read_.size()) {
      file = read_[static_cast<size_t>(number)];
      return;
    }
    std::string path;
    FileStamp stamp;
    get(path);
    get(stamp.device);
    get(stamp.inode);
    get(stamp.size);
    get(stamp.changed_s);
    get(stamp.changed_ns);
    if (!check(number == read_.size()) || !good()) return;
    if (path == file_.string() && files_.model()) {
      file = files_.model();
    } else {
      std::error_code ec;
      if (!check(files_.holds(path) && std::filesystem::weakly_canonical(path, ec) == path)) return;
      auto opened = files_.open(path);
      if (!check(opened ? ok() : Status(opened.error()))) return;
      file = std::move(*opened);
    }
    if (check(file->check_is(stamp))) read_.push_back(file);
  }

  ByteReader& from_;
  const std::filesystem::path& file_;
  ModelFiles files_;
  Status& failed_;
  std::vector<std::shared_ptr<const TensorFile>> read_;  // by their numbers
  int depth_ = 0;                                        // graphs that this one lies in
  bool good_ = true;
};

}  // namespace

bool write_onnx_bytes(int fd, const Result<OnnxModel>& outcome) {
  return write_envelope(fd, kMagic, outcome, [](ByteWriter& w, const OnnxModel& model) { Writer(w).put(model); });
}

Result<OnnxModel> read_onnx_bytes(std::string_view bytes, const std::filesystem::path& file,
                                  std::shared_ptr<const TensorFile> open) {
  const Error broken{codes::asset_costly, file.string(), "the program that read the model handed over something else.",
                     "Export the model again."};
  Status failed = ok();
  auto model = read_envelope<OnnxModel>(bytes, kMagic, broken, [&](ByteReader& r, OnnxModel& made) {
    Reader reader(r, file, std::move(open), failed);
    reader.get(made);
    return reader.good();
  });
  if (!failed) return failed.error();
  return model;
}

}  // namespace hw::interop
