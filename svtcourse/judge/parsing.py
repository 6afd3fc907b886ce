"""Python's text as a tree of the same shape as the module `ast` makes, where there is none: on the pages of the site.

Plain Python that MicroPython runs.  What is left out (decorators, `async`, `with`, texts with a value inside) is
refused with its line; `tests/test_syntax.py` holds the rest to `ast`.
"""

from __future__ import annotations

from svtcourse.judge.symbols import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NoPython", "Node", "Refusal", "parse"]

_ALL_SIGNS = """
    **= //= >>= <<= ... == != >= <= += -= *= /= %= &= |= ^= := -> ** // << >>
"""
_SIGNS = _ALL_SIGNS.split()
_KEPT = """
    and as assert break class continue def del elif else except False finally for from global if import in is
    lambda None nonlocal not or pass raise return True try while with yield async await
"""
_WORDS = set(_KEPT.split())
_OPENING, _CLOSING = "([{", ")]}"
_COMPARED = {"==": "Eq", "!=": "NotEq", ">=": "GtE", "<=": "LtE", ">": "Gt", "<": "Lt", "in": "In", "is": "Is"}
_BINARY = (
    {"|": "BitOr"}, {"^": "BitXor"}, {"&": "BitAnd"}, {"<<": "LShift", ">>": "RShift"}, {"+": "Add", "-": "Sub"},
    {"*": "Mult", "/": "Div", "//": "FloorDiv", "%": "Mod", "@": "MatMult"},
)  # fmt: skip
_UNARY = {"+": "UAdd", "-": "USub", "~": "Invert"}
_ONTO = {f"{sign}=": kind for level in _BINARY for sign, kind in level.items()}
_ONTO["**="] = "Pow"
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "\n": "", "r": "\r", "0": "\0"}


class Refusal(Unreadable):
    """Something that is not read, with its line."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class NoPython(Exception):
    """What is wrong with a text, with its line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason, self.line = f"SyntaxError: {reason}", line


class Node:
    """A part of a program: its kind, with the fields that `ast` gives it, and its line."""

    def __init__(self, kind: str, line: int = 0, **fields: Any) -> None:
        self.kind, self.lineno, self.fields = kind, line, fields

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__["fields"]
        if name not in fields:
            raise AttributeError(name)
        return fields[name]


class Token:
    """A word, number, text or sign; a line begins with ``indent`` spaces before it, or -1 where none does."""

    def __init__(self, kind: str, text: str, line: int, indent: int) -> None:
        self.kind, self.text, self.line, self.indent = kind, text, line, indent


def _letter(sign: str) -> bool:
    return sign.isalpha() or sign == "_" or ord(sign) > 127


def _string_end(text: str, i: int, line: int) -> int:
    quote = text[i : i + 3] if text[i : i + 3] in ("'''", '"""') else text[i]
    i += len(quote)
    while text[i : i + len(quote)] != quote:
        if i >= len(text) or (len(quote) == 1 and text[i] == "\n"):
            raise NoPython("a text without an end", line)
        i += 2 if text[i] == "\\" else 1
    return i + len(quote)


def _word(text: str, i: int, line: int) -> tuple[str, int]:
    """The kind of the word that begins at a place, and where it ends."""
    first, start = text[i], i
    if first in "'\"":
        return "text", _string_end(text, i, line)
    if _letter(first):
        while i < len(text) and (_letter(text[i]) or text[i].isdigit()):
            i += 1
        if i < len(text) and text[i] in "'\"" and i - start < 3:
            return "prefixed", _string_end(text, i, line)
        return "name", i
    if first.isdigit() or (first == "." and text[i + 1 : i + 2].isdigit()):
        while i < len(text) and (text[i].isdigit() or text[i] in "._" or _letter(text[i])):
            i += 2 if text[i] in "eE" and text[i + 1 : i + 2] in ("+", "-") else 1
        return "number", i
    for sign in _SIGNS:
        if text[i : i + len(sign)] == sign:
            return "sign", i + len(sign)
    return "sign", i + 1


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    i, line, depth, indent = 0, 1, 0, 0
    fresh = True
    while i < len(text):
        sign = text[i]
        if sign == "\n":
            i, line = i + 1, line + 1
            if depth == 0:
                fresh, indent = True, 0
        elif sign in " \t\r\f":
            if fresh:
                indent += 1 if sign == " " else 8 - indent % 8
            i += 1
        elif sign == "#":
            while i < len(text) and text[i] != "\n":
                i += 1
        elif sign == "\\" and text[i + 1 : i + 2] == "\n":
            i, line = i + 2, line + 1
        else:
            kind, end = _word(text, i, line)
            word = text[i:end]
            if word in _CLOSING:
                depth -= 1
            found.append(Token(kind, word, line, indent if fresh else -1))
            if word in _OPENING:
                depth += 1
            line += word.count("\n")
            i, fresh = end, False
    found.append(Token("end", "", line, 0))
    return found


def parse(text: str) -> Node:
    """The tree of a text.

    Raises
    ------
    NoPython
        If it is none.
    Refusal
        If it is Python that is not read.

    Examples
    --------
    >>> parse("x = 1 + y").body[0].value.op.kind
    'Add'
    """
    return Node("Module", body=_Parser(_tokens(text.replace("\r\n", "\n"))).block(0))


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.i = tokens, 0

    # words

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

    def name(self) -> str:
        token = self.tokens[self.i]
        if token.kind != "name" or token.text in _WORDS or token.indent >= 0:
            raise self.wrong()
        self.i += 1
        return token.text

    # statements

    def block(self, indent: int) -> list[Node]:
        """Statements that begin so far to the right."""
        found: list[Node] = []
        while self.tokens[self.i].kind != "end" and self.tokens[self.i].indent == indent:
            found += self.statement(indent)
        if self.tokens[self.i].kind != "end" and self.tokens[self.i].indent > indent:
            raise self.wrong()
        return found

    def suite(self, indent: int) -> list[Node]:
        """What stands after a colon: in the same line, or further to the right."""
        self.need(":")
        token = self.tokens[self.i]
        if token.indent < 0:
            return self.simple()
        if token.kind == "end" or token.indent <= indent:
            raise NoPython("an indented block is missing", token.line)
        return self.block(token.indent)

    def statement(self, indent: int) -> list[Node]:
        token = self.tokens[self.i]
        token.indent = -1
        method = getattr(self, "s_" + token.text, None) if token.kind == "name" else None
        if token.text == "@":
            raise Refusal("It has a decorated function", token.line)
        if method is None:
            return self.simple()
        self.i += 1
        return [method(token.line, indent)]

    def s_def(self, line: int, indent: int) -> Node:
        name = self.name()
        self.need("(")
        arguments = self.parameters(")")
        self.need(")")
        if self.take("->"):
            self.expression()
        return Node("FunctionDef", line, name=name, args=arguments, body=self.suite(indent), decorator_list=[])

    def s_class(self, line: int, indent: int) -> Node:
        name, bases = self.name(), []
        if self.take("("):
            bases, keywords = self.arguments()
            if keywords:
                raise self.wrong()
        return Node("ClassDef", line, name=name, bases=bases, keywords=[], body=self.suite(indent), decorator_list=[])

    def further(self, indent: int, *words: str) -> str:
        """A word that goes on with a statement, at the begin of a line."""
        token = self.tokens[self.i]
        if token.indent == indent and token.text in words and token.kind == "name":
            token.indent = -1
            self.i += 1
            return token.text
        return ""

    def s_if(self, line: int, indent: int) -> Node:
        test, body = self.named(), self.suite(indent)
        after = self.line()
        word = self.further(indent, "elif", "else")
        rest = [self.s_if(after, indent)] if word == "elif" else self.suite(indent) if word else []
        return Node("If", line, test=test, body=body, orelse=rest)

    def s_while(self, line: int, indent: int) -> Node:
        test, body = self.named(), self.suite(indent)
        rest = self.suite(indent) if self.further(indent, "else") else []
        return Node("While", line, test=test, body=body, orelse=rest)

    def s_for(self, line: int, indent: int) -> Node:
        target = self.targets()
        self.need("in")
        over, body = self.several(), self.suite(indent)
        rest = self.suite(indent) if self.further(indent, "else") else []
        return Node("For", line, target=target, iter=over, body=body, orelse=rest)

    def s_try(self, line: int, indent: int) -> Node:
        body, handlers = self.suite(indent), []
        while True:
            at = self.line()
            if not self.further(indent, "except"):
                break
            kind = None if self.text() == ":" else self.expression()
            name = self.name() if self.take("as") else None
            handlers.append(Node("ExceptHandler", at, type=kind, name=name, body=self.suite(indent)))
        rest = self.suite(indent) if self.further(indent, "else") else []
        last = self.suite(indent) if self.further(indent, "finally") else []
        return Node("Try", line, body=body, handlers=handlers, orelse=rest, finalbody=last)

    def s_with(self, line: int, indent: int) -> Node:
        raise Refusal("It has a statement that is not read (with)", line)

    def s_async(self, line: int, indent: int) -> Node:
        raise Refusal("It has a statement that is not read (async)", line)

    def simple(self) -> list[Node]:
        """Statements in one line, after each other."""
        found = [self.small()]
        while self.take(";"):
            if self.tokens[self.i].indent >= 0 or self.tokens[self.i].kind == "end":
                return found
            found.append(self.small())
        if self.tokens[self.i].indent < 0 and self.tokens[self.i].kind != "end":
            raise self.wrong()
        return found

    def ends(self) -> bool:
        token = self.tokens[self.i]
        return token.indent >= 0 or token.kind == "end" or token.text == ";"

    def small(self) -> Node:
        line = self.line()
        word = self.take(
            "pass", "break", "continue", "return", "raise", "assert", "import", "from", "global", "nonlocal"
        )
        if word in ("pass", "break", "continue"):
            return Node(word[0].upper() + word[1:], line)
        if word == "return":
            return Node("Return", line, value=None if self.ends() else self.several())
        if word == "raise":
            error = None if self.ends() else self.expression()
            return Node("Raise", line, exc=error, cause=self.expression() if self.take("from") else None)
        if word == "assert":
            test = self.expression()
            return Node("Assert", line, test=test, msg=self.expression() if self.take(",") else None)
        if word in ("import", "from"):
            return self.imported(word, line)
        if word:
            names = [self.name()]
            while self.take(","):
                names.append(self.name())
            return Node(word[0].upper() + word[1:], line, names=names)
        if self.text() == "del":
            raise Refusal("It has a statement that is not read (del)", line)
        return self.assigned(line)

    def imported(self, word: str, line: int) -> Node:
        if word == "from":
            module = self.dotted()
            self.need("import")
            if self.text() in ("(", "*"):
                raise Refusal(f"It imports from {module}", line)
        names = []
        while True:
            name = self.dotted()
            names.append(Node("alias", line, name=name, asname=self.name() if self.take("as") else None))
            if not self.take(","):
                break
        if word == "import":
            return Node("Import", line, names=names)
        return Node("ImportFrom", line, module=module, names=names, level=0)

    def dotted(self) -> str:
        name = self.name()
        while self.take("."):
            name += "." + self.name()
        return name

    def assigned(self, line: int) -> Node:
        first = self.several()
        if self.take(":"):
            kind = self.expression()
            value = self.several() if self.take("=") else None
            return Node("AnnAssign", line, target=first, annotation=kind, value=value)
        onto = self.text()
        if onto in _ONTO:
            self.i += 1
            return Node("AugAssign", line, target=first, op=Node(_ONTO[onto]), value=self.several())
        parts = [first]
        while self.take("="):
            parts.append(self.several())
        if len(parts) == 1:
            return Node("Expr", line, value=first)
        return Node("Assign", line, targets=parts[:-1], value=parts[-1])

    # expressions

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
        parts, more = [self.starred(self.named)], False
        while self.take(","):
            more = True
            if self.ends() or self.text() in ("=", ")", "]", ":"):
                break
            parts.append(self.starred(self.named))
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
        if found.kind == "Name" and self.take(":="):
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
            if word == "not" and self.tokens[self.i + 1].text == "in":
                self.i += 2
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
            line, after = self.line(), self.tokens[self.i + 1]
            if self.take("**"):
                keywords.append(Node("keyword", line, arg=None, value=self.expression()))
            elif self.tokens[self.i].kind == "name" and after.kind == "sign" and after.text == "=":
                name = self.name()
                self.i += 1
                keywords.append(Node("keyword", line, arg=name, value=self.expression()))
            else:
                one = self.starred(self.named)
                if self.text() == "for":
                    one = Node("GeneratorExp", line, elt=one, generators=self.generators())
                found.append(one)
            if not self.take(","):
                self.need(")")
                break
        return found, keywords

    def places(self) -> Node:
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
        limits += [None] * (3 - len(limits))
        return Node("Slice", line, lower=limits[0], upper=limits[1], step=limits[2])

    def atom(self) -> Node:
        token = self.tokens[self.i]
        line, word = token.line, token.text
        if token.kind == "number" and token.indent < 0:
            self.i += 1
            return Node("Constant", line, value=_number(word, line))
        if token.kind in ("text", "prefixed") and token.indent < 0:
            return Node("Constant", line, value=self.texts())
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

    def texts(self) -> str:
        found = ""
        while self.tokens[self.i].kind in ("text", "prefixed") and self.tokens[self.i].indent < 0:
            token = self.tokens[self.i]
            if token.kind == "prefixed":
                raise Refusal("It makes a text of a number", token.line)
            found += _text(token)
            self.i += 1
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
            parts = [Node("GeneratorExp", line, elt=parts[0], generators=self.generators())]
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
            keys.append(self.starred(self.named))
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
        first: list[Node] = []
        star = rest = None
        named = False
        while self.text() != end:
            if self.take("/"):
                first, names = names, []
            elif self.take("**"):
                rest = self.parameter(end)
            elif self.take("*"):
                named = True
                if self.text() not in (",", end):
                    star = self.parameter(end)
            else:
                one = self.parameter(end)
                value = self.expression() if self.take("=") else None
                if named:
                    alone.append(one)
                    later.append(value)
                else:
                    names.append(one)
                    if value is not None:
                        given.append(value)
            if not self.take(","):
                break
        return Node(
            "arguments", posonlyargs=first, args=names, vararg=star, kwonlyargs=alone, kw_defaults=later, kwarg=rest,
            defaults=given,
        )  # fmt: skip

    def parameter(self, end: str) -> Node:
        found = Node("arg", self.line(), arg=self.name())
        if end == ")" and self.take(":"):
            self.expression()
        return found


def _number(word: str, line: int) -> Any:
    plain = word.replace("_", "")
    try:
        return int(plain, 0) if plain.isdigit() or plain[:2] in ("0x", "0b", "0o") else float(plain)
    except ValueError as error:
        raise NoPython(f"not a number: {word}", line) from error


def _text(token: Token) -> str:
    word = token.text
    inner = word[3:-3] if word[:3] in ("'''", '"""') else word[1:-1]
    found, i = "", 0
    while i < len(inner):
        if inner[i] != "\\":
            found, i = found + inner[i], i + 1
        elif inner[i + 1] in _ESCAPES:
            found, i = found + _ESCAPES[inner[i + 1]], i + 2
        else:
            raise Refusal("It has a text with a sign that is not read", token.line)
    return found
