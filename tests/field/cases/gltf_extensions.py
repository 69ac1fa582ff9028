"""A glTF file that requires what is not read is refused as damaged, or read wrong without a word (rerun #12858, assimp #2791)."""

import numpy as np

from gltf_file import square
from support import says, says_not

PIXELS = np.full((2, 2, 3), 200, np.uint8)


def model(folder, required=(), used=()):
    glb = square(PIXELS)
    if required:
        glb.json["extensionsRequired"] = list(required)
    glb.json["extensionsUsed"] = [*required, *used]
    glb.write(folder / "model.glb")


def check(cli, folder):
    refused = {"EXT_meshopt_compression": "without mesh compression", "EXT_texture_webp": "PNG or JPEG",
               "KHR_texture_basisu": "PNG or JPEG", "EXT_mesh_gpu_instancing": "a node for each copy",
               "ACME_blobs": "without this extension"}
    for name, remedy in refused.items():
        model(folder, required=[name])
        said = cli("mesh-info", "model.glb", expect=3)
        says(said, f"requires the glTF extension {name}", remedy)
        says_not(said, "damaged")
        model(folder, used=[name])
        says(cli("mesh-info", "model.glb"), f"warning: The file uses the glTF extension {name}")
    # Draco's bytes are none: whatever Assimp was built with, it is its name that is said.
    glb = square(PIXELS)
    glb.json["extensionsUsed"] = glb.json["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    primitive = glb.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 3, "attributes": {"POSITION": 0, "TEXCOORD_0": 1}}}
    glb.write(folder / "model.glb")
    says(cli("mesh-info", "model.glb", expect=3), "KHR_draco_mesh_compression", "without mesh compression")
    passed = ("KHR_lights_punctual", "KHR_materials_clearcoat", "KHR_materials_variants")
    model(folder, required=passed[:1], used=passed[1:])
    says(cli("mesh-info", "model.glb"), *[f"note: The file uses the glTF extension {name}" for name in passed])
    model(folder, required=["KHR_texture_transform", "KHR_materials_unlit"])
    says_not(cli("mesh-info", "model.glb"), "extension")
    return f"{len(refused)} refused by name with a remedy and named when only used; {len(passed)} passed over by name; 2 read"
