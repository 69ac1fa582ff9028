"""Arrays in Fortran order, big endian or another dtype than the wire's, refused with a remedy that does not help."""

import numpy as np

from support import close, says, says_not, write_graph


def check(cli, folder):
    write_graph(folder / "g.halfwire", [
        {"id": "x", "type": "input", "params": {"dtype": "f32", "shape": [3, 4]}},
        {"id": "s", "type": "neg"}, {"id": "y", "type": "output"}],
        [("x.y", "s.x"), ("s.y", "y.x")])
    values = (np.arange(12).reshape(3, 4) * 3 % 11).astype(np.float64)
    count = 0
    for dtype in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"):
        for byte_order in "<>":
            for order in "CF":
                np.save(folder / "x.npy", np.asarray(values, dtype=byte_order + dtype, order=order))
                said = cli("run", "g.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
                says_not(said, "note: x")
                close(np.load(folder / "y.npy"), -values, rtol=0, atol=0)
                count += 1
    np.save(folder / "x.npy", values > 4)
    cli("run", "g.halfwire", "--input", "x=x.npy", "--output", "y=y.npy")
    close(np.load(folder / "y.npy"), -1.0 * (values > 4), rtol=0, atol=0)
    np.save(folder / "x.npy", values + 0.1)
    says(cli("run", "g.halfwire", "--input", "x=x.npy", "--output", "y=y.npy"), "note: x", "f64 converted to f32",
         "rounded")
    close(np.load(folder / "y.npy"), -(values + 0.1).astype(np.float32))
    np.save(folder / "x.npy", values + 1j)
    says(cli("run", "g.halfwire", "--input", "x=x.npy", "--output", "y=y.npy", expect=3), "<c16", "x.real")
    return f"{count} layouts exact; f64 rounded with a note; complex refused with a way out"
