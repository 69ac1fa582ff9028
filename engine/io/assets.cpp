#include "engine/io/assets.h"

#include <cstdlib>

#include "engine/io/model.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kScheme = "asset:";
constexpr const char kSystemFolder[] = "/usr/share/assimp/models";

/// A relative path that stays below where it starts.
bool stays_below(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return !normal.empty() && !normal.is_absolute() && *normal.begin() != "..";
}

/// Whether links lead out of `folder`.
bool is_below(const fs::path& file, const fs::path& folder) {
  std::error_code ec;
  const fs::path real_file = fs::weakly_canonical(file, ec), real_folder = fs::weakly_canonical(folder, ec);
  return stays_below(real_file.lexically_relative(real_folder));
}

}  // namespace

FileAssets::FileAssets(fs::path graph_folder, bool allow_absolute)
    : folder_(graph_folder.empty() ? fs::path(".") : std::move(graph_folder)), allow_absolute_(allow_absolute) {}

Result<fs::path> FileAssets::resolve(const std::string& path) const {
  const auto missing = [&](const std::string& reason, const std::string& remedy) {
    return Error{codes::asset_missing, path, reason, remedy};
  };
  std::error_code ec;
  if (path.empty()) return missing("no file is named.", "Choose a file.");
  if (path.find('\0') != std::string::npos) return missing("the path has a zero byte.", "Choose a file.");

  if (path.starts_with(kScheme)) {
    const fs::path name = path.substr(kScheme.size());
    if (!stays_below(name)) return missing("an asset's name may not leave its folder.", "Use asset:FOLDER/NAME.");
    std::vector<fs::path> places{folder_};
    if (const char* list = std::getenv("HALFWIRE_ASSETS")) {
      std::string_view rest = list;
      while (!rest.empty()) {
        const size_t colon = std::min(rest.find(':'), rest.size());
        if (colon > 0) places.emplace_back(rest.substr(0, colon));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
      }
    }
    places.emplace_back(kSystemFolder);
    std::string searched;
    for (const fs::path& place : places) {
      if (fs::is_regular_file(place / name, ec)) return place / name;
      searched += (searched.empty() ? "" : ", ") + place.string();
    }
    return missing("there is no such asset in " + searched + ".",
                   "Put it beside the graph or name its folder in HALFWIRE_ASSETS.");
  }

  const fs::path file(path);
  if (file.is_absolute()) {
    if (!allow_absolute_) {
      return missing("an absolute path in a graph from elsewhere is not followed.",
                     "Put the file beside the graph and use its name.");
    }
    if (!fs::is_regular_file(file, ec)) return missing("there is no such file.", "Choose a file that exists.");
    return file;
  }
  if (!stays_below(file) || !is_below(folder_ / file, folder_)) {
    return missing("a relative path may not leave the graph's folder, " + folder_.string() + ".",
                   "Put the file beside the graph, or use an absolute path.");
  }
  if (!fs::is_regular_file(folder_ / file, ec)) {
    return missing("there is no such file in " + folder_.string() + ".", "Choose a file that exists.");
  }
  return folder_ / file;
}

Result<std::shared_ptr<const Mesh>> FileAssets::mesh(const std::string& path) {
  HW_TRY(const fs::path file, resolve(path));
  std::error_code ec;
  const fs::file_time_type time = fs::last_write_time(file, ec);
  const std::lock_guard lock(mutex_);
  const std::string key = fs::weakly_canonical(file, ec).string();
  if (const auto it = meshes_.find(key); it != meshes_.end() && it->second.time == time) return it->second.mesh;
  HW_TRY(std::shared_ptr<const Mesh> mesh, load_mesh(file));
  meshes_[key] = {time, mesh};
  return mesh;
}

Result<std::shared_ptr<const Mesh>> load_mesh(const fs::path& file) {
  HW_TRY(Model model, load_model(file));
  return model.mesh;
}

}  // namespace hw
