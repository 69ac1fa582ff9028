#include "engine/io/assets.h"

#include <algorithm>
#include <cstdlib>

#include "engine/io/dataset.h"

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

/// What `cache` holds for `key` when it is from that time, else what `load` gives.
template <class Cache, class Load>
auto cached(Cache& cache, const typename Cache::key_type& key, fs::file_time_type time, Load&& load)
    -> decltype(load()) {
  if (const auto it = cache.find(key); it != cache.end() && it->second.time == time) return it->second.value;
  HW_TRY(const auto value, load());
  cache[key] = {time, value};
  return value;
}

}  // namespace

FileAssets::FileAssets(fs::path graph_folder, bool allow_absolute)
    : folder_(graph_folder.empty() ? fs::path(".") : std::move(graph_folder)), allow_absolute_(allow_absolute) {}

Result<fs::path> FileAssets::resolve(const std::string& path, bool folder) const {
  const auto missing = [&](const std::string& reason, const std::string& remedy) {
    return Error{codes::asset_missing, path, reason, remedy};
  };
  std::error_code ec;
  const std::string what = folder ? "folder" : "file";
  const auto is_there = [&](const fs::path& at) {
    return fs::is_regular_file(at, ec) || (folder && fs::is_directory(at, ec));
  };
  const auto meant = [&](const fs::path& at) { return folder && !fs::is_directory(at, ec) ? at.parent_path() : at; };
  if (path.empty()) return missing("no file is chosen yet.", "Choose a file.");
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
      if (is_there(place / name)) return meant(place / name);
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
    if (!is_there(file)) return missing("there is no such " + what + ".", "Choose a " + what + " that exists.");
    return meant(file);
  }
  if (!stays_below(file) || !is_below(folder_ / file, folder_)) {
    return missing("a relative path may not leave the graph's folder, " + folder_.string() + ".",
                   "Put the file beside the graph, or use an absolute path.");
  }
  if (!is_there(folder_ / file)) {
    return missing("there is no such " + what + " in " + folder_.string() + ".", "Choose a " + what + " that exists.");
  }
  return meant(folder_ / file);
}

Result<std::shared_ptr<const Model>> FileAssets::model(const fs::path& file) {
  std::error_code ec;
  const auto time_of = [&ec](const fs::path& f) { return fs::last_write_time(f, ec); };
  const std::lock_guard lock(mutex_);
  const std::string key = fs::weakly_canonical(file, ec).string();
  if (const auto it = models_.find(key); it != models_.end()) {
    const auto& times = it->second.times;
    if (std::all_of(times.begin(), times.end(), [&](const auto& t) { return time_of(t.first) == t.second; }))
      return it->second.value;
  }
  const fs::file_time_type time = time_of(file);
  auto read = load_model(file);
  if (!read && read.error().code == codes::importer_missing) return read.error();  // not the file's fault
  CachedModel fresh{{{file, time}}, Error{}};
  if (read) {
    for (const ModelTexture& texture : read->info.textures)
      if (texture.state == ModelTexture::State::file) fresh.times.emplace_back(texture.detail, time_of(texture.detail));
    fresh.value = std::make_shared<const Model>(std::move(*read));
  } else {
    fresh.value = read.error();
  }
  return models_.insert_or_assign(key, std::move(fresh)).first->second.value;
}

Result<std::shared_ptr<const Mesh>> FileAssets::mesh(const std::string& path) {
  HW_TRY(const fs::path file, resolve(path));
  HW_TRY(const std::shared_ptr<const Model> read, model(file));
  return read->mesh;
}

Result<std::shared_ptr<const Image>> FileAssets::image(const std::string& path) {
  HW_TRY(const fs::path file, resolve(path));
  std::error_code ec;
  const fs::file_time_type time = fs::last_write_time(file, ec);
  const std::lock_guard lock(mutex_);
  return cached(images_, fs::weakly_canonical(file, ec).string(), time, [&]() -> Result<std::shared_ptr<const Image>> {
    HW_TRY(Image image, load_image(file));
    return std::make_shared<const Image>(std::move(image));
  });
}

Result<std::shared_ptr<const Dataset>> FileAssets::dataset(const std::string& path, const DatasetSpec& spec) {
  const auto folder = resolve(path, true);
  if (!folder) {
    Error error = folder.error();
    error.remedy =
        "Put the data set's folder beside the graph, name the folder that holds it in HALFWIRE_ASSETS, or choose where "
        "it is (on the command line: --set NODE.path=FOLDER).";
    return error;
  }
  HW_TRY(const DatasetFiles files, find_dataset(*folder));
  std::error_code ec;
  const std::lock_guard lock(mutex_);
  return cached(datasets_, {fs::weakly_canonical(*folder, ec).string(), spec}, newest(files),
                [&] { return load_dataset(files, spec); });
}

std::vector<fs::path> FileAssets::files(Kind kind, const std::string& path) {
  const auto at = resolve(path, kind == Kind::dataset);
  if (!at) return {};
  if (kind == Kind::dataset) {
    const auto found = find_dataset(*at);
    return found ? all_files(*found) : std::vector<fs::path>();
  }
  std::vector<fs::path> files{*at};
  if (kind != Kind::mesh) return files;
  if (const auto read = model(*at)) {
    for (const ModelTexture& texture : (*read)->info.textures)
      if (texture.state == ModelTexture::State::file) files.emplace_back(texture.detail);
  }
  return files;
}

Result<std::shared_ptr<const Mesh>> load_mesh(const fs::path& file) {
  HW_TRY(Model model, load_model(file));
  return model.mesh;
}

}  // namespace hw
