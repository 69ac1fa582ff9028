// A small textured mesh made in code, and the Assets that hand it out for every path.
#pragma once

#include "engine/node/node_type.h"

namespace hw::test {

/// Two parts: a textured quad in z = 0 that covers the uv square, and an untextured triangle above it.
std::shared_ptr<const Mesh> textured_mesh();

class TestAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override { return textured_mesh(); }
};

}  // namespace hw::test
