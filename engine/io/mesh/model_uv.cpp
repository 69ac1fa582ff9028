#include "engine/io/mesh/model_uv.h"

#include <assimp/GltfMaterial.h>

namespace hw {
namespace {

const std::string kRemedy = ", which is not read in this format. Export the model as glTF, or move the UVs themselves";
constexpr int kNearest = 9728;  // glTF 2.0, samplers: the number of OpenGL's NEAREST

Wrap wrap_of(int mode, TexturePlace& place) {
  switch (mode) {
    case aiTextureMapMode_Clamp:
      return Wrap::clamp;
    case aiTextureMapMode_Mirror:
      return Wrap::mirror;
    case aiTextureMapMode_Decal:
      place.unread.emplace_back("ends at its border (decal), which is not read: the border is drawn on");
      return Wrap::clamp;
    default:
      return Wrap::repeat;
  }
}

}  // namespace

TexturePlace texture_place(const aiMaterial& material, aiTextureType type, bool knows_transform) {
  TexturePlace place;
  int number = 0;
  if (material.Get(AI_MATKEY_UVWSRC(type, 0), number) == AI_SUCCESS && number >= 0)
    place.uv.set = static_cast<unsigned>(number);
  if (material.Get(AI_MATKEY_MAPPINGMODE_U(type, 0), number) == AI_SUCCESS) place.wrap_u = wrap_of(number, place);
  if (material.Get(AI_MATKEY_MAPPINGMODE_V(type, 0), number) == AI_SUCCESS) place.wrap_v = wrap_of(number, place);
  if (material.Get(AI_MATKEY_GLTF_MAPPINGFILTER_MAG(type, 0), number) == AI_SUCCESS && number == kNearest)
    place.unread.emplace_back("asks for no smoothing (nearest), which is not read: it is smoothed");
  if (material.Get(AI_MATKEY_MAPPING(type, 0), number) == AI_SUCCESS && number != aiTextureMapping_UV)
    place.unread.emplace_back(
        "is projected (sphere, cylinder, box or plane), which is not read: the mesh's UVs are used");
  aiUVTransform t;
  if (knows_transform || material.Get(AI_MATKEY_UVTRANSFORM(type, 0), t) != AI_SUCCESS) return place;
  if (t.mTranslation != aiVector2D(0, 0)) place.unread.emplace_back("has an offset" + kRemedy);
  if (t.mScaling != aiVector2D(1, 1)) place.unread.emplace_back("has a scale" + kRemedy);
  if (t.mRotation != 0) place.unread.emplace_back("has a rotation" + kRemedy);
  return place;
}

}  // namespace hw
