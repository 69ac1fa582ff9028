#!/usr/bin/env python3
"""The program that draws an exported field, as the guide describes it: the duck is there, and yellow."""

import argparse
import os
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--cli", "--draw", "--glslang", "--examples"):
        parser.add_argument(option, required=True, type=os.path.abspath)
    parser.add_argument("--keep", type=os.path.abspath, help="a folder for the files")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = o.keep or temporary
        at = lambda name: os.path.join(folder, name)
        graph = os.path.join(o.examples, "neural_texture.halfwire")
        small = ("--set", "encoder.log2_table=14")

        def run(*words):
            done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
            if done.returncode:
                sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")

        run(o.cli, "train", graph, *small, "--steps", "150", "--set", "sampler.points=4096", "--out", at("out"))
        weights = (*small, "--weights", at("out/weights.safetensors"))
        run(o.cli, "export", graph, "--field", "sigmoid.y", *weights, "-o", at("field.glsl"))
        run(o.cli, "bake", graph, *weights, "--size", "64", "-o", at("duck.obj"))
        shader = os.path.join(o.examples, "shader/draw_field.comp")
        run(o.glslang, "-V", "--target-env", "vulkan1.2", f"-I{folder}", shader, "-o", at("field.spv"))
        run(o.draw, at("duck.obj"), at("field.spv"), at("field.bin"), at("duck.ppm"), "30")
        pixels = open(at("duck.ppm"), "rb").read().split(b"\n255\n", 1)[1]
    colours = [pixels[i : i + 3] for i in range(0, len(pixels), 3)]
    drawn = [c for c in colours if c != b"\xf0\xf0\xf0"]
    red, green, blue = (sum(c[i] for c in drawn) / max(len(drawn), 1) for i in range(3))
    print(f"{len(drawn)} of {len(colours)} pixels, on average red {red:.0f}, green {green:.0f}, blue {blue:.0f}")
    if not (len(colours) == 640 * 640 and len(drawn) > len(colours) / 8 and red > blue + 40 and green > blue + 20):
        sys.exit("That is no yellow duck.")


main()
