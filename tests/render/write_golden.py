"""Draw the kept pictures anew: ``python -m tests.render.write_golden``. Look at each before committing it."""

from __future__ import annotations

from tests.render.scenes import GOLDEN, pictures, save

if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        path = GOLDEN / f"{name}.png"
        save(path, picture)
        print(f"{path}: {path.stat().st_size // 1000} KB")
