// Published networks: how torchvision and timm name the modules of the networks and blocks that come with the program.
#pragma once

#include <map>
#include <string>

#include "engine/core/shape.h"

namespace hw {

/// Parameters ("block_1_1/conv_1.weight") and the tensors that a table gives them.
struct PublishedNames {
  std::string network;  // "ResNet-18 (torchvision, timm)"; empty: none fits
  std::string differs;  // what the published model computes otherwise; empty: nothing that is known
  std::map<std::string, std::string> tensors;
};

/// Whether a tensor of a file has the elements of a parameter in the parameter's order: equal sizes but for axes of
/// size 1, or the last axes of the one joined in the other, [4096, 512, 7, 7] for [4096, 25088].
bool same_layout(const Dims& file, const Dims& parameter);

/// The network whose table names at least half of the parameters of its nodes by tensors of their layout, the one with
/// the most; none where two with as many differ, or where the graph lacks more than half of its nodes. Before all names
/// may stand what the file has before them ("module."); of two such copies that without is taken. `parameters`: all of
/// a flattened graph; `tensors`: of a file. A tensor of other sizes is given as well, so that it is refused by name.
PublishedNames published_network(const std::map<std::string, Dims>& parameters,
                                 const std::map<std::string, Dims>& tensors);

/// Instances of blocks by the names inside the block: the only module of the file that has all of them in the sizes of
/// the block's parameters, which no other instance could be; among several the one that is called as the instance.
std::map<std::string, std::string> published_blocks(const std::map<std::string, Dims>& parameters,
                                                    const std::map<std::string, Dims>& tensors);

}  // namespace hw
