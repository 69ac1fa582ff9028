"""Handwritten digits for tests, as MNIST stores them."""

import os
import random
import struct


def write_digits(folder):
    """512 and 200 pictures that can be distinguished: a bar whose height is the class, in noise."""
    noise = random.Random(5)
    os.makedirs(folder)
    for split, count in (("train", 512), ("t10k", 200)):
        pictures, labels = bytearray(), bytearray()
        for _ in range(count):
            label = noise.randrange(10)
            labels.append(label)
            for y in range(28):
                for x in range(28):
                    bar = 2 * label + 3 <= y < 2 * label + 6 and 4 <= x < 24
                    pictures.append(min(255, (180 if bar else 0) + noise.randrange(60)))
        for name, magic, sizes, data in (("images-idx3", 3, (count, 28, 28), pictures), ("labels-idx1", 1, (count,), labels)):
            with open(os.path.join(folder, f"{split}-{name}-ubyte"), "wb") as file:
                file.write(struct.pack(f">BBBB{len(sizes)}I", 0, 0, 8, magic, *sizes) + bytes(data))
