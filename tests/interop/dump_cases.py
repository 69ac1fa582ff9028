"""scripts/dump-pytorch on small modules that other tools' hooks trip over: operators in place, training mode, nested tuples, narrow and
complex dtypes, modules that are fused away or used twice, inputs by keyword and of a module's name. Needs torch and numpy."""

import contextlib
import io
import os
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
import torch
from torch import nn

dump = SourceFileLoader("dump", str(Path(__file__).parents[2] / "scripts/dump-pytorch")).load_module()


class Forward(nn.Module):
    """Modules by name, and what is done with them."""

    def __init__(self, run, **modules):
        super().__init__()
        self.run = run
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, x):
        return self.run(self, x)


class Nested(nn.Module):
    def forward(self, x):
        return ((x + 1, x), {"more": x})


class Turns(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        return x.to(self.dtype)


class ByKeyword(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, **given):
        return self.fc(given["b"] - given["a"])


def dumped(model, **inputs):
    """The files by name, and what was said."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="halfwire-interop-") as folder, contextlib.redirect_stderr(said):
        dump.dump(model, inputs, folder)
        files = {name.removesuffix(".npy"): np.load(os.path.join(folder, name)) for name in os.listdir(folder)}
    return files, said.getvalue()


def cases():
    torch.manual_seed(0)
    x = torch.randn(2, 4)

    model = Forward(lambda m, v: m.act(m.fc(v)).add_(1), fc=nn.Linear(4, 4), act=nn.ReLU(inplace=True)).eval()
    files, said = dumped(model, x=x)
    yield "in place", files["fc"].min() < 0 and files["act"].min() == 0 and not said

    model = Forward(lambda m, v: m.drop(m.fc(v)), fc=nn.Linear(4, 4), drop=nn.Dropout())
    yield "training mode is said", "fc, drop: in training mode" in dumped(model, x=x)[1] and not dumped(model.eval(), x=x)[1]

    files, said = dumped(Forward(lambda m, v: m.pair(v)[0][0], pair=Nested()).eval(), x=x)
    yield "nested tuples", np.allclose(files["pair"], x + 1) and "pair (3): make several tensors" in said

    files, said = dumped(Forward(lambda m, v: m.rnn(v)[0], rnn=nn.LSTM(4, 3, batch_first=True)).eval(), x=torch.randn(2, 5, 4))
    yield "an LSTM's sequence", files["rnn"].shape == (2, 5, 3) and "rnn (3)" in said

    for dtype in dump.NARROW:
        files, _ = dumped(Forward(lambda m, v: m.turn(v).float(), turn=Turns(dtype)).eval(), x=x)
        yield f"{dtype}", np.array_equal(files["turn"], x.to(dtype).float().numpy())
    files, _ = dumped(Forward(lambda m, v: m.turn(v), turn=Turns(torch.float16)).eval(), x=x)
    yield "float16 stays", files["turn"].dtype == np.float16

    files, said = dumped(Forward(lambda m, v: m.turn(v).real, turn=Turns(torch.complex64)).eval(), x=x)
    yield "complex is left out", "turn" not in files and "turn (torch.complex64): left out" in said

    model = Forward(lambda m, v: m.layer(v), layer=nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)).eval()
    files, said = dumped(model, x=torch.randn(2, 3, 8))
    yield "hooks keep modules from being fused", "layer.linear1" in files and "layer.self_attn" in files
    yield "a projection that never runs is said", "layer.self_attn.out_proj" in said

    model = Forward(lambda m, v: m.fc(m.act(m.fc(v))), fc=nn.Linear(4, 4), act=nn.Tanh()).eval()
    files, _ = dumped(model, x=x)
    yield "the last use counts", np.allclose(files["fc"], model(x).detach(), atol=1e-6)

    files, _ = dumped(ByKeyword().eval(), a=x, b=x)
    yield "by keyword alone", set(files) == {"a", "b", "fc"}

    files, said = dumped(Forward(lambda m, v: m.x(v), x=nn.Linear(4, 4)).eval(), x=x)
    yield "an input of a module's name", np.array_equal(files["x"], x) and "x: names of an input and of a module" in said


def main():
    good = True
    for name, holds in cases():
        if not holds:
            print(f"WRONG dump-pytorch: {name}", flush=True)
        good &= bool(holds)
    print(f"{'ok' if good else 'WRONG'} dump-pytorch", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
