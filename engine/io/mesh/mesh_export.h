// Meshes into files.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/core/mesh.h"
#include "engine/core/result.h"

namespace hw {

/// By the name's ending: .glb with its textures inside, or .obj with a .mtl and a .png for each texture beside it. The
/// named file is replaced; of those beside it only what an earlier export to this name wrote, as its .mtl says.
/// Normals and uvs are kept to the bit, positions too while the mesh's origin is 0; else the origin is put back: as the
/// translation of the .glb's node, in f64 in the .obj. Textures' wraps are in a .glb alone; one mesh and one material a
/// part, textures shared. Each file is written atomically, the named one last. Errors: HW-F002, also for other endings.
Status save_mesh(const Mesh& mesh, const std::filesystem::path& file);
/// What save_mesh would write, `file` first.
std::vector<std::filesystem::path> mesh_files(const Mesh& mesh, const std::filesystem::path& file);
/// HW-F002 when save_mesh does not know the name's ending.
Status check_mesh_name(const std::filesystem::path& file);

}  // namespace hw
