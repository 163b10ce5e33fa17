"""Lists: grown, shrunk, sliced, nested, sorted, made by comprehensions."""

from tests.fuzz.grammar import Generation, indent
from tests.fuzz.topics import define, has_vector, new_array, new_float, small, topic, vector

rule = topic("lists")


def fresh(g: Generation) -> str:
    """A name for a list, which no other statement reads."""
    return g.fresh("list")


def total(g: Generation, name: str, entries: int = 2) -> str:
    """A number that the list decides."""
    k = g.rng.randrange(entries)
    return g.pick(
        (
            f"sum({name})",
            f"{name}[{k}] * {name}[-1]",
            f"max({name}) + 0.5 * min({name})",
            f"np.sum(np.array({name}) ** 2)",
            f"sum(q_ * q_ for q_ in {name})",
            f"sum([{g.number(0.3, 0.9)} * q_ for q_ in {name}[1:]])",
            f"sum(k_ * q_ for k_, q_ in enumerate({name}))",
            f"sum(p_ * q_ for p_, q_ in zip({name}, {name}[1:]))",
            f"np.dot({name}, {name}) / len({name})",
            f"sorted({name})[0] + {name}[{k}]",
        )
    )


@rule("list_grown")
def _grown(g: Generation) -> list[str]:
    items = fresh(g)
    start, more = [small(g) for _ in range(g.rng.randint(1, 2))], small(g)
    change = g.pick(
        (
            [f"{items}.append({more})"],
            [f"{items}.extend([{more}, {small(g, 0)}])"],
            [f"{items} += [{more}]"],
            [f"{items} = {items} + [{more}]"],
            [f"{items}.insert(0, {more})"],
            [f"{items} = [{more}, *{items}]"],
            [f"{items} = {items} * 2", f"{items}[-1] = {more}"],
        )
    )
    name = new_float(g, 9.0)
    return [f"{items} = [{', '.join(start)}]", *change, f"{name} = {total(g, items)}"]


@rule("list_shrunk")
def _shrunk(g: Generation) -> list[str]:
    items, name = fresh(g), new_float(g, 9.0)
    values = ", ".join(small(g) for _ in range(3))
    change = g.pick(
        (
            f"{name} = {items}.pop()",
            f"{name} = {items}.pop(0)",
            f"{name} = {items}.pop(1) * {items}[0]",
            f"del {items}[0]",
            f"{items}.reverse()",
            f"{items}.sort()",
            f"{items}.sort(reverse=True)",
            f"{items} = {items}[::-1]",
        )
    )
    end = f"{name} = {total(g, items)}"
    if change.startswith(name):
        end = f"{name} = {name} + {total(g, items)}"
    return [f"{items} = [{values}]", change, end]


@rule("list_loop", weight=16)
def _loop(g: Generation) -> list[str]:
    items, name, i = fresh(g), new_float(g, 9.0), g.fresh("loop")
    n, start, at = g.rng.randint(2, 4), small(g), small(g, 0)
    form = g.pick(
        (
            f"{items}.append({items}[-1] * {g.number(0.3, 0.8)} + {at})",
            f"{items}.append(np.sin({items}[{i}]) * {at})",
            f"{items}.append({i} * {at} - {items}[0])",
        )
    )
    return [
        f"{items} = [{start}]",
        f"for {i} in range({n}):",
        f"    {form}",
        f"{name} = {total(g, items)}",
    ]


@rule("list_stack", weight=16)
def _stack(g: Generation) -> list[str]:
    items, name = fresh(g), new_float(g, 9.0)
    values = ", ".join(small(g) for _ in range(g.rng.randint(2, 3)))
    body = f"    {name} = {g.number(0.3, 0.8)} * {name} + {items}.pop()"
    return [
        f"{items} = [{values}]",
        f"{name} = {small(g, 0)}",
        f"while {g.pick((items, f'len({items}) > 0'))}:",
        body,
    ]


@rule("list_comprehension", when=has_vector)
def _comprehension(g: Generation) -> list[str]:
    x = vector(g)
    items, name = fresh(g), new_float(g, 9.0)
    c = small(g, 0)
    made = g.pick(
        (
            f"[q_ * {c} for q_ in {x.name}]",
            f"[{x.name}[i_] * {c} + i_ for i_ in range({x.shape[0]})]",
            f"[p_ - q_ * {c} for p_, q_ in zip({x.name}, {x.name}[::-1])]",
            f"[q_ if q_ > {g.number(-0.3, 0.6)} else {c} for q_ in {x.name}]",
            f"[q_ * {c} for i_, q_ in enumerate({x.name}) if i_ != 1]",
            f"[np.sin(i_ * {c}) for i_ in range(3)]",
            f"list(q_ * q_ for q_ in {x.name})",
            f"[i_ * j_ * {c} for i_ in range(2) for j_ in range(2)]",
            f"{x.name}.tolist()",
            f"list({x.name})",
        )
    )
    return [f"{items} = {made}", f"{name} = {total(g, items, 1)}"]


@rule("list_written")
def _written(g: Generation) -> list[str]:
    items, name, i = fresh(g), new_float(g, 9.0), g.fresh("loop")
    c = small(g)
    start = g.pick(("[0.0] * 4", "[0.0] * 4", f"[{c}, 0.5, {small(g, 0)}, 1.0]"))
    change = g.pick(
        (
            [f"for {i} in range(1, 4):", f"    {items}[{i}] = {items}[{i} - 1] * 0.5 + {c}"],
            [f"for {i} in range(4):", f"    {items}[{i}] += {c} * {i}"],
            [f"{items}[1:3] = [{c}, {small(g, 0)}]"],
            [f"{items}[-1] *= {c}", f"{items}[0], {items}[2] = {items}[2], {items}[0]"],
            [f"for {i} in range(4):", f"    if {i} % 2:", f"        {items}[{i}] = {c} ** 2"],
        )
    )
    return [f"{items} = {start}", *change, f"{name} = {total(g, items)}"]


def square_values(items: str) -> tuple[str, ...]:
    """Numbers that a nested list decides."""
    return (
        f"{items}[0][1] * {items}[1][0]",
        f"sum(sum(row_) for row_ in {items})",
        f"np.sum(np.array({items}) ** 2)",
        f"sum(row_[0] * row_[1] for row_ in {items})",
        f"sum([q_ for row_ in {items} for q_ in row_])",
    )


@rule("list_nested", weight=20)
def _nested(g: Generation) -> list[str]:
    items, name = fresh(g), new_float(g, 9.0)
    c = small(g)
    made = g.pick(
        (
            f"[[0.0, {c}], [{small(g, 0)}, 1.0]]",
            "[[0.0] * 2 for _ in range(2)]",
            f"[[i_ + j_ * {c} for j_ in range(2)] for i_ in range(2)]",
            f"[[0.5, {c}]] + [[1.0, 2.0]]",
        )
    )
    change = g.pick(
        (
            [f"{items}[1][0] = {c}"],
            [f"{items}[0][1] += {c}", f"{items}[1][1] = {items}[0][1] * 0.5"],
            [
                "for i_ in range(2):",
                "    for j_ in range(2):",
                f"        {items}[i_][j_] = {items}[i_][j_] * {c} + i_ - j_",
            ],
            [f"{items}[0], {items}[1] = {items}[1], {items}[0]"],
        )
    )
    value = g.pick(square_values(items))
    return [f"{items} = {made}", *change, f"{name} = {value}"]


@rule("list_of_arrays", weight=16, when=has_vector)
def _arrays(g: Generation) -> list[str]:
    x, c = vector(g), small(g, 0)
    items = fresh(g)
    y = new_array(g, x.shape)
    grow = g.pick(
        (
            [f"{items} = [{x.name}, {c} * {x.name}]"],
            [
                f"{items} = [{x.name}]",
                "for _ in range(2):",
                f"    {items}.append({items}[-1] * {c})",
            ],
            [f"{items} = [k_ * {x.name} * {c} for k_ in range(3)]"],
        )
    )
    value = g.pick(
        (
            f"sum({items})",
            f"np.sum({items}, axis=0)",
            f"{items}[0] * {items}[-1]",
            f"np.array({items}).max(axis=0)",
            f"np.stack({items}).mean(axis=0)",
            f"{items}[1] - np.mean(np.concatenate({items}))",
        )
    )
    return [*grow, f"{y} = {value}"]


@rule("list_sorted")
def _sorted(g: Generation) -> list[str]:
    name = new_float(g, 9.0)
    values = ", ".join(small(g) for _ in range(3))
    key = g.pick(("", ", reverse=True", ", key=abs", ", key=lambda q_: -q_ * q_"))
    forms = (
        f"sorted([{values}]{key})[{g.rng.randint(0, 2)}]",
        f"max([{values}], key=abs)",
        f"min([{values}], key=lambda q_: (q_ - 0.2) ** 2)",
        f"sum(sorted([{values}]{key})[:2])",
        f"max({values}, key=lambda q_: q_ * q_)",
        f"max((q_ * q_ for q_ in [{values}]), default=0.0)",
    )
    return [f"{name} = {g.pick(forms)}"]


@rule("list_of_helper", when=has_vector)
def _helper(g: Generation) -> list[str]:
    """A helper makes a list, or is given one."""
    name = new_float(g, 9.0)
    if g.chance(0.5):
        made = define(
            g,
            "spread_out",
            "def NAME(v, c):",
            "    out = []",
            "    for e in v:",
            g.pick(("        out.append(e * c)", "        out.append(c if e > 0.3 else e * e)")),
            "    return out",
        )
        return [f"{name} = {g.pick(('sum', 'max'))}({made}({vector(g).name}, {small(g, 0)}))"]
    used = define(
        g,
        "mean_of",
        "def NAME(items, shift=0.0):",
        "    acc = 0.0",
        "    for i, e in enumerate(items):",
        "        acc += e * (i + 1) + shift",
        "    return acc / len(items)",
    )
    values = ", ".join(small(g) for _ in range(g.rng.randint(1, 3)))
    return [f"{name} = {used}([{values}]{g.pick(('', f', shift={small(g, 0)}'))})"]


@rule("list_conditional", weight=20)
def _conditional(g: Generation) -> list[str]:
    """Entries that only one path changes."""
    items, name = fresh(g), new_float(g, 9.0)
    values = ", ".join(small(g) for _ in range(2))
    arms = g.pick(
        (
            [f"{items}[0] = {small(g)}"],
            [f"{items}[1] *= {g.number(0.3, 0.9)}"],
            [f"{items} = [{small(g)}, {small(g, 0)}]"],
            [f"{items}.reverse()"],
            [f"{items}[0], {items}[1] = {items}[1], {items}[0]"],
        )
    )
    return [
        f"{items} = [{values}]",
        f"if {g.test(1)}:",
        *indent(arms),
        f"{name} = {total(g, items)}",
    ]
