// What examples of nodes are given: a small textured mesh, a picture and a data set made in code, and the Assets that
// hand them out for every path.
#pragma once

#include "engine/node/node_type.h"

namespace hw {

/// Two parts: a textured quad in z = 0 that covers the uv square, and an untextured triangle above it.
std::shared_ptr<const Mesh> example_mesh();
/// The quad's texture, with the last row cut off: 8 × 7.
std::shared_ptr<const Image> example_picture();
/// Ten training and six test samples, bytes; labels count from 0 and begin again at `classes`.
std::shared_ptr<const Dataset> example_dataset(const DatasetSpec& spec = {{1, 4, 4}, 10});
/// Ten windows of `length` tokens from 0 to 6: training windows begin at every token, test windows follow one another.
std::shared_ptr<const Dataset> example_text(int64_t length);

class ExampleAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override { return example_mesh(); }
  Result<std::shared_ptr<const Image>> image(const std::string&) override { return example_picture(); }
  Result<std::shared_ptr<const Dataset>> dataset(const std::string&, const DatasetSpec& spec) override {
    return example_dataset(spec);
  }
};

}  // namespace hw
