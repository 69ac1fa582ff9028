// The tables of published names. Data alone; published_names.h reads them.
#pragma once

#include <span>
#include <string_view>

namespace hw {

/// `nodes`: ids and the modules that they are, "conv_1=conv1 norm_1=bn1". A node `parameter` is no module: its tensor
/// has this name.
struct PublishedNetwork {
  std::string_view network, source, nodes;
  std::string_view differs = "";  // what the published model computes otherwise than the program's network
};

/// `nodes`: all children that have parameters, and their modules below the instance's; nothing after "=": its own.
/// `family`: what names the blocks in blocks, too; empty: any, where the family has none of these children. One family
/// has no two blocks of the same children.
struct PublishedBlock {
  std::string_view family, block, nodes;
};

std::span<const PublishedNetwork> published_network_tables();
std::span<const PublishedBlock> published_block_tables();

}  // namespace hw
