#!/usr/bin/env python3
"""units.py: C files for bench/units.

	units.py functions N [SEED]   N functions without loops, each under 50 lines, as they stand in real code: arguments are checked and
	                              refused, cases told apart, a few independent conditions, results through pointers
	units.py branches N           one function with N independent branches on N independent inputs
"""
import sys


class Random:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        return (self.state >> 33) % n

    def pick(self, sequence):
        return sequence[self.below(len(sequence))]


def function(r, number):
    out, depth = [], 1

    def say(text):
        out.append("\t" * depth + text)

    names = ["a", "b", "c"][:1 + r.below(3)]
    pointer = r.below(3) == 0
    parameters = ["%s %s" % (r.pick(["int", "int", "unsigned", "short", "long", "unsigned char"]), n) for n in names]
    if pointer:
        parameters.append("struct item *p")
        names = names + ["p->kind", "p->count"]
    out.append("int f%d(%s)" % (number, ", ".join(parameters)))
    out.append("{")
    say("int r = 0;")
    if pointer:
        say("if (!p)")
        say("\treturn -1;")

    def value():
        return r.pick([str(r.below(100)), "r + %d" % r.below(9), "(int)(%s & %d)" % (r.pick(names), r.pick([7, 255, 15])), "r ^ %d" % r.below(64)])

    def condition():
        n = r.pick(names)
        return r.pick(["%s == %d" % (n, r.below(200)), "%s > %d" % (n, r.below(100)), "%s < %d" % (n, r.below(50)), "(%s & %d) != 0" % (n, 1 << r.below(5)),
                       "%s != %d && %s < %d" % (n, r.below(9), n, 50 + r.below(50)), "%s == %d || %s == %d" % (n, r.below(30), n, 40 + r.below(30))])

    for _ in range(1 + r.below(3)):  # refusals
        say("if (%s)" % condition())
        say("\treturn %d;" % -r.below(20))
    kind = r.below(3)
    if kind == 0:
        say("switch ((int)%s) {" % r.pick(names))
        for c in range(2 + r.below(4)):
            say("case %d:" % (c * (1 + r.below(9)) * 11 + c))
            say("\tr = %s;" % value())
            say("\tbreak;")
        say("default:")
        say("\tr = %s;" % value())
        say("}")
    else:
        n = r.pick(names)
        say("if (%s < %d) {" % (n, r.below(20)))
        say("\tr = %s;" % value())
        for c in range(1 + r.below(3)):
            say("} else if (%s) {" % condition())
            say("\tr = %s;" % value())
        say("} else {")
        if kind == 1:
            say("\tif (%s)" % condition())
            say("\t\tr = %s;" % value())
        say("\tr = %s;" % value())
        say("}")
    for _ in range(r.below(3)):  # conditions of their own
        say("if (%s)" % condition())
        say("\tr = %s;" % value())
    if pointer:
        say("p->result = (short)(r & 4095);")
    say("return r;")
    out.append("}")
    return "\n".join(out)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: units.py functions|branches N [SEED]")
    n = int(sys.argv[2])
    if sys.argv[1] == "branches":
        print("int many(%s)\n{\n\tint n = 0;" % ", ".join("int a%d" % i for i in range(n)))
        for i in range(n):
            print("\tif (a%d == %d)\n\t\tn += %d;" % (i, 1000 + 37 * i, i + 1))
        print("\treturn n;\n}")
        return
    r = Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    print("struct item { int kind; unsigned count; short result; };")
    for i in range(n):
        print(function(r, i))


main()
