#include "engine/io/graph/block_library.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "engine/core/codes.h"
#include "engine/graph/groups/block.h"
#include "engine/io/file/folder_entries.h"
#include "engine/io/graph/graph_file.h"

namespace hw {
namespace fs = std::filesystem;

namespace {

constexpr size_t kMostBlocks = 1000;  // of a folder

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? fs::path(value) : fs::path();
}

}  // namespace

fs::path product_blocks() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  const fs::path installed = program.parent_path() / "share/halfwire/blocks";
  return fs::is_directory(installed, failed) ? installed : program / "blocks";
}

fs::path own_blocks() {
  fs::path data = from_environment("XDG_DATA_HOME");
  if (data.is_relative()) data = from_environment("HOME") / ".local/share";  // empty, too
  return data / "Halfwire/Halfwire/blocks";
}

void read_blocks(const fs::path& folder, bool own, BlockLibrary& library) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (fs::path& file : entries_of(folder, failed))
    if (file.extension() == ".halfwire" && files.size() < kMostBlocks) files.push_back(std::move(file));
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    auto graph = read_graph(file);
    if (!graph) {
      library.unusable.push_back(graph.error());
      continue;
    }
    Block block{file, (own ? "own/" : "") + file.stem().string(), own, std::make_shared<const Graph>(*std::move(graph)),
                nullptr};
    const auto group = block_of(*block.graph);
    if (group) {
      block.group = *group;
      library.blocks.push_back(std::move(block));
    } else {
      Error error = group.error();
      error.where = file.string();
      library.unusable.push_back(std::move(error));
    }
  }
}

BlockLibrary read_block_library(const fs::path& product, const fs::path& own) {
  BlockLibrary library;
  read_blocks(product, false, library);
  read_blocks(own, true, library);
  return library;
}

const Block* find_block(const BlockLibrary& library, std::string_view key) {
  const auto found = std::ranges::find(library.blocks, key, &Block::key);
  return found == library.blocks.end() ? nullptr : &*found;
}

std::string block_file_name(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    name += plain ? c : capital ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  return name.substr(0, kMostIdCharacters) + ".halfwire";
}

Status save_block(const Graph& file, const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed)
    return Error{codes::file_unwritable, path.string(), "its folder cannot be made: " + failed.message() + ".",
                 "Make the folder, or set XDG_DATA_HOME to one that can be written."};
  return save_graph(file, path);
}

}  // namespace hw
