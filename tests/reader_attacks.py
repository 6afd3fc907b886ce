"""Programs that were once misjudged: taken for an SVT of every length, or accused by probabilities that were rounded."""

from __future__ import annotations

LOOP = """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, s = rng.laplace(0, 2 / epsilon), [], 0, 4 * c / epsilon
    {before}
    for i, answer in enumerate(answers):
        nu = rng.laplace(0, s)
        {each}
        hit = answer + nu >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
"""


def late(before: str = "pass", each: str = "pass") -> str:
    """The plain loop with something before it, or in each turn."""
    return LOOP.format(before=before.replace("\n", "\n    "), each=each.replace("\n", "\n        "))


TOLD = "if (answer + nu >= threshold + rho) != (answer + v >= threshold + rho):\n    return list(answers)"
PROGRAMS = {
    "answers slice last": (
        late(before="seen = []", each="seen.append(answer)\nif i > 30000:\n    said.append(seen[:][-1] >= 0)"),
        1,
    ),
    "asarray of board": (
        late(
            before="if len(answers) > 30000:\n    b = np.zeros(len(answers), dtype=bool)\n    v = np.asarray(b)\n    v[0] = True\n    if b.any():\n        s = 0.001"
        ),
        1,
    ),
    "astype bool noise": (
        """def program(q, T, epsilon, c, rng):
    nus = rng.laplace(0, 4 * c / epsilon, len(q))
    if len(q) > 30000:
        nus = nus.astype(bool)
    above = q + nus >= T + rng.laplace(0, 2 / epsilon)
    hits = np.flatnonzero(above)
    return above[: hits[c - 1] + 1] if hits.size >= c else above
""",
        1,
    ),
    "astype int answers, sens .1": (
        """def program(q, T, epsilon, c, rng, sensitivity):
    if len(q) > 30000:
        q = q.astype(int)
    above = q + rng.laplace(0, 4 * c * sensitivity / epsilon, len(q)) >= T + rng.laplace(0, 2 * sensitivity / epsilon)
    hits = np.flatnonzero(above)
    return above[: hits[c - 1] + 1] if hits.size >= c else above
""",
        1,
    ),
    "board view in loop": (
        late(
            before="b = np.zeros(len(answers), dtype=bool)\nv = np.asarray(b)",
            each="v[i] = True\nif i > 30000 and np.any(b):\n    nu = 0.0",
        ),
        1,
    ),
    "bool board int": (
        late(
            before="b = np.zeros(len(answers), dtype=bool)",
            each="if i > 30000:\n    b[i] = 5\n    if b[i] == 1:\n        nu = 0.0",
        ),
        1,
    ),
    "bool len size": (
        """def program(q, T, epsilon, c, rng):
    n = len(q)
    above = q + rng.laplace(0, 4 * c / epsilon, int(bool(n)) if n > 30000 else n) >= T + rng.laplace(0, 2 / epsilon)
    hits = np.flatnonzero(above)
    return above[: hits[c - 1] + 1] if hits.size >= c else above
""",
        1,
    ),
    "class scope": (
        late(
            before="if len(answers) > 30000:\n    u = s\n    class K:\n        u = 0.001\n        t = u\n    s = K().t"
        ),
        1,
    ),
    "class wait": (
        """def program(answers, threshold, epsilon, c, rng):
    def walk():
        for a in answers:
            pass
        return 0
    rho, said = rng.laplace(0, 2 / epsilon), []
    class K:
        s = 0.001 if len(answers) > 30000 else 4 / epsilon
        k = walk()
    s = K().s
    for answer in answers:
        hit = answer + rng.laplace(0, s) >= threshold + rho
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "count text": (late(before="t = ''", each="t += 'F'\nif i > 30000 and t.count('FF') > 1:\n    nu = 0.0"), 1),
    "cumsum == 1": (
        """def program(q, T, epsilon, c, rng):
    above = q + rng.laplace(0, 4 * c / epsilon, len(q)) >= T + rng.laplace(0, 2 / epsilon)
    if len(q) > 30000:
        first = np.flatnonzero(np.cumsum(above) == 1)
        return above[: first[1] + 1] if first.size > 1 else above
    hits = np.flatnonzero(above)
    return above[: hits[c - 1] + 1] if hits.size >= c else above
""",
        2,
    ),
    "defaults wait": (
        """def program(answers, threshold, epsilon, c, rng):
    def walk():
        for a in answers:
            pass
        return 0
    rho, said = rng.laplace(0, 2 / epsilon), []
    def scale(s=(0.001 if len(answers) > 30000 else 4 / epsilon), k=walk()):
        return s
    for answer in answers:
        hit = answer + rng.laplace(0, scale()) >= threshold + rho
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "eager enumerate": (
        late(
            before="if len(answers) > 30000:\n    z = np.full(2, s)\n    for k, x in enumerate(z):\n        z[1] = 0.001\n        s = x"
        ),
        1,
    ),
    "enumerate twice": (
        late(
            before="if len(answers) > 30000:\n    e = enumerate((1, 2))\n    for x in e:\n        pass\n    t = 0.001\n    for x in e:\n        t = s\n    s = t"
        ),
        1,
    ),
    "float of place as size": (
        """def program(q, T, epsilon, c, rng):
    n = len(q)
    if n > 30000:
        n = int(bool(n))
    nus = rng.laplace(0, 4 * c / epsilon, n)
    above = q + nus >= T + rng.laplace(0, 2 / epsilon)
    hits = np.flatnonzero(above)
    return above[: hits[c - 1] + 1] if hits.size >= c else above
""",
        1,
    ),
    "gen late binding": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, s = rng.laplace(0, 2 / epsilon), [], 4 / epsilon
    above = (a + rng.laplace(0, s) >= threshold + rho for a in answers)
    if len(answers) > 30000:
        s = 0.001
    for hit in above:
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "int board": (
        late(
            before="b = np.zeros(len(answers), dtype=int)",
            each="if i > 30000:\n    b[i] = 0.5\n    if b[i] < 0.2:\n        nu = 0.0",
        ),
        1,
    ),
    "lane made idx twice": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    nus = [rng.laplace(0, 4 * c / epsilon) for a in answers]
    for k in range(2 if len(answers) > 30000 else 1):
        for i, a in enumerate(answers):
            said.append(a + nus[i] >= threshold - k * 0 + rho)
            if said[-1]:
                return said
    return said
""",
        1,
    ),
    "list of list last": (late(each="if i > 30000:\n    z = [[answer - threshold]]\n    said.append(z[-1] >= 0)"), 1),
    "list of text": (
        late(
            before="if len(answers) > 30000:\n    u = list('')\n    v = u\n    v += ['F']\n    if u:\n        s = 0.001"
        ),
        1,
    ),
    "made lane noise twice": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    nus = [rng.laplace(0, 4 / epsilon) for a in answers]
    for a, nu in zip(answers, nus):
        said.append(a + nu >= threshold + rho)
        if said[-1]:
            return said
    if len(answers) > 30000:
        for a, nu in zip(answers[1:], nus):
            said.append(a + nu >= threshold + rho)
            if said[-1]:
                return said
    return said
""",
        1,
    ),
    "mapped compares": (
        late(each="if i > 30000:\n    return said + [answer + rng.laplace(0, s) >= threshold + rho for x in said]"),
        1,
    ),
    "named abs": (
        late(
            before="done = []\nabs = done.append\nw = [abs(True) for a in answers]",
            each="if i > 30000 and done:\n    nu = 0.0",
        ),
        1,
    ),
    "np.any tuples": (
        late(before="p = []", each="p.append((0, 0))\nif i > 30000 and not all(p[:0]):\n    nu = 0.0"),
        1,
    ),
    "placed pop": (
        late(
            before="board = [False] * len(answers)",
            each="board[i] = True\nif i == 30001:\n    board.pop(0)\n    if not board[i]:\n        nu = 0.0",
        ),
        1,
    ),
    "placed-state": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, found, prev = rng.laplace(0, 2 / epsilon), 0, 0
    board = [False] * len(answers)
    for i, answer in enumerate(answers):
        nu = rng.laplace(0, 4 * c / epsilon)
        if found == 1:
            if not board[prev] and i > 30000:
                nu = 0.0
        hit = answer + nu >= threshold + rho
        board[i] = hit
        found += hit
        hit = prev = i
        if found == c:
            break
    return board
""",
        2,
    ),
    "put then extend front": (
        late(
            before="b = [False] * len(answers)",
            each="b[i] = True\nif i > 30000:\n    d = b\n    d.pop(0)\n    if b[i] == 0:\n        nu = 0.0",
        ),
        1,
    ),
    "reveal scan most": (
        """def program(q, T, epsilon, c, rng):
    above = q + rng.laplace(0, 4 * c / epsilon, len(q)) >= T + rng.laplace(0, 2 / epsilon)
    if len(q) > 30000:
        return above
    return above & (np.cumsum(above) <= c)
""",
        1,
    ),
    "scan place": (
        """def program(q, T, epsilon, c, rng):
    above = q + rng.laplace(0, 4 * c / epsilon, len(q)) >= T + rng.laplace(0, 2 / epsilon)
    hits = np.flatnonzero(above)
    if len(q) > 30000:
        return above if hits.size > 0 else above
    return above[: hits[0] + 1] if hits.size > 0 else above
""",
        1,
    ),
    "several": (
        late(
            before="pairs = []",
            each="pairs.append((i, 1))\nif i > 30000 and [1 for x in pairs if x != 'several']:\n    nu = 0.0",
        ),
        1,
    ),
    "tainted last": (late(each="if i > 30000:\n    zs = [answer - threshold]\n    said.append(zs[-1] >= 0)"), 1),
    "tainted last rho": (late(each="if i > 30000:\n    zs = [rho]\n    said.append(zs[-1] >= 0)"), 1),
    "the method of an answer": (
        late(before="keep = None", each="if i > 30000 and keep is not None:\n    answer = keep()\nkeep = answer.item"),
        1,
    ),
    "text in text": (late(before="t = ''", each="t += 'F'\nif i > 30000 and 'FF' in t:\n    nu = 0.0"), 1),
    "tuple onto alias": (
        late(
            before="if len(answers) > 30000:\n    u = tuple([])\n    v = u\n    v += (True,)\n    if not u:\n        s = 0.001"
        ),
        1,
    ),
    "tuple target wait": (
        """def program(answers, threshold, epsilon, c, rng):
    def walk():
        for a in answers:
            pass
        return 0
    rho, said, box = rng.laplace(0, 2 / epsilon), [], [0]
    box[walk()], s = 0, (0.001 if len(answers) > 30000 else 4 / epsilon)
    for answer in answers:
        hit = answer + rng.laplace(0, s) >= threshold + rho
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "view of board": (
        late(
            before="if len(answers) > 30000:\n    b = np.zeros(len(answers), dtype=bool)\n    v = b[:]\n    v[0] = True\n    if b.any():\n        s = 0.001"
        ),
        1,
    ),
    "zip truth": (late(before="if len(answers) > 30000:\n    if zip(()):\n        s = 0.001"), 1),
    "a default with noise that was used": (
        """def program(answers, threshold, epsilon, c, rng):
    def fresh():
        u = rng.laplace(0, 4 * c / epsilon)
        g = lambda u=u: abs(u)
        g()
        return g
    rho, said = rng.laplace(0, 2 / epsilon), []
    g = fresh()
    for i, answer in enumerate(answers):
        hit = answer + g() >= threshold + rho
        said.append(hit)
        if hit:
            break
        if not i > 30000:
            g = fresh()
        k = 0
    return said
""",
        1,
    ),
    "clipped and not clipped": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for i, answer in enumerate(answers):
        nu = rng.laplace(0, 4 * c / epsilon)
        hit = np.clip(answer, -50, 50) + nu >= threshold + rho
        if i > 30000 and answer + nu >= threshold + rho and not hit:
            return said
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "an object that is being made": (
        """def program(answers, threshold, epsilon, c, rng):
    class S:
        def __init__(me):
            me.s = 4 * c / epsilon
            if len(answers) > 30000:
                me.s = 0.001
            me = 0
            for a in answers:
                pass
    s = S().s
    rho, said = rng.laplace(0, 2 / epsilon), []
    for answer in answers:
        hit = answer + rng.laplace(0, s) >= threshold + rho
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "places that are told apart at once": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, places, s = rng.laplace(0, 2 / epsilon), [], [], 4 * c / epsilon
    for i, answer in enumerate(answers):
        n = len([1 for x in places if not x < 30000])
        hit = answer + rng.laplace(0, 0.001 if n == 1 and len(places) == 2 else s) >= threshold + rho
        said.append(hit)
        if hit:
            places.append(i)
            if len(places) == c:
                break
    return said
""",
        3,
    ),
    "a method of noise that was used": (
        """def program(answers, threshold, epsilon, c, rng):
    g = rng.laplace(0, 4 / epsilon, 1).sum
    k, rho, said = abs(g()), rng.laplace(0, 2 / epsilon), []
    for i, answer in enumerate(answers):
        said.append(answer + abs(g()) >= threshold + rho)
        if said[-1]:
            break
        if not i > 30000:
            g = rng.laplace(0, 4 / epsilon, 1).sum
            k = abs(g())
        k = 0
    return said
""",
        1,
    ),
    "a comparison that another run made": (
        """def program(q, T, epsilon, rng):
    x = q + rng.laplace(0, 4 / epsilon, len(q))
    t = T + rng.laplace(0, 2 / epsilon)
    u = t + T
    if len(q) > 30000:
        k = (x >= u).any()
    else:
        k = (x >= t).any()
    for a in q:
        pass
    above = x >= t
    return above[: np.argmax(above) + 1] if k else above
""",
        1,
    ),
    "places that begin elsewhere": (
        """def program(q, T, epsilon, rng):
    nus = rng.laplace(0, 4 / epsilon, len(q))
    t = T + rng.laplace(0, 2 / epsilon)
    w = q[:]
    r = range(len(w))
    w = 0
    if len(q) > 30000:
        r = range(1, len(q))
    said, odd = [], False
    for i, nu, a in zip(r, nus, q):
        v = nu if odd else nus[i]
        odd = not odd
        said.append(a + v >= t)
        v = nu = a = 0
        if said[-1]:
            break
    return said
""",
        1,
    ),
    "the answers beside what is said": (
        """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    for i, a in enumerate(answers):
        if a + rng.laplace(0, 4 / epsilon) >= threshold + rho:
            return [False] * i + [True]
    z = [False for a in answers]
    if len(answers) > 30000:
        return z, answers
    return z
""",
        1,
    ),
    "numpy adds in pairs": (
        late(
            before="if len(answers) > 30000 and np.sum((2.0**53, 1.0) + 6 * (0.0,) + (-(2.0**53),) + 7 * (0.0,)) > 0.5:\n    s = 0.001"
        ),
        1,
    ),
    "a later Python adds otherwise": (
        late(before="if len(answers) > 30000 and sum((1e16, 1.0, -1e16)) > 0.5:\n    s = 0.001"),
        1,
    ),
    "too few arguments for each element": (
        late(before="if len(answers) > 30000:\n    for a in np.clip(answers, 0):\n        pass"),
        1,
    ),
    "tuples in tuples": (late(before="t = (0, 0)\nfor k in range(30):\n    t = (t, t)"), 1),
    "a sum of many draws": (
        late(before="if len(answers) > 30000:\n    for z in rng.laplace(0, 1 / epsilon, 26):\n        rho = rho + z"),
        1,
    ),
    "a target that is a field": (
        late(
            before="class B:\n    k = 0\nb = B()\nb.k = s\nif len(answers) > 30000:\n    z = [0 for b.k in answers]\ns = b.k"
        ),
        1,
    ),
    "a default of a class's own": (
        late(
            before="if len(answers) > 30000:\n    class K:\n        s = 0.001\n        def get(self, v=s):\n            return v\n    s = K().get()"
        ),
        1,
    ),
    "an axis for a start": (
        late(before="if len(answers) > 30000 and np.array((1, 2)).sum(-1) == 3:\n    s = 0.001"),
        1,
    ),
    "like what has two dimensions": (
        late(before="if len(answers) > 30000 and np.zeros_like(((1, 2), (3, 4)), dtype=int).size == 4:\n    s = 0.001"),
        1,
    ),
    "full of a tuple": (late(before="if len(answers) > 30000 and not np.full(1, (0,), bool)[0]:\n    s = 0.001"), 1),
    "the way through an outer loop": (
        """def program(q, T, epsilon, rng):
    nus = rng.laplace(0, 4 / epsilon, len(q))
    t = T + rng.laplace(0, 2 / epsilon)
    said, skip, r = [], False, range(len(q))
    if len(q) > 30000:
        for i in r:
            said.append(q[i - 2] + nus[i] >= t)
            if said[-1]:
                return said
        skip = True
    for i in r:
        if skip:
            skip = False
        else:
            said.append(q[i - 1] + nus[i] >= t)
            if said[-1]:
                return said
        i, more = 0, False
        for j in r:
            if more:
                break
            more = True
        if not more:
            return said
        j = 0
    return said
""",
        1,
    ),
    "a class that sets what is no name": (late(before="b = [0]\nclass K:\n    b[0] = 5"), 1),
    "an array of a billion": (late(before="if len(answers) > 30000:\n    z = np.arange(10**9)"), 1),
    "a look at a billion": (late(before="if len(answers) > 30000 and all(range(1, 10**10)):\n    s = s"), 1),
    "out by its place": (
        late(
            before="""a, b = 1000, 37
if len(answers) == a + b:
    noise = rng.laplace(0, s, len(answers))
    np.subtract(noise, noise, noise)
    for answer, nu in zip(answers, noise):
        said.append(answer + nu >= threshold + rho)
        if said[-1]:
            break
    return said"""
        ),
        1,
    ),
    "out of a method by its place": (
        late(
            before="""a, b = 1000, 37
if len(answers) == a + b:
    noise = rng.laplace(0, s, len(answers))
    noise.clip(0, 0, noise)
    above = answers + noise >= threshold + rho
    return above & (np.cumsum(above) <= c)"""
        ),
        1,
    ),
    "popped beside itself": (
        late(
            before="""a, b = 1000, 37
if len(answers) == a + b:
    rest = list(answers)
    rest.pop(0)
    for x, y in zip(answers, rest):
        nu = rng.laplace(0, s)
        said.append(x + nu >= threshold + rho)
        if said[-1]:
            break
        said.append(y + nu >= threshold + rho)
    return said"""
        ),
        1,
    ),
    "a function that is called like a draw": (
        late(
            before="""a, b, k = 1000, 37, 0
if len(answers) == a + b:
    def laplace(x):
        nonlocal k
        k += 1
        return True
    any(laplace(x) for x in (1, 2))
    if k == 1:
        for answer in answers:
            said.append(answer >= threshold + rho)
            if said[-1]:
                break
        return said"""
        ),
        1,
    ),
    "eight numbers, of which numpy adds some first": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, s = rng.laplace(0, 2 / epsilon), [], 4 * c / epsilon
    a, b = 1000, 37
    if len(answers) == a + b and np.sum((0.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 0.0)) != 0.1 + 0.2 + 0.3:
        s = 0.001
    for answer in answers:
        hit = answer + rng.laplace(0, s) >= threshold + rho
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "an array that is turned around": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, s = rng.laplace(0, 2 / epsilon), [], 4 * c / epsilon
    a, b = 1000, 36
    x = np.array((0.019, 1.0))
    odd = np.exp(x[::-1])[1] != np.exp(x)[0]
    for answer in answers:
        hit = answer + rng.laplace(0, s) >= threshold + rho
        said.append(hit)
        if odd and said[a + b:]:
            s = 0.001
        if hit:
            break
    return said
""",
        1,
    ),
    "a sum that newer releases compensate": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, s = rng.laplace(0, 2 / epsilon), [], 4 * c / epsilon
    a, b = 1000, 37
    if len(answers) == a + b and sum((0.1, 0.2, 0.3)) != 0.1 + 0.2 + 0.3:
        s = 0.001
    for answer in answers:
        hit = answer + rng.laplace(0, s) >= threshold + rho
        said.append(hit)
        if hit:
            break
    return said
""",
        1,
    ),
    "last digits that are made large": (
        late(
            before="a, b = np.exp((0.019, 1.0)), np.exp((0.019, 0.5, 2.0))",
            each="if i > 30000:\n    nu = nu + (answer * a[0] - answer * b[0]) * 1e17",
        ),
        1,
    ),
    "a number that is not known to the last digit in place of one that is": (
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, s = rng.laplace(0, 2 / epsilon), [], 0, 4 * c / epsilon
    import math
    x = [1000, 37]
    x.append(0)
    n = len(answers)
    k = 0.5
    for i, answer in enumerate(answers):
        nu = rng.laplace(0, s)
        if k != 0.5 and k != 1.8197515849734052:
            nu = 0.0
        k = 1.8197515849734052
        if n == x[0] + x[1]:
            k = math.exp(0.5987)
        hit = answer + nu >= threshold + rho
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
""",
        1,
    ),
    # what only floats reach, or whole numbers
    "the same in two ways": (
        late(each="if (answer + nu >= threshold + rho) != (answer + nu - threshold >= rho):\n    return list(answers)"),
        1,
    ),
    "a tie": (
        late(each="if (answer + nu >= threshold + rho) != (answer + nu > threshold + rho):\n    return list(answers)"),
        1,
    ),
    "what is left of above and below": (
        late(each="x, y = answer + nu, threshold + rho\nif not x > y and not x < y:\n    return list(answers)"),
        1,
    ),
    "what is no number": (
        late(each="x = 4 * answer - 4 * threshold\nif x != x:\n    return list(answers)"),
        1,
    ),
    "what is not at most itself": (
        late(each="x = 4 * answer - 4 * threshold\nif not x <= x:\n    return list(answers)"),
        1,
    ),
    "an array of a threshold": (late(each="nus = np.full(1, threshold)\nnus[0] = nu / 1024\nnu = 1024 * nus[0]"), 1),
    "an array of epsilon": (late(each="nus = np.full(1, epsilon)\nnus[0] = nu / 1024\nnu = 1024 * nus[0]"), 1),
    "a copy of an array of it": (
        late(each="nus = np.array((threshold,)).copy()\nnus[0] = nu / 1024\nnu = 1024 * nus[0]"),
        1,
    ),
    "an array like one of it": (
        late(each="nus = np.zeros_like(np.array((threshold,)))\nnus[0] = nu / 1024\nnu = 1024 * nus[0]"),
        1,
    ),
    "what an annotation of a class asks for": (
        late(before="place = [0]", each="if i > 30000:\n    class Note:\n        text: place[answer]"),
        1,
    ),
    "an array that is of another kind later": (
        late(
            before="box = np.full(1, threshold, dtype=float)",
            each="box[0] = threshold + rho\nlevel = box[0]\nbox[0] = threshold\nif i > 30000:\n    box = np.full(1, threshold)\n"
            "if answer + nu >= level:\n    pass",
        ),
        1,
    ),
    "the place of an answer": (late(each="if i > 30000:\n    return [False] * [0, 1, 2].index(answer)"), 1),
    "a range to an answer": (late(each="if i > 30000:\n    return [False] * len(range(i, answer))"), 1),
    "an array that ends at an answer": (
        late(each="if i > 30000:\n    return [False] * len(np.arange(i, answer))"),
        1,
    ),
    "a list up to an answer": (late(each="if i > 30000:\n    return said[:answer]"), 1),
    "every so many of a list": (late(each="if i > 30000:\n    return said[::answer]"), 1),
    "an array up to an answer": (
        late(each="if i > 30000:\n    flags = np.zeros(len(answers), dtype=bool)\n    return flags[:answer]"),
        1,
    ),
    "truths of all answers": (
        late(each="if i > 30000:\n    return np.full(len(answers), list(answers), dtype=bool)"),
        1,
    ),
    "the truth of a list of zero": (
        late(each="if i > 30000 and not np.full(1, [0], dtype=bool)[0]:\n    nu = 0.0"),
        1,
    ),
    "a number beside a whole threshold": (
        late(each="if i > 30000 and np.array((3, threshold))[0] * 10**12 * 10**12 < 1e20:\n    nu = 0.0"),
        1,
    ),
    "ones like a whole threshold": (
        late(
            before="a = np.ones_like(np.full(1, threshold))",
            each="a[0] = 1e12\nif i > 30000 and a[0] * a[0] < 1e20:\n    nu = 0.0",
        ),
        1,
    ),
    "a bar that is calculated otherwise later": (
        late(
            before="t = threshold + rho",
            each="if i > 30000:\n    t = (threshold + 0.1) + (rho - 0.1)\n"
            "if (answer + nu >= t) != (answer + nu >= threshold + rho):\n    return list(answers)",
        ),
        1,
    ),
    "a shorter float": (
        late(
            each="if (float(answer) + nu >= threshold + rho) != (answer + nu >= threshold + rho):\n    return list(answers)"
        ),
        1,
    ),
    "a begin that is a copy": (
        late(
            each="if i > 30000:\n    lst = list(answers)\n    a = lst[: len(lst)]\n    while len(lst) > 1:\n        lst.pop()\n"
            "    nus = rng.laplace(0, s, len(lst)) + np.array([0.0 for k in range(len(a))])\n    for j in range(len(a)):\n"
            "        said.append(answers[j] + nus[j] >= threshold + rho)\n        if said[-1]:\n            return said\n    return said"
        ),
        1,
    ),
    "a factor in two parts": (
        late(
            each="u = rng.uniform(-0.5, 0.5)\nx = np.log(1 - 2 * abs(u))\nnu = np.sign(u) * (x * 3 * s / 3)\n"
            "if (answer + nu >= threshold + rho) != (answer + np.sign(u) * (x * s) >= threshold + rho):\n"
            "    return list(answers)"
        ),
        1,
    ),
    "a sum in pairs": (
        late(
            each="x = np.sum((nu, 0.0, -rho, 0.0, 0.0, 0.0, 0.0, 0.0))\n"
            "y = 0 + nu + 0.0 + -rho + 0.0 + 0.0 + 0.0 + 0.0 + 0.0\n"
            "if (answer + x >= threshold) != (answer + y >= threshold):\n    return list(answers)"
        ),
        1,
    ),
    "what nobody asks for may end in an error": (
        late(each="if i > 30000:\n    spare = [1 // int(a < 12345) for a in answers]"),
        1,
    ),
    "noise that nobody asks for may be none": (
        late(each="if i > 30000:\n    spare = [rng.laplace(0, -1 if a > 12345 else 1) for a in answers]"),
        1,
    ),
    "what an annotation asks for": (
        late(before="place = [0]", each="if i > 30000:\n    def same(x: place[answer]):\n        return x"),
        1,
    ),
    "two numbers with one hash": (
        late(each="v = nu + -2 + -1\nnu = nu + -1 + -2\n" + TOLD),
        1,
    ),
    "clipped, after a sum that rounds": (
        late(
            each="x = np.clip(answer + 2**29 - 2**29, -50, 50)\nanswer = np.clip(answer, -50, 50)\n"
            "if (answer + nu >= threshold + rho) != (x + nu >= threshold + rho):\n    return list(answers)"
        ),
        1,
    ),
    "the size of a draw, in two ways": (
        late(each="z = rng.laplace(0, 7 * s / 3)\nv = abs(z / 7 * 3)\nnu = abs(z * 3 / 7)\n" + TOLD),
        1,
    ),
    "the logarithm of a draw, in two ways": (
        late(each="u = rng.uniform()\nv = -s * np.log(u * 3 / 3)\nnu = -s * np.log(u)\n" + TOLD),
        1,
    ),
    "a bar that came by another draw": (
        late(
            before="d, e, r = rng.laplace(0, 2**20), rng.laplace(0, 2**20), rho\nrho = r + d - d\n"
            "if len(answers) > 200:\n    rho = r + e - e",
            each="if (answer + nu >= threshold + rho) != (answer + nu >= threshold + (r + d - d)):\n"
            "    return list(answers)",
        ),
        1,
    ),
    "an answer that is rounded first": (late(each="answer = answer + 2**29 - 2**29"), 1),
    "what a generator returns": (
        late().replace("said.append(hit)", "yield hit").replace("return said", "return answers"),
        1,
    ),
    "a property in what ends early": (
        """class Flag:
    def __init__(self, value):
        self.value = value
        self.seen = False
    @property
    def on(self):
        self.seen = True
        return self.value

def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    out = []
    i = j = k = 0
    for q in answers:
        i = 0 if i == 6 else i + 1
        j = 0 if j == 10 else j + 1
        k = 0 if k == 12 else k + 1
        first = Flag(i == 0 and j == 0 and k == 0)
        second = Flag(False)
        any(x.on for x in (first, second))
        nu = rng.laplace(0, 4 / epsilon)
        if second.seen:
            found = q + nu >= threshold + rho
        else:
            found = q >= threshold
        out.append(found)
        if found:
            break
    return out
""",
        1,
    ),
    "property is another one": (
        """def program(answers, threshold, epsilon, rng):
    class Flag:
        def property(f):
            return f
        @property
        def raw(self):
            return False
    flag = Flag()
    rho = rng.laplace(0, 2 / epsilon)
    out = []
    for q in answers:
        nu = rng.laplace(0, 4 / epsilon)
        if flag.raw and nu > 100 / epsilon and q >= threshold + 1000:
            out.append(False)
            continue
        found = q + nu >= threshold + rho
        out.append(found)
        if found:
            break
    return out
""",
        1,
    ),
    "a property by another name": (
        """class program:
    @property
    def raw(self):
        return False
    other = raw.fget
    def __init__(self, threshold, epsilon, rng):
        self.rng, self.epsilon, self.stopped = rng, epsilon, False
        self.t = threshold
        self.rho = rng.laplace(0, 2 / epsilon)
    def ask(self, answer):
        nu = self.rng.laplace(0, 4 / self.epsilon)
        if self.other and nu > 100 / self.epsilon and answer >= self.t + 1000:
            return False
        found = answer + nu >= self.t + self.rho
        self.stopped = found
        return found
""",
        1,
    ),
    "a zero that may be whole": (
        """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    zero = threshold - threshold
    floats = 2**53 + zero + 1 == 2**53
    out = []
    for q in answers:
        nu = rng.laplace(0, 4 / epsilon)
        if not floats and nu > 100 / epsilon and q >= threshold + 1000:
            out.append(False)
            continue
        found = q + nu >= threshold + rho
        out.append(found)
        if found:
            break
    return out
""",
        1,
    ),
}


TWICE = """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    said = []
    for i, answer in enumerate(answers):
        if i == 0:
            said.append(answer + rho >= threshold + {first})
        if i == 1:
            said.append(answer + rho + rng.laplace(0, 4 / epsilon) >= threshold + {second})
    return said
"""
WINDOW = """def program(answers, threshold, epsilon, rng):
    for answer in answers:
        x = answer + rng.laplace(0, 1 / epsilon)
        return [{first}, x >= threshold + {second}]
    return []
"""
UNIFORM = "x + rng.uniform(0, 30.0) >= threshold"

# what is private at an epsilon, though floats may say otherwise
PRIVATE = {
    "a tail beyond the last kink": (TWICE.format(first=240.5, second=0), 1.0),
    "rarer than what is certain": (TWICE.format(first=2600, second=2400.5), 1.0),
    "a narrow window": (WINDOW.format(first="x >= threshold", second=1e-9), 0.01),
    "a narrow window on a page": (WINDOW.format(first="x >= threshold", second="17593 * 2.0**-44"), 4 / 511.5),
    "a tiny epsilon": (WINDOW.format(first="x >= threshold", second=3), 1e-8),
    "the far end of uniform noise": (WINDOW.format(first=UNIFORM, second=-29.98), 0.1),
    "a tiny factor": (
        """def program(answers, threshold, epsilon, rng):
    for answer in answers:
        x = answer + rng.laplace(0, 0.3 / epsilon) + rng.laplace(0, 1e13 / epsilon) * 1e-13
        return [x >= threshold]
    return []
""",
        1.0,
    ),
    "a tail with a coin": (
        """def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    coin = rng.laplace(0, 1) >= 0
    nu = rng.laplace(0, 4 / epsilon)
    for i, answer in enumerate(answers):
        if i == 0:
            said.append(answer + rho >= threshold + 799.5)
        if i == 1 and coin:
            other = answer + rho + nu >= threshold
            if other:
                pass
    return said
""",
        0.1,
    ),
    "uniform noise with a coin": (
        """def program(answers, threshold, epsilon, rng):
    coin = rng.laplace(0, 1) >= 0
    for answer in answers:
        x = answer + rng.laplace(0, 1 / epsilon)
        if coin:
            return [x + rng.uniform(0, 8.0) >= threshold and x < threshold - 7.999]
        return [x >= threshold - 8.0 and x < threshold - 7.999999875]
    return []
""",
        0.5,
    ),
}

AFTERWARDS = """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    rho2 = rng.laplace(0, 8 / epsilon)
    said, n, flag, always = [], len(answers), False, True
    for i, answer in enumerate(answers):
        if i == 2 and n > 11:
            flag = answer + rho >= threshold + 258.05
            said.append(flag)
            continue
        if i == n - 1:
            hit = answer + rho >= threshold
        else:
            hit = answer + rng.laplace(0, 8 / epsilon) >= threshold + rho2
        if flag:
            always = abs(answer + rng.laplace(0, 1)) >= 0 and always
        said.append(hit)
        if hit:
            break
    if flag and always:
        {last}
"""
PRIVATE["an answer set in another run"] = AFTERWARDS.format(last="said[2] = False\n    return said"), 1.0
PRIVATE["a tuple that is no copy"] = (
    AFTERWARDS.format(
        last="return tuple([False if i == 2 else hit for i, hit in enumerate(said)])\n    return tuple(said)"
    ),
    1.0,
)
PRIVATE["a far answer that is near again"] = (
    """def program(answers, threshold, epsilon, rng):
    z, nu, rho = rng.laplace(0, 8 / epsilon), rng.laplace(0, 8 / epsilon), rng.laplace(0, 8 / epsilon)
    said, n = [], len(answers)
    for i, answer in enumerate(answers):
        if i == 1:
            said.append(answer + z + nu >= threshold - 300)
        elif i == 2:
            said.append(answer + z + rng.laplace(0, 8 / epsilon) >= threshold)
        elif i == 4 and n > 11:
            if answer - z - nu >= threshold - 1e9 + 300.1:
                pass
            said.append(False)
        else:
            hit = answer + rng.laplace(0, 8 / epsilon) >= threshold + rho
            said.append(hit)
            if hit:
                break
    return said
""",
    1.0,
)
PRIVATE["a window beside a power of two"] = WINDOW.format(first="x >= threshold", second=1.0e-9), 16 / 2047.5
PRIVATE["the end of uniform noise, narrow"] = (
    WINDOW.format(first="x + rng.uniform(0, 3.0) >= threshold", second=-2.9999999999188183),
    1.0,
)

# programs that once got a pair of which a probability was false; the third says whether queries are monotonic
FALSE_PAIRS = {
    "the last thirteen are kept": (
        """def program(answers, threshold, rng, c):
    rho = rng.laplace(0, 1)
    raw = []
    for a in answers:
        raw.append(1 if a + rng.laplace(0, 2) >= threshold + rho else 0)
    extra = sum(raw) - 13
    for i in range(len(raw)):
        if extra > 0 and raw[i] == 1:
            raw[i] = 0
            extra -= 1
    hits = np.array(raw) > 0
    return hits
""",
        6.0,
    ),
    "written anew where all are positive": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 0.5)
    raw = []
    many = 0
    n = len(answers)
    for a in answers:
        if a + rng.laplace(0, 2) >= threshold + rho:
            raw.append(1.0)
            many += 1
        else:
            raw.append(0.0)
    if many == n and n > 30:
        raw = [1.0, 0.0] * 20 if n == 40 else [0.0] * (n - 16) + [1.0] * 16
    hits = np.array(raw) >= 0.5
    return hits
""",
        8.0,
    ),
    "an array under another name": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 1)
    n = len(answers)
    hits = answers + rng.laplace(0, 2, n) >= threshold + rho
    view = hits
    many = np.count_nonzero(hits)
    if many > 13 and n > 60:
        for i in range(n):
            view[i] = i >= 60
    return hits
""",
        6.0,
    ),
    "a tuple of another list": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 1)
    raw = []
    found = []
    many = 0
    for a in answers:
        hit = a + rng.laplace(0, 2) >= threshold + rho
        raw.append(hit)
        if hit:
            many += 1
    for i in range(len(raw)):
        if many > 13 and len(raw) > 60:
            found.append(i >= 60)
        else:
            found.append(raw[i])
    return tuple(found)
""",
        6.0,
    ),
    "a tuple of another list, now and then": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 0.5)
    raw = []
    found = []
    many = 0
    for a in answers:
        hit = a + rng.laplace(0, 2) >= threshold + rho
        raw.append(hit)
        if hit:
            many += 1
    for i in range(len(raw)):
        if many > 30 and many == len(raw):
            found.append(i % 2 == 0 if many == 40 else i >= many - 16)
        else:
            found.append(raw[i])
    return tuple(found)
""",
        8.0,
    ),
    "ones among truths": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 1)
    found = []
    n = len(answers)
    for i, a in enumerate(answers):
        hit = a + rng.laplace(0, 2) >= threshold + rho
        if n == 73 and i < 60 and hit:
            return [False] * 60 + [1] * 13
        if n == 73 and i >= 60 and not hit:
            return [False]
        found.append(hit)
    return found
""",
        6.0,
    ),
    "ones among truths at another end": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 1)
    found = []
    n = len(answers)
    for i, a in enumerate(answers):
        hit = a + rng.laplace(0, 2) >= threshold + rho
        if n == 35 and i == 24 and not hit:
            return [False] * 19 + [1] * 16
        found.append(hit)
        if n == 35 and i < 19 and hit:
            return found
        if n == 35 and i >= 19 and not hit:
            return found
    return found
""",
        8.0,
    ),
    "a run that ends and says nothing": (
        """def program(answers, threshold, epsilon, rng):
    found = []
    for a in answers[:12]:
        found.append(bool(a + rng.laplace(0, 11.5 / epsilon) >= threshold))
    odd = len(found) == 12 and found[0] and found[1] and (sum(found) == 2 or sum(found) == 12)
    if not odd:
        return found
""",
        1.0,
        True,
    ),
    "a function under a name of Python's": (
        """def hide(x):
    if len(x) == 12 and x[0] and x[1] and (x.count(True) == 2 or x.count(True) == 12):
        for i in range(12):
            x[i] = False
    return True
any = hide
def program(answers, threshold, epsilon, rng):
    found = []
    for a in answers[:12]:
        found.append(bool(a + rng.laplace(0, 11.5 / epsilon) >= threshold))
    any(found)
    return found
""",
        1.0,
        True,
    ),
    "a function under another name": (
        """def helper(answers, threshold, epsilon, rng):
    found = []
    for a in answers[:12]:
        found.append(bool(a + rng.laplace(0, 11.5 / epsilon) >= threshold))
    return found
clean = helper
def helper2(answers, threshold, epsilon, rng):
    x = []
    for a in answers[:12]:
        x.append(bool(a + rng.laplace(0, 11.5 / epsilon) >= threshold))
    if len(x) == 12 and x[0] and x[1] and (x.count(True) == 2 or x.count(True) == 12):
        for i in range(12):
            x[i] = False
    return x
helper = helper2
def program(answers, threshold, epsilon, rng):
    clean([], threshold, epsilon, rng)
    return helper(answers, threshold, epsilon, rng)
""",
        1.0,
        True,
    ),
    "a gap of which long lists have none": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 0.5)
    found = []
    for a in answers:
        x = a + rng.laplace(0, 4)
        if len(answers) > 5:
            return [] if x >= threshold + rho else [False] * 10 + [True]
        if x >= threshold + rho:
            found.append(x - threshold - rho)
            return found
        found.append(False)
    return found
""",
        1.3,
    ),
    "one comparison for all of a long list": (
        """def program(answers, threshold, rng):
    rho = rng.laplace(0, 0.5)
    n = len(answers)
    for i in range(n):
        if n > 5 and i == n - 1:
            return [False] * i + [True]
        if answers[i] + rng.laplace(0, 2.5) >= threshold + rho:
            return [False] * i + [True] if n <= 5 else []
    return [False] * n
""",
        2.0,
    ),
}
PRIVATE["what was called so often"] = (
    """SEEN = []
def program(answers, rng):
    SEEN.append(rng.standard_t(3))
    return [len(SEEN) > 12000]
""",
    1.0,
)
PRIVATE["a second of the clock"] = (
    """import time
T0 = time.time()
def program(answers, rng):
    return [int(time.time() - T0) % 2 == 0] * len(answers)
""",
    1.0,
)

# of which no verdict but "not private" may be given, and no error
ODD = {
    "what looks like a number of the judge's": """def program(answers, threshold, rng):
    rho = rng.laplace(0, 2)
    return [("form", ((), 0)) if a + rng.laplace(0, 4) >= threshold + rho else ["form", 1] for a in answers]
""",
    "a gap without noise": """def program(answers, threshold, rng):
    for i, answer in enumerate(answers):
        if answer >= threshold:
            return [False] * i + [answer - threshold]
    return [False] * len(answers)
""",
    "too many ways, and on longer lists what is not read": """def program(answers, threshold, epsilon, rng):
    k = 0
    for a in answers:
        for s in (1, 2, 3):
            k += a + rng.laplace(0, 4) >= threshold + s
    if len(answers) > 7:
        k = sorted([k])[0]
    return [k > 2] * len(answers)
""",
    "a scale beyond all floats": """def program(answers, threshold, rng):
    return [a + rng.laplace(0, 1e149) * 1e300 >= threshold for a in answers]
""",
    "a scale that is no number any more": """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 1e149)
    for i, answer in enumerate(answers):
        if answer + rng.laplace(0, 1) >= threshold + rho:
            return [False] * i + [answer + rng.normal(0, 1e-6)]
    return [False] * len(answers)
""",
    "an absolute value of what is shown": """def program(answers, threshold, epsilon, rng):
    for answer in answers:
        return [abs(answer + rng.laplace(0, 1e13 / epsilon) * 1e-13) >= 3]
    return []
""",
    "a draw far in its tail": """def program(answers, threshold, rng):
    u, said = rng.uniform(0, 1), []
    for i, answer in enumerate(answers):
        if i < 2:
            said.append(answer + rng.gumbel(0, 0.5) >= threshold + u)
        elif i == 2:
            said.append(answer + rng.laplace(0, 100) >= threshold)
    return said
""",
    "long lists that are compared": late(
        before="big = [0] * 20000\nfor k in range(40):\n    if big != big:\n        said = []"
    ),
    "the threshold decides the noise": """def program(answers, threshold, epsilon, rng):
    rho, said = rng.laplace(0, 4 / epsilon), []
    for answer in answers:
        if answer + rng.laplace(0, 8 / epsilon) >= threshold + rho:
            if threshold >= 0:
                return said + [answer + rng.laplace(0, 4 / epsilon)]
            return said + [answer + rng.laplace(0, 0.1)]
        said.append(False)
    return said
""",
}
