"""All rules: importing this fills RULES."""

from torch_to_graph import operators_layers, operators_math, operators_pools, operators_reduce, operators_sequence, operators_shapes  # noqa: F401
from torch_to_graph.rules import IGNORED, RULES, Unsupported  # noqa: F401
