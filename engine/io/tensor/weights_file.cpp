// safetensors: u64 header length, JSON header, tensor bytes. Everything is checked against the file's size before
// memory is taken for tensors.
#include "engine/io/tensor/weights_file.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/core/codes.h"
#include "engine/core/crc32.h"
#include "engine/core/sizes.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/json_text.h"
#include "engine/io/tensor/gguf_header.h"
#include "engine/io/tensor/tensor_file.h"

namespace hw {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;  // the limit of the reference implementation

/// Names of dtypes in the format.
constexpr std::array<std::pair<std::string_view, DType>, 11> kNames{{{"F64", DType::f64},
                                                                     {"F32", DType::f32},
                                                                     {"F16", DType::f16},
                                                                     {"BF16", DType::bf16},
                                                                     {"F8_E4M3", DType::f8e4m3},
                                                                     {"F8_E5M2", DType::f8e5m2},
                                                                     {"I8", DType::i8},
                                                                     {"U8", DType::u8},
                                                                     {"I32", DType::i32},
                                                                     {"I64", DType::i64},
                                                                     {"BOOL", DType::boolean}}};

std::optional<DType> dtype_of(std::string_view name) {
  for (const auto& [n, d] : kNames) {
    if (n == name) return d;
  }
  return std::nullopt;
}

std::string_view name_of(DType dtype) {
  for (const auto& [n, d] : kNames) {
    if (d == dtype) return n;
  }
  return {};
}

/// Bits of an element of the other dtypes of the format; 0: it is none.
uint64_t bits_of_other(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, uint64_t>, 11> kOthers{{{"I16", 16},
                                                                           {"U16", 16},
                                                                           {"U32", 32},
                                                                           {"U64", 64},
                                                                           {"C64", 64},
                                                                           {"F8_E8M0", 8},
                                                                           {"F8_E4M3FNUZ", 8},
                                                                           {"F8_E5M2FNUZ", 8},
                                                                           {"F6_E2M3", 6},
                                                                           {"F6_E3M2", 6},
                                                                           {"F4", 4}}};
  const auto found = std::ranges::find(kOthers, name, &std::pair<std::string_view, uint64_t>::first);
  return found == kOthers.end() ? 0 : found->second;
}

/// An entry of the header; of one whose dtype Halfwire does not have, `unread` says what it is.
struct Entry : TensorEntry {
  std::string unread;
};

Error bad(const std::string& file, const std::string& tensor, const std::string& reason) {
  return {codes::file_syntax, tensor.empty() ? file : file + ": " + tensor, reason,
          "Save the weights again with the tool that made them."};
}

/// Error: the file begins as one of another kind does.
Status check_kind(const std::string& file, std::string_view start) {
  struct Kind {
    std::string_view start;
    const char *reason, *remedy;
  };
  static constexpr Kind kKinds[]{
      {"PK", "this is a zip archive, such as PyTorch's .pt files, and no safetensors file.",
       "Load it in PyTorch and write its tensors with safetensors.torch.save_file."},
      {"version ", "this is the pointer that Git LFS has in the place of a file.", "Fetch the file: git lfs pull."}};
  for (const Kind& kind : kKinds)
    if (start.starts_with(kind.start)) return Error{codes::file_syntax, file, kind.reason, kind.remedy};
  return ok();
}

Result<Entry> read_entry(const std::string& file, const std::string& name, const json& object) {
  const auto error = [&](const std::string& reason) { return bad(file, name, reason); };
  Entry e;
  e.name = name;
  if (!object.is_object()) return error("expected an object.");
  const auto dtype = object.find("dtype"), shape = object.find("shape"), offsets = object.find("data_offsets");
  if (dtype == object.end() || !dtype->is_string()) return error("dtype is missing.");
  const std::string dtype_name = dtype->get<std::string>();
  const auto known = dtype_of(dtype_name);
  const uint64_t other = known ? 0 : bits_of_other(dtype_name);
  if (known) e.dtype = *known;

  if (shape == object.end() || !shape->is_array()) return error("shape is missing.");
  const uint64_t bits = known ? static_cast<uint64_t>(info(e.dtype).bits) : other;
  uint64_t count = bits > 0 ? 1 : 0;
  for (const json& size : *shape) {
    if (!size.is_number_unsigned()) return error("a shape has whole numbers from 0.");
    const uint64_t n = size.get<uint64_t>();
    if (n > static_cast<uint64_t>(INT64_MAX) || __builtin_mul_overflow(count, n, &count) || !checked_bytes(bits, count))
      return error("the shape has more elements than any memory.");
    e.dims.push_back(static_cast<int64_t>(n));
  }

  if (offsets == object.end() || !offsets->is_array() || offsets->size() != 2 || !(*offsets)[0].is_number_unsigned() ||
      !(*offsets)[1].is_number_unsigned())
    return error("data_offsets are two whole numbers from 0.");
  e.begin = (*offsets)[0].get<uint64_t>();
  e.end = (*offsets)[1].get<uint64_t>();
  if (e.end < e.begin) return error("data_offsets end before they begin.");
  if (!known) e.unread = unread_tensor(dtype_name, e.dims);
  const uint64_t bytes = bits > 0 ? packed_bytes(bits, count) : e.end - e.begin;
  if (e.end - e.begin != bytes) {
    return error("data_offsets span " + std::to_string(e.end - e.begin) + " bytes; dtype and shape ask for " +
                 std::to_string(bytes) + ".");
  }
  return e;
}

/// Entries sorted by place; they must fill [0, size) without gap or overlap.
Status check_layout(const std::string& file, std::vector<Entry>& entries, uint64_t size) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t at = 0;
  for (const Entry& e : entries) {
    if (e.end > size) {
      return bad(file, e.name,
                 "its bytes end at " + std::to_string(e.end) + "; the file has " + std::to_string(size) +
                     " after the header.");
    }
    if (e.begin < at) return bad(file, e.name, "its bytes overlap those of another tensor.");
    if (e.begin > at) return bad(file, e.name, "there is a gap before its bytes.");
    at = e.end;
  }
  if (at != size) return bad(file, "", "there are " + std::to_string(size - at) + " bytes that belong to no tensor.");
  return ok();
}

Result<std::map<std::string, std::string>> metadata_of(const std::string& file, const json& object) {
  std::map<std::string, std::string> metadata;
  if (!object.is_object()) return bad(file, "__metadata__", "expected an object.");
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) return bad(file, "__metadata__." + key, "expected text.");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// A file whose header was read and found well formed; the tensors' bytes come next.
struct Opened {
  TensorFile in;
  TensorEntries entries;
  std::map<std::string, std::string> metadata;
};

Result<Opened> open_weights(const std::filesystem::path& path) {
  const std::string file = path.string();
  HW_TRY(TensorFile in, TensorFile::open(path));
  const uint64_t size = in.size();
  if (size < 8)
    return bad(file, "", "a safetensors file has at least 8 bytes; this one has " + std::to_string(size) + ".");
  unsigned char raw[8];
  HW_CHECK(in.read(0, raw, 8));
  const std::string_view start(reinterpret_cast<const char*>(raw), sizeof raw);
  if (start.starts_with(kGguf)) {
    HW_TRY(TensorEntries entries, read_gguf_header(in, file));
    return Opened{std::move(in), std::move(entries), {}};
  }
  HW_CHECK(check_kind(file, start));
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | raw[i];
  if (length > kMaxHeader || length > size - 8) {
    return bad(file, "",
               "the header claims " + std::to_string(length) + " bytes; the file has " + std::to_string(size - 8) +
                   " and the limit is " + std::to_string(kMaxHeader) + ".");
  }
  std::string header(static_cast<size_t>(length), '\0');
  HW_CHECK(in.read(8, header.data(), length));
  auto parsed = parse_json(header, file);
  if (!parsed) {
    Error error = parsed.error();
    error.remedy = "Save the weights again, or get the file again.";
    return error;
  }
  const json root = std::move(*parsed);
  if (!root.is_object()) return bad(file, "", "the header is " + std::string(json_kind(root)) + ", not an object.");

  Opened opened{std::move(in), {}, {}};
  opened.entries.data = 8 + length;
  std::vector<Entry> entries;
  for (const auto& [name, object] : root.items()) {
    if (name == "__metadata__") {
      HW_TRY(opened.metadata, metadata_of(file, object));
      continue;
    }
    HW_TRY(Entry entry, read_entry(file, name, object));
    entries.push_back(std::move(entry));
  }
  HW_CHECK(check_layout(file, entries, size - 8 - length));
  for (Entry& entry : entries)
    if (entry.unread.empty())
      opened.entries.read.push_back(std::move(entry));
    else
      opened.entries.unread[entry.name] = std::move(entry.unread);
  return opened;
}

}  // namespace

std::string checksum_of(const WeightsFile& weights) {
  uint32_t crc = 0;
  const auto add = [&](std::string_view text) {
    crc = crc32(text.data(), text.size(), crc);
    crc = crc32("", 1, crc);  // so that words cannot run into each other
  };
  for (const auto& [name, tensor] : weights.tensors) {
    add(name);
    add(name_of(tensor.dtype()));
    add(to_string(tensor.empty() ? Dims{0} : tensor.dims()));
    if (!tensor.empty()) crc = crc32(tensor.data(), tensor.bytes(), crc);
  }
  for (const auto& [key, value] : weights.metadata) {
    if (key == kChecksum) continue;
    add(key);
    add(value);
  }
  char text[24];
  std::snprintf(text, sizeof text, "crc32:%08x", crc);
  return text;
}

namespace {

/// What was read of mapped tensors was the file's.
Status check_tensors(const std::map<std::string, Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors) HW_CHECK(check_mapped(tensor.data()));
  return ok();
}

/// The weights of one file.
Result<WeightsFile> read_shard(const std::filesystem::path& path) {
  const std::string file = path.string();
  HW_TRY(Opened opened, open_weights(path));
  uint64_t bytes = 0;
  const uint64_t data = opened.entries.data;
  for (const TensorEntry& e : opened.entries.read)
    if (!TensorFile::is_mapped(data + e.begin, e.dtype, e.end - e.begin)) bytes += e.end - e.begin;
  HW_CHECK(check_memory_for(path, bytes));
  WeightsFile weights;
  weights.metadata = std::move(opened.metadata);
  weights.unread = std::move(opened.entries.unread);
  for (const TensorEntry& e : opened.entries.read) {
    HW_TRY(Tensor tensor, opened.in.tensor_at(data + e.begin, e.dtype, e.dims));
    weights.tensors.emplace(e.name, std::move(tensor));
  }
  const auto checksum = weights.metadata.find(kChecksum);
  const bool is_sound = checksum == weights.metadata.end() || checksum->second == checksum_of(weights);
  HW_CHECK(check_tensors(weights.tensors));
  if (!is_sound)
    return Error{codes::file_syntax, file, "the file is damaged: its content does not have the checksum that it names.",
                 "Use another copy of it, or an older checkpoint."};
  return weights;
}

bool is_index(const std::filesystem::path& file) {
  return file.extension() == ".json";
}

/// "NAME.safetensors.index.json": {"weight_map": {tensor: file beside the index}}.
Result<WeightsFile> read_shards(const std::filesystem::path& index) {
  const std::string file = index.string();
  HW_TRY(const std::string text, read_file_bytes(index, kMaxHeader));
  HW_TRY(const json root, parse_json(text, file));
  const auto map = root.is_object() ? root.find("weight_map") : root.end();
  if (!root.is_object() || map == root.end() || !map->is_object())
    return bad(file, "", "\"weight_map\" is missing: an object of tensors and the files that they are in.");
  std::map<std::string, std::vector<std::string>> shards;  // by file
  for (const auto& [tensor, shard] : map->items()) {
    if (!shard.is_string()) return bad(file, tensor, "expected the name of a file.");
    const std::filesystem::path name = shard.get<std::string>();
    if (name.empty() || name != name.filename() || name == "..")
      return bad(file, tensor, "\"" + name.string().substr(0, 80) + "\" is not the name of a file beside the index.");
    shards[name.string()].push_back(tensor);
  }
  WeightsFile all;
  for (const auto& [shard, tensors] : shards) {
    HW_TRY(WeightsFile read, read_shard(index.parent_path() / shard));
    for (const std::string& tensor : tensors)
      if (!read.tensors.contains(tensor) && !read.unread.contains(tensor))
        return bad(file, tensor, "it is not in " + shard + ".");
    all.tensors.merge(read.tensors);
    if (!read.tensors.empty())
      return bad(file, read.tensors.begin()->first, "it is in " + shard + " and in another file, too.");
    all.metadata.merge(read.metadata);
    all.unread.merge(read.unread);
  }
  all.metadata.erase(kChecksum);  // each file's own, and judged
  return all;
}

}  // namespace

std::vector<std::string> unread_lines(const WeightsFile& weights) {
  constexpr size_t kMostReported = 3;
  std::vector<std::string> lines;
  for (const auto& [name, what] : weights.unread)
    if (lines.size() < kMostReported) lines.push_back(name + " is not read: " + what + ".");
  if (weights.unread.size() > kMostReported)
    lines.back() += " Nor are " + std::to_string(weights.unread.size() - kMostReported) + " more of such dtypes.";
  return lines;
}

Result<WeightsFile> read_weights(const std::filesystem::path& path) {
  return is_index(path) ? read_shards(path) : read_shard(path);
}

Status copy_mapped(std::map<std::string, Tensor>& tensors, const std::filesystem::path& file) {
  uint64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += is_mapped(tensor.data()) ? tensor.bytes() : 0;
  HW_CHECK(check_memory_for(file, bytes));
  for (auto& [name, tensor] : tensors) {
    if (!is_mapped(tensor.data())) continue;
    Tensor copy = tensor.clone();
    HW_CHECK(check_mapped(tensor.data()));
    tensor = std::move(copy);
  }
  return ok();
}

Result<std::map<std::string, std::string>> read_metadata(const std::filesystem::path& path) {
  if (is_index(path)) return std::map<std::string, std::string>();
  HW_TRY(Opened opened, open_weights(path));
  return std::move(opened.metadata);
}

Status save_weights(const WeightsFile& weights, const std::filesystem::path& file) {
  HW_CHECK(check_tensors(weights.tensors));
  // Widest dtype first, then by name: every tensor is aligned to its element, as the format advises.
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& entry : weights.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return info(a->second.dtype()).bits > info(b->second.dtype()).bits;
  });

  json entries = json::object();
  std::vector<std::string_view> pieces(1);
  uint64_t at = 0;
  for (const auto* entry : order) {
    const Tensor& t = entry->second;
    const uint64_t bytes = t.empty() ? 0 : t.bytes();
    entries[entry->first] = {
        {"dtype", name_of(t.dtype())}, {"shape", t.empty() ? Dims{0} : t.dims()}, {"data_offsets", {at, at + bytes}}};
    pieces.emplace_back(static_cast<const char*>(t.data()), static_cast<size_t>(bytes));
    at += bytes;
  }
  std::map<std::string, std::string> metadata = weights.metadata;
  if (const auto checksum = metadata.find(kChecksum); checksum != metadata.end())
    checksum->second = checksum_of(weights);
  if (!metadata.empty()) entries["__metadata__"] = metadata;

  std::string header(8, '\0');
  header += entries.dump(-1, ' ', false, json::error_handler_t::replace);
  header.append((8 - header.size() % 8) % 8, ' ');
  const uint64_t length = header.size() - 8;
  for (size_t i = 0; i < 8; ++i) header[i] = static_cast<char>(length >> (8 * i) & 0xFF);
  pieces[0] = header;
  const Status written = write_pieces_atomically(file, pieces);
  if (!written) HW_CHECK(check_tensors(weights.tensors));  // the system cannot write what a mapped file lost
  return written;
}

}  // namespace hw
