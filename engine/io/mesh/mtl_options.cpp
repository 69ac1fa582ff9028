#include "engine/io/mesh/mtl_options.h"

#include "engine/io/file/words.h"

namespace hw {
namespace {

/// One to three numbers, u v w, of which the file may leave out the last.
struct Triple {
  double u, v;
};
Triple triple(std::string_view& rest, double otherwise) {
  Triple out{otherwise, otherwise};
  for (int i = 0; i < 3; ++i) {
    std::string_view behind = rest;
    const auto value = number(next_word(behind));
    if (!value) break;
    if (i == 0) out.u = *value;
    if (i == 1) out.v = *value;
    rest = behind;
  }
  return out;
}

/// The words that an option of the MTL format takes, of those that are not triples of numbers; 0: no option.
int arguments(std::string_view option) {
  if (option == "-mm") return 2;
  for (const std::string_view known :
       {"-blendu", "-blendv", "-cc", "-clamp", "-imfchan", "-texres", "-boost", "-bm", "-type"})
    if (option == known) return 1;
  return 0;
}

/// Takes the options before the name of the picture into `place`; `rest` is that name then.
void take_options(std::string_view& rest, TexturePlace& place) {
  while (true) {
    std::string_view behind = rest;
    const std::string_view option = next_word(behind);
    if (option == "-o") {
      const Triple o = triple(behind, 0);
      place.uv.map[2] = o.u;
      place.uv.map[5] = o.v;
    } else if (option == "-s") {
      const Triple s = triple(behind, 1);
      place.uv.map[0] = s.u;
      place.uv.map[4] = s.v;
    } else if (option == "-t") {
      const Triple t = triple(behind, 0);
      if (t.u != 0 || t.v != 0) place.unread.emplace_back("has turbulence (-t), which is not read");
    } else if (option == "-mm") {
      const auto base = number(next_word(behind)), gain = number(next_word(behind));
      if (base != 0.0 || gain != 1.0) place.unread.emplace_back("has a base and gain (-mm), which is not read");
    } else if (const int count = arguments(option); count > 0) {
      const std::string_view value = next_word(behind);
      if (option == "-clamp" && value == "on") place.wrap_u = place.wrap_v = Wrap::clamp;
      if (option == "-cc" && value == "on")
        place.unread.emplace_back("asks for colour correction (-cc), which is not read");
      if (option == "-imfchan") place.unread.emplace_back("shows one channel (-imfchan), which is not read");
    } else {
      return;
    }
    rest = behind;
  }
}

/// Three channels; a single number stands for all of them.
std::optional<std::array<float, 3>> colour_of(std::string_view rest) {
  std::array<float, 3> colour;
  for (size_t i = 0; i < 3; ++i) {
    const std::string_view word = next_word(rest);
    if (i == 1 && word.empty()) return colour[1] = colour[2] = colour[0], colour;
    const auto value = number(word);
    if (!value) return std::nullopt;
    colour[i] = static_cast<float>(*value);
  }
  return colour;
}

}  // namespace

std::string without_mtl_options(std::string_view text, MtlMaterials& materials) {
  std::string out, material;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    std::string_view rest = line;
    const std::string_view statement = next_word(rest);
    if (statement == "newmtl") material = std::string(trimmed(rest));
    const std::string_view name = trimmed(rest);
    if (statement == "Kd") materials[material].colour = colour_of(rest);
    if (statement == "map_Kd" && name.starts_with('-')) {
      TexturePlace place;
      rest = name;
      take_options(rest, place);
      materials[material].place = std::move(place);
      out += std::string(statement) + " " + std::string(trimmed(rest)) + "\n";
    } else {
      out.append(line).append("\n");
    }
  }
  return out;
}

}  // namespace hw
