"""The explorer in a real browser: what it draws, computes and verifies agrees with the package.

It needs Debian's package chromium, or another Chromium on the path.
"""

import json
import shutil
import subprocess
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path
from random import Random

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

import consistency_lab as lab
from consistency_lab.apps.explore.command import checked_address, explorer_page
from consistency_lab.core.verify import verify_proof
from consistency_lab.errors import ConsistencyLabError, InputError

GALLERY = sorted((Path(__file__).parents[2] / "counterexamples").rglob("*.json"))
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"),
)
#: The losses of the page by their names on the command line; the hinge has many minimizers.
NAMES = {
    "logistic": "logistic",
    "exponential": "exponential",
    "squared hinge": "squared-hinge",
    "linear": "linear",
    "difference logistic": "difference-logistic",
}
#: The conditions of the page by their names here.
CONDITIONS = {
    "no cycle": "acyclic",
    "net order": "net-order",
    "low noise": "low-noise",
    "additive": "additive",
}
CHECK = """text => {
  try { return String(checkProof(JSON.parse(text)).regret) }
  catch (error) { if (error instanceof Refused) return null; throw error }
}"""
THEOREM_11 = [[0, 3, 8], [0, 0, 1], [4, 0, 0]]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page in one browser; whatever it says on its console is an error."""
    file = tmp_path_factory.mktemp("explorer") / "explorer.html"
    file.write_text(explorer_page(), encoding="utf-8")
    said = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(QUIET))
        opened = browser.new_page(viewport={"width": 1200, "height": 1000})
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda request: said.append(request.url) if "http" in request.url[:5] else None)
        opened.goto(file.as_uri())
        yield opened
        browser.close()
    assert said == []


def answers(page, a):
    return page.evaluate("a => Object.fromEntries(LOSSES.map((loss) => [loss.name, judged(loss, a)]))", a)


def counts(rng):
    return [[0 if i == j else rng.randint(1, 30) for j in range(3)] for i in range(3)]


def scaled(name, a):
    """The counts; as the page has them: shares for the linear loss, one graph a comparison for margins."""
    total = sum(map(sum, a))
    if name == "margin-logistic":
        pairs = [(i, j) for i, j in permutations(range(3), 2) if a[i][j]]
        return lab.Distribution.single_edges({(i, j, Fraction(1)): Fraction(a[i][j]) for i, j in pairs}, 3)
    of = total if name == "linear" else 1
    return lab.Distribution.from_aggregate([[Fraction(x, of) for x in row] for row in a])


@pytest.mark.parametrize("shown", NAMES)
def test_minimizers_are_those_of_the_package(page, shown):
    rng = Random(1)
    cases = [THEOREM_11, *(counts(rng) for _ in range(15))]
    compared = 0
    for a in cases:
        expected = lab.minimize(lab.surrogate(NAMES[shown]), scaled(NAMES[shown], a))
        found = answers(page, a)[shown]
        assert bool(found.get("direction")) is not expected.attained
        if expected.attained:
            compared += 1
            mean = sum(expected.scores) / 3
            assert found["at"] == pytest.approx([x - mean for x in expected.scores], abs=1e-9)
    assert compared >= 2  # the difference loss has a minimizer on cycles only


def test_verdicts_are_those_of_the_package(page):
    rng = Random(2)
    for _ in range(8):
        a = counts(rng)
        found = answers(page, a)
        for shown, name in {**NAMES, "hinge": "hinge", "margin logistic": "margin-logistic"}.items():
            if shown == "difference logistic":
                continue
            witness = lab.certify_at(lab.surrogate(name), scaled(name, a))
            right = witness.document["proof"]["claim"] == "consistent-at-p"  # else "inconsistent"
            assert (found[shown]["verdict"] == "right") is right, (shown, a)


def test_conditions_and_optimal_orders_are_those_of_the_package(page):
    rng = Random(3)
    cycle = [[0, 6, 2], [3, 0, 7], [5, 2, 0]]
    for a in [THEOREM_11, cycle, *(counts(rng) for _ in range(15))]:
        held = page.evaluate("a => CONDITIONS.filter(([, , holds]) => holds(a)).map(([name]) => name)", a)
        known = lab.conditions_of([[a[i][j] - a[j][i] for j in range(3)] for i in range(3)])
        assert {shown: shown in held for shown in CONDITIONS} == {
            shown: known[name] for shown, name in CONDITIONS.items()
        }
        cost = {t: sum(a[j][i] for i, j in combinations(t, 2)) for t in permutations(range(3))}
        best = {t for t, x in cost.items() if x == min(cost.values())}
        assert {tuple(t) for t in page.evaluate("a => optimalOrders(a)", a)} == best


def test_pairs_by_addition_are_proved_in_floats_too(page):
    """Theorem R: i above j at every minimizer of the logistic loss."""
    rng, proved = Random(4), 0
    for _ in range(15):
        a = counts(rng)
        at = answers(page, a)["logistic"]["at"]
        for i, j in permutations(range(3), 2):
            if page.evaluate("([a, i, j]) => provedByAddition(a, i, j)", [a, i, j]):
                proved += 1
                assert at[i] > at[j]
    assert proved > 15


def test_each_example_is_what_its_text_says(page):
    presets = page.evaluate("PRESETS")
    assert page.evaluate("Object.keys(PRESETS)") == page.evaluate(
        "[...document.querySelectorAll('#preset option')].map((option) => option.value)"
    )

    def verdicts(name):
        return {
            shown for shown, one in answers(page, presets[name]["a"]).items() if one["verdict"] != "right"
        }

    def conditions(name):
        a = presets[name]["a"]
        return dict(lab.conditions_of([[a[i][j] - a[j][i] for j in range(3)] for i in range(3)]))

    convex = {"logistic", "exponential", "hinge", "squared hinge", "margin logistic"}
    for name in ("Theorem 11", "Lemma 10's region", "Theorem 12"):
        assert verdicts(name) == convex
        assert conditions(name)["additive"]
    (_, a12, a13), (_, _, a23), (a31, _, _) = presets["Lemma 10's region"]["a"]
    assert a23 * (a13 + a12) < a31 * a12
    assert conditions("Balanced")["net-order"]
    assert "logistic" not in verdicts("Balanced")
    assert "logistic" not in verdicts("Bradley-Terry")
    assert not conditions("A cycle")["acyclic"]
    assert verdicts("San Francisco 2008") == {*convex, "linear"}
    found = answers(page, presets["San Francisco 2008"]["a"])
    assert {name for name in found if found[name]["returned"] == [[1, 0, 2]]} == {*convex, "linear"} - {
        "hinge"
    }
    assert found["hinge"]["returned"] == [[0, 1, 2], [1, 0, 2]]
    assert (
        found["difference logistic"]["returned"] == [[0, 1, 2]] and found["difference logistic"]["direction"]
    )
    assert verdicts("Balanced") == {"exponential", "hinge"}
    profile = lab.read_profile("san-francisco.csv")
    first = [profile.items.index(name) for name in ("Eric Mar", "Sue Lee", "Alicia Wang")]
    assert presets["San Francisco 2008"]["a"] == [[int(profile.wins[i][j]) for j in first] for i in first]


def test_proof_files_are_verified_as_by_the_core(page):
    rng, accepted, rejected = Random(5), 0, 0
    for file in GALLERY:
        document = json.loads(file.read_text(encoding="utf-8"))
        regret = page.evaluate(CHECK, json.dumps(document))
        if regret is None:
            continue
        accepted += 1
        assert Fraction(regret) == verify_proof(document["proof"]).regret
        for _ in range(3):
            changed = mutated(document["proof"], rng)
            found = page.evaluate(CHECK, json.dumps(changed))
            try:
                verify_proof(changed)
            except ConsistencyLabError:
                rejected += 1
                assert found is None, (file.name, changed)
    assert accepted == 38
    assert rejected > 50


def mutated(proof, rng):
    """The proof with one number raised, two scores exchanged, or a prediction reversed."""
    changed = json.loads(json.dumps(proof))
    kind = rng.randrange(5)
    if kind == 0:
        slopes = changed["certificate"]["slopes"]
        k = rng.randrange(len(slopes))
        slopes[k] = str(Fraction(slopes[k] or 0) + Fraction(1, 3))
    elif kind == 1:
        k = rng.randrange(len(changed["scores"]))
        changed["scores"][k], changed["scores"][k - 1] = changed["scores"][k - 1], "5/2"
    elif kind == 2:
        changed["prediction"].reverse()
    elif kind == 3:
        changed["labels"][0]["probability"] = "2/3"
    else:
        changed["regret"] = "7"
    return changed


def test_a_count_is_dragged_or_typed(page):
    page.select_option("#preset", "Theorem 11")
    handle = page.locator("#graph [role=slider]").first
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, box["y"] - 35)
    page.mouse.up()
    assert page.input_value("#a01") == "13"
    handle.focus()
    page.keyboard.press("ArrowDown")
    assert page.input_value("#a01") == "12"
    page.fill("#a12", "9")
    assert handle.get_attribute("aria-valuenow") == "12"
    assert page.evaluate("state.a") == [[0, 12, 8], [0, 0, 9], [4, 0, 0]]
    page.fill("#a12", "-3")
    page.keyboard.press("Tab")
    assert page.input_value("#a12") == "0"
    assert page.inner_text("#text").endswith("(You have changed the counts since.)")
    page.select_option("#preset", "Theorem 11")
    assert page.evaluate("state.a") == THEOREM_11
    assert page.inner_text("#text").endswith("put C level with B or above it.")


def test_names_in_a_proof_file_are_no_commands(page):
    page.select_option("#preset", "Theorem 11")
    page.evaluate("state.names = [`x'; exit 7; '%d`, 'Lee, Sue', 'C']")
    ran = subprocess.run(
        ["sh", "-c", page.evaluate("commandLine().replace(/ > counts.csv.*/s, '')")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines()[:2] == ["winner,loser,count", "x'; exit 7; '%d,\"Lee, Sue\",3"]


def test_unequal_counts_end_what_balance_had_made_right(page):
    page.select_option("#preset", "Balanced")
    cells = page.locator("#loss0 td")
    assert cells.first.inner_text() == "right"
    page.locator("#ratio").fill("1.5")
    assert page.evaluate("[state.a[1][2], state.a[2][1]]") == [237, 63]
    assert cells.first.inner_text() == "wrong"


def test_an_escape_is_an_arrow_and_no_point(page):
    page.select_option("#preset", "Theorem 11")
    assert page.locator("#plane .loss6.escape").count() == 1
    assert page.locator("#loss6 td.scores").inner_text() == "no minimizer: runs along the arrow"
    page.select_option("#preset", "A cycle")
    assert page.locator("#plane .escape").count() == 0


def test_the_story_the_command_and_a_file(page, tmp_path, cli):
    for step in range(5):
        page.locator("#story button").nth(step).click()
        assert page.inner_text("#text").startswith(f"{step + 1}. ")
    page.select_option("#preset", "Theorem 11")
    page.click("#copy")
    assert page.inner_text("#command").endswith("consistency-lab check logistic --profile counts.csv")
    with page.expect_download() as saved:
        page.click("#save")
    saved.value.save_as(tmp_path / "counts.csv")
    ran = cli("check logistic --profile", str(tmp_path / "counts.csv"), "--no-save")
    assert ran.code == 1
    assert "C" in ran.out
    page.set_input_files("#open", next(file for file in GALLERY if file.name.startswith("hinge-additive-3")))
    expect(page.locator("#proof")).to_contain_text("Verified in exact arithmetic")
    assert page.evaluate("state.a") == [[0, 1, 3], [0, 0, 1], [1, 0, 0]]
    page.set_input_files("#open", next(file for file in GALLERY if file.name.startswith("logistic-add")))
    expect(page.locator("#proof")).to_contain_text("Not verified")


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_everybody_can_use_it(page, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.select_option("#preset", "Burlington 2009")
    page.evaluate("document.querySelector('details').open = true")
    assert page.evaluate("ballots.scrollWidth <= ballots.clientWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelector('details').open = false")


# --- The address, whole ballots, and counts that fool a loss ---------------------------------------------

ADDRESSES = (
    "n=A,B,C&ab=1:0&ac=6:3&bc=2:0&loss=logistic,linear&view=plane",
    "n=Sue%20Lee,%C3%85sa,a%2Cb&ab=1000000:7",
    "n=X,Y,Z&ballots=abc:2043,c:1289&loss=hinge",
    "loss=difference-logistic",
)
BAD_PARTS = (
    *("ab=1", "ab=1:-1", "ab=1:1000001", "ab=1:0x1", "bc=1e3:2", "constructor=1", "ab"),
    *("n=A,B", "n=A,A,B", "n=A,B,C,D", "n=A,,C", "n=A,B,%ff", "n=A,B,%zz"),
    *("loss=elo", "loss=", "view=", "ballots=aab:3", "ballots=ab:3", "ballots=abc"),
)


def read(page, address):
    page.evaluate("text => readAddress(text)", address)
    return page.inner_text("#note")


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_read_and_written_again(page, address):
    assert read(page, address) == ""
    assert checked_address(address) == address
    seen = "[state.a, state.names, state.loss, state.shown, state.large, state.ballots]"
    state = page.evaluate(seen)
    written = page.evaluate("address()")
    assert checked_address(written) == written
    assert read(page, written) == ""
    assert state == page.evaluate(seen)
    page.wait_for_function("written => location.hash === '#' + written", arg=written)


def test_a_bad_part_is_ignored_with_a_note_and_refused_by_the_command(page):
    for part in BAD_PARTS:
        assert read(page, f"{part}&bc=5:4").startswith(f"Ignored in the address: {part}: ")
        assert page.evaluate("state.a") == [[0, 0, 0], [0, 0, 5], [0, 4, 0]]
        with pytest.raises(InputError, match=r"^--at has "):
            checked_address(part)


def test_a_page_opens_at_what_explore_was_given(page, cli, refused, tmp_path):
    out = tmp_path / "lesson.html"
    assert cli("explore --out", str(out), "--at", "n=<i>,B,C&ab=1:0&ac=6:3&bc=2:0").code == 0
    opened = page.context.browser.new_page()
    opened.goto(out.as_uri())
    assert opened.evaluate("[state.a, state.names]") == [[[0, 1, 6], [0, 0, 2], [3, 0, 0]], ["<i>", "B", "C"]]
    opened.click("#link")
    assert opened.inner_text("#command").endswith("lesson.html#n=%3Ci%3E,B,C&ab=1:0&ac=6:3&bc=2:0")
    opened.evaluate("location.hash = '#ab=4:2'")
    opened.wait_for_function("state.a[0][1] === 4")
    opened.close()
    assert refused("explore --at ab=x") == "--at has 'ab=x'; write ab=3:1, at most a million\n"


def test_borda_and_runoffs_of_ballots(page):
    rng = Random(7)
    kinds = page.evaluate("BALLOTS")
    for _ in range(20):
        ballots = {kind: rng.randint(0, 4) for kind in kinds}
        a, runoff, borda = page.evaluate(
            "b => { const a = countsOfBallots(b);"
            " return [a, ...[1, 0].map((k) => RULES[k].orders(a, RULES[k].points(a, b)))]; }",
            ballots,
        )
        rank = {kind: {item: kind.find(item) % 4 for item in "abc"} for kind in kinds}
        beat = {
            (x, y): sum(n for kind, n in ballots.items() if rank[kind][x] < rank[kind][y])
            for x, y in permutations("abc", 2)
        }
        assert {(x, y): a["abc".index(x)]["abc".index(y)] for x, y in beat} == beat
        firsts = {item: sum(n for kind, n in ballots.items() if kind[0] == item) for item in "abc"}
        net = {x: sum(beat[x, y] - beat[y, x] for y in "abc" if y != x) for x in "abc"}
        shown = {"".join("abc"[i] for i in t) for t in runoff}
        assert shown == {
            x + y + z
            for x, y, z in permutations("abc")
            if firsts[z] == min(firsts.values()) and beat[x, y] >= beat[y, x]
        }
        assert {"".join("abc"[i] for i in t) for t in borda} == {
            x + y + z for x, y, z in permutations("abc") if net[x] >= net[y] >= net[z]
        }


def test_burlington_is_the_sample_and_a_changed_count_forgets_the_ballots(page):
    page.select_option("#preset", "Burlington 2009")
    assert page.evaluate("state.a") == [
        [int(x) for x in row] for row in lab.read_profile("burlington.toc").wins
    ]
    row = page.locator("[id='rule-instant runoff'] td")
    assert row.nth(0).inner_text() == "wrong"
    assert row.nth(1).inner_text() == "Kiss > Wright > Montroll"
    assert "Montroll beats both others." in page.inner_text("#answer")
    firsts = {found["returned"][0][0] for found in answers(page, page.evaluate("state.a")).values()}
    assert firsts == {1}
    page.fill("#a01", "3478")
    assert row.nth(2).inner_text() == "unknown: needs whole ballots"
    page.locator("summary").click()
    page.fill("#ballot-abc", "2")
    page.fill("#ballot-c", "1")
    assert page.evaluate("state.a") == [[0, 2, 2], [0, 0, 2], [1, 1, 0]]
    assert row.nth(1).inner_text() == "Kiss > Wright > Montroll"
    page.locator("summary").click()


SEEDED = """([k, seed]) => {
  let x = seed;
  return countsThatFool(LOSSES[k], () => (x = (x * 16807) % 2147483647) / 2147483647);
}"""


@pytest.mark.long
@pytest.mark.parametrize("shown", ["logistic", "linear", "hinge", "margin logistic"])
def test_counts_that_fool_a_loss_do(page, shown):
    names = page.evaluate("LOSSES.map(({name}) => name)")
    name = NAMES.get(shown, shown.replace(" ", "-"))
    for seed in (11, 2027):
        a = page.evaluate(SEEDED, [names.index(shown), seed])
        witness = lab.certify_at(lab.surrogate(name), scaled(name, a))
        assert witness.document["proof"]["claim"] == "inconsistent"
        assert max(map(max, a)) <= 30
    page.select_option("#preset", "A cycle")
    page.evaluate("k => { state.loss = k; redraw(); }", names.index(shown))
    page.click("#fool")
    assert answers(page, page.evaluate("state.a"))[shown]["verdict"] in ("wrong", "tie")
    read(page, "")
