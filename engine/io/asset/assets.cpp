#include "engine/io/asset/assets.h"

#include <algorithm>

#include "engine/io/dataset/dataset.h"
#include "engine/io/media/image_file.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kScheme = "asset:";

/// What `cache` holds for `key` when it is from that time, else what `load` gives.
template <class Cache, class Load>
auto cached(Cache& cache, const typename Cache::key_type& key, fs::file_time_type time, Load&& load)
    -> decltype(load()) {
  if (const auto it = cache.find(key); it != cache.end() && it->second.time == time) return it->second.value;
  HW_TRY(const auto value, load());
  cache[key] = {time, value};
  return value;
}

/// Folders were decided on already: what is left are links in them.
Status check_reach(const DatasetFiles& files, const Reach& reach) {
  std::error_code ec;
  fs::path folder = files.folder;
  for (const fs::path& file : all_files(files)) {
    const bool is_elsewhere = file.parent_path() != folder;
    folder = file.parent_path();
    if (is_elsewhere || fs::is_symlink(file, ec)) HW_CHECK(reach.check(file, file.string()));
  }
  return ok();
}

}  // namespace

FileAssets::FileAssets(fs::path graph_folder)
    : folder_(graph_folder.empty() ? fs::path(".") : std::move(graph_folder)), reach_(folder_) {}

Reach FileAssets::reach() const {
  const std::lock_guard lock(reach_mutex_);
  return reach_;
}

void FileAssets::allow(const fs::path& file_or_folder) {
  const std::lock_guard lock(reach_mutex_);
  reach_.allow(file_or_folder);
}

void FileAssets::allow_named(Kind kind, const std::string& path) {
  const auto found = candidates(path, kind == Kind::dataset);
  if (found) allow(found->front());
}

Result<std::vector<fs::path>> FileAssets::candidates(const std::string& path, bool folder) const {
  const auto missing = [&](const std::string& reason, const std::string& remedy) {
    return Error{codes::asset_missing, path, reason, remedy};
  };
  if (path.empty()) return missing("no file is chosen yet.", "Choose a file.");
  if (path.find('\0') != std::string::npos) return missing("the path has a zero byte.", "Choose a file.");
  const bool is_asset = path.starts_with(kScheme);
  const fs::path name = is_asset ? path.substr(kScheme.size()) : path;
  if (name.empty()) return missing("the asset has no name.", "Use asset:FOLDER/NAME.");
  std::vector<fs::path> places{folder_};
  if (is_asset) {
    for (fs::path& place : asset_folders()) places.push_back(std::move(place));
  }
  std::vector<fs::path> found;
  std::string searched;
  for (const fs::path& place : places) {
    const fs::path at = place / name;  // an absolute path stays itself
    std::error_code ec;
    const bool is_folder = fs::is_directory(at, ec);
    if (fs::is_regular_file(at, ec) || (folder && is_folder))
      found.push_back(folder && !is_folder ? at.parent_path() : at);
    searched += (searched.empty() ? "" : ", ") + place.string();
  }
  if (!found.empty()) return found;
  if (is_asset) {
    return missing(
        "there is no such asset in " + searched + ".",
        "Put it beside the graph or choose where it is (on the command line: name its folder in HALFWIRE_ASSETS).");
  }
  const std::string what = folder ? "folder" : "file";
  return missing("there is no such " + what + (name.is_absolute() ? "." : " in " + folder_.string() + "."),
                 "Choose a " + what + " that exists.");
}

Result<fs::path> FileAssets::resolve(const std::string& path, bool folder) const {
  HW_TRY(const std::vector<fs::path> found, candidates(path, folder));
  const Reach reach = this->reach();
  Status allowed = ok();
  for (const fs::path& file : found) {
    const Status here = reach.check(file, path);
    if (here) return file;
    if (allowed) allowed = here;
  }
  return allowed.error();
}

Result<std::shared_ptr<const Model>> FileAssets::model(const fs::path& file) {
  std::error_code ec;
  const auto time_of = [&ec](const fs::path& f) { return fs::last_write_time(f, ec); };
  const Reach reach = this->reach();
  const std::lock_guard lock(mutex_);
  const std::string key = fs::weakly_canonical(file, ec).string();
  if (const auto it = models_.find(key); it != models_.end()) {
    const CachedModel& known = it->second;
    const bool complete =
        known.value ? (*known.value)->info.refused.empty() : known.value.error().code != codes::asset_refused;
    const auto same_time = [&](const auto& t) { return time_of(t.first) == t.second; };
    if ((complete || known.reach == reach.roots().size()) &&
        std::all_of(known.times.begin(), known.times.end(), same_time))
      return known.value;
  }
  const fs::file_time_type time = time_of(file);
  auto read = load_model(file, reach);
  const bool elsewhere =
      !read && (read.error().code == codes::importer_missing || read.error().code == codes::out_of_memory);
  if (elsewhere) return read.error();  // not the file's fault: it is tried again
  CachedModel fresh{reach.roots().size(), {{file, time}}, Error{}};
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

std::vector<std::string> FileAssets::refused(const std::string& path) {
  const auto file = resolve(path);
  const auto read = file ? model(*file) : Result<std::shared_ptr<const Model>>(file.error());
  return read ? (*read)->info.refused : std::vector<std::string>();
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
    if (error.code == codes::asset_missing)
      error.remedy =
          "Put the data set's folder beside the graph or choose where it is (on the command line: --set "
          "NODE.path=FOLDER, or name the folder that holds it in HALFWIRE_ASSETS).";
    return error;
  }
  HW_TRY(const DatasetFiles files, find_dataset(*folder));
  HW_CHECK(check_reach(files, reach()));
  std::error_code ec;
  const std::lock_guard lock(mutex_);
  return cached(datasets_, {fs::weakly_canonical(*folder, ec).string(), spec}, newest(files),
                [&] { return open_dataset(files, spec); });
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

}  // namespace hw
