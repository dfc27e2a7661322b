"""The chat page, run without a browser on a real shelf with the bundled embedder."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from ingest.pipeline import ingest
from rag.answer import ask as answer_of
from rag.config import environment_names
from rag.conversations import Conversations
from rag.embedding import make_embedder
from rag.library import open_library
from rag.types import Question
from rag.ui import examples
from tests.conftest import REPOSITORY
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines

PATIENCE = 60.0
QUESTION = "How much of the accuracy does Heron keep?"
ODD = {
    "title": "CYP2D6*4 :warning: a_b_c [x](javascript:alert(1)) # 1",
    "abstract": "Quetzal lowers the cost from $5 to $10 per sample with $\\alpha < 2$. See BigVul[1] for details.",
}

Start = Callable[..., AppTest]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chat")
    settings = settings_at(folder / "home")
    files = [write_lines(folder / "papers.jsonl", PAPERS), write_lines(folder / "odd.jsonl", [ODD])]
    ingest([str(file) for file in files], settings, make_embedder(settings))
    return folder / "home"


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Start:
    """Open the page on a shelf, with settings by their names in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in environment_names():
        monkeypatch.delenv(name, raising=False)

    def open_page(home: Path, **values: str) -> AppTest:
        for name, value in {"FOOTNOTE_HOME": str(home), **values}.items():
            monkeypatch.setenv(name, value)
        return AppTest.from_file(str(REPOSITORY / "app.py"), default_timeout=PATIENCE).run()

    return open_page


def until_answered(page: AppTest) -> AppTest:
    """Look again, as the page does by itself in a browser, until no reply is running."""
    deadline = time.monotonic() + PATIENCE
    while any("…" in caption.value and "·" not in caption.value for caption in page.caption):
        assert time.monotonic() < deadline, "the reply did not come"
        time.sleep(0.05)
        page.run()
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    return until_answered(page.chat_input[0].set_value(question).run())


def text_of(page: AppTest) -> str:
    """All text of the page as markdown, without the invisible signs that keep shortcodes apart."""
    return "\n".join(markdown.value for markdown in page.markdown).replace("\u2060", "")


def notices(page: AppTest) -> list[str]:
    return [notice.value for notice in [*page.warning, *page.error]]


def test_a_question_is_answered_with_footnotes_and_highlighted_sources(start: Start, home: Path) -> None:
    page = ask(start(home), QUESTION)
    assert "keeps 98.2% of the accuracy with 40% of the heads.[1](#source-1-1)" in text_of(page)
    assert '[1](#answer-1 "Back to the answer") **[Heron\\: pruning retrieval heads](<https://' in text_of(page)
    assert ":yellow-background[Heron keeps 98.2% of the accuracy with 40% of the heads.]" in text_of(page)
    assert any("word for word" in caption.value for caption in page.caption)


def test_three_turns_are_six_messages(start: Start, home: Path) -> None:
    """streamlit#9239, #2820: no ghost of an older answer."""
    page = start(home)
    for question in (QUESTION, "By how much did IL-6 rise?", "and after a night of rest?"):
        ask(page, question)
    assert [message.name for message in page.chat_message] == ["user", "assistant"] * 3


def test_footnotes_of_a_turn_lead_to_the_cards_of_that_turn(start: Start, home: Path) -> None:
    """ragflow#8527: citations attached to another message."""
    page = ask(ask(start(home), QUESTION), "By how much did IL-6 rise?")
    assert "(#source-2-1)" in page.chat_message[3].markdown[0].value
    assert "Interleukin 6 and sleep" in "".join(markdown.value for markdown in page.chat_message[3].markdown)
    assert "(#source-1-1)" in page.chat_message[1].markdown[0].value


def test_a_reload_finds_the_conversation_again(start: Start, home: Path) -> None:
    page = ask(start(home), QUESTION)
    other = AppTest.from_file(str(REPOSITORY / "app.py"), default_timeout=PATIENCE)
    other.query_params["chat"] = page.query_params["chat"]
    other.run()
    assert text_of(other) == text_of(page)


def test_a_conversation_that_is_gone_starts_a_new_one(start: Start, home: Path) -> None:
    page = start(home)
    page.query_params["chat"] = "unknown"
    page.run()
    assert not page.exception
    assert not page.chat_message


def test_a_new_conversation_begins_empty(start: Start, home: Path) -> None:
    page = ask(start(home), QUESTION)
    next(button for button in page.button if button.label == "New conversation").click().run()
    assert not page.chat_message
    assert any(button.key == "example-1" for button in page.button)


def test_an_example_can_be_clicked(start: Start, home: Path) -> None:
    page = start(home)
    page.button(key="example-1").click().run()
    assert until_answered(page).chat_message[0].name == "user"


def test_off_topic_is_not_found_with_the_closest_titles(start: Start, home: Path) -> None:
    page = ask(start(home), "How is sourdough bread baked?")
    assert any("Not found" in notice for notice in notices(page))
    assert r"- Heron\: pruning retrieval heads (2021)" in text_of(page)


def test_signs_of_data_stand_for_themselves(start: Start, home: Path) -> None:
    """streamlit#8099, #8726: money, shortcodes, links and underscores in data."""
    page = ask(start(home), "By what does Quetzal lower the cost per sample?")
    assert r"from \$5 to \$10 per sample with $\alpha < 2$." in text_of(page)
    assert r"**CYP2D6\*4 \:warning\: a\_b\_c \[x\](javascript\:alert(1)) \# 1**" in text_of(page)


def test_a_missing_index_is_explained_and_found_once_it_is_there(start: Start, tmp_path: Path, home: Path) -> None:
    """local-rag#48: an empty index was cached."""
    page = start(tmp_path / "shelf")
    assert any("There is no index" in notice for notice in notices(page))
    assert not page.chat_input

    settings = settings_at(tmp_path / "shelf")
    ingest([str(write_lines(tmp_path / "papers.jsonl", PAPERS))], settings, make_embedder(settings))
    next(button for button in page.button if button.label == "Look again").click().run()
    assert "98.2%" in text_of(ask(page, QUESTION))


def test_an_empty_index_is_explained(start: Start, tmp_path: Path) -> None:
    settings = settings_at(tmp_path / "shelf")
    ingest([str(write_lines(tmp_path / "none.jsonl", [{"title": "No abstract"}]))], settings, make_embedder(settings))
    page = start(tmp_path / "shelf")
    assert any("is empty" in notice for notice in notices(page))
    assert page.code[0].value == "python -m ingest FILE"


def test_an_index_of_another_embedder_is_explained(start: Start, tmp_path: Path) -> None:
    fill(tmp_path / "shelf", write_lines(tmp_path / "papers.jsonl", PAPERS))
    page = start(tmp_path / "shelf")
    assert any("was built by" in notice and "rebuild" in notice for notice in notices(page))


def test_a_wrong_setting_is_explained(start: Start, home: Path) -> None:
    assert any("Unknown setting" in notice for notice in notices(start(home, FOOTNOTE_COLOUR="blue")))


def test_a_question_that_cannot_be_asked_says_why(start: Start, home: Path) -> None:
    page = ask(start(home), "why " * 2500)
    assert page.error
    assert "98.2%" in text_of(ask(page, QUESTION))


def test_the_mode_is_named_before_the_first_question(start: Start, home: Path) -> None:
    assert any("quoted word for word" in caption.value for caption in start(home).caption)


def test_before_a_model_is_asked_its_host_is_named(start: Start, home: Path, fake: FakeLLM) -> None:
    page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
    assert any("127.0.0.1" in caption.value and "my/model" in caption.value for caption in page.caption)


def test_a_dead_server_means_quotes_and_a_notice(start: Start, home: Path, fake: FakeLLM) -> None:
    """ragflow#12252: a failed turn shifts the sources of the next one."""
    fake.will(Fail(401, error("Incorrect API key provided")), Say("Heron keeps 98.2% of the accuracy [1]."))
    page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
    ask(page, QUESTION)
    assert any("refused the key" in notice and "quotes" in notice for notice in notices(page))
    assert "(#source-1-1)" in text_of(page)

    ask(page, QUESTION)
    assert "(#source-2-1)" in page.chat_message[3].markdown[0].value


def test_looking_again_does_not_end_an_answer(start: Start, home: Path, fake: FakeLLM) -> None:
    """streamlit#14524: any click during streaming lost the answer."""
    fake.will(Say("Heron keeps 98.2% of the accuracy [1]. " * 8, pause=0.03))
    page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
    page.chat_input[0].set_value(QUESTION).run()
    for _ in range(3):
        page.run()
    answer = text_of(until_answered(page))
    assert answer.count("(#source-1-1)") == 8
    assert len(fake.asked) == 1


def test_two_questions_at_once_are_two_turns_in_order(start: Start, home: Path) -> None:
    """streamlit#8323, #11854: a double submit."""
    slow, quick = Say("Heron keeps 98.2% [1].", before=1.0), Say("Seven tasks, for Heron [1].")
    with FakeLLM(slow, otherwise=quick) as fake:
        page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        page.chat_input[0].set_value(QUESTION).run()
        page.chat_input[0].set_value("On how many tasks is Heron tested?").run()
        until_answered(page)
    assert "98.2%" in page.chat_message[1].markdown[0].value
    assert "Seven tasks" in page.chat_message[3].markdown[0].value


def test_a_model_without_a_key_means_quotes_and_a_notice(start: Start, home: Path) -> None:
    page = start(home, FOOTNOTE_LLM_MODEL="gpt-4o")
    assert any(r"OPENAI\_API\_KEY is not" in notice and "answers are quotes" in notice for notice in notices(page))
    ask(page, QUESTION)
    assert "keeps 98.2% of the accuracy" in text_of(page)
    page.run()
    assert any(r"OPENAI\_API\_KEY is not" in caption for caption in captions(page))


def test_a_question_can_be_kept_to_files_to_a_number_of_abstracts_and_to_quotes(start: Start, home: Path) -> None:
    with FakeLLM(otherwise=Say("It is Quetzal [1].")) as fake:
        page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        assert page.multiselect(key="wish-files").options == ["papers.jsonl (3)", "odd.jsonl (1)"]
        page.multiselect(key="wish-files").set_value(["odd.jsonl"])
        page.number_input(key="wish-top").set_value(1)
        ask(page, "By what does Quetzal lower the cost per sample, and how much accuracy does Heron keep?")
        assert "odd.jsonl · from 1 abstract" in captions(page)
        assert "98.2%" not in fake.bodies[-1]["messages"][-1]["content"]
        assert "Quetzal" in fake.bodies[-1]["messages"][-1]["content"]

        page.multiselect(key="wish-files").set_value([])
        page.selectbox(key="wish-style").set_value("quotes")
        before = len(fake.asked)
        ask(page, QUESTION)
        assert len(fake.asked) == before
        assert "from 1 abstract · quotes only" in captions(page)
        assert "keeps 98.2% of the accuracy" in page.chat_message[3].markdown[0].value


def test_an_answer_is_as_long_as_wished_and_by_the_model_chosen(start: Start, home: Path) -> None:
    with FakeLLM(otherwise=Say("Heron keeps 98.2% of the accuracy [1].")) as fake:
        fake.offered = ["other/model", MODEL]
        page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        look_until(page, lambda: len(page.selectbox(key="wish-model").options) > 1)
        assert page.selectbox(key="wish-model").options == [MODEL, "other/model"]
        assert page.selectbox(key="wish-style").value == "usual"
        ask(page, QUESTION)
        page.selectbox(key="wish-style").set_value("detailed")
        page.selectbox(key="wish-model").set_value("other/model")
        ask(page, QUESTION)
        first, last = fake.bodies[0], fake.bodies[-1]
    assert (first["model"], last["model"]) == (MODEL, "other/model")
    assert first["messages"][0]["content"] != last["messages"][0]["content"]
    assert "detailed · other/model" in captions(page)


def test_asking_again_replaces_the_answer_and_can_be_undone(start: Start, home: Path) -> None:
    with FakeLLM(Say("Seven tasks [1]."), Say("Two hours [1].")) as fake:
        page = ask(start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url), QUESTION)
        until_answered(labelled(page, "Ask again").click().run())
        assert "Two hours" in page.chat_message[1].markdown[0].value
        assert len(page.chat_message) == 2
        page.button(key="undo-aside").click().run()
    assert "Seven tasks" in page.chat_message[1].markdown[0].value


def test_a_conversation_is_renamed_searched_and_linked_to(start: Start, home: Path) -> None:
    page = ask(start(home), QUESTION)
    next(field for field in page.text_input if field.label == "Title").set_value("About _herons_").run()
    assert page.title[0].value == r"About \_herons\_"
    page.text_input(key="search").set_value("about _HERONS").run()
    assert [one.label for one in page.button if (one.key or "").startswith("open-")] == [r"About \_herons\_"]


def test_of_a_long_conversation_a_stretch_is_on_the_page(start: Start, home: Path) -> None:
    """haiku.rag#184: thousands of entries in one list froze the page."""
    library, store = open_library(settings_at(home)), Conversations(home)
    answer, chat = answer_of(library, Question(QUESTION)), store.begin()
    for _ in range(45):
        turn = store.ask(chat, QUESTION)
        store.claim(chat)
        store.finish(turn, answer, {})
    store.close()
    library.close()
    page = start(home)
    page.query_params["chat"] = chat
    page.run()
    assert shown(page) == (26, 45)
    page.button(key="earlier").click().run()
    assert shown(page) == (6, 25)
    page.button(key="earlier").click().run()
    assert shown(page) == (1, 5)
    page.button(key="later").click().run()
    assert shown(page) == (6, 25)
    ask(page, QUESTION)
    assert shown(page) == (27, 46)


def shown(page: AppTest) -> tuple[int, int]:
    """First and last turn on the page, by the footnotes of their answers."""
    turns = [int(turn) for turn in re.findall(r"\(#source-(\d+)-1\)", text_of(page))]
    return min(turns), max(turns)


def captions(page: AppTest) -> list[str]:
    return [caption.value.replace("\u2060", "") for caption in page.caption]


def labelled(page: AppTest, label: str) -> Button:
    return next(button for button in page.button if button.label == label)


def look_until(page: AppTest, there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.05)
        page.run()


def test_examples_are_those_of_the_file_only_where_their_papers_are_here(tmp_path: Path, home: Path) -> None:
    library = open_shelf(home)
    cases = write_lines(
        tmp_path / "cases.jsonl",
        [
            {"question": "Here?", "gold": ["doi:10.1000/heron"]},
            {"question": "Not here?", "gold": ["doi:10.1000/elsewhere"]},
            {
                "question": "After another?",
                "gold": ["doi:10.1000/heron"],
                "history": [{"role": "user", "content": "x"}],
            },
        ],
    )
    assert examples.examples(library.catalogue, 1, cases) == ["Here?"]
    assert examples.examples(library.catalogue, 2, cases)[0] == "What does “Heron: pruning retrieval heads” report?"
    library.close()


def test_a_concise_answer_is_asked_for_in_a_sentence_or_two(start: Start, home: Path) -> None:
    with FakeLLM(otherwise=Say("Heron keeps 98.2% of the accuracy [1].")) as fake:
        page = start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        ask(page, QUESTION)
        page.selectbox(key="wish-style").set_value("concise")
        ask(page, QUESTION)
    usual, concise = (str(fake.bodies[n]["messages"]) for n in (0, -1))
    assert "Write one sentence of plain prose, two if" in concise
    assert "Write one sentence of plain prose, two if" not in usual
    assert "concise" in captions(page)


def test_a_contradicted_sentence_stands_out_with_a_mark_and_a_word(start: Start, home: Path) -> None:
    said = "Heron removes attention heads that never retrieve [1]. Heron does not keep 98.2% of the accuracy [1]."
    with FakeLLM(otherwise=Say(said)) as fake:
        page = ask(start(home, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url), QUESTION)
    body = page.chat_message[1].markdown[0].value
    assert body.count(":red-background[") == 1
    marked = body[body.index(":red-background[") :]
    assert marked.startswith(":red-background[Heron does not keep 98.2%")
    assert "[✗ contradicted](#" in marked
    assert "1 of 2 sentences checked and supported · ✗ 1 contradicted" in captions(page)
