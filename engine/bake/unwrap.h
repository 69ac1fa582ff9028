// New texture coordinates for any mesh: charts by the axis they face, packed side by side.
#pragma once

#include "engine/core/mesh.h"
#include "engine/core/result.h"

namespace hw {

/// The same surface – triangles in their order, parts, positions, normals, colours – with texture coordinates in which
/// every place has a room of its own: neighbours that face the same of six axes make a chart, projected along that axis
/// (lengths shrink to 0.58 at most), all at one scale, `padding` texels apart in a texture of `size` texels a side.
/// Vertices at borders of charts are doubled. Deterministic. Error HW-A003: more charts than a texture of this size
/// holds.
Result<Mesh> unwrap(const Mesh& mesh, int size, int padding);

}  // namespace hw
