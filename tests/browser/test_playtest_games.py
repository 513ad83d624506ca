"""Whole games of each ruleset, played by three people in real browsers: one with a mouse, one on a phone, one with keys alone."""

import re

import pytest

pytest.importorskip("sqlalchemy")

from browser.playtests import SHOWN, Playtests, opened  # noqa: E402
from browser.table import CLIPPED, until  # noqa: E402
from workbench.core.draft import load  # noqa: E402
from workbench.playtest.table import PlayTable  # noqa: E402
from workbench.ui.session import bot_code  # noqa: E402
from workbench.ui.view import moves_of  # noqa: E402

# luck numbers whose games are short when the bot plays them, so that a test takes a minute; two departments win, for the same reason
GAMES = {"omerta": (12, {}), "nyanbar-one": (33, {}), "maid-mafia": (52, {"win_departments": 2})}
PEOPLE = {"P0": ("mouse", {}), "P1": ("phone", {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}), "P2": ("keys", {})}

ALL = """const all = []; const look = (root) => { for (const e of root.querySelectorAll('*')) {
    if (e.matches('button, input, select, textarea, summary, a[href], [tabindex="0"]') && !e.disabled && e.tabIndex >= 0
      && e.getClientRects().length && !(e.type === 'radio' && e !== e.closest('fieldset').querySelector('input:checked, input'))) all.push(e);
    if (e.shadowRoot) look(e.shadowRoot); } }; look(document);
  let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const is = (e) => e.dataset.m === what || e.dataset.field === what || (e.dataset.t ?? '').split(' | ').includes(what);"""
STEPS = f"(what) => {{ {ALL} const to = all.findIndex(is); return to < 0 ? null : [to - all.indexOf(at), all.indexOf(at) >= 0]; }}"
"""How many presses of Tab from where the focus is to what is wanted, and whether the focus is anywhere; null: it cannot be reached."""
THERE = f"(what) => {{ {ALL} return Boolean(at) && is(at); }}"


def shows(page, version):
    """Wait until the page shows this state of the game."""
    page.wait_for_function(SHOWN, arg=version)


class Mouse:
    """Plays by clicking."""

    def __init__(self, page):
        self.page = page

    def press(self, at):
        at.click()

    def sit(self, name):
        self.page.get_by_label("Name").fill(name)
        self.press(self.page.locator('[data-id="sit"]'))

    def play(self, move, targets):
        """Click what the move is about, and its button where that is not enough."""
        button = self.page.locator(f'.wb-moves button[data-m="{move}"]')
        before = self.page.locator(".wb").get_attribute("data-version")
        for t in targets if not button.count() else []:
            on = self.page.locator(f'[data-t="{t}"], [data-t^="{t} |"], [data-t$="| {t}"], [data-t*="| {t} |"]').and_(self.page.locator(".can"))
            self.press(on.first)
        until(self.page, lambda: button.count() or self.page.locator(".wb").get_attribute("data-version") != before or self.page.locator(".can, .picked").count() == 0)
        if button.count():
            self.press(button)


class Phone(Mouse):
    """Plays by tapping."""

    def press(self, at):
        at.tap()


class Keys(Mouse):
    """Plays with the keyboard alone."""

    def go(self, what):
        """Press Tab until the focus is there."""
        for _ in range(10):
            found = self.page.evaluate(STEPS, what)
            assert found is not None, what
            for _ in range(abs(found[0])):
                self.page.keyboard.press("Tab" if found[0] > 0 else "Shift+Tab")
            if self.page.evaluate(THERE, what):
                return
        raise AssertionError(f"{what} is not reached by the keyboard")

    def sit(self, name):
        self.go("name")
        self.page.keyboard.type(name)
        self.page.keyboard.press("Enter")

    def play(self, move, targets):
        button = self.page.locator(f'.wb-moves button[data-m="{move}"]')
        for t in targets if not button.count() else []:
            self.go(t)
            self.page.keyboard.press("Space")
        if button.count():
            self.go(move)
            self.page.keyboard.press("Enter")


HANDS = {"mouse": Mouse, "phone": Phone, "keys": Keys}


@pytest.mark.parametrize("game", GAMES)
def test_three_people_play_a_whole_game_in_their_browsers(game, tmp_path, watch):
    server, (luck, changes) = Playtests(tmp_path, game), GAMES[game]
    try:
        t = server.lobby.create(load(game, players=3, **changes), luck=luck, lang="en")
        watched = {s: opened(watch, server.link(t, s), **options) for s, (_, options) in PEOPLE.items()}
        hands = {s: HANDS[how](watched[s].page) for s, (how, _) in PEOPLE.items()}
        for s, hand in hands.items():
            hand.sit(f"Person {s}")
            until(hand.page, lambda s=s: s in server.fresh(t).persons)
        assert t.start().ok
        together = 0
        while not server.fresh(t).position.over:
            seat, at = next(iter(t.state.asked.items()))
            together += bool(t.state.round)
            move, before = at.draft.ruleset.moves.name(bot_code(at, "heuristic", t.state.here.depth)), t.state.version
            shows(watched[seat].page, t.state.turn)
            hands[seat].play(move, next(m["targets"] for m in moves_of(at, "en") if m["name"] == move))
            until(watched[seat].page, lambda before=before: server.fresh(t).version > before)
            assert t.store.events(t.id, before)[0].data == {"m": move}
        assert (together > 2) == (game == "omerta")  # secret choices are made by all three
        kept = PlayTable(t.store, t.id, t.head).state  # what the log alone tells
        assert {d.seat for d in kept.decisions} == set(PEOPLE) and all(d.kind == "person" for d in kept.decisions)
        won, score = set(kept.position.winners), kept.position.score
        assert won
        for s, w in watched.items():
            shows(w.page, kept.turn)
            until(w.page, lambda w=w: "The game is over" in w.page.locator(".wb-why").inner_text())
            heads = {re.search(r"P\d", h)[0]: h for h in w.page.locator(".wb-seat > header").all_inner_texts()}
            assert {x for x, h in heads.items() if "★" in h} == won, s
            assert {x: re.search(r"(-?\d+)\s*$", h)[1] for x, h in heads.items()} == {x: str(n) for x, n in score.items()}, s
            w.clean()
        clipped, sideways = watched["P1"].page.evaluate(CLIPPED)
        assert clipped == [] and sideways <= 0
    finally:
        server.stop()
        server.lobby.store.close()
