"""Python's text as a tree of the same shape as the module `ast` makes, where there is none: on the pages of the site.

Plain Python that MicroPython runs.  What is left out (`async`, `with`, texts with a value inside) is
refused with its line; `tests/test_language.py` holds the rest to `ast`.
"""

from __future__ import annotations

from svtcourse.judge.language.terms import ONTO, Node, Terms
from svtcourse.judge.language.tokens import NoPython, Refusal, tokens_of

__all__ = ["NoPython", "Node", "Refusal", "parse"]


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
    return Node("Module", body=_Parser(tokens_of(text.replace("\r\n", "\n"))).block(0))


_DEEPEST = 10  # blocks inside each other


class _Parser(Terms):
    deep = 0  # blocks around the one that is read

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
        if self.deep == _DEEPEST:  # Python ends at twenty, or at half of it for some
            raise Refusal("It has more blocks inside each other than are read", token.line)
        self.deep += 1
        found = self.block(token.indent)
        self.deep -= 1
        return found

    def statement(self, indent: int) -> list[Node]:
        token = self.tokens[self.i]
        token.indent = -1
        method = getattr(self, "s_" + token.text, None) if token.kind == "name" else None
        if token.text == "@" and token.kind == "sign":
            return self.decorated(token.line, indent)
        if method is None:
            return self.simple()
        self.i += 1
        return [method(token.line, indent)]

    def decorated(self, line: int, indent: int) -> list[Node]:
        self.i += 1
        by = self.expression()
        found = self.statement(indent) if self.tokens[self.i].indent == indent else []
        if not found or found[0].kind not in ("FunctionDef", "ClassDef"):
            raise NoPython("a definition is missing", line)
        found[0].decorator_list.insert(0, by)
        return found

    def s_def(self, line: int, indent: int) -> Node:
        name = self.name()
        self.need("(")
        arguments = self.parameters(")")
        self.need(")")
        gives = self.annotation() if self.take("->") else None
        return Node(
            "FunctionDef", line, name=name, args=arguments, body=self.suite(indent), decorator_list=[], returns=gives
        )

    def s_class(self, line: int, indent: int) -> Node:
        name = self.name()
        bases: list[Node] = []
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
        rest = self.suite(indent) if handlers and self.further(indent, "else") else []
        last = self.suite(indent) if self.further(indent, "finally") else []
        if not handlers and not last:
            raise self.wrong()
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
            name = self.name() if word == "from" else self.dotted()
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
        simple = 0 if self.text() == "(" else 1
        first = self.several()
        if self.take(":"):
            kind = self.annotation()
            value = self.several() if self.take("=") else None
            return Node("AnnAssign", line, target=first, annotation=kind, value=value, simple=simple)
        onto = self.text()
        if onto in ONTO:
            self.i += 1
            return Node("AugAssign", line, target=first, op=Node(ONTO[onto]), value=self.several())
        parts = [first]
        while self.take("="):
            parts.append(self.several())
        if len(parts) == 1:
            return Node("Expr", line, value=first)
        return Node("Assign", line, targets=parts[:-1], value=parts[-1])
