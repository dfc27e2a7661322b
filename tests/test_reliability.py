"""What a shelf does when the machine does not help: full disk, no permission, a second writer, an open reader."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ingest.lock import writing
from ingest.pipeline import Options
from ingest.telling import told
from rag.answer import ask
from rag.catalogue import Catalogue
from rag.console import with_home
from rag.doctor import examine_stores
from rag.errors import IndexUnusableError
from rag.library import store_place
from rag.retrieve import search
from rag.types import Question
from rag.vectors import VectorStore
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines
from tests.test_ingest import contents, counts

DEADLINE = 60.0


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "papers.jsonl", PAPERS)


def many(path: Path, count: int) -> Path:
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefghiklmnoprstu", k=6)) for _ in range(900)]
    texts = (". ".join(" ".join(chance.choices(words, k=9)).capitalize() for _ in range(6)) for _ in range(count))
    return write_lines(path, [{"abstract": f"{text}."} for text in texts])


def faults(home: Path) -> list[str]:
    library = open_shelf(home)
    found = [f"{check.name}: {check.detail}" for check in examine_stores(library) if not check.ok]
    library.close()
    return found


def python(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("room", [150_000, 700_000])
def test_a_full_disk_is_one_line_and_the_next_run_completes_the_same_index(tmp_path: Path, room: int) -> None:
    papers = many(tmp_path / "papers.jsonl", 120)
    script = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from tests.shelf import fill\nfrom rag.errors import FootnoteError\nimport chromadb\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))\n"
        "try: fill(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "except FootnoteError as error: print(error)\n"
    )
    with python(script, tmp_path / "home", papers, room) as process:
        said, error = process.communicate(timeout=DEADLINE)

    assert (process.returncode, error) == (0, "")
    assert said.count("\n") == 1
    assert "disk" in said
    fill(tmp_path / "home", papers)
    fill(tmp_path / "whole", papers)
    assert contents(tmp_path / "home") == contents(tmp_path / "whole")
    assert faults(tmp_path / "home") == []


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter: pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("mode", [0o555, 0o000])
def test_a_shelf_without_permission_is_one_line_and_stays_as_it_was(papers: Path, open_folder: Path, mode: int) -> None:
    home = open_folder / "home"
    fill(home, papers)
    before = contents(home)
    script = (
        "import os, sys; from pathlib import Path\n"
        "from ingest.lock import writing; from rag.errors import FootnoteError\n"
        "os.geteuid() or os.seteuid(65534)\n"
        "try:\n    with writing(Path(sys.argv[1])): pass\n"
        "except FootnoteError as error: print(error)\n"
    )
    home.chmod(mode)
    with python(script, home) as process:
        said, error = process.communicate(timeout=DEADLINE)
    home.chmod(0o755)

    assert (process.returncode, error) == (0, "")
    assert "cannot be written" in said
    assert said.count("\n") == 1
    assert before == contents(home)


def test_a_folder_that_takes_no_files_is_not_said_to_be_in_use(papers: Path) -> None:
    with pytest.raises(IndexUnusableError, match="cannot be written"), writing(Path("/proc")):
        raise AssertionError


def test_of_two_ingests_at_once_one_writes_and_the_other_names_it(tmp_path: Path, papers: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from ingest.lock import writing\n"
        "with writing(Path(sys.argv[1])): print('held', flush=True); sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "home")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexUnusableError, match=f"process {holder.pid} on"):
            fill(tmp_path / "home", papers)
        holder.send_signal(signal.SIGKILL)
        holder.wait(DEADLINE)

    assert counts(fill(tmp_path / "home", papers)) == {"read": 3, "new": 3}  # a dead holder holds nothing
    assert not (tmp_path / "home" / "ingest.holder").exists()


def test_a_dry_run_waits_for_no_writer_and_holds_none_up(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    with writing(tmp_path / "home"), pytest.raises(IndexUnusableError, match="Another ingest"):
        fill(tmp_path / "home", papers, options=Options(dry_run=True))


def test_a_shelf_that_is_open_answers_while_it_grows_and_knows_the_new_abstracts(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)  # local-rag#48: what was opened before stays usable
    library = open_shelf(tmp_path / "home")
    more = write_lines(
        tmp_path / "more.jsonl",
        [{"abstract": f"Walrus number {n} sings under the ice for {n} hours."} for n in range(1, 200)],
    )
    grown = threading.Thread(target=fill, args=(tmp_path / "home", more))
    grown.start()
    answers = []
    for _ in range(1000):
        answers.append(ask(library, Question("By how much did IL-6 rise after a night without sleep?")))
        if not grown.is_alive():
            break
    grown.join(DEADLINE)

    assert {answer.status for answer in answers} == {"answered"}
    assert search(library, "walrus sings under the ice")[0].abstract.text.startswith("Walrus")
    assert library.catalogue.counts()[0] == 202
    library.close()


def test_two_processes_that_open_a_new_shelf_at_once_make_one_catalogue(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rag.catalogue import Catalogue\n"
        "print(len(Catalogue(Path(sys.argv[1]), create=True).ids()))\n"
    )
    processes = [python(script, tmp_path / "home") for _ in range(4)]
    said = [process.communicate(timeout=DEADLINE) for process in processes]

    assert said == [("0\n", "")] * 4


KILLED_WHILE_EMBEDDING = """
import os, signal, sys
from pathlib import Path
from ingest.pipeline import ingest
from tests.hashing import HashingEmbedder
from tests.shelf import settings_at
class Counted(HashingEmbedder):
    def embed(self, texts):
        if self.embedded > int(sys.argv[4]):
            os.kill(os.getpid(), signal.SIGKILL)
        Path(sys.argv[3]).open("a").write(f"{len(texts)}\\n")
        return super().embed(texts)
ingest([sys.argv[2]], settings_at(Path(sys.argv[1])), Counted())
"""


def test_a_run_killed_while_embedding_pays_for_one_batch_twice_at_most(tmp_path: Path) -> None:  # paper-qa#381
    from ingest.indexing import BATCH

    papers, log = many(tmp_path / "papers.jsonl", 100), tmp_path / "embedded.txt"
    for limit in (500, 10_000):
        with python(KILLED_WHILE_EMBEDDING, tmp_path / "home", papers, log, limit) as process:
            process.communicate(timeout=DEADLINE)
    paid = sum(map(int, log.read_text().split()))
    once = HashingEmbedder()
    from ingest.pipeline import ingest

    ingest([str(papers)], settings_at(tmp_path / "whole"), once)
    assert process.returncode == 0
    assert (
        once.embedded <= paid <= once.embedded + BATCH * 2 * 7
    )  # six sentences and the whole, for both kinds of vectors
    assert contents(tmp_path / "home") == contents(tmp_path / "whole")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Chroma's client leaves sockets open
def test_vectors_that_were_paid_for_outlive_a_store_that_fails(tmp_path: Path, papers: Path) -> None:  # chroma#1298
    from ingest.pipeline import ingest

    home = tmp_path / "home"
    with pytest.raises(IndexUnusableError):
        ingest([str(papers)], settings_at(home, chroma_url="http://127.0.0.1:9"), HashingEmbedder())
    report = fill(home, papers)

    assert (report.abstracts, report.embedded) == (3, 0)
    assert faults(home) == []


def test_an_ingest_reads_back_what_the_vector_store_holds(tmp_path: Path, papers: Path) -> None:  # Verba#36
    home = tmp_path / "home"
    fill(home, papers)
    with (
        closing(Catalogue(home)) as catalogue,
        closing(VectorStore(store_place(settings_at(home), catalogue))) as store,
    ):
        store.delete(store.ids()[:2])
    more = write_lines(tmp_path / "more.jsonl", [{"abstract": "A walrus sings under the ice."}])
    with pytest.raises(IndexUnusableError, match="passages, the catalogue"):
        fill(home, more)

    assert fill(home, more).embedded == 0
    assert faults(home) == []


def test_a_damaged_vector_store_is_one_line_and_is_rebuilt(tmp_path: Path, papers: Path) -> None:  # chroma#1130
    home = tmp_path / "home"
    fill(home, papers)
    for file in (home / "chroma").rglob("chroma.sqlite3"):
        file.write_bytes(b"another format, of another version" * 400)
    library = open_shelf(home)
    with pytest.raises(IndexUnusableError, match="--rebuild") as caught:
        search(library, "radar")
    library.close()
    assert "\n" not in str(caught.value)

    assert fill(home, options=Options(rebuild=True)).embedded == 0
    assert faults(home) == []


def test_one_process_may_open_a_shelf_twice(tmp_path: Path, papers: Path) -> None:  # chroma#1302
    fill(tmp_path / "home", papers)
    one, two = open_shelf(tmp_path / "home"), open_shelf(tmp_path / "home", top_k=2)
    found = [[hit.abstract.id for hit in search(library, "radar and sleep")] for library in (one, two)]
    one.close()

    assert found[0] == found[1] == [hit.abstract.id for hit in search(two, "radar and sleep")]
    two.close()


def test_one_file_of_the_code_knows_chromas_own_file() -> None:  # MemPalace PR#2506: to open it drops Chroma's locks
    root = Path(__file__).parent.parent
    sources = [*(root / "rag").rglob("*.py"), *(root / "ingest").rglob("*.py")]

    assert [path.name for path in sources if "chroma.sqlite3" in path.read_text(encoding="utf-8")] == ["vector_file.py"]


class OtherEmbedder(HashingEmbedder):
    identity = "another"


class Unplugged(OtherEmbedder):
    def embed(self, texts):  # type: ignore[no-untyped-def]
        if self.embedded > 700:
            raise ConnectionError("the embedder went away")
        return super().embed(texts)


def test_the_index_in_use_answers_until_a_rebuild_with_another_embedder_is_complete(tmp_path: Path) -> None:
    from ingest.pipeline import ingest

    papers = many(tmp_path / "papers.jsonl", 80)
    fill(tmp_path / "home", papers)
    before = contents(tmp_path / "home")
    settings = settings_at(tmp_path / "home")
    with pytest.raises(ConnectionError):
        ingest([], settings, Unplugged(), Options(rebuild=True))
    library = open_shelf(tmp_path / "home")
    assert len(search(library, "a")) > 0
    library.close()
    assert before == contents(tmp_path / "home")

    rest = OtherEmbedder()
    report = ingest([], settings, rest, Options(rebuild=True))
    assert 0 < report.embedded < report.passages  # what was embedded before the stop is kept
    assert [folder.name for folder in (tmp_path / "home" / "chroma").iterdir()] == ["2"]
    assert "Read" not in told(report, rebuilt=True)


def test_a_file_of_nothing_but_what_is_known_or_removed_is_no_failure(tmp_path: Path, papers: Path) -> None:
    from ingest.command import app
    from rag.console import status_of

    fill(tmp_path / "home", papers)
    other = write_lines(tmp_path / "other.jsonl", [{**PAPERS[0], "abstract": "Other words for the same paper."}])

    assert status_of(app, "ingest", [str(other), "--dry-run", "--home", str(tmp_path / "home")]) == 0


def test_the_whole_report_is_written_to_a_file_that_is_asked_for(tmp_path: Path, papers: Path) -> None:
    from ingest.command import app
    from rag.console import status_of

    bad = write_lines(tmp_path / "bad.jsonl", [{"title": f"Nothing {n}"} for n in range(40)])
    file = tmp_path / "report.txt"
    names = [str(papers), str(bad), "--dry-run", "--home", str(tmp_path / "home"), "--report"]

    assert status_of(app, "ingest", [*names, str(file)]) == 0
    assert file.read_text(encoding="utf-8").count("  rejected  ") == 40
    assert status_of(app, "ingest", [*names, str(tmp_path / "no" / "folder")]) == 1


def test_what_an_error_advises_names_the_shelf_that_was_meant() -> None:
    advice = "Make one: python -m ingest FILE. Or python -m rag doctor."

    assert with_home(advice, ["search", "x"]) == advice
    for given in (["--home", "my shelf"], ["--home=my shelf"]):
        assert with_home(advice, ["search", "x", *given]) == (
            "Make one: python -m ingest --home 'my shelf' FILE. Or python -m rag --home 'my shelf' doctor."
        )


@pytest.mark.parametrize("module", ["typer", "ingest.pipeline"])
def test_an_interrupt_while_the_program_is_loaded_is_one_line(tmp_path: Path, papers: Path, module: str) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "ingest", str(papers), "--home", str(tmp_path / "home")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(line.split()[-1:] == [module] for line in process.stderr)  # it has just been imported
        process.send_signal(signal.SIGINT)
        said = [line for line in process.stderr if not line.startswith("import time:")]
        process.wait(DEADLINE)

    assert "Traceback" not in "".join(said)
    # What a script starts in its background ignores the signal, and ends as ever.
    assert (process.returncode, len(said)) == (130, 1) or process.returncode == 0
