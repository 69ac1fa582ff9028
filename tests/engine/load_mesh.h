// A model file as its mesh alone.
#pragma once

#include "engine/io/mesh/model.h"

namespace hw::test {

/// The mesh of load_model; what the file refers to lies in its own folder.
inline Result<std::shared_ptr<const Mesh>> load_mesh(const std::filesystem::path& file) {
  HW_TRY(const Model model, load_model(file, Reach()));
  return model.mesh;
}

}  // namespace hw::test
