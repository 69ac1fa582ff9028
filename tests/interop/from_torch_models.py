"""Modules for from_torch.py, with random weights: make(name) gives the module, args, kwargs, dynamic shapes and other inputs to try. REFUSED are
those of which a whole graph cannot be made: module, args, the words that must be said, and by what (error, placeholder, graph)."""

import small_models
import torch
from small_models import Last, picture, tokens
from torch import nn
from torch.nn import functional as F


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Dropout(0.3), nn.LayerNorm(16), nn.Linear(16, 3)).train(), torch.randn(4, 6)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10))

    def forward(self, x):
        return F.log_softmax(self.classifier(self.features(x)), dim=1)


def torchvision_model(name, size=64):
    import torchvision
    return getattr(torchvision.models, name)(weights=None), picture(size)


class Autocast(nn.Module):
    """A product in bf16 between layers in f32."""
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second, self.conv = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 8), nn.Conv1d(3, 5, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = F.relu(self.conv(self.second(F.gelu(self.norm(self.first(x))))))
        return h.float() * 2


class Shared(nn.Module):
    """A block that is used three times, and a layer twice, in two groups."""
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.LayerNorm(8))
        self.one, self.scale = nn.Linear(8, 8), nn.Parameter(torch.randn(8))

    def forward(self, x):
        for _ in range(3):
            x = x + self.block(x)
        return self.one(self.one(x) * self.scale) * self.scale


class Tied(nn.Module):
    """A table that is the weight of the last layer, too."""
    def __init__(self):
        super().__init__()
        self.table, self.inner, self.head = nn.Embedding(20, 8), nn.Sequential(nn.Linear(8, 8), nn.SiLU()), nn.Linear(8, 20)
        self.head.weight = self.table.weight

    def forward(self, x):
        return self.head(self.inner(self.table(x)))


class InPlace(nn.Module):
    """Views that are written through, an addition and an activation in place."""
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x):
        y = self.layer(x)
        y[:, :2] = y[:, :2] * 3
        y[:, 4] = 1.5
        y += x
        y.mul_(2)
        F.relu_(y)
        return y


class Outputs(nn.Module):
    """A dictionary with a tuple in it; an argument by name that is a list; a number that is no tensor."""
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, *, more, times=2):
        y = self.layer(x) * times + more[0]
        return {"mean": y.mean(), "parts": (y[:, :2], y[:, 2:].sum(1)), "count": 3}


class Buffers(nn.Module):
    """Positions, a mask and a table of frequencies that are buffers; a mask of whole numbers that is an input."""
    def __init__(self, length=8, d=12):
        super().__init__()
        self.register_buffer("position_ids", torch.arange(length).unsqueeze(0))
        self.register_buffer("causal", torch.ones(length, length, dtype=torch.bool).tril(), persistent=False)
        self.register_buffer("frequencies", torch.randn(length, d))
        self.tokens, self.positions = nn.Embedding(30, d, padding_idx=0), nn.Embedding(length, d)
        self.q, self.k, self.v = (nn.Linear(d, d, bias=False) for _ in range(3))

    def forward(self, ids, attention_mask):
        n, length = ids.shape
        x = self.tokens(ids) + self.positions(self.position_ids[:, :length]) + self.frequencies[:length]
        heads = lambda layer: layer(x).view(n, length, 3, 4).transpose(1, 2)
        mask = self.causal[:length, :length] & attention_mask[:, None, None, :].bool()
        y = F.scaled_dot_product_attention(heads(self.q), heads(self.k), heads(self.v), attn_mask=mask)
        return (y.transpose(1, 2).reshape(n, length, -1) * attention_mask.unsqueeze(-1)).sum(1)


class Turned(nn.Module):
    """Weights that lie transposed or in strides, and a product with a weight as it is."""
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.randn(6, 5))
        self.layer = nn.Linear(6, 4)
        self.layer.weight = nn.Parameter(torch.randn(6, 4).t())
        self.wide = nn.Parameter(torch.randn(5, 8)[:, ::2])

    def forward(self, x):
        return self.layer(x) + (x @ self.a) @ self.wide


class Indexed(nn.Module):
    """Indices of many kinds, cumulative sums and comparisons of whole numbers."""
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(9, 4))

    def forward(self, x, index):
        rows = self.table[index]
        last = x[torch.arange(3), index[:, 0] - 1]
        order = torch.cumsum((index > 2).long(), 1) * 2 + 1
        top, place = x.topk(2, dim=-1)
        y = torch.where(index % 2 == 0, index, -index) if False else torch.clamp(index - 2, min=0)
        return rows.flatten(1)[:, ::3], last, order, top.sum(-1) + place.float().mean(-1), y, x.flip(1).roll(1, 2)[..., :2], F.pad(x, (1, 2, 0, 1))


class Functions(nn.Module):
    """Functions of one tensor, reductions and norms."""
    def forward(self, x):
        p = x.abs() + 0.5
        y = [torch.rsqrt(p), p.log(), torch.erf(x), F.silu(x), F.hardswish(x), F.elu(x), F.softplus(x), F.leaky_relu(x, 0.2), x.clamp(-0.5, 0.5), F.mish(x), x ** 3, 2 ** x, 1 / p, 3 - x,
             F.hardtanh(x), p ** 0.5, p.sqrt() * 0.3, torch.maximum(x, p), F.glu(torch.cat([x, p], 1), 1), F.normalize(x, dim=1), x.softmax(1), F.log_softmax(x, -1)]
        return torch.stack(y).sum(0), x.mean((1, 2)), x.std(-1), x.var(1, unbiased=False), x.amax(1), p.prod(1), x.norm(dim=-1), torch.logsumexp(x, 2), x.argmax(-1), (x > 0).any(1), torch.einsum("bij,bkj->bik", x, p)


class NoGrad(nn.Module):
    """A teacher without gradient, a detached branch, a frozen layer and a layer of which the bias trains alone."""
    def __init__(self):
        super().__init__()
        self.student, self.teacher, self.frozen, self.shift = (nn.Linear(5, 5) for _ in range(4))
        self.frozen.requires_grad_(False)
        self.shift.weight.requires_grad_(False)

    def forward(self, x):
        with torch.no_grad():
            t = self.teacher(x)
        s = self.student(x)
        return self.shift(self.frozen(s - t) * s.detach())


class Wrapped(nn.Module):
    """A whole model under autocast, as training loops run it."""
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.model(x)


class FrozenNorm(nn.Module):
    """In training mode: a batch norm that keeps its statistics, one whose scale is frozen, a layer's dropout switched off."""
    def __init__(self):
        super().__init__()
        self.conv, self.one, self.two, self.drop = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.BatchNorm2d(4), nn.Dropout(0.5)
        self.two.weight.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.one.eval(), self.drop.eval()
        return self

    def forward(self, x):
        return self.drop(self.two(self.one(self.conv(x))))


def narrow(dtype):
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4), nn.Softmax(-1)).to(dtype), torch.randn(3, 8).to(dtype)


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(6, 8, num_layers=2, dropout=0.1)

    def forward(self, x, h):
        y, last = self.gru(x, h)
        return y, last


class Heads(nn.Module):
    """torch.nn's own attention, with a float mask and grouped queries beside it."""
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True, dropout=0.1)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False)

    def forward(self, x):
        mask = torch.full((6, 6), float("-inf")).triu(1)
        y, weights = self.attention(x, x, x, attn_mask=mask)
        q = x.view(2, 6, 4, 2).transpose(1, 2)
        return self.encoder(y), weights, F.scaled_dot_product_attention(q, q[:, :2], q[:, :2], is_causal=True, enable_gqa=True)


class DynamicVit(nn.Module):
    """A batch of any size: a class token that is stretched to it, positions, heads."""
    def __init__(self):
        super().__init__()
        self.patches, self.token, self.positions = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16)), nn.Parameter(torch.randn(1, 17, 16))
        self.attention, self.norm, self.head = nn.Linear(16, 48), nn.BatchNorm1d(17), nn.Linear(16, 5)

    def forward(self, x):
        n = x.shape[0]
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(n, -1, -1), x], 1) + self.positions
        q, k, v = self.attention(self.norm(x)).view(n, 17, 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
        return self.head(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, 17, 16)[:, 0])


class Computed(nn.Module):
    """Convolutions whose weights are computed: a weight norm, standardised ones in groups; a norm by the batch alone."""
    def __init__(self):
        super().__init__()
        self.one = nn.utils.parametrizations.weight_norm(nn.Conv2d(3, 8, (3, 2), 2, 1))
        self.weight, self.bias, self.norm = nn.Parameter(torch.randn(6, 4, 3, 3)), nn.Parameter(torch.randn(6)), nn.BatchNorm2d(6, track_running_stats=False)

    def forward(self, x):
        w = (self.weight - self.weight.mean((1, 2, 3), keepdim=True)) / self.weight.std((1, 2, 3), keepdim=True)
        return self.norm(F.conv2d(self.one(x), w, self.bias, stride=1, padding=2, dilation=2, groups=2))


class Odds(nn.Module):
    """Padding modes, repeated elements, a plain RNN, fractions of means, an argument that is called as an output is."""
    def __init__(self):
        super().__init__()
        self.circular, self.reflect = nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), nn.Conv2d(3, 3, 3, padding=2, padding_mode="reflect")
        self.same, self.rnn = nn.Conv2d(3, 2, 2, padding="same"), nn.RNN(5, 4, batch_first=True)
        self.drop, self.pool = nn.AlphaDropout(0.2), nn.AdaptiveAvgPool2d((2, 3))

    def forward(self, y, lengths):
        x = self.drop(self.same(self.reflect(self.circular(y))))
        h = self.rnn(F.interpolate(self.pool(x), size=(4, 5), mode="bilinear").flatten(0, 1))[0]
        steps = torch.arange(4)[None, :] < lengths[:, None]
        return h.repeat_interleave(2, dim=1), steps, (lengths * 3 - 1) // 2, lengths / 4, F.unfold(y, 2).mean(1), x.masked_fill(x > 0.2, -1.0), F.max_pool2d(y, 3, 2, ceil_mode=True)


class Mixed(nn.Module):
    """Weights that are read in two ways: turned and as they are, in bf16 and in f32, by two layers with biases of their own."""
    def __init__(self):
        super().__init__()
        self.one, self.two, self.cast = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 6)
        self.two.weight = self.one.weight
        self.conv, self.filters = nn.Conv1d(2, 2, 3, padding=1), nn.Parameter(torch.randn(2, 2, 3))

    def forward(self, x):
        h = self.two(self.one(x)) + x @ self.one.weight + x @ self.cast.weight.t()
        h = self.conv(h) * self.conv.weight.mean() + F.conv1d(h, self.filters)[..., :1]
        return h + self.cast(h) * self.cast.bias


def bert_with_mask():
    from transformers import BertConfig, BertModel
    c = BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=24)
    mask = torch.ones(2, 9, dtype=torch.int64)
    mask[0, 6:] = 0
    return BertModel(c, add_pooling_layer=True), (), {"input_ids": tokens(), "attention_mask": mask}


def gpt2_train():
    from transformers import GPT2Config, GPT2LMHeadModel
    c = GPT2Config(vocab_size=50, n_embd=32, n_layer=2, n_head=4, n_positions=24, use_cache=False, bos_token_id=0, eos_token_id=1)
    return Last(GPT2LMHeadModel(c).train(), "logits", use_cache=False).train(), tokens()


def llama_sdpa():
    from transformers import LlamaConfig, LlamaForCausalLM
    c = LlamaConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64, max_position_embeddings=24, use_cache=False,
                    bos_token_id=0, eos_token_id=1, pad_token_id=None)
    return Last(LlamaForCausalLM(c).to(torch.bfloat16), "logits", use_cache=False), tokens()


class Arguments(nn.Module):
    """Arguments that are seldom given: of softplus, rsub and leaky ReLU; scales of pictures of odd sizes; products of vectors."""
    def forward(self, x):
        v = x[0, 0, 0]
        return (torch.rsub(x, 2, alpha=3), torch.rsub(x, x * 2, alpha=3), F.softplus(x * 9, beta=2.5, threshold=3), F.leaky_relu(x, -0.2),
                F.interpolate(x, scale_factor=0.5, mode="bilinear"), F.interpolate(x, scale_factor=1.3), F.interpolate(x, scale_factor=1.7, mode="bicubic"),
                v @ v, x @ v, v @ x, x.flip(()))


class OfList(nn.Module):
    """A parameter that is read out of a list beside the module's own: torch.export calls it a constant."""
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 6))
        self.own = [self.weight]

    def forward(self, x):
        return F.linear(x, self.own[0])


class Stepped(nn.Module):
    """Steps along a fixed and a symbolic axis, and as many rows of a table as a text has tokens."""
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(32, 6))

    def forward(self, x):
        length = x.shape[1]
        return (x[..., 1::2], x[..., :5:3], x[:, ::2], x[:, 1::3], x[:, 1:-1:2], x[:, -4::3], x + self.table[:length], x[:, 1::2] * self.table[1:length:2])


N = lambda: torch.export.Dim("N")
MODELS = {
    "mlp": mlp, "lenet": lambda: (LeNet(), torch.randn(2, 1, 28, 28)), "resnet18": lambda: torchvision_model("resnet18"),
    "mobilenet": lambda: torchvision_model("mobilenet_v3_small"), "convnext_t": lambda: torchvision_model("convnext_tiny"), "vit_b": lambda: torchvision_model("vit_b_32", 224),
    "swin_t": lambda: torchvision_model("swin_t"), "googlenet": lambda: torchvision_model("googlenet", 96), "efficient": lambda: torchvision_model("efficientnet_b0"),
    **{name: (lambda name=name: small_models.make(name)) for name in small_models.MODELS},
    "bert_mask": bert_with_mask, "gpt2_train": gpt2_train, "llama_bf16": llama_sdpa,
    "autocast": lambda: (Autocast(), torch.randn(2, 3, 8)), "shared": lambda: (Shared(), torch.randn(3, 8)), "tied": lambda: (Tied(), torch.randint(0, 20, (2, 5))),
    "in_place": lambda: (InPlace(), torch.randn(3, 6)), "outputs": lambda: (Outputs(), (torch.randn(2, 4),), {"more": [torch.randn(2, 4)], "times": 3}),
    "buffers": lambda: (Buffers(), (torch.randint(1, 30, (2, 6)), torch.tensor([[1] * 6, [1, 1, 1, 0, 0, 0]])), {}), "turned": lambda: (Turned(), torch.randn(3, 6)),
    "indexed": lambda: (Indexed(), (torch.randn(3, 4, 5), torch.randint(1, 5, (3, 4))), {}), "functions": lambda: (Functions(), torch.randn(2, 4, 6)),
    "no_grad": lambda: (NoGrad(), torch.randn(2, 5)), "half": lambda: narrow(torch.float16), "bfloat": lambda: narrow(torch.bfloat16), "double": lambda: narrow(torch.float64),
    "resnet_bf16": lambda: (small_models.make("resnet")[0].to(torch.bfloat16), picture(64).to(torch.bfloat16)),
    "resnet_auto": lambda: (Wrapped(small_models.make("resnet")[0]), picture(64)), "gpt2_auto": lambda: (Wrapped(small_models.make("gpt2")[0]), tokens()),
    "unet_auto": lambda: (Wrapped(small_models.make("unet")[0]), picture()), "frozen_norm": lambda: (FrozenNorm(), torch.randn(3, 3, 8, 8)),
    "computed": lambda: (Computed(), picture(16)),
    "of_list": lambda: (OfList(), torch.randn(3, 6)),
    "arguments": lambda: (Arguments(), picture(7)),
    "odds": lambda: (Odds(), (torch.randn(2, 2, 8, 9), torch.tensor([3, 1])), {}),
    "mixed": lambda: (Mixed(), torch.randn(3, 2, 6)),
    "gru": lambda: (Gru(), (torch.randn(5, 3, 6), torch.randn(2, 3, 8)), {}), "heads": lambda: (Heads(), torch.randn(2, 6, 8)), "heads_train": lambda: (Heads(), torch.randn(2, 6, 8)),
    "dynamic": lambda: (DynamicVit(), (torch.randn(2, 3, 32, 32),), {}, {"x": {0: N()}}, [((torch.randn(5, 3, 32, 32),), {})]),
    **{f"dynamic_{name}": (lambda name=name: (small_models.make(name)[0], (tokens(),), {}, {"x": {0: N(), 1: torch.export.Dim("L", max=20)}}, [((tokens(n=4, length=13),), {})]))
       for name in ("bert", "gpt2", "llama", "t5")},
    "dynamic_steps": lambda: (Stepped(), (torch.randn(2, 8, 6),), {}, {"x": {0: N(), 1: torch.export.Dim("L", min=5, max=20)}}, [((torch.randn(3, 13, 6),), {})]),
    "dynamic_resnet": lambda: (small_models.make("resnet")[0], (picture(64),), {}, {"x": {0: N()}}, [((picture(64, 3),), {})]),
}
TRAINING = ("mlp", "gpt2_train", "resnet18", "heads_train", "frozen_norm")  # given to from-torch in training mode
TRAINED = ("vit", "bert", "gpt2", "llama", "unet", "resnet", "lstm", "convnext", "shared", "tied", "in_place", "no_grad", "turned", "computed", "mixed", "of_list")


class DataDependent(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x - 1


class Chosen(nn.Module):
    """Elements that a mask chooses: their number depends on data."""
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4))

    def forward(self, x):
        return self.inner(x)[x > 0].sum()


class Spectrum(nn.Module):
    """One operator without a node between layers that have theirs."""
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, x):
        return self.second(torch.linalg.cholesky_ex(self.first(x))[0])


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen += 1
        return x * 2


class Noisy(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


class Fourier(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).abs()


class Conditional(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))


REFUSED = {
    "fourier": lambda: (Fourier(), (torch.randn(8),), ("fft",), "placeholder"),
    "conditional": lambda: (Conditional(), (torch.randn(3),), ("cond",), "placeholder"),
    "branch": lambda: (DataDependent(), (torch.randn(3),), ("DataDependent", "torch.export"), "error"),
    "chosen": lambda: (Chosen(), (torch.randn(3, 4),), ("index", "depends on data"), "placeholder"),
    "cholesky": lambda: (Spectrum(), (torch.randn(6, 6),), ("linalg_cholesky_ex", "from_torch_models.py"), "placeholder"),
    "counter": lambda: (Counter(), (torch.randn(3),), ("seen is written",), "graph"),
    "noise": lambda: (Noisy(), (torch.randn(3),), ("rand", "from_torch_models.py"), "placeholder"),
}


def make(name):
    """The module, args, kwargs, dynamic shapes and other inputs to try, [(args, kwargs)]."""
    torch.manual_seed(1)
    module, args, *rest = MODELS[name]()
    args = args if isinstance(args, tuple) else (args,)
    kwargs, dynamic, others = (*rest, *({}, None, [])[len(rest):])
    if name not in small_models.MODELS:
        module.train(name in TRAINING)
        with torch.no_grad():
            for p in module.parameters():
                p.add_(torch.randn_like(p) * 0.03)
            for key, b in module.named_buffers():
                if key.endswith("running_mean"): b.copy_(torch.randn_like(b) * 0.1)
                if key.endswith("running_var"): b.copy_(1 + torch.rand_like(b))
    return module, args, kwargs, dynamic, others
