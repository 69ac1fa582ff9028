#include "app/cli/commands/export_field.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/interop/shader/field_file.h"
#include "app/workspace/compare_texture.h"
#include "app/workspace/input_files.h"
#include "app/workspace/viewers.h"
#include "engine/devices/devices.h"
#include "engine/io/file/atomic_file.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

using Compared = Result<std::optional<workspace::TextureComparison>>;

ordered_json to_json(const Compared& compared, size_t bytes) {
  if (!compared) return {{"error", compared.error().text()}};
  if (!*compared) return nullptr;
  const workspace::TextureComparison& c = **compared;
  return {{"viewer", c.viewer},
          {"texels", c.texels},
          {"bits_per_texel", workspace::bits_per_texel(bytes, c.texels)},
          {"png_bytes", c.png_bytes},
          {"bc7_bytes", c.bc7_bytes},
          {"psnr", c.psnr},
          {"psnr_is", c.psnr_is}};
}

void print(const workspace::TextureComparison& c, size_t bytes) {
  const auto bits = [&](size_t of) { return workspace::bits_per_texel(of, c.texels); };
  std::printf("a texture of %zu texels: %.4g bits per texel; as PNG %zu bytes (%.4g), as BC7 %zu bytes (%.4g)\n",
              c.texels, bits(bytes), c.png_bytes, bits(c.png_bytes), c.bc7_bytes, bits(c.bc7_bytes));
  std::printf("PSNR %.2f dB: %s\n", c.psnr, c.psnr_is.c_str());
}

void print(const FieldExport& o, const shader::FieldShader& field, const std::string& weights,
           const Compared& compared) {
  ordered_json variables = ordered_json::array();
  for (const shader::FieldVariable& v : field.variables)
    variables.push_back({{"name", v.name}, {"argument", v.argument}, {"components", v.components}});
  ordered_json files{o.out};
  if (field.words > 0) files.push_back(weights);
  if (o.json) {
    print_json({{"graph", o.graph.graph},
                {"files", files},
                {"function", "field"},
                {"variables", variables},
                {"channels", field.channels},
                {"weight_bytes", field.words * 4},
                {"texture", to_json(compared, field.words * 4)},
                {"needs_f64", field.needs.f64}});
    return;
  }
  std::printf("%s: the function field of", o.out.c_str());
  for (size_t v = 0; v < field.variables.size(); ++v)
    std::printf("%s %s [%lld]", v ? "," : "", field.variables[v].name.c_str(),
                static_cast<long long>(field.variables[v].components));
  std::printf(", %lld channel%s\n", static_cast<long long>(field.channels), field.channels == 1 ? "" : "s");
  if (field.words > 0) std::printf("%s: %zu bytes of weights\n", weights.c_str(), field.words * 4);
  if (compared && *compared) print(**compared, field.words * 4);
}

bool has_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::ifstream in(file, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == bytes;
}

// Both or none; weights that are there as they are, of the same field in another language, stay.
Status write(const std::string& out, const std::string& text, const std::filesystem::path& weights_file,
             const std::string& weights) {
  const bool there = weights.empty() || has_bytes(weights_file, weights);
  if (!there) {
    HW_CHECK(check_free(weights_file, "-o"));
    HW_CHECK(write_file_atomically(weights_file, weights));
  }
  const Status written = write_file_atomically(out, text);
  std::error_code ignored;
  if (!written && !there) std::filesystem::remove(weights_file, ignored);
  return written;
}

}  // namespace

int export_field(const FieldExport& o) {
  const auto language = interop::shader_language(o.out);
  if (!language) return report(language.error());
  const std::filesystem::path weights_file = std::filesystem::path(o.out).replace_extension(".bin");
  if (const Status free = check_free(o.out, "-o"); !free) return report(free.error());
  const auto loaded = noted(open_graph, o.graph);
  if (!loaded) return report(loaded.error());
  const auto wire = find_output(loaded->graph, o.wire, "--field");
  if (!wire) return report(wire.error());
  std::vector<SocketRef> points;
  for (const std::string& name : o.points) {
    const auto point = find_output(loaded->graph, name, "--point");
    if (!point) return report(point.error());
    points.push_back(*point);
  }
  if (report_blocking(loaded->graph, loaded->document, wire->node)) return kGraphErrors;
  const auto weights = noted(load_weights_or_initial, *loaded, o.weights, "the initial ones are exported");
  if (!weights) return report(weights.error());
  auto device = make_device("cpu");
  if (!device) return report(device.error());
  auto field = ShaderField::make(loaded->graph, *wire, points, *loaded->assets, std::move(*device));
  if (!field) return report(field.error());
  const auto lacking = *weights && !o.weights.partial ? Lacking::refused : Lacking::initial;
  const auto words = field->weights(weights->get(), workspace::weights_seed(loaded->graph), lacking);
  if (!words) return report(words.error());
  const auto text = interop::field_file(field->shader(), *language, o.wire, weights_file.filename());
  if (!text) return report(text.error());
  if (const Status written = write(o.out, *text, weights_file, interop::weights_bytes(*words)); !written)
    return report(written.error());
  for (const std::string& node : field->drawn_once())
    std::fprintf(stderr, "note: %s is drawn once, and stored with the weights.\n", node.c_str());
  // With variables of its own the function is a part of what the viewer shows.
  Compared compared = std::optional<workspace::TextureComparison>();
  if (points.empty()) compared = workspace::compare_with_texture(*loaded, *wire, *weights, o.weights.partial);
  if (!compared) std::fprintf(stderr, "note: not compared with the texture: %s\n", compared.error().text().c_str());
  print(o, field->shader(), weights_file.string(), compared);
  return kDone;
}

}  // namespace hw::cli
