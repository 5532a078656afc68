"""Keys: where they come from, how they are kept, and that they are never shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from debateroom.errors import NoModel, UsageError
from debateroom.models.keys import Keys

KEY = "sk-ant-very-secret-1234"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "keys.toml"


def test_the_environment_goes_before_the_file(file: Path) -> None:
    """A key in the environment is used before the stored one; an empty variable is no key."""
    Keys(file, environment={}).set("anthropic", KEY)
    assert Keys(file, environment={"ANTHROPIC_API_KEY": "from-env"}).get("anthropic") == "from-env"
    assert Keys(file, environment={"ANTHROPIC_API_KEY": " "}).get("anthropic") == KEY
    assert Keys(file, environment={}).get("openai") is None


def test_a_stored_key_stays_beside_the_others(file: Path) -> None:
    """Setting one key keeps the other, and setting it again replaces it."""
    keys = Keys(file, environment={})
    assert keys.set("openai", "sk-old") == file
    keys.set("anthropic", KEY)
    keys.set("openai", " sk-new\n")
    assert (keys.get("openai"), keys.get("anthropic")) == ("sk-new", KEY)
    assert sorted(path.name for path in file.parent.iterdir()) == ["keys.toml"]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_only_the_owner_can_read_the_file(file: Path) -> None:
    """The file has mode 0600 whatever the umask, and one that others can read is refused with the mending command."""
    before = os.umask(0)
    try:
        Keys(file, environment={}).set("anthropic", KEY)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    with pytest.raises(NoModel) as caught:
        Keys(file, environment={}).get("anthropic")
    assert (caught.value.exit_code, caught.value.hint) == (4, f"chmod 600 {file}")
    assert Keys(file, environment={"ANTHROPIC_API_KEY": "k"}).get("anthropic") == "k"


def test_a_missing_key_names_the_command_that_sets_it(file: Path) -> None:
    """No key is exit 4 with the next command."""
    with pytest.raises(NoModel) as caught:
        Keys(file, environment={}).require("openai")
    assert str(caught.value) == f"There is no key for openai: OPENAI_API_KEY is not set, and {file} has none."
    assert (caught.value.exit_code, caught.value.hint) == (4, "debateroom keys set openai")


def test_the_list_says_where_each_key_comes_from(file: Path) -> None:
    """Listing shows sources, never keys."""
    keys = Keys(file, environment={"OPENAI_API_KEY": KEY})
    keys.set("anthropic", KEY)
    assert keys.list() == {"anthropic": str(file), "openai": "OPENAI_API_KEY"}


def stored(file: Path, content: bytes) -> Keys:
    file.parent.mkdir()
    file.write_bytes(content)
    file.chmod(0o600)
    return Keys(file, environment={})


@pytest.mark.parametrize("content", [b'anthropic = "sk-ant-very-secret-1234\n', b"\xff\xfe"])
def test_a_broken_file_is_said_without_its_content(file: Path, content: bytes) -> None:
    """A file that is not valid TOML is an error that quotes nothing of it, in its chain neither."""
    with pytest.raises(NoModel) as caught:
        stored(file, content).get("anthropic")
    assert str(caught.value) == f"The keys file {file} is not valid TOML."
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True)


def test_a_stored_value_that_is_no_text_is_no_key(file: Path) -> None:
    """A number or a table in the file is passed over."""
    assert stored(file, b"anthropic = 3\nopenai = {a = 1}").list() == {"anthropic": None, "openai": None}


@pytest.mark.parametrize("value", ["", "  ", 'a"b', "a\nb", "a b", "clé", "a\\b", "a\x00b"])
def test_what_cannot_be_a_key_is_not_stored(file: Path, value: str) -> None:
    """Only one word of printable ASCII is stored; anything else is a usage error that does not repeat it."""
    with pytest.raises(UsageError) as caught:
        Keys(file, environment={}).set("anthropic", value)
    assert str(caught.value) == "A key is one word of printable ASCII characters; nothing was stored."
    assert not file.exists()


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file that the system does not let us make is an error of ours with the reason."""
    longest_name = tmp_path / ("k" * 252)
    with pytest.raises(NoModel, match=r"cannot be written: .+\.$"):
        Keys(longest_name, environment={}).set("openai", KEY)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_looked_at_is_said(tmp_path: Path) -> None:
    """A path that cannot be read is an error of ours with the reason."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NoModel, match=r"cannot be read: .+\.$"):
        Keys(tmp_path / "file" / "keys.toml", environment={}).get("openai")


def test_an_unknown_provider_takes_no_key(file: Path) -> None:
    """Only the web providers have keys."""
    with pytest.raises(UsageError, match="anthropic and openai do"):
        Keys(file, environment={}).set("embedded", KEY)


def test_keys_are_never_in_the_text_of_the_object(file: Path) -> None:
    """The repr names the file and nothing else."""
    keys = Keys(file, environment={"OPENAI_API_KEY": KEY})
    keys.set("anthropic", KEY)
    assert repr(keys) == f"Keys({str(file)!r})"


def test_the_file_is_in_the_users_configuration_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without another path the keys are in `debateroom/keys.toml` of the user's configuration folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert Keys().path().name == "keys.toml"
    assert Keys().path().parent.name == "debateroom"
