"""The expressions of a text in Python, as a tree.

Plain Python that MicroPython runs.
"""

from __future__ import annotations

from svtcourse.judge.language.tokens import WORDS, NoPython, Refusal, Token, number_of, text_of, tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ONTO", "Node", "Terms"]

_COMPARED = {"==": "Eq", "!=": "NotEq", ">=": "GtE", "<=": "LtE", ">": "Gt", "<": "Lt", "in": "In", "is": "Is"}
_BINARY = (
    {"|": "BitOr"}, {"^": "BitXor"}, {"&": "BitAnd"}, {"<<": "LShift", ">>": "RShift"}, {"+": "Add", "-": "Sub"},
    {"*": "Mult", "/": "Div", "//": "FloorDiv", "%": "Mod", "@": "MatMult"},
)  # fmt: skip
_UNARY = {"+": "UAdd", "-": "USub", "~": "Invert"}
ONTO = {f"{sign}=": kind for level in _BINARY for sign, kind in level.items()}
ONTO["**="] = "Pow"


class Node:
    """A part of a program: its kind, with the fields that `ast` gives it, and its line."""

    def __init__(self, kind: str, line: int = 0, **fields: Any) -> None:
        self.kind, self.lineno, self.fields = kind, line, tuple(fields)
        for name, value in fields.items():
            setattr(self, name, value)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class Terms:
    """Words, and the expressions that they are: each method takes what it is named for."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.i = tokens, 0

    def text(self) -> str:
        token = self.tokens[self.i]
        return token.text if token.kind in ("name", "sign") and token.indent < 0 else ""

    def line(self) -> int:
        return self.tokens[self.i].line

    def wrong(self) -> NoPython:
        return NoPython(f"not expected: {self.tokens[self.i].text or 'the end'}", self.line())

    def take(self, *words: str) -> str:
        """The next word, if it is one of these; else nothing."""
        found = self.text()
        if found and found in words:
            self.i += 1
            return found
        return ""

    def need(self, word: str) -> None:
        if not self.take(word):
            raise self.wrong()

    def ends(self) -> bool:
        token = self.tokens[self.i]
        return token.indent >= 0 or token.kind == "end" or token.text == ";"

    def name(self) -> str:
        token = self.tokens[self.i]
        if token.kind != "name" or token.text in WORDS or token.indent >= 0:
            raise self.wrong()
        self.i += 1
        return token.text

    def targets(self) -> Node:
        """What a loop sets: names, without `in`."""
        line, parts = self.line(), [self.starred(self.binary, 0)]
        more = False
        while self.take(","):
            more = True
            if self.text() == "in":
                break
            parts.append(self.starred(self.binary, 0))
        return Node("Tuple", line, elts=parts) if more else parts[0]

    def several(self) -> Node:
        """One expression, or several with commas between."""
        line = self.line()
        if self.text() == "yield":
            return self.yielded()
        parts, more = [self.starred(self.expression)], False
        while self.take(","):
            more = True
            if self.ends() or self.text() in ("=", ")", "]", ":"):
                break
            parts.append(self.starred(self.expression))
        return Node("Tuple", line, elts=parts) if more else parts[0]

    def starred(self, part: Any, *given: Any) -> Node:
        line = self.line()
        if self.take("*"):
            return Node("Starred", line, value=self.binary(0))
        found: Node = part(*given)
        return found

    def yielded(self) -> Node:
        line = self.line()
        self.need("yield")
        if self.take("from"):
            return Node("YieldFrom", line, value=self.expression())
        return Node("Yield", line, value=None if self.ends() or self.text() == ")" else self.several())

    def named(self) -> Node:
        """An expression that may be given a name on the way."""
        line, found = self.line(), self.expression()
        if found.kind == "Name" and self.tokens[self.i - 1].text == found.id and self.take(":="):
            return Node("NamedExpr", line, target=found, value=self.expression())
        return found

    def expression(self) -> Node:
        line = self.line()
        if self.take("lambda"):
            arguments = self.parameters(":")
            self.need(":")
            return Node("Lambda", line, args=arguments, body=self.expression())
        found = self.either()
        if not self.take("if"):
            return found
        test = self.either()
        self.need("else")
        return Node("IfExp", line, test=test, body=found, orelse=self.expression())

    def either(self) -> Node:
        return self.chain("or", "Or", self.both)

    def both(self) -> Node:
        return self.chain("and", "And", self.opposite)

    def chain(self, word: str, kind: str, part: Any) -> Node:
        line, parts = self.line(), [part()]
        while self.take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Node("BoolOp", line, op=Node(kind), values=parts)

    def opposite(self) -> Node:
        line = self.line()
        if self.take("not"):
            return Node("UnaryOp", line, op=Node("Not"), operand=self.opposite())
        return self.compared()

    def compared(self) -> Node:
        line, left = self.line(), self.binary(0)
        kinds, others = [], []
        while True:
            word = self.text()
            if word == "not":
                self.i += 1
                self.need("in")
                kind = "NotIn"
            elif word in _COMPARED:
                self.i += 1
                kind = "IsNot" if word == "is" and self.take("not") else _COMPARED[word]
            else:
                break
            kinds.append(Node(kind))
            others.append(self.binary(0))
        return Node("Compare", line, left=left, ops=kinds, comparators=others) if kinds else left

    def binary(self, level: int) -> Node:
        if level == len(_BINARY):
            return self.unary()
        line, left = self.line(), self.binary(level + 1)
        while self.text() in _BINARY[level]:
            kind = _BINARY[level][self.text()]
            self.i += 1
            left = Node("BinOp", line, left=left, op=Node(kind), right=self.binary(level + 1))
        return left

    def unary(self) -> Node:
        line = self.line()
        sign = self.take("+", "-", "~")
        if sign:
            return Node("UnaryOp", line, op=Node(_UNARY[sign]), operand=self.unary())
        base = self.primary()
        if self.take("**"):
            return Node("BinOp", line, left=base, op=Node("Pow"), right=self.unary())
        return base

    def primary(self) -> Node:
        line, found = self.line(), self.atom()
        while True:
            if self.take("."):
                found = Node("Attribute", line, value=found, attr=self.name())
            elif self.take("("):
                arguments, keywords = self.arguments()
                found = Node("Call", line, func=found, args=arguments, keywords=keywords)
            elif self.take("["):
                found = Node("Subscript", line, value=found, slice=self.places())
            else:
                return found

    def arguments(self) -> tuple[list[Node], list[Node]]:
        """What stands in the brackets of a call, with the bracket that closes them."""
        found: list[Node] = []
        keywords: list[Node] = []
        while not self.take(")"):
            line, after = self.line(), self.tokens[min(self.i + 1, len(self.tokens) - 1)]
            if self.take("**"):
                keywords.append(Node("keyword", line, arg=None, value=self.expression()))
            elif self.tokens[self.i].kind == "name" and after.kind == "sign" and after.text == "=":
                name = self.name()
                if name.startswith("__"):
                    raise Refusal(f"It uses {name}", line)
                self.i += 1
                keywords.append(Node("keyword", line, arg=name, value=self.expression()))
            else:
                if keywords and self.text() != "*":
                    raise self.wrong()
                one = Node("Starred", line, value=self.expression()) if self.take("*") else self.named()
                if self.text() == "for":
                    one = Node("GeneratorExp", line, elt=one, generators=self.generators())
                    if found or keywords or self.text() != ")":
                        raise self.wrong()
                found.append(one)
            if not self.take(","):
                self.need(")")
                break
        named = [one.arg for one in keywords if one.arg is not None]
        if len(set(named)) < len(named):
            raise self.wrong()
        return found, keywords

    def places(self) -> Node:
        if self.text() == "]":
            raise self.wrong()
        line, parts, more = self.line(), [self.place()], False
        while self.take(","):
            more = True
            if self.text() == "]":
                break
            parts.append(self.place())
        self.need("]")
        return Node("Tuple", line, elts=parts) if more else parts[0]

    def place(self) -> Node:
        line, limits = self.line(), []
        for _ in range(3):
            limits.append(None if self.text() in (":", "]", ",") else self.starred(self.named))
            if not self.take(":"):
                break
        else:
            raise self.wrong()
        if len(limits) == 1 and limits[0] is not None:
            return limits[0]
        if any([one is not None and one.kind in ("NamedExpr", "Starred") for one in limits]):
            raise self.wrong()
        limits += [None] * (3 - len(limits))
        return Node("Slice", line, lower=limits[0], upper=limits[1], step=limits[2])

    def atom(self) -> Node:
        token = self.tokens[self.i]
        line, word = token.line, token.text
        if token.kind == "number" and token.indent < 0:
            self.i += 1
            return Node("Constant", line, value=number_of(word, line))
        if token.kind in ("text", "prefixed") and token.indent < 0:
            found = self.texts()
            return (
                Node("JoinedStr", line, values=found)
                if isinstance(found, list)
                else Node("Constant", line, value=found)
            )
        if self.take("("):
            return self.bracketed(line)
        if self.take("["):
            return self.listed(line)
        if self.take("{"):
            return self.braced(line)
        if self.take("..."):
            raise Refusal("It uses ...", line)
        if self.take("None", "True", "False"):
            return Node("Constant", line, value={"None": None, "True": True, "False": False}[word])
        return Node("Name", line, id=self.name())

    def texts(self) -> str | list[Node]:
        """Texts that follow each other, as one; where numbers are put into it, these."""
        found, inside, plain = "", [], True
        while self.tokens[self.i].kind in ("text", "prefixed") and self.tokens[self.i].indent < 0:
            token = self.tokens[self.i]
            if token.kind == "prefixed":
                inside += self.values(token)
                plain = False
            else:
                found += text_of(token)
            self.i += 1
        return found if plain else inside

    def values(self, token: Token) -> list[Node]:
        """What is put into a text has to be an expression, perhaps with how it is written."""
        found = []
        if token.text[:1] not in ("f", "F") or token.text[1] not in "'\"" or "\\" in token.text:
            raise Refusal("It has a text that is not read", token.line)
        for part in token.text.split("{")[1:]:
            whole = part.split("}")[0]
            inner = whole.split(":")[0]
            inner = inner[:-2] if inner[-2:] in ("!r", "!s") else inner
            if "!" in inner or "\n" in inner or ":=" in whole or not inner.strip():
                raise Refusal("It has a text with a value inside that is not read", token.line)
            words = tokens_of(inner.strip())
            words[0].indent = -1
            one = Terms(words)
            found.append(one.expression())
            if ":" in whole:
                found[-1] = Node("FormattedValue", token.line, value=found[-1])
            if one.tokens[one.i].kind != "end":
                raise Refusal("It has a text with a value inside that is not read", token.line)
        return found

    def bracketed(self, line: int) -> Node:
        if self.take(")"):
            return Node("Tuple", line, elts=[])
        if self.text() == "yield":
            found = self.yielded()
            self.need(")")
            return found
        parts, more = [self.starred(self.named)], False
        if self.text() == "for":
            made = Node("GeneratorExp", line, elt=parts[0], generators=self.generators())
            self.need(")")
            return made
        while self.take(","):
            more = True
            if self.text() == ")":
                break
            parts.append(self.starred(self.named))
        self.need(")")
        return Node("Tuple", line, elts=parts) if more or parts[0].kind == "Starred" else parts[0]

    def listed(self, line: int) -> Node:
        parts: list[Node] = []
        while not self.take("]"):
            parts.append(self.starred(self.named))
            if len(parts) == 1 and self.text() == "for":
                rounds = self.generators()
                self.need("]")
                return Node("ListComp", line, elt=parts[0], generators=rounds)
            if not self.take(","):
                self.need("]")
                break
        return Node("List", line, elts=parts)

    def braced(self, line: int) -> Node:
        keys: list[Any] = []
        values: list[Node] = []
        while not self.take("}"):
            if self.take("**"):
                raise Refusal("It puts dictionaries together", line)
            keys.append(self.starred(self.expression))
            if self.take(":"):
                values.append(self.expression())
            if self.text() == "for":
                rounds = self.generators()
                self.need("}")
                if values:
                    return Node("DictComp", line, key=keys[0], value=values[0], generators=rounds)
                return Node("SetComp", line, elt=keys[0], generators=rounds)
            if not self.take(","):
                self.need("}")
                break
        if len(values) not in (0, len(keys)):
            raise self.wrong()
        if keys and not values:
            return Node("Set", line, elts=keys)
        return Node("Dict", line, keys=keys, values=values)

    def generators(self) -> list[Node]:
        """What a list is made of, round by round."""
        found = []
        while self.take("for"):
            line, target = self.line(), self.targets()
            self.need("in")
            over, tests = self.either(), []
            while self.take("if"):
                tests.append(self.either())
            found.append(Node("comprehension", line, target=target, iter=over, ifs=tests, is_async=0))
        return found

    def parameters(self, end: str) -> Node:
        """The parameters of a function, up to the sign that ends them."""
        names: list[Node] = []
        alone: list[Node] = []
        given: list[Any] = []
        later: list[Any] = []
        star = rest = None
        named, count = False, 0
        while self.text() != end:
            if self.take("/"):
                raise Refusal("It has a function with / between its parameters", self.line())
            if self.take("**"):
                rest = self.parameter(end)
            elif self.take("*"):
                if named or self.text() == end:
                    raise self.wrong()
                if self.text() != ",":
                    star = self.parameter(end)
                elif self.tokens[self.i + 1].kind != "name":
                    raise self.wrong()
                named = True
            else:
                one = self.parameter(end)
                value = self.expression() if self.take("=") else None
                if named:
                    alone.append(one)
                    later.append(value)
                else:
                    names.append(one)
                    count += 1 if given or value is not None else 0
                    if value is not None:
                        given.append(value)
            if not self.take(",") or rest is not None:
                break
        every = [one.arg for one in names + alone + [one for one in (star, rest) if one is not None]]
        if len(set(every)) < len(every) or (given and len(given) < count):
            raise self.wrong()
        return Node(
            "arguments", posonlyargs=[], args=names, vararg=star, kwonlyargs=alone, kw_defaults=later, kwarg=rest,
            defaults=given,
        )  # fmt: skip

    def annotation(self) -> Node:
        """What a value is said to be, which does nothing."""
        return self.expression()

    def parameter(self, end: str) -> Node:
        line, name = self.line(), self.name()
        return Node("arg", line, arg=name, annotation=self.annotation() if end == ")" and self.take(":") else None)
