"""The main program of scripts that check models one by one, each in a folder of its own."""

import argparse
import sys
import tempfile
from pathlib import Path

import torch


def main(doc, checks):
    """`checks`: functions of the CLI, a model's name and a folder that say whether the model is right, each with the names of its models."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--cli", default="build/release/halfwire-cli")
    parser.add_argument("--keep", help="a folder for what is made")
    options = parser.parse_args()
    known = {name for _, names in checks for name in names}
    if unknown := sorted(set(options.models) - known):
        parser.error(f"there is no model {', '.join(unknown)}")
    torch.set_num_threads(1)
    wrong = 0
    for check, names in checks:
        for name in names:
            if options.models and name not in options.models:
                continue
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(options.keep or temporary) / check.__name__ / name
                folder.mkdir(parents=True, exist_ok=True)
                try:
                    wrong += not check(options.cli, name, folder)
                except Exception as error:
                    wrong += 1
                    print(f"WRONG {name:12} {type(error).__name__} {str(error)[:600]}", flush=True)
    sys.exit(1 if wrong else 0)
