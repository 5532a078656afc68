"""The models of an agent count like that of the seat that drives it: for the budget, and for how they are reached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dialogues import done, script

import debateroom
from debateroom.errors import UsageError
from debateroom.room.room import opening_event

AGENTS = """start: desk
agents:
  - name: desk
    instructions: You answer customers.
    model: scripted:desk.jsonl
    sub_agents: [books]
  - name: books
    public_description: Knows every order.
    instructions: You look orders up.
    model: MODEL
"""
SCENARIO = {"goals": "The agent says where the order is.", "opening": "Where is order W1001?"}


@pytest.fixture
def agents(here: Path) -> Callable[[str], str]:
    """Writes the file of an agent whose sub-agent has a model, and gives its path."""
    (here / "desk.jsonl").write_text('{"agent": "desk", "response": "It is on its way."}\n')
    (here / "POSITION.md").write_text("You look after orders.\n-- END --\n")

    def write(model: str) -> str:
        (here / "agents.yaml").write_text(AGENTS.replace("MODEL", model))
        return str(here / "agents.yaml")

    return write


@pytest.mark.parametrize("kind", ["simulate", "work"])
@pytest.mark.parametrize("whose", ["agent", "sub-agent"])
def test_a_budget_needs_a_price_for_the_models_of_the_agent(
    agents: Callable[[str], str], here: Path, kind: str, whose: str
) -> None:
    """The same usage error as for the seat's model, before there is a room."""
    unknown = "openai:no-such-model"
    given: dict[str, Any] = {"agent": agents(unknown) if whose == "sub-agent" else unknown, "budget": 1.0}
    play: Any = debateroom.simulate if kind == "simulate" else partial(debateroom.work, brief="POSITION.md")
    about: Any = SCENARIO if kind == "simulate" else "Find it."
    with pytest.raises(UsageError) as caught:
        play(about, model=script(here, done()), **given)
    assert str(caught.value) == f"--budget needs a price for {unknown}, and none is known"
    assert f'prices."{unknown}"' in str(caught.value.hint)
    assert not Path("active").exists()


def test_a_price_of_ones_own_is_enough(agents: Callable[[str], str], here: Path) -> None:
    """From the settings; a sub-agent that is never asked costs nothing."""
    prices = {"openai:no-such-model": {"input": 1.0, "output": 2.0}}
    outcome = debateroom.simulate(
        SCENARIO, agent=agents("openai:no-such-model"), model=script(here, done()), budget=1.0, prices=prices
    )
    assert outcome.summary["outcome"] == "passed"


def test_the_room_keeps_how_the_models_of_the_agent_are_reached(
    agents: Callable[[str], str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a resumed dialogue asks the same servers."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    outcome = debateroom.simulate(SCENARIO, agent=agents("openai:tiny"), model=script(here, done()))
    assert opening_event(outcome.folder)["settings"]["reach"]["addresses"] == {"openai": "http://127.0.0.1:9/v1"}
