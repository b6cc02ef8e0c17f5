"""loopgen: random loop programs over 8- and 16-bit integers, each with a twin that has holes for checks.

A program is one function f of inputs of at most 16 bits in all (parameters, a global, what a pointer points to), with loops of all kinds. It is written line by line:
`plain` is what muster sees; `checked` is the same program, line by line, with holes: {R:id} where loop `id` is entered, {H:id} where its head is reached, {T:line} and
{F:line} behind each outcome of the condition in that line, {C:line:n} and {D:line} behind cases of a switch. Each atomic condition has a line of its own, so that a line
and an outcome name a point.
"""
import random

TYPES = {"u8": ("unsigned char", 8, False), "i8": ("signed char", 8, True), "u16": ("unsigned short", 16, False), "i16": ("short", 16, True)}


class Loop:
    def __init__(self, number, line):
        self.number, self.line, self.last = number, line, line  # lines by which muster may name it
        self.changed = set()
        self.exact = True  # its line is known


def stepped(v, by):
    """What v names, not the pointer that leads there, goes one step."""
    return ("(%s)%s" if v.startswith("*") else "%s%s") % (v, by)


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = []  # (plain, checked)
        self.loops = []
        self.open = []  # loops around what is being written
        self.depth = 0
        self.labels = 0
        self.statements = 0
        self.vars = {}  # name -> type, in scope
        self.locals = set()
        self.make()

    # ---------------------------------------------------------------- lines
    def at(self):
        return len(self.lines) + 1

    def put(self, plain, checked=None):
        self.lines.append(("\t" * self.depth + plain, "\t" * self.depth + (plain if checked is None else checked)))
        return len(self.lines)

    def change(self, name):
        for loop in self.open:
            loop.changed.add(name)

    # ----------------------------------------------------------- expressions
    def pick(self):
        return self.r.choice(sorted(self.vars))

    def target(self):
        """A variable that may be assigned: loop counters of for loops are left alone most of the time."""
        names = [v for v in sorted(self.vars) if v not in self.frozen or self.r.random() < 0.04]
        return self.r.choice(names or sorted(self.vars))

    def small(self):
        return self.r.choice([1, 1, 1, 2, 2, 3, 4, 5, 7, 10, 16, 25, 100])

    def constant(self):
        return self.r.choice([0, 1, 2, 3, 5, 7, 10, 16, 20, 25, 50, 63, 64, 100, 120, 127, 128, 200, 255, -1, -5, -100])

    def atom(self):
        a = self.pick()
        kind = self.r.random()
        if kind < 0.08:
            left = "%s %% %d" % (a, self.r.choice([2, 3, 4, 5, 8]))
        elif kind < 0.14:
            left = "%s & %d" % (a, self.r.choice([1, 3, 7, 15]))
            left = "(%s)" % left
        elif kind < 0.2:
            left = "%s %s %d" % (a, self.r.choice("+-"), self.small())
        elif kind < 0.24:
            left = "%s * %d" % (a, self.r.choice([2, 3, 5]))
        elif kind < 0.27:
            left = "(%s)%s" % (TYPES[self.r.choice(sorted(TYPES))][0], a)
        else:
            left = a
        right = self.pick() if self.r.random() < 0.4 else str(self.constant())
        if self.r.random() < 0.05:
            return left
        return "%s %s %s" % (left, self.r.choice(["<", "<", "<=", ">", ">=", "==", "!="]), right)

    def condition(self, first=None):
        """Lines of a condition, each atom in its own."""
        def one(text):
            n = self.at()
            self.put(text, "((%s) ? ({T:%d}, 1) : ({F:%d}, 0))" % (text, n, n))
        one(first or self.atom())
        if self.r.random() < 0.2:
            self.put(self.r.choice(["&&", "||"]))
            one(self.atom())

    # ------------------------------------------------------------ statements
    def assign(self):
        v = self.target()
        w = self.pick()
        k = self.small()
        kind = self.r.random()
        if kind < 0.2:
            text = stepped(v, self.r.choice(["++", "--"]))
        elif kind < 0.5:
            text = "%s %s= %d" % (v, self.r.choice("++-"), k)
        elif kind < 0.62:
            text = "%s = %s %s %s" % (v, w, self.r.choice("+-"), self.pick() if self.r.random() < 0.4 else k)
        elif kind < 0.66:
            text = "%s = %s" % (v, w)
        elif kind < 0.7:
            text = "%s = %d" % (v, self.constant())
        elif kind < 0.74:
            text = "%s = %s * %d" % (v, w, self.r.choice([2, 3, 4, 10]))
        elif kind < 0.78:
            text = "%s = %s / %d" % (v, w, self.r.choice([2, 3, 4, 10]))
        elif kind < 0.82:
            text = "%s = %s %% %d" % (v, w, self.r.choice([2, 3, 4, 10]))
        elif kind < 0.86:
            masked = self.r.choice(["%s", "%s", "(%%s + %d)" % k, "(%%s - %d)" % k]) % self.r.choice([v, w])
            text = "%s = %s %s" % (v, masked, self.r.choice(["& 1", "& 3", "& 7", "& 15", "& 127", "& 0xf0", "% 8", "% 16", "| 64"]))
        elif kind < 0.89:
            text = "%s = %s %s %d" % (v, w, self.r.choice(["<<", ">>"]), self.r.choice([1, 2, 3]))
        elif kind < 0.91:
            text = "%s = %s %s %d" % (v, w, self.r.choice("^|"), self.r.choice([1, 6, 128]))
        elif kind < (0.94 if not self.pointable else 0.92):
            text = "%s = %s > %s ? %s : %s" % (v, w, k, self.pick(), self.pick())
            n = self.at()
            self.put("%s =" % v)
            n = self.at()
            self.put("%s > %d" % (w, k), "((%s > %d) ? ({T:%d}, 1) : ({F:%d}, 0))" % (w, k, n, n))
            self.put("? %s : %s;" % (self.pick(), self.pick()))
            self.change(v)
            return
        elif kind < 0.97:
            text = "%s = h(%s)" % (v, w)
            if self.helper_writes:
                self.change("g")
            if self.pointable and self.r.random() < 0.8:
                v = self.r.choice(sorted(self.pointable))
                text = "m(&%s, %s)" % (v, self.r.choice(["%s & 7" % w, "3"]))
        else:
            text = "t[%s & 3] = %s, %s = t[%s & 3]" % (w, self.pick(), v, self.pick())
        self.put(text + ";")
        self.change(v)

    def block(self, count):
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1

    def statement(self):
        self.statements += 1
        kind = self.r.random()
        if self.statements > 14 or len(self.open) > 2:
            kind = 0
        if kind < 0.6:
            self.assign()
        elif kind < 0.8:
            self.branch()
        elif kind < 0.85:
            self.switch()
        else:
            self.loop()

    def branch(self):
        self.put("if (")
        self.condition()
        self.put(") {")
        kind = self.r.random()
        if self.open and self.open[-1].exact and not self.in_switch and kind < 0.25:
            self.depth += 1
            if self.r.random() < 0.4:
                self.assign()
            self.put(self.r.choice(["break;", "break;", "continue;"]) if self.r.random() < 0.8 else "return %s;" % self.pick())
            self.depth -= 1
        else:
            self.block(self.r.randint(1, 2))
        if self.r.random() < 0.3:
            self.put("} else {")
            self.block(1)
        self.put("}")

    def switch(self):
        line = self.put("switch (%s & 3) {" % self.pick())
        before, self.in_switch = self.in_switch, True
        for n in self.r.sample([0, 1, 2, 3], self.r.randint(1, 3)):
            self.put("case %d:" % n, "case %d: ({C:%d:%d});" % (n, line, n))
            self.block(1)
            self.put("\tbreak;")
        self.in_switch = before
        if self.r.random() < 0.5:
            self.put("default:", "default: ({D:%d});" % line)
            self.block(1)
        else:
            self.put("", "default: ({D:%d});" % line)
        self.put("}")

    # ----------------------------------------------------------------- loops
    def enter(self):
        loop = Loop(len(self.loops) + 1, self.at())
        self.loops.append(loop)
        self.open.append(loop)
        loop.outer = self.open[0].number
        self.switches.append(self.in_switch)
        self.in_switch = False
        return loop

    def leave(self):
        self.open[-1].last = len(self.lines)
        self.open.pop()
        self.in_switch = self.switches.pop()

    def loop(self):
        self.r.choice([self.for_up, self.for_up, self.for_down, self.while_loop, self.while_loop, self.do_loop, self.goto_loop, self.two_entries])()

    def whole(self, line):
        return "({T:%d}, 1) : ({F:%d}, 0)" % (line, line)

    def counting(self, name, condition, init, step, declare=None):
        loop = self.enter()
        n = loop.number
        head = (declare + " " if declare else "") + init
        self.put("for (%s;" % head, "it_%d = -1; {R:%d}; for (%s; ({H:%d}), ((" % (n, n, head, n))
        line = len(self.lines)
        shadowed = self.vars.get(name)
        if declare:
            self.vars[name] = "int"
        self.frozen.add(name)
        self.condition(condition)
        self.put("; %s) {" % step, ") ? %s); %s) {" % (self.whole(line), step))
        self.change(name)
        self.block(self.r.randint(1, 3))
        self.put("}")
        self.frozen.discard(name)
        if declare:
            if shadowed:
                self.vars[name] = shadowed
            else:
                del self.vars[name]
        self.leave()

    def counter(self):
        if self.r.random() < 0.4 and "j" not in self.vars:
            return "j", "int"
        names = [v for v in sorted(self.locals) if v not in self.frozen]
        if not names:
            return ("j", "int") if "j" not in self.vars else (self.pick(), None)
        return self.r.choice(names), None

    def for_up(self):
        v, declare = self.counter()
        k = self.r.choice([1, 1, 1, 2, 3, 5, 8])
        bound = self.pick() if self.r.random() < 0.6 else str(abs(self.constant()))
        start = self.r.choice(["0", "0", "0", "1", str(abs(self.constant())), self.pick()])
        self.counting(v, "%s %s %s" % (v, self.r.choice(["<", "<", "<=", "!="]), bound), "%s = %s" % (v, start),
                      stepped(v, "++") if k == 1 else "%s += %d" % (v, k), declare)

    def for_down(self):
        v, declare = self.counter()
        k = self.r.choice([1, 1, 1, 2, 3])
        start = self.pick() if self.r.random() < 0.7 else str(abs(self.constant()))
        self.counting(v, "%s %s %s" % (v, self.r.choice([">", ">", ">=", "!="]), self.r.choice(["0", "0", "1", "10"])), "%s = %s" % (v, start),
                      stepped(v, "--") if k == 1 else "%s -= %d" % (v, k), declare)

    def progress(self):
        v = self.target()
        self.put("%s %s= %d;" % (v, self.r.choice("++-"), self.small()))
        self.change(v)
        return v

    def while_loop(self):
        loop = self.enter()
        n = loop.number
        line = self.put("while (", "it_%d = -1; {R:%d}; while (({H:%d}), ((" % (n, n, n))
        v = self.target()
        if self.r.random() < 0.2:
            self.change(v)
            self.condition("%s %s" % (stepped(v, "--"), self.r.choice(["", "> 0", "!= 3"])))
        else:
            self.condition(self.atom() if self.r.random() < 0.3 else "%s %s %s" % (v, self.r.choice(["<", "<", ">", "!="]), self.pick() if self.r.random() < 0.4 else self.constant()))
        self.put(") {", ") ? %s)) {" % self.whole(line))
        self.depth += 1
        k = self.small()
        self.put("%s %s= %d;" % (v, self.r.choice("++-"), k))
        self.change(v)
        self.depth -= 1
        self.block(self.r.randint(1, 3))
        self.put("}")
        self.leave()

    def do_loop(self):
        loop = self.enter()
        n = loop.number
        line = self.put("do {", "it_%d = -1; {R:%d}; do { ({H:%d});" % (n, n, n))
        self.depth += 1
        self.progress()
        self.depth -= 1
        self.block(self.r.randint(1, 3))
        end = self.put("} while (", "} while (((")
        self.condition()
        self.put(");", ") ? ({T:%d}, {T:%d}, 1) : ({F:%d}, {F:%d}, 0)));" % (line, end, line, end))
        self.leave()

    def goto_loop(self):
        """A label and a jump back to it; the body has no break or continue of its own."""
        loop = self.enter()
        loop.exact = False
        n = loop.number
        label = "again%d" % n
        self.put("", "it_%d = -1; {R:%d};" % (n, n))
        loop.line = self.at()
        self.put("%s:" % label, "%s: ({H:%d});" % (label, n))
        self.progress()
        self.block_here(self.r.randint(0, 2))
        self.put("if (")
        self.condition()
        self.put(")")
        self.put("\tgoto %s;" % label)
        self.leave()

    def block_here(self, count):
        for _ in range(count):
            self.statement()

    def two_entries(self):
        """A loop that is entered at its top or in its middle."""
        loop = self.enter()
        loop.exact = False
        n = loop.number
        self.put("", "it_%d = 0; in_%d = 0; {R:%d};" % (n, n, n))
        self.put("if (")
        self.open.pop()  # the jump in is no part of the loop
        self.condition()
        self.open.append(loop)
        self.put(")")
        self.put("\tgoto middle%d;" % n)
        loop.line = self.at()
        self.put("top%d:" % n, "top%d: ({E:%d:%d});" % (n, n, 0))
        self.progress()
        loop.middle = self.at()
        self.put("middle%d:" % n, "middle%d: ({E:%d:%d});" % (n, n, 1))
        self.progress()
        if self.r.random() < 0.5:
            self.assign()
        self.put("if (")
        self.condition()
        self.put(")")
        self.put("\tgoto top%d;" % n)
        self.leave()

    # --------------------------------------------------------------- program
    def make(self):
        r = self.r
        self.frozen, self.in_switch, self.switches = set(), False, []
        self.helper_writes = r.random() < 0.3
        self.steps = r.choice([0, 0, 1, 3])  # of m(), which writes through a pointer in a loop
        self.pointable = set()
        shape = r.random()
        wide = ["u16", "i16"]
        narrow = ["u8", "i8"]
        if shape < 0.2:
            self.inputs = [("p", r.choice(wide), "parameter")]
        elif shape < 0.7:
            self.inputs = [("p", r.choice(narrow), "parameter"), ("q", r.choice(narrow), "parameter")]
        elif shape < 0.85:
            self.inputs = [("p", r.choice(narrow), "parameter"), ("g", r.choice(narrow), "global")]
        else:
            self.inputs = [("p", r.choice(narrow), "parameter"), ("*r", r.choice(narrow), "pointer")]
        self.types = {n: t for n, t, _ in self.inputs}
        globals_ = {n for n, _, k in self.inputs if k == "global"}
        if "g" not in globals_:
            self.types["g"] = r.choice(narrow)
        for n, t, _ in self.inputs:
            self.vars[n] = t
        if r.random() < 0.2:
            self.vars["g"] = self.types["g"]
        self.put("%s g;" % TYPES[self.types["g"]][0])
        self.put("static unsigned char t[4];")
        self.put("static unsigned char h(unsigned char a) { %sreturn a + %d; }" % ("g += 1; " if self.helper_writes else "", r.choice([1, 2, 100])))
        if self.steps:
            self.pointer_type = r.choice(narrow)
            self.put("static void m(%s *x, unsigned char n) { while (n > 0) { *x += %d; n--; } }" % (TYPES[self.pointer_type][0], self.steps))
        parameters = ", ".join("%s %s" % (TYPES[t][0], n) for n, t, k in self.inputs if k != "global")
        start = self.put("int f(%s)" % parameters)
        self.put("{", "{ @ENTER@")
        self.depth = 1
        for i in range(r.randint(2, 4)):
            name, t = "abcd"[i], r.choice(narrow + narrow + wide)
            init = r.choice(["0", "0", "0", str(abs(self.constant()) % 100), "p", self.pick()])
            self.put("%s %s = %s;" % (TYPES[t][0], name, init))
            self.vars[name] = self.types[name] = t
            self.locals.add(name)
            if self.steps and t == self.pointer_type:
                self.pointable.add(name)
        for _ in range(r.randint(0, 2)):
            self.assign()
        self.loop()
        for _ in range(r.randint(0, 2)):
            self.statement()
        self.put("if (")
        self.condition()
        self.put(")")
        self.put("\treturn 1;")
        self.put("return 0;")
        self.depth = 0
        self.put("}")
        self.types["j"] = "int"

    def plain(self):
        return "\n".join(p for p, _ in self.lines) + "\n"
