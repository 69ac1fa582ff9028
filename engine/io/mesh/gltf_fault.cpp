#include "engine/io/mesh/gltf_fault.h"

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/io/file/file_bytes.h"

namespace hw {
namespace {

constexpr uint64_t kHeader = 12, kChunkHeader = 8;

uint64_t number(std::string_view bytes, uint64_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);  // little endian, as every machine that this runs on
  return value;
}

std::string count(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Not the parser's own text: that repeats what it read.
std::string json_fault(std::string_view text) {
  using nlohmann::json;
  json j;
  try {
    j = json::parse(text);
  } catch (const json::parse_error& e) {
    return "its JSON is wrong at byte " + std::to_string(e.byte);
  }
  if (!j.is_object()) return "its JSON is no object";
  const auto asset = j.find("asset");
  if (asset == j.end() || !asset->is_object()) return "its JSON has no \"asset\"";
  const auto version = asset->find("version");
  if (version == asset->end() || !version->is_string()) return "its JSON does not say the version of glTF";
  if (!version->get<std::string>().starts_with("2.") && !version->get<std::string>().starts_with("1."))
    return "glTF \"" + version->get<std::string>() + "\" is not read; 2.0 is";
  const auto scenes = j.find("scenes");
  if (scenes == j.end() || !scenes->is_array() || scenes->empty()) return "it has no scene";
  return "";
}

std::string glb_fault(std::string_view bytes, GltfChunks& found) {
  const uint64_t size = bytes.size();
  if (size < kHeader)
    return "it is cut short: a GLB file begins with " + count(kHeader) + ", this one has " + std::to_string(size);
  if (!bytes.starts_with("glTF")) return "it does not begin with \"glTF\", as a GLB file does";
  if (number(bytes, 4) == 1) return "";  // other containers
  if (number(bytes, 4) != 2) return "GLB version " + std::to_string(number(bytes, 4)) + " is not read; 2 is";
  const uint64_t said = number(bytes, 8);
  if (said > size)
    return "it is cut short: it says that it has " + count(said) + ", the file has " + std::to_string(size);
  constexpr std::array<const char*, 3> names{"first", "second", "third"};
  std::string_view text;
  size_t chunks = 0, json_chunks = 0, binary_chunks = 0;
  for (uint64_t at = kHeader; at < said; ++chunks) {
    const std::string which = std::string("its ") + (chunks < names.size() ? names[chunks] : "next") + " chunk";
    if (said - at < kChunkHeader) return which + " is cut short in its header";
    const uint64_t length = number(bytes, at);
    const std::string_view type = bytes.substr(at + 4, 4);
    if (length > said - at - kChunkHeader)
      return which + " says that it has " + count(length) + ", and " + std::to_string(said - at - kChunkHeader) +
             " are left in the file";
    if (length % 4 != 0) return which + " has " + count(length) + ", no multiple of 4";
    if (chunks == 0 && type != "JSON") return "its first chunk is not the JSON that a GLB file begins with";
    if (type == "JSON" && ++json_chunks == 1) text = bytes.substr(at + kChunkHeader, length);
    if (json_chunks > 1) return "it has a second JSON chunk";
    if (type == std::string_view("BIN\0", 4)) {
      if (++binary_chunks > 1) return "it has a second binary chunk";
      found.binary = bytes.substr(at + kChunkHeader, length);
    }
    at += kChunkHeader + length;
  }
  if (chunks == 0) return "it has no chunk: after its header comes nothing";
  if (text.empty()) return "its JSON chunk is empty";
  found.text = text;
  return "";
}

}  // namespace

GltfChunks gltf_chunks(std::string_view bytes, bool is_glb) {
  GltfChunks found;
  if (!is_glb) found.text = bytes;
  found.fault = bytes.empty() ? "the file is empty" : is_glb ? glb_fault(bytes, found) : "";
  return found;
}

std::string gltf_fault(const std::filesystem::path& file) {
  const auto bytes = read_file_bytes(file, kGltfMaxBytes);
  if (!bytes) return "";
  const GltfChunks chunks = gltf_chunks(*bytes, ending_of(file) == ".glb");
  return chunks.fault.empty() && !chunks.text.empty() ? json_fault(chunks.text) : chunks.fault;
}

}  // namespace hw
