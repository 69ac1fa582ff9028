#include "engine/io/mesh/gltf_accessor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "engine/io/file/file_bytes.h"
#include "engine/io/mesh/gltf_fault.h"
#include "engine/io/mesh/gltf_json.h"

namespace hw {
namespace {

using nlohmann::json;

/// What stands behind "base64,"; what is no digit of it is passed over.
std::string decoded_base64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int digit = -1;
    if (c >= 'A' && c <= 'Z') digit = c - 'A';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
    if (c >= '0' && c <= '9') digit = c - '0' + 52;
    if (c == '+') digit = 62;
    if (c == '/') digit = 63;
    if (digit < 0) continue;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

template <class T>
float value_at(const char* bytes, bool normalised) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  const auto real = static_cast<float>(value);
  return normalised ? std::max(real / static_cast<float>(std::numeric_limits<T>::max()), -1.0f) : real;
}

struct Component {
  size_t number, bytes;
  float (*value)(const char*, bool);
};
constexpr std::array kWhole{Component{5120, 1, value_at<int8_t>}, Component{5121, 1, value_at<uint8_t>},
                            Component{5122, 2, value_at<int16_t>}, Component{5123, 2, value_at<uint16_t>}};

const Component* component_of(const json& accessor) {
  const auto number = gltf::index(gltf::member(accessor, "componentType"));
  const auto* found =
      std::find_if(kWhole.begin(), kWhole.end(), [&](const Component& c) { return number && c.number == *number; });
  return found == kWhole.end() ? nullptr : found;
}

}  // namespace

std::string GltfBuffers::read(size_t buffer) const {
  const json& uri = gltf::member(gltf::element(gltf_, "buffers", buffer), "uri");
  if (!uri.is_string()) return "";
  const std::string text = uri.get<std::string>();
  if (text.starts_with("data:")) {
    const size_t at = text.find("base64,");
    return at == std::string::npos ? "" : decoded_base64(std::string_view(text).substr(at + 7));
  }
  const std::filesystem::path beside = file_.parent_path() / text;
  if (!reach_.check(beside, text)) return "";
  const auto bytes = read_file_bytes(beside, kGltfMaxBytes);
  return bytes ? *bytes : "";
}

std::string_view GltfBuffers::bytes(size_t buffer) {
  if (buffer == 0 && !binary_.empty() && gltf::member(gltf::element(gltf_, "buffers", 0), "uri").is_null())
    return binary_;
  const auto [found, added] = read_.try_emplace(buffer);
  if (added) found->second = read(buffer);
  return found->second;
}

bool is_whole(const json& gltf, size_t accessor) {
  return component_of(gltf::element(gltf, "accessors", accessor)) != nullptr;
}

std::optional<GltfElements> elements_of(const json& gltf, size_t accessor, size_t size, GltfBuffers& buffers) {
  const json& a = gltf::element(gltf, "accessors", accessor);
  const auto count = gltf::index(gltf::member(a, "count")), view_index = gltf::index(gltf::member(a, "bufferView"));
  const json& view = gltf::element(gltf, "bufferViews", view_index.value_or(SIZE_MAX));
  const auto buffer = gltf::index(gltf::member(view, "buffer"));
  if (!count || *count == 0 || !buffer || !gltf::member(a, "sparse").is_null()) return std::nullopt;
  GltfElements out{buffers.bytes(*buffer)};
  out.count = *count;
  out.stride = gltf::index(gltf::member(view, "byteStride")).value_or(size);
  out.first = gltf::index(gltf::member(view, "byteOffset")).value_or(0) +
              gltf::index(gltf::member(a, "byteOffset")).value_or(0);
  const bool fits = out.stride >= size && out.first + (out.count - 1) * out.stride + size <= out.bytes.size();
  return fits ? std::optional(out) : std::nullopt;
}

uint32_t GltfIndices::at(size_t i) const {
  uint32_t value = 0;
  std::memcpy(&value, elements.at(i), size);  // little endian, as every machine that this runs on
  return value;
}

std::optional<GltfIndices> indices_of(const json& gltf, size_t accessor, GltfBuffers& buffers) {
  const auto type = gltf::index(gltf::member(gltf::element(gltf, "accessors", accessor), "componentType"));
  const size_t size = type == 5121u ? 1 : type == 5123u ? 2 : type == 5125u ? 4 : 0;
  const auto elements = size > 0 ? elements_of(gltf, accessor, size, buffers) : std::nullopt;
  return elements ? std::optional(GltfIndices{*elements, size}) : std::nullopt;
}

std::optional<std::vector<float>> whole_numbers(const json& gltf, size_t accessor, size_t components,
                                                GltfBuffers& buffers) {
  const json& a = gltf::element(gltf, "accessors", accessor);
  const Component* component = component_of(a);
  if (!component || gltf::member(a, "type") != "VEC" + std::to_string(components)) return std::nullopt;
  const auto elements = elements_of(gltf, accessor, component->bytes * components, buffers);
  if (!elements) return std::nullopt;
  const bool normalised = gltf::member(a, "normalized") == true;
  std::vector<float> out;
  out.reserve(elements->count * components);
  for (size_t i = 0; i < elements->count; ++i)
    for (size_t k = 0; k < components; ++k)
      out.push_back(component->value(elements->at(i) + k * component->bytes, normalised));
  return out;
}

}  // namespace hw
