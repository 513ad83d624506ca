"""Run the notebooks from an empty kernel and store what they show: ``python -m tests.store_notebooks [name …]``.

After a change that they show. What belongs to one run only (widget models, times, progress bars) is left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"


def store(path: Path) -> None:
    """Run one notebook and write it back; a cell that fails stops it and leaves the file as it was."""
    nb = nbformat.read(path, 4)
    NotebookClient(nb, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    nb.metadata.pop("widgets", None)
    for cell in nb.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if not (o.output_type == "stream" and o.name == "stderr")
                            and not (o.output_type == "display_data" and WIDGET in o.data)]
    nbformat.write(nb, path)


def main() -> None:
    """Store the notebooks named, or all."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or any(path.name.startswith(n) for n in sys.argv[1:]):
            print(path.name, flush=True)
            store(path)


if __name__ == "__main__":
    main()
