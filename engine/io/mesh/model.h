// Models from files: the mesh, and what was found in the file. Assimp runs in a child process with limits.
#pragma once

#include <filesystem>

#include "engine/core/mesh.h"
#include "engine/core/result.h"
#include "engine/io/file/reach.h"

namespace hw {

/// A texture that a material names, and what became of it.
struct ModelTexture {
  enum class State : uint8_t { file, embedded, missing, unreadable, refused };
  std::string name;  // as the model writes it
  State state = State::missing;
  int width = 0, height = 0;  // pixels; 0 when there are none
  std::string detail = {};    // the file that was read or refused, or why there is none
};
/// "file", "embedded", "missing", "unreadable", "refused".
std::string_view name(ModelTexture::State state);

/// A material as the file has it.
struct ModelMaterial {
  std::string name;
  int32_t texture = -1;               // index into ModelInfo::textures; −1: none
  std::array<float, 4> base_color{};  // sRGB-encoded, alpha
};

/// What a file holds, counted before and after the scene was flattened.
struct ModelInfo {
  std::string format;                      // Assimp's name of it
  uint64_t nodes = 0, meshes = 0;          // of the scene
  uint64_t instances = 0, transforms = 0;  // placed meshes with triangles; nodes that move, turn or scale
  uint64_t degenerate = 0;                 // triangles without area: kept, never sampled
  double unit_in_metres = 0;               // 0: the file does not say
  std::vector<ModelMaterial> materials;    // all of the file, used or not
  std::vector<ModelTexture> textures;      // base colour textures of used materials
  std::vector<std::string> refused;        // absolute paths of files that it refers to and that may not be read
};

/// A file that was read; the mesh is not null.
struct Model {
  std::shared_ptr<const Mesh> mesh;
  ModelInfo info;
};

/// What the child did and took.
struct ImportCost {
  enum class End : uint8_t { read, refused, crashed, out_of_time, out_of_memory };
  End end = End::refused;
  double wall_seconds = 0, cpu_seconds = 0;
  uint64_t peak_bytes = 0;  // largest resident set of the child
};

/// Reads any format Assimp knows: triangulated, scene transforms applied, normals made when missing, diffuse textures
/// loaded (files beside the model or embedded), vertex colours. Colours and textures stay sRGB-encoded. What is missing
/// without harm (a texture, uvs) is in Mesh::warnings.
///
/// Assimp runs in `halfwire-cli import-mesh`, found by $HALFWIRE_IMPORTER, else beside the running program or in the
/// folder above it; never in this process. Limits: 800 MB in memory (watched) and 2 GB of address space; 4 s of
/// processor time and 1 s more for each 8 MiB of model and textures. The child is confined (confine.h): it opens no
/// file but the model's folder and `reach`. Blocks; thread safe. `file` is somebody's choice already; what it refers to
/// (textures, buffers, materials) must lie below its folder or within `reach`. What is left out for that is in
/// ModelInfo::refused. Errors HW-A002 (file, Assimp's reason), HW-A003 (no triangles), HW-A004 (crash, time, memory),
/// HW-A005, HW-A006 (without the refused file there is no model), HW-R001.
Result<Model> load_model(const std::filesystem::path& file, const Reach& reach, ImportCost* cost = nullptr);

}  // namespace hw
