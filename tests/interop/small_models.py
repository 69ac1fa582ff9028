"""Twelve small models with random weights, each of one tensor of one input: make(name) gives the module and an input.
Needs torch, torchvision and transformers."""

import torch
from torch import nn


class Last(nn.Module):
    """A transformers model that gives one tensor of its output."""
    def __init__(self, model, field, **fixed):
        super().__init__()
        self.model, self.field, self.fixed = model, field, fixed

    def forward(self, x):
        return self.model(x, **self.fixed)[self.field]


def picture(size=32, n=2):
    return torch.randn(n, 3, size, size)


def tokens(vocabulary=50, n=2, length=9):
    return torch.randint(2, vocabulary, (n, length))


def vit():
    from transformers import ViTConfig, ViTForImageClassification
    c = ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8, num_labels=7,
                  hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager")
    return Last(ViTForImageClassification(c), "logits"), picture()


def bert():
    from transformers import BertConfig, BertModel
    c = BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=24,
                   hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager")
    return Last(BertModel(c, add_pooling_layer=False), "last_hidden_state"), tokens()


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    c = GPT2Config(vocab_size=50, n_embd=32, n_layer=2, n_head=4, n_positions=24, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                   attn_implementation="eager", use_cache=False, bos_token_id=0, eos_token_id=1)
    return Last(GPT2LMHeadModel(c), "logits", use_cache=False), tokens()


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    c = LlamaConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64,
                    max_position_embeddings=24, attention_dropout=0.0, attn_implementation="eager", use_cache=False, bos_token_id=0, eos_token_id=1, pad_token_id=None)
    return Last(LlamaForCausalLM(c), "logits", use_cache=False), tokens()


def whisper():
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    c = WhisperConfig(d_model=32, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=64, decoder_layers=1, decoder_attention_heads=4,
                      decoder_ffn_dim=64, num_mel_bins=16, max_source_positions=20, vocab_size=50, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0,
                      attn_implementation="eager", pad_token_id=0, bos_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    return Last(WhisperEncoder(c), "last_hidden_state"), torch.randn(2, 16, 40)


def t5():
    from transformers import T5Config, T5EncoderModel
    c = T5Config(vocab_size=50, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, use_cache=False)
    return Last(T5EncoderModel(c), "last_hidden_state"), tokens()


def swin():
    from transformers import SwinConfig, SwinForImageClassification
    c = SwinConfig(image_size=32, patch_size=2, num_channels=3, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, mlp_ratio=2.0,
                   hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, drop_path_rate=0.0, num_labels=7, attn_implementation="eager")
    return Last(SwinForImageClassification(c), "logits"), picture()


def convnext():
    from transformers import ConvNextConfig, ConvNextForImageClassification
    c = ConvNextConfig(num_channels=3, patch_size=4, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1], drop_path_rate=0.0, num_labels=7, layer_scale_init_value=0.5)
    return Last(ConvNextForImageClassification(c), "logits"), picture(64)


class Detr(nn.Module):
    """A transformer decoder with learned queries over a convolutional backbone."""
    def __init__(self, queries=5, classes=6):
        super().__init__()
        d = 32
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 24, 3, 2, 1), nn.ReLU(), nn.Conv2d(24, 32, 3, 2, 1), nn.ReLU())
        self.project = nn.Conv2d(32, d, 1)
        self.row = nn.Parameter(torch.randn(4, d // 2))
        self.column = nn.Parameter(torch.randn(4, d // 2))
        self.query = nn.Embedding(queries, d)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 2 * d, dropout=0.0, batch_first=True), 1, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d, 4, 2 * d, dropout=0.0, batch_first=True), 2, norm=nn.LayerNorm(d))
        self.classes = nn.Linear(d, classes)
        self.boxes = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 4))

    def forward(self, x):
        h = self.project(self.backbone(x))
        n, d, rows, columns = h.shape
        place = torch.cat([self.column[:columns].unsqueeze(0).repeat(rows, 1, 1), self.row[:rows].unsqueeze(1).repeat(1, columns, 1)], -1)
        memory = self.encoder(h.flatten(2).transpose(1, 2) + place.flatten(0, 1).unsqueeze(0))
        y = self.decoder(self.query.weight.unsqueeze(0).expand(n, -1, -1), memory)
        return torch.cat([self.classes(y), self.boxes(y).sigmoid()], -1)


class Double(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = Double(3, 8), Double(8, 16), Double(16, 32)
        self.pool = nn.MaxPool2d(2)
        self.up_two, self.up_one = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.back_two, self.back_one = Double(32, 16), Double(16, 8)
        self.out = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.one(x)
        b = self.two(self.pool(a))
        c = self.three(self.pool(b))
        b = self.back_two(torch.cat([b, self.up_two(c)], 1))
        return self.out(self.back_one(torch.cat([a, self.up_one(b)], 1)))


def resnet():
    from torchvision.models.resnet import ResNet, BasicBlock
    return ResNet(BasicBlock, [1, 1, 1, 1], num_classes=7), picture(64)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 16, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(32, 5)

    def forward(self, x):
        return self.head(self.lstm(x)[0].mean(1))


MODELS = {"vit": vit, "bert": bert, "gpt2": gpt2, "llama": llama, "whisper": whisper, "t5": t5, "swin": swin, "convnext": convnext,
          "detr": lambda: (Detr(), picture()), "unet": lambda: (UNet(), picture()), "resnet": resnet, "lstm": lambda: (Lstm(), torch.randn(3, 8, 6))}


def varied(model):
    """The model in eval mode, every parameter made distinct (also biases, norms), so that tensors can be distinguished by their values."""
    with torch.no_grad():
        for key, p in model.named_parameters():
            p.add_(torch.randn_like(p) * 0.03)
        for key, b in model.named_buffers():
            if key.endswith("running_mean"): b.copy_(torch.randn_like(b) * 0.1)
            if key.endswith("running_var"): b.copy_(1 + torch.rand_like(b))
        for p in model.parameters():
            p.requires_grad_(True)
    return model.eval()


def make(name):
    torch.manual_seed(1)
    model, x = MODELS[name]()
    return varied(model), x
