"""Compiled code on disk: found again, never stale, wherever the package lies. Tried on a package with one small function."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from uno_env import code_cache
from uno_env.jit import COMPILED, _Notice

SOURCES = Path(code_cache.__file__).parent
FUNCTION = """
from uno_env.jit import jit
from {module} import called

@jit
def calling(x):
    return called(x) + 1
"""
CALLED = """
from uno_env.jit import jit

@jit
def called(x):
    return x * {factor}
"""
SHOW = "from caller.plays import calling; from uno_env.jit import compilations; print(calling(10), compilations())"

pytestmark = [pytest.mark.compiled_only, pytest.mark.skipif(not COMPILED, reason="nothing is compiled")]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the package's compiler, a package whose function is called, and one that calls it."""
    site = tmp_path / "site"
    for package in ("uno_env", "callee", "caller"):
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").write_text("")
    for name in ("jit.py", "code_cache.py"):
        shutil.copy(SOURCES / name, site / "uno_env")
    (site / "callee" / "rules.py").write_text(CALLED.format(factor=2))
    (site / "caller" / "plays.py").write_text(FUNCTION.format(module="callee.rules"))
    return site


def start(site: Path, code: str = SHOW, **variables: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    # No bytecode: Python itself takes an edit of equal length within the same second for none.
    environment |= {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(site),
        "XDG_CACHE_HOME": str(site.parent / "user"),
        "PYTHONWARNINGS": "error",
    } | variables
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, env=environment, cwd=site, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(site: Path, code: str = SHOW, **variables: str) -> tuple[str, str]:
    """What a new process says, on standard output and on stderr."""
    process = start(site, code, **variables)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip(), err


def test_a_second_process_compiles_nothing(site: Path) -> None:
    assert run(site) == ("21 2", "")
    assert run(site) == ("21 0", "")


def test_an_edit_of_a_called_function_in_another_package_counts(site: Path) -> None:
    """numba alone would go on with the code that it inlined."""
    run(site)
    (site / "callee" / "rules.py").write_text(CALLED.format(factor=3))
    assert run(site)[0] == "31 2"


def test_options_have_code_of_their_own(site: Path) -> None:
    run(site)
    assert run(site, NUMBA_BOUNDSCHECK="1")[0] == "21 2"
    assert run(site, NUMBA_OPT="1")[0] == "21 2"
    assert run(site)[0] == "21 0"


def test_a_package_that_cannot_be_written_keeps_its_code_with_the_user(site: Path) -> None:
    (site / "uno_env" / "__pycache__").write_text("a file where the folder would be: it stops the superuser, too")
    assert run(site) == ("21 2", "")
    assert list((site.parent / "user" / "uno_env").glob("numba-*"))
    assert run(site) == ("21 0", "")


def test_where_nothing_can_be_written_it_compiles_and_says_so(site: Path) -> None:
    (site / "uno_env" / "__pycache__").write_text("")
    (site.parent / "user").write_text("")
    for _ in range(2):
        out, err = run(site)
        assert out == "21 2"
        assert err.count("no folder to keep compiled code in") == err.count("NUMBA_CACHE_DIR") > 0


def test_the_user_may_choose_the_folder(site: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    assert run(site, NUMBA_CACHE_DIR=str(chosen))[0] == "21 2"
    assert list(chosen.glob("numba-*"))
    assert not list((site / "uno_env" / "__pycache__").glob("numba-*"))
    (site / "callee" / "rules.py").write_text(CALLED.format(factor=3))
    assert run(site, NUMBA_CACHE_DIR=str(chosen))[0] == "31 2"


def test_two_processes_that_compile_at_once(site: Path) -> None:
    both = [start(site) for _ in range(2)]
    told = [process.communicate(timeout=120) for process in both]
    assert [out.split()[0] for out, _ in told] == ["21", "21"]
    assert [err for _, err in told] == ["", ""]
    assert run(site) == ("21 0", "")


def test_a_module_under_another_name_leaves_the_cache_alone(site: Path) -> None:
    """Its code would name a module that no other process has."""
    strange = (
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('made_up', 'caller/plays.py')\n"
        "module = sys.modules['made_up'] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "print(module.calling(10))"
    )
    assert run(site, strange)[0] == "21"
    assert run(site)[0].startswith("21")
    assert run(site, strange)[0] == "21"


def test_one_file_under_two_packages_names(site: Path) -> None:
    """`caller.plays`, and `plays` where its folder is on the path."""
    bare = "import sys; sys.path.insert(0, 'caller'); from plays import calling; print(calling(10))"
    assert run(site, bare)[0] == "21"
    assert run(site)[0].startswith("21")
    assert run(site, bare)[0] == "21"


def test_functions_that_are_typed_in(site: Path) -> None:
    assert run(site, CALLED.format(factor=4) + "\nprint(called(10))")[0] == "40"


def test_code_beside_a_package_that_cannot_be_written_any_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in an image: compiled while it was built, run by somebody else."""
    beside, user = tmp_path / "beside", tmp_path / "user"
    (beside / "numba-0").mkdir(parents=True)
    (beside / "numba-0" / "code").write_text("compiled")
    writable = code_cache._writable
    monkeypatch.setattr(code_cache, "places", lambda chosen: [beside, user])
    monkeypatch.setattr(code_cache, "_writable", lambda folder: folder.parent != beside and writable(folder))
    found = code_cache.folder_for.__wrapped__("0", "")
    assert found == user / "numba-0"
    assert (found / "code").read_text() == "compiled"


def test_old_folders_go(tmp_path: Path) -> None:
    """The 16 last used stay, and all that were used within a day."""
    now = time.time()
    for number in range(40):
        folder = tmp_path / f"numba-{number:02}"
        folder.mkdir()
        hours = number if number < 20 else 100 * number
        os.utime(folder, (now - 3600 * hours, now - 3600 * hours))
    code_cache._forget_old(tmp_path)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == [f"numba-{number:02}" for number in range(20)]
    for folder in tmp_path.iterdir():
        os.utime(folder, (now - 10**6, now - 10**6 - int(folder.name[-2:])))
    code_cache._forget_old(tmp_path)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == [f"numba-{number:02}" for number in range(16)]


def test_a_long_compilation_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    notice = _Notice()
    for _ in range(2):
        notice.on_start(None)
        time.sleep(1.1)
        notice.on_end(None)
    notice.on_start(None)
    notice.on_end(None)
    assert capsys.readouterr().err.count("compiling the engine") == 1


def test_warmup_leaves_nothing_to_compile() -> None:
    command = [sys.executable, "-m", "uno_env.warmup"]
    first, second = (subprocess.run(command, cwd=SOURCES.parent, check=True, capture_output=True, text=True) for _ in range(2))
    parts = {"UnoVector": True, "PettingZoo": True, "Gymnasium": True, "Game": True}
    parts["agent strategist"] = (SOURCES.parent / "agents").is_dir()  # agents belong to the checkout, not to the wheel
    for told in (first.stdout, second.stdout):
        assert {part: part in told for part in parts} == parts
    assert "\n0 functions compiled" in second.stdout
    assert second.stderr == ""
