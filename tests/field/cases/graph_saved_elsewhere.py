"""A graph that is written to another folder no longer finds its picture: relative paths were kept as they stood."""

import pathlib
import shutil

from support import says, says_not, write_graph


def check(cli, folder):
    for name in ("a/inside", "b/c"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # A picture of one pixel: an uncompressed TGA.
    pixel = bytes([0, 0, 2] + [0] * 9 + [1, 0, 1, 0, 24, 0]) + bytes([10, 20, 30])
    (folder / "a/inside/pic.tga").write_bytes(pixel)
    write_graph(folder / "a/g.halfwire",
                [{"id": "pic", "type": "image_source", "params": {"path": "inside/pic.tga"}},
                 {"id": "one", "type": "group:look", "params": {"picture": "inside/pic.tga"}}],
                subgraphs={"look": {"nodes": [{"id": "p", "type": "image_source", "params": {"path": "inside/pic.tga"}}],
                                    "links": [], "params": [{"id": "picture", "node": "p", "param": "path"}]}})
    says_not(cli("validate", "a/g.halfwire", expect=None), "HW-A001")
    said = cli("validate", "a/g.halfwire", "--fix", "negotiate", "-o", "b/c/g.halfwire", expect=None)
    says(said, "pic.path", "one/p.path", "outside the folder of b/c/g.halfwire")
    says_not(said, "HW-A001")
    text = pathlib.Path(folder / "b/c/g.halfwire").read_text()
    assert text.count("../../a/inside/pic.tga") == 3, text
    says_not(cli("validate", "b/c/g.halfwire", "--allow-path", "a", expect=None), "HW-A00")
    says(cli("validate", "b/c/g.halfwire", expect=None), "HW-A006")  # outside, so it asks

    shutil.copytree(folder / "a/inside", folder / "b/inside")
    cli("validate", "b/c/g.halfwire", "--fix", "negotiate", "-o", "a/h.halfwire", "--allow-path", "a", expect=None)
    assert pathlib.Path(folder / "a/h.halfwire").read_text().count('"inside/pic.tga"') == 3
    return "three paths, in groups and of an instance too, reach the same file from either folder; outside is said"
