// The library of blocks: those that come with Halfwire, and the user's own, a file each. See
// engine/graph/groups/block.h.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/graph/graph.h"

namespace hw {

struct Block {
  std::filesystem::path file;
  std::string key;   // names it in the library: "residual_basic", or "own/my_block"
  bool own = false;  // the user's, not the product's
  std::shared_ptr<const Graph> graph;
  const Group* group = nullptr;  // in `graph`
};

struct BlockLibrary {
  std::vector<Block> blocks;    // the product's, then the user's; by name
  std::vector<Error> unusable;  // why others are not among them: of read_graph, HW-G010 (`where`: the file)
};

/// Where the product's blocks lie: share/halfwire/blocks of where it is installed, else beside the program.
std::filesystem::path product_blocks();
/// Where the user's are kept: Halfwire/Halfwire/blocks in $XDG_DATA_HOME, or in ~/.local/share.
std::filesystem::path own_blocks();

/// Reads the *.halfwire files of a folder, which need not be there.
void read_blocks(const std::filesystem::path& folder, bool own, BlockLibrary& library);
/// The blocks of both folders.
BlockLibrary read_block_library(const std::filesystem::path& product = product_blocks(),
                                const std::filesystem::path& own = own_blocks());
/// Null: there is no such block.
const Block* find_block(const BlockLibrary& library, std::string_view key);

/// The name of the file of a block of this title, of [a-z0-9_]: another one of the title is replaced.
std::string block_file_name(const std::string& title);
/// Writes a block, atomically; makes its folder. Error HW-F002.
Status save_block(const Graph& file, const std::filesystem::path& path);

}  // namespace hw
