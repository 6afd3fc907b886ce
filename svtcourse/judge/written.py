"""A program as a text, without a syntax tree: what it may use, what in it is judged, and where each statement begins.

Plain Python that MicroPython runs too.  What is not known to treat an unknown as a number is refused, with its line.
"""

from __future__ import annotations

from svtcourse.judge.symbols import Unreadable

__all__ = ["ROLES", "Refusal", "Text", "numbers_of"]

ROLES = {
    "answers": ("answers", "queries", "q", "values", "counts"),
    "threshold": ("threshold", "T", "t", "thresholds"),
    "epsilon": ("epsilon", "eps"),
    "c": ("c", "cutoff"),
    "sensitivity": ("sensitivity", "delta", "Delta"),
    "rng": ("rng", "generator", "noise", "random"),
    "parts": ("epsilon1", "epsilon2", "epsilon3", "epsilons"),
}
_REFUSED = {
    "try": "It catches exceptions",
    "except": "It catches exceptions",
    "with": "It has a statement that is not read (with)",
    "global": "It keeps something between calls (global)",
    "async": "It has a statement that is not read (async)",
    "del": "It has a statement that is not read (del)",
}
_OPENING, _CLOSING = "([{", ")]}"


def _set(*lines: str) -> set[str]:
    return set(" ".join(lines).split())


_WORDS = _set(
    "and as assert break class continue def elif else False for from if import in is lambda None nonlocal not or pass",
    "raise return True while yield",
)
_BANNED = _set(
    "isinstance type str repr format hash id getattr setattr hasattr delattr vars dir eval exec compile open input",
    "object issubclass callable globals locals memoryview bytes bytearray classmethod staticmethod property super",
    "frozenset BaseException complex chr ord bin hex oct execfile help exit quit breakpoint",
    "NotImplemented Ellipsis divmod",
)
_ATTRIBUTES = _set(
    "append extend pop sum any all size shape ndim tolist cumsum argmax nonzero copy count index max min mean",
    "laplace exponential gumbel normal standard_normal standard_exponential uniform random default_rng flatten ravel",
    "ask stopped get setdefault remove",
)
_LONG = (
    "**=",
    "//=",
    ">>=",
    "<<=",
    "...",
    "==",
    "!=",
    ">=",
    "<=",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "&=",
    "|=",
    "^=",
    ":=",
    "->",
)


class Refusal(Unreadable):
    """Something that is not read, with its line."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class Token:
    """A word, number, string or sign; `first` if a statement begins with it, `depth` the brackets it stands in."""

    def __init__(self, kind: str, text: str, line: int, indent: str, first: bool, depth: int) -> None:
        self.kind, self.text, self.line, self.indent, self.first, self.depth = kind, text, line, indent, first, depth


def _letter(sign: str) -> bool:
    return sign.isalpha() or sign == "_" or ord(sign) > 127


def _string_end(signs: list[str], i: int) -> int:
    quote = signs[i] * 3 if signs[i : i + 3] == [signs[i]] * 3 else signs[i]
    i += len(quote)
    while i < len(signs) and "".join(signs[i : i + len(quote)]) != quote:
        i += 2 if signs[i] == "\\" else 1
    return i + len(quote)


def _tokens(text: str) -> list[Token]:
    signs = list(text)
    found: list[Token] = []
    i, line, depth, indent, fresh, last = 0, 1, 0, "", True, len(signs)
    while i < last:
        sign = signs[i]
        if sign == "\n":
            line, i = line + 1, i + 1
            if depth == 0:
                fresh, indent = True, ""
                while i < last and signs[i] in " \t":
                    indent += signs[i]
                    i += 1
            continue
        if i == 0 and sign in " \t":
            raise Refusal("The first line is indented", 1)
        if sign in " \t\r\f":
            i += 1
            continue
        if sign == "\\" and i + 1 < last and signs[i + 1] == "\n":
            line, i = line + 1, i + 2
            continue
        if sign == "#":
            while i < last and signs[i] != "\n":
                i += 1
            continue
        start, begun = i, line
        if sign in "'\"":
            i, kind = _string_end(signs, i), "string"
            line += "".join(signs[start:i]).count("\n")
        elif _letter(sign):
            while i < last and (_letter(signs[i]) or signs[i].isdigit()):
                i += 1
            kind = "name"
            if i < last and signs[i] in "'\"" and i - start < 3:
                i, kind = _string_end(signs, i), "string"
                line += "".join(signs[start:i]).count("\n")
        elif sign.isdigit() or (sign == "." and i + 1 < last and signs[i + 1].isdigit()):
            while i < last and (
                signs[i].isdigit()
                or signs[i] in "._"
                or _letter(signs[i])
                or (signs[i] in "+-" and signs[i - 1] in "eE")
            ):
                i += 1
            kind = "number"
        else:
            kind = "sign"
            for pair in _LONG:
                if "".join(signs[i : i + len(pair)]) == pair:
                    i += len(pair) - 1
                    break
            i += 1
        word = "".join(signs[start:i])
        if word in _CLOSING:
            depth -= 1
        found.append(Token(kind, word, begun, indent, fresh, depth))
        if word in _OPENING:
            depth += 1
        fresh = False
    return found


def numbers_of(tokens: list[Token]) -> list[float]:
    """The numbers in a text."""
    found = []
    for token in tokens:
        if token.kind == "number":
            try:
                found.append(abs(float(token.text.replace("_", ""))))
            except ValueError:
                continue
    return found


class Text:
    """A text with one or more definitions, of which one that takes answers (or has `ask`) is judged.

    Attributes
    ----------
    name : str
        Of what is judged: the last, or `wanted`.
    asks : bool
        Whether it is a class with `ask`.
    parameters : list of (name, role or None, has a default)
        Of the function, or of the class's `__init__`.
    source : str
        What is run: definitions and constants, each statement after a call of ``_at`` with its line.
    lines : list of int
        For each line of `source` its line in the text.
    """

    def __init__(self, text: str, wanted: str = "") -> None:
        self.tokens = _tokens(text.replace("\r\n", "\n"))
        self.all_lines = text.replace("\r\n", "\n").split("\n")
        self.name, self.asks, self.takes_threshold, self.wanted = "", False, False, wanted
        self.parameters: list[tuple[str, str | None, bool]] = []
        self.imports: dict[str, str] = {}
        self.foreign: set[str] = set()
        self.kept: set[int] = set()
        self._defined: set[str] = set()
        self._statements()
        if not self.name:
            raise Refusal(
                "It has no function that takes answers, as in def program(answers, threshold, epsilon, c, rng):"
            )
        self.source, self.lines = self._marked()

    def check(self) -> None:
        """Refuse what is not known to treat an unknown as a number.

        Raises
        ------
        Refusal
        """
        modules = {"np", "numpy", "math"} | set(self.imports)
        inner = [t for t in self.tokens if t.line in self.kept]
        for i, token in enumerate(inner):
            before = inner[i - 1] if i else None
            after = inner[i + 1] if i + 1 < len(inner) else None
            word, line = token.text, token.line
            if token.kind == "string" and not token.first and word[0] not in "'\"":
                raise Refusal("It makes a text of a number", line)
            if word == "@":
                raise Refusal("It has a decorated function", line)
            if word == "is" and "None" not in [t.text for t in inner[i + 1 : i + 3]]:
                raise Refusal("It asks whether something is the same object (is)", line)
            if word == "import":
                raise Refusal("It imports inside of its definition", line)
            if word == "self" and (after is None or after.text != ".") and (before is None or before.text != "("):
                raise Refusal("It uses self, which is not read", line)
            if token.kind != "name" or word in _WORDS:
                continue
            if word in self.foreign and (before is None or before.text != "."):
                raise Refusal(f"It uses {word} from outside: here only numpy and math are known", line)
            if word in _REFUSED:
                raise Refusal(_REFUSED[word], line)
            if before is not None and before.text == ".":
                base = inner[i - 2].text if i > 1 else ""
                module = base in modules or (i > 3 and base == "random" and inner[i - 4].text in modules)
                method = word in self._defined and after is not None and after.text == "("
                mine = base == "self" and not word.startswith("__")
                if not (module or word in _ATTRIBUTES or method or mine) or word.startswith("__"):
                    raise Refusal(f"It uses .{word}, which is not read", line)
                if (
                    after is not None
                    and after.text in ("=", "+=", "-=", "*=", "/=")
                    and base != "self"
                    and token.depth == 0
                ):
                    raise Refusal(f"It keeps something between calls ({base}.{word})", line)
            elif (word.startswith("__") and word != "__init__") or word in _BANNED or word.startswith("_at"):
                raise Refusal(f"It uses {word}, which is not read", line)
        self._no_state(inner)

    def _no_state(self, inner: list[Token]) -> None:
        """Refuse default arguments that can change, and what a class keeps for all its objects."""
        for i, token in enumerate(inner):
            if token.text in ("def", "lambda"):
                end = ":" if token.text == "lambda" else ")"
                depth = token.depth + (0 if token.text == "lambda" else 1)
                for part in inner[i + 1 :]:
                    if part.text == end and part.depth == token.depth:
                        break
                    if (
                        part.depth >= depth
                        and part.text in _OPENING
                        and not (part.text == "(" and part.depth == token.depth)
                    ):
                        raise Refusal(
                            "It keeps something between calls (a default argument that can change)", part.line
                        )
            if token.text == "class":
                within = [t for t in inner[i + 1 :] if t.first]
                indent = within[0].indent if within else ""
                for part in within:
                    if len(part.indent) < len(indent) or not part.indent:
                        break
                    if part.indent == indent and part.text != "def" and part.kind != "string" and part.text != "pass":
                        raise Refusal("It keeps something for all objects of a class", part.line)

    def _statements(self) -> None:
        """Look at the statements that are not indented: keep definitions and constants."""
        heads = [i for i, t in enumerate(self.tokens) if t.first and not t.indent]
        dropped: set[str] = set()
        constants: set[str] = set()
        for here, i in enumerate(heads):
            end = heads[here + 1] if here + 1 < len(heads) else len(self.tokens)
            statement = self.tokens[i:end]
            word = statement[0].text
            last = statement[-1].line + statement[-1].text.count("\n")
            lines = range(statement[0].line, last + 1)
            if word in ("def", "class") and len(statement) > 1:
                self.kept |= set(lines)
                self._define(statement)
            elif word in ("import", "from"):
                self._import(statement)
            elif len(statement) > 2 and statement[1].text == "=" and not self._calls(statement[2:]):
                self.kept |= set(lines)
                constants.add(word)
            elif statement[0].kind == "string":
                continue
            elif word in ("@", "async", "del") or any(
                t.text in ("def", "class", "global", "import") for t in statement
            ):
                raise Refusal(
                    f"Outside of a definition it has a statement that is not read ({word})", statement[0].line
                )
            else:
                dropped |= self._bound(statement)
        lost = dropped & (self._defined | constants)
        if lost:
            raise Refusal(f"It defines {sorted(lost)[0]} twice")

    def _bound(self, tokens: list[Token]) -> set[str]:
        """The names that a statement gives a value."""
        found: set[str] = set()
        for k, token in enumerate(tokens):
            before = [t for t in tokens[:k] if t.line == token.line]
            sets = token.text.endswith("=") and token.text not in ("==", "!=", ">=", "<=")
            if token.text in (":=", "as") or (sets and token.depth == 0):
                found |= {t.text for t in before if t.kind == "name"}
            while token.text == "in" and before and before[-1].text != "for":
                found.add(before.pop().text)
        return found

    def _calls(self, tokens: list[Token]) -> bool:
        """Whether a value is more than numbers, names and signs."""
        return any(t.text in ("[", "{", "(", ".", "lambda", "for", "=") for t in tokens)

    def _import(self, tokens: list[Token]) -> None:
        words = [t.text for t in tokens]
        if words[0] == "import" and len(words) in (2, 4) and words[1] in ("numpy", "math"):
            self.imports[words[-1]] = words[1]
        else:
            self.foreign |= {t.text for t in tokens if t.kind == "name"} - {"import", "from", "as", "numpy", "math"}

    def _define(self, tokens: list[Token]) -> None:
        name = tokens[1].text
        meant = self.wanted in ("", name)
        self._defined |= {tokens[i + 1].text for i, t in enumerate(tokens[:-1]) if t.text in ("def", "class")}
        places = [i for i, t in enumerate(tokens) if t.text == "def"]
        if tokens[0].text == "class":
            methods = {tokens[i + 1].text: self._parameters(tokens[i + 2 :]) for i in places}
            if "ask" in methods and meant:
                self.name, self.asks, self.takes_threshold = name, True, len(methods["ask"]) > 2
                self.parameters = methods.get("__init__", [])[1:]
            return
        parameters = self._parameters(tokens[2:])
        if meant and any(role == "answers" for _, role, _ in parameters):
            self.name, self.asks, self.parameters = name, False, parameters

    def _parameters(self, tokens: list[Token]) -> list[tuple[str, str | None, bool]]:
        found: list[tuple[str, str | None, bool]] = []
        depth = tokens[0].depth
        for i, token in enumerate(tokens):
            if token.text == ")" and token.depth == depth:
                break
            if token.kind == "name" and token.depth == depth + 1 and tokens[i - 1].text in ("(", ",", "*", "**"):
                roles = [role for role, names in ROLES.items() if token.text in names]
                default = tokens[i + 1].text == "="
                found.append((token.text, roles[0] if roles else None, default or tokens[i - 1].text in ("*", "**")))
        return found

    def _marked(self) -> tuple[str, list[int]]:
        starts = {t.line: t for t in self.tokens if t.first}
        found, lines, within = [], [], ""
        for k, line in enumerate(self.all_lines, 1):
            if k not in self.kept:
                continue
            token = starts.get(k)
            if token is not None and token.indent and token.text not in ("elif", "else", "except", "finally"):
                direct = within == "class" and token.text in ("def",)
                if not direct and not (token.text in ("def", "class") and within == "class"):
                    found.append(f"{token.indent}_at({k})")
                    lines.append(k)
            if token is not None and not token.indent:
                within = token.text
            found.append(line)
            lines.append(k)
        return "\n".join(found) + "\n", lines
