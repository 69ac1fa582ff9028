"""Runs the cases in cases/, each in a folder of its own, and says of each what it found. See README.md."""

import argparse
import importlib
import pathlib
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from support import Cli  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True, help="halfwire-cli")
    parser.add_argument("--only", action="append", help="this case alone; may be repeated")
    parser.add_argument("--keep", help="leave the files of the cases in this folder")
    args = parser.parse_args()
    names = sorted(path.stem for path in (HERE / "cases").glob("*.py"))
    unknown = [name for name in args.only or [] if name not in names]
    if unknown or not names:
        sys.exit(f"No case {', '.join(unknown)} in {HERE / 'cases'}: there are {', '.join(names) or 'none'}.")
    failed = []
    for name in args.only or names:
        case = importlib.import_module(f"cases.{name}")
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(args.keep or scratch) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                print(f"right   {name}: {case.check(Cli(args.cli, folder), folder)}", flush=True)
            except Exception:
                failed.append(name)
                print(f"FAILED  {name}: {case.__doc__.strip().splitlines()[0]}\n{traceback.format_exc()}", flush=True)
    ran = len(args.only or names)
    print(f"{ran - len(failed)} of {ran} cases right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
