"""The settings of a run: one frozen object, built once at the door and passed whole.

Order of precedence: what the caller gives, `DEBATEROOM_*` in the environment, `debateroom.toml` in the current
folder, the user's file, the defaults below (DESIGN, section 6). Keys are not settings: see `models.keys`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_config_path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from debateroom.errors import UsageError
from debateroom.messages import CALL_SECONDS

PROJECT_FILE = "debateroom.toml"
HELP = "debateroom debate --help"
"""What helps with a setting that cannot be; the command line names the help of the command that was called."""
_Seconds = Annotated[float, Field(gt=0, le=1_000_000)]
"""A time to wait: nothing waits longer than about eleven days, which every timer of the system can hold."""
_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _listed(value: Any) -> Any:
    """A text as the list of what its commas separate; anything else as it is."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


_Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Settings(BaseModel):
    """What a run may be told. Every field has its unit and default below it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    agents: int | None = None
    """Seats in the room; 3, or as many as roles are given."""
    rounds: int = Field(default=3, ge=1)
    """Rounds at most; 3."""
    model: str | None = None
    """Model of every seat: an alias or `provider:model`; `sonnet`, or what is configured."""
    mixed: _Names = ()
    """Models dealt to the seats in order, round robin; none. `model` is then only what judges and concludes."""
    role: tuple[str, ...] = ()
    """Roles one by one: `Name`, `Name: framing` or `Name@model: framing`; used exactly as given."""
    roles: str = "auto"
    """Roles as one list, split at commas; `auto` chooses by the question's domain."""
    add_roles: bool = False
    """Fill up to `agents` with default roles beside the given ones; off."""
    domain: Literal["auto", "software", "product", "strategy"] = "auto"
    """Which default roles sit in the room; guessed from the question."""
    context: tuple[str, ...] = ()
    """Text files, folders or globs everybody reads; `-` is standard input."""
    note: tuple[str, ...] = ()
    """Typed context, as it stands."""
    tools: str | None = None
    """What seats look things up with, read-only: `read`, or a YAML file; none. Not from `debateroom.toml`."""
    anyway: bool = False
    """Debate also a vague question; off."""
    language: Literal["auto", "en", "fr", "zh"] = "auto"
    """Language of prompts, labels and report; that of the question."""
    room: str = "chatroom"
    """Name of the room: its folder below `active`."""
    active: Path = Path("active")
    """Folder that holds the rooms."""
    anthropic_base_url: str | None = None
    """Where `anthropic:` is reached; the vendor's own endpoint. Not from `debateroom.toml`: a key goes there."""
    openai_base_url: str | None = None
    """The same for `openai:`; any server that speaks its API."""
    web_ports: tuple[Annotated[int, Field(ge=1, le=65_535)], ...] = ()
    """Ports besides 443 at which the web may be asked, by `fetch_page` and the wake-up call; none. Not from
    `debateroom.toml`."""
    url: str | None = None
    """Where the project is found on the web; told to whoever is woken."""
    moderator: str | None = None
    """Model that judges agreement and concludes, or `none`; the seats' model."""
    synthesis: Literal["moderator", "host"] = "moderator"
    """Who concludes: the moderator, or the host, which is the caller and does it with `debateroom conclude`."""
    devil: bool = False
    """From round 2 one seat a round, in turn, must attack the leading proposal; off."""
    baseline: int | None = Field(default=None, ge=1, le=100)
    """Single answers of the seats' models that the debate is held against, at about its tokens; none."""
    decide: Literal["consensus", "vote", "judge"] = "consensus"
    """What decides beside the debate's own outcome: nothing, the final endorsements, or a judge."""
    judge: str | None = None
    """Model that judges, of another vendor than every seat's; `auto`, a configured one that is."""
    rubric: str | None = None
    """Text file that says what the judge goes by; our own list."""
    vendor: tuple[str, ...] = ()
    """Makers of models whose names do not tell: `MODEL=VENDOR`."""
    seed: int | None = None
    """What the order is drawn by in which answers are judged; drawn."""
    early_stop: bool = True
    """Stop when the seats really agree; on."""
    quorum: int | None = Field(default=None, ge=1)
    """Seats that must answer in a round; more than half, at least 2."""
    stagger: Literal["auto", "on", "off"] = "auto"
    """Send the first seat of a round ahead so that the others find its cache."""
    concurrency: int = Field(default=32, ge=1)
    """Calls under way at once with one provider; 32."""
    poll: _Seconds = 60.0
    """Seconds between two looks at a provider's batch; 60."""
    call_timeout: _Seconds = CALL_SECONDS
    """Seconds one call may take, and a rate limit may keep the next ones back; 120."""
    round_timeout: _Seconds = 300.0
    """Seconds one round may take; 300. Seats that are late have failed in that round."""
    prices: dict[str, dict[str, _Dollars]] = {}
    """Own prices by `provider:model`: US dollars for a million tokens of `input`, `cached`, `written`, `output`."""
    timeout: _Seconds | None = None
    """Seconds the whole run may take; no limit. What was answered until then is kept and concluded."""
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """US dollars the run may cost; no limit. It stops before the round that would pass them."""
    max_tokens: int = Field(default=16_000, ge=256)
    """Tokens one reply may have, thinking included; 16,000."""


def user_file() -> Path:
    """Where the user's own settings are read from."""
    return user_config_path("debateroom") / "settings.toml"


def price_line(model: str) -> str:
    """How the price of a model is written, as an example."""
    return f'prices."{model}" = {{ input = 2.0, output = 10.0 }}, in US dollars for a million tokens'


def file_with_price(model: str) -> str:
    """The file that sets a price for `model` as it is called there; the project's where none does."""
    for path in (Path(PROJECT_FILE), user_file()):
        prices = _from_file(path).get("prices")
        if isinstance(prices, dict) and model in prices:
            return str(path)
    return PROJECT_FILE


def load(given: Mapping[str, Any], *, folder: Path | None = None) -> Settings:
    """The settings of a run started in `folder` (the current one) with what the caller gave; None is not given.

    Raises UsageError that names the source and the value when one cannot be used.
    """
    merged: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, values in (
        (str(user_file()), _from_file(user_file())),
        (PROJECT_FILE, _held_back(_from_file((folder or Path()) / PROJECT_FILE))),
        ("the environment", _from_environment()),
        ("the command", {key: value for key, value in given.items() if value is not None and value != ()}),
    ):
        merged = _over(_without_mixed(_without_roles(merged, values), values), values)
        sources.update(dict.fromkeys(values, source))
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise _explained(error, sources) from error


def _without_roles(before: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What was `before`, without its roles and their number where `values`, from a nearer source, name roles.

    Roles that are asked to be filled up still have the number.
    """
    if not {"role", "roles"} & values.keys():
        return before
    replaced = {"role", "roles"}
    if (values.get("role") or values.get("roles") != "auto") and not values.get("add_roles", before.get("add_roles")):
        replaced.add("agents")
    return {name: value for name, value in before.items() if name not in replaced}


def _without_mixed(before: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What was `before`, without its mixed models where `values`, from a nearer source, name one model."""
    if "model" not in values or "mixed" in values:
        return before
    return {name: value for name, value in before.items() if name != "mixed"}


def _over(before: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` over what was `before`; prices model by model: a project that has some keeps the user's others."""
    tables = [given["prices"] for given in (before, values) if isinstance(given.get("prices"), dict)]
    merged = {**before, **values}
    if len(tables) == 2:
        merged["prices"] = {**tables[0], **tables[1]}
    return merged


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint=f"mend or remove {path}") from error


def _held_back(values: dict[str, Any]) -> dict[str, Any]:
    """What a project may set. Raises UsageError for what only the user may: the folder may be another's."""
    if "web_ports" in values:
        raise UsageError(
            f"{PROJECT_FILE} sets `web_ports`, and only you may say which ports are asked",
            hint=f"put it into {user_file()}, or set DEBATEROOM_WEB_PORTS",
        )
    for name in ("anthropic_base_url", "openai_base_url"):
        if name in values:
            raise UsageError(
                f"{PROJECT_FILE} sets `{name}`, and your key is sent there: only you may name it",
                hint=f"put it into {user_file()}, or set DEBATEROOM_{name.upper()}",
            )
    if "tools" in values:
        raise UsageError(
            f"{PROJECT_FILE} sets `tools`, and they look at your files: only you may name them",
            hint=f"give --tools, or put it into {user_file()}",
        )
    return values


_LISTS = {"role": "\n", "context": os.pathsep, "note": "\n", "vendor": "\n", "web_ports": ","}
"""Settings that hold several values, and what separates them in an environment variable."""


def _from_environment() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in Settings.model_fields.keys() - {"prices"}:
        text = os.environ.get(f"DEBATEROOM_{name.upper()}")
        if text:
            values[name] = tuple(text.split(_LISTS[name])) if name in _LISTS else text
    return values


def _explained(error: ValidationError, sources: Mapping[str, str]) -> UsageError:
    """The first thing that is wrong, in a sentence."""
    first = error.errors(include_url=False)[0]
    name = ".".join(map(str, first["loc"]))
    source = sources.get(str(first["loc"][0]) if first["loc"] else "", "the command")
    if first["type"] == "extra_forbidden":
        return UsageError(f"{source} has a setting `{name}` that debateroom does not know")
    shown = _NAMED.get(source, "`{name}` in {source}").format(
        name=name, source=source, option=name.replace("_", "-"), variable=name.upper()
    )
    bounds = {key: int(value) if value in (0, 1_000_000) else value for key, value in first.get("ctx", {}).items()}
    known = _REASONS.get(first["type"])
    reason = known.format(**bounds) if known else first["msg"][0].lower() + first["msg"][1:]
    hint = _right_price(source, first["loc"]) if first["loc"][:1] == ("prices",) else HELP
    return UsageError(f"{shown} is {first['input']!r}: {reason}", hint=hint)


def _right_price(source: str, place: Sequence[int | str]) -> str:
    return f"in {source}: {price_line(str(place[1]) if len(place) > 1 else 'openai:NAME')}"


_NAMED = {"the command": "--{option}", "the environment": "DEBATEROOM_{variable}"}
"""What a setting is called where it comes from; in a file by its own name."""
_REASONS = {
    "greater_than": "it must be more than {gt:,}",
    "greater_than_equal": "it must be at least {ge:,}",
    "less_than_equal": "it must be at most {le:,}",
    "finite_number": "it must be a finite number",
    "literal_error": "it must be {expected}",
    "int_parsing": "it must be a whole number",
    "int_type": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_parsing": "it must be a number",
    "float_type": "it must be a number",
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "string_type": "it must be text",
    "tuple_type": "it must be a list",
    "dict_type": "it must be a table",
}
"""The validator's kinds of error, in words."""
