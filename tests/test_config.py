from __future__ import annotations

import re
from pathlib import Path

import pytest

from rag.config import Settings, environment_names, load_settings
from rag.errors import SettingsError

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in environment_names():
        monkeypatch.delenv(name, raising=False)


def test_without_any_setting_everything_has_its_default() -> None:
    settings = load_settings(None)

    assert Path("data") == settings.home
    assert settings.llm_model is None
    assert settings.embed_model == "bundled"


def test_an_unknown_name_with_our_prefix_is_refused_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_TOPK", "5")

    with pytest.raises(SettingsError, match=r"Unknown setting FOOTNOTE_TOPK\. Known are .*FOOTNOTE_TOP_K"):
        load_settings(None)


def test_other_peoples_names_in_the_env_file_are_left_alone(tmp_path: Path) -> None:
    env = tmp_path / ".env"
    env.write_text("DATABASE_URL=x\nFOOTNOTE_TOP_K=5\n")

    assert load_settings(env).top_k == 5


def test_the_environment_goes_before_the_file_and_an_argument_before_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = tmp_path / ".env"
    env.write_text("FOOTNOTE_TOP_K=5\nFOOTNOTE_LLM_MODEL=a\n")
    monkeypatch.setenv("FOOTNOTE_TOP_K", "6")

    assert (load_settings(env).top_k, load_settings(env).llm_model) == (6, "a")
    assert load_settings(env, top_k=7).top_k == 7


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("FOOTNOTE_TOP_K", "0", "FOOTNOTE_TOP_K=0 (environment) is too small. Write a whole number from 1 to 100."),
        (
            "FOOTNOTE_TOP_K",
            "1e9",
            "FOOTNOTE_TOP_K=1e9 (environment) is no whole number. Write a whole number from 1 to",
        ),
        ("FOOTNOTE_TOP_K", "101", "FOOTNOTE_TOP_K=101 (environment) is too large. Write"),
        (
            "FOOTNOTE_LLM_MAX_TOKENS",
            "1.5",
            "FOOTNOTE_LLM_MAX_TOKENS=1.5 (environment) is no whole number. Write a whole ",
        ),
        ("FOOTNOTE_LLM_CONTEXT_WINDOW", "9", "=9 (environment) is too small. Write a whole number from 512 up."),
        ("FOOTNOTE_LLM_TIMEOUT", "soon", "=soon (environment) is no number. Write a number above 0."),
        ("FOOTNOTE_LLM_TIMEOUT", "nan", "=nan (environment) is no finite number. Write a number above 0."),
        ("FOOTNOTE_VERIFY", "perhaps", "=perhaps (environment) is not known. Write 'on', 'off' or 'llm'."),
        (
            "FOOTNOTE_EMBED_MODEL",
            "openai:",
            "FOOTNOTE_EMBED_MODEL (environment): write bundled, openai:NAME or hf:NAME",
        ),
        ("OPENAI_BASE_URL", "localhost:8000/v1", "OPENAI_BASE_URL (environment): an address starts with http://"),
    ],
)
def test_a_value_that_does_not_fit_is_one_line_with_name_place_and_what_to_write(
    name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError) as caught:
        load_settings(None)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Input should" not in str(caught.value)


def test_all_values_that_do_not_fit_are_said_at_once_and_passwords_are_not(tmp_path: Path) -> None:
    env = tmp_path / ".env"
    env.write_text("FOOTNOTE_TOP_K=abc\nOPENAI_BASE_URL=me:secret@host/v1\n")

    with pytest.raises(SettingsError) as caught:
        load_settings(env)
    assert f"FOOTNOTE_TOP_K=abc ({env}) is no whole number" in str(caught.value)
    assert f"OPENAI_BASE_URL ({env}): an address starts with http://" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_env_file_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    env = tmp_path / ".env"
    env.write_bytes("FOOTNOTE_LLM_MODEL=größer".encode("latin-1"))

    with pytest.raises(SettingsError, match="is not UTF-8"):
        load_settings(env)


def test_an_empty_value_means_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_LLM_MODEL", "")

    assert load_settings(None).llm_model is None


def test_a_secret_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    settings = load_settings(None)

    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-very-secret"
    assert "sk-very-secret" not in f"{settings!r} {settings} {settings.model_dump_json()} {settings.fingerprint()}"


def test_the_fingerprint_moves_with_what_decides_an_answer_and_with_nothing_else() -> None:
    plain = load_settings(None)

    assert load_settings(None, home="elsewhere", llm_timeout=5).fingerprint() == plain.fingerprint()
    assert load_settings(None, top_k=3).fingerprint() != plain.fingerprint()
    assert load_settings(None, llm_model="m").fingerprint() != plain.fingerprint()


def test_the_example_file_lists_every_setting_and_no_other() -> None:
    listed = re.findall(r"^#? ?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)

    assert sorted(listed) == sorted(environment_names())


def test_the_example_file_shows_the_defaults() -> None:
    for line in (ROOT / ".env.example").read_text().splitlines():
        match = re.match(r"# ([A-Z_]+)=(.+)$", line)
        if match:
            field = next(f for f in Settings.model_fields.values() if f.validation_alias == match[1])
            assert str(field.default) == match[2], match[1]


def test_prices_are_read_by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_PRICES", "gpt-4.1-mini=0.40/1.60, my/model:7b=x=0/0")
    priced = load_settings(None, llm_model="gpt-4.1-mini").price

    assert priced is not None
    assert priced.cost(1_000_000, 500_000) == pytest.approx(1.20)
    assert load_settings(None, llm_model="my/model:7b=x").price is not None
    assert load_settings(None, llm_model="another").price is None


@pytest.mark.parametrize("table", ["gpt=1", "gpt=a/b", "=1/2", "gpt=-1/2", "gpt 1/2"])
def test_a_price_that_cannot_be_read_is_refused(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_PRICES", table)

    with pytest.raises(SettingsError, match="FOOTNOTE_PRICES"):
        load_settings(None)
