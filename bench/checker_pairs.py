"""checker_pairs.py: pairs of whole C programs, one with a defect that some inputs trigger and one without (bench/checkers).

A pair is drawn from four lists:

	shape    the defect: a class (CWE), the type of the data, what is done with it (the sink), and what makes it right: a good
	         source (data that no input makes wrong) or a good sink (a guard before it)
	flow     how the data gets from source to sink: direct, under conditions, in loops, through calls, pointers, structures, globals, files
	source   how the input becomes data: text or bytes, standard input or a file, with which function
	good     what the good program differs in: its source or its sink

Shapes are written by hand below; flows and sources know nothing of them but the type of `data`. Everything is drawn by a seed: the
same seed and number give the same programs. Each pair knows an input that triggers its defect (`trigger`), and one that does
not (`benign`), so that the programs themselves can be judged without muster (bench/checkers --oracle).
"""
import random
import struct

CLASSES = (121, 122, 124, 126, 127, 190, 191, 194, 195, 369, 415, 416, 476, 680)


class Type:
    """A type of numbers: how it is read from text, written, and its limits."""

    def __init__(self, c, name, size, signed, text, scan, show, most, least):
        self.c, self.name, self.size, self.signed = c, name, size, signed
        self.text, self.scan, self.show, self.most_c, self.least_c = text, scan, show, most, least
        bits = 8 * size
        self.most = (1 << (bits - signed)) - 1
        self.least = -(1 << (bits - 1)) if signed else 0


TYPES = {t.name: t for t in (
    Type("signed char", "char", 1, 1, "(signed char)atoi(%s)", "%hhd", "%d", "SCHAR_MAX", "SCHAR_MIN"),
    Type("unsigned char", "uchar", 1, 0, "(unsigned char)atoi(%s)", "%hhu", "%d", "UCHAR_MAX", "0"),
    Type("short", "short", 2, 1, "(short)atoi(%s)", "%hd", "%d", "SHRT_MAX", "SHRT_MIN"),
    Type("unsigned short", "ushort", 2, 0, "(unsigned short)strtoul(%s, NULL, 10)", "%hu", "%d", "USHRT_MAX", "0"),
    Type("int", "int", 4, 1, "atoi(%s)", "%d", "%d", "INT_MAX", "INT_MIN"),
    Type("unsigned", "unsigned", 4, 0, "(unsigned)strtoul(%s, NULL, 10)", "%u", "%u", "UINT_MAX", "0"),
    Type("int64_t", "int64", 8, 1, "strtoll(%s, NULL, 10)", "%ld", "%ld", "INT64_MAX", "INT64_MIN"),
    Type("float", "float", 4, 1, "(float)atof(%s)", "%f", "%g", "1e9f", "-1e9f"),
    Type("size_t", "size", 8, 0, "strtoul(%s, NULL, 0)", "%zu", "%zu", "SIZE_MAX", "0"),
)}


# ------------------------------------------------------------------------------------------------------------- sources
class Source:
    """How a number of the input becomes a variable. `in` is a stream, `fd` a descriptor, both opened by main."""

    def __init__(self, name, how, stream):
        self.name, self.how, self.stream = name, how, stream

    def read(self, t, variable, otherwise):
        """Statements that read `variable`; what cannot be read is `otherwise`."""
        if self.how == "fgets":
            return ["char line[24] = \"\";", "if (fgets(line, sizeof line, in))", "\t%s = %s;" % (variable, t.text % "line"),
                    "else", "\t%s = %s;" % (variable, otherwise)]
        if self.how == "strtol":
            parse = "strtof(line, &end)" if t.name == "float" else "strtol(line, &end, 0)" if t.signed else "strtoul(line, &end, 10)"
            cast = "" if t.size == 8 else "(%s)" % t.c
            return ["char line[24], *end;", "if (!fgets(line, sizeof line, in))", "\texit(1);", "%s = %s%s;" % (variable, cast, parse),
                    "if (end == line)", "\t%s = %s;" % (variable, otherwise)]
        if self.how == "fscanf":
            return ["if (fscanf(in, \"%s\", &%s) != 1)" % (t.scan, variable), "\t%s = %s;" % (variable, otherwise)]
        if self.how == "fread":
            return ["if (fread(&%s, sizeof %s, 1, in) != 1)" % (variable, variable), "\t%s = %s;" % (variable, otherwise)]
        if self.how == "getc":
            return ["%s word = 0;" % unsigned(t), "for (int k = 0; k < %d; k++) {" % t.size, "\tint c = getc(in);", "\tif (c == EOF)", "\t\texit(1);",
                    "\tword |= %s(%s)c << (8 * k);" % ("" if t.size > 2 else "(%s)" % unsigned(t), "int" if t.size <= 2 else unsigned(t)), "}",
                    "%s = (%s)word;" % (variable, t.c)]
        parts = " | ".join(("(%s)b[%d]" + (" << %d" % (8 * (t.size - 1 - k)) if k < t.size - 1 else "")) % (unsigned(t) if t.size > 2 else "int", k)
                           for k in range(t.size))
        return ["unsigned char b[%d];" % t.size, "if (read(fd, b, sizeof b) != (ssize_t)sizeof b)", "\texit(1);",
                "%s = (%s)(%s);" % (variable, t.c, parts)]

    def encode(self, t, value):
        if self.how in ("fgets", "strtol", "fscanf"):
            return b"%d\n" % value
        if t.name == "float" and self.how == "fread":
            return struct.pack("<f", value)
        return (value % (1 << (8 * t.size))).to_bytes(t.size, "big" if self.how == "read" else "little")

    def byte(self):
        """An expression: the next byte of the input, or -1."""
        return "next_byte()"

    def next_byte(self):
        if self.how == "read":
            return ["unsigned char c;", "return read(fd, &c, 1) == 1 ? c : -1;"]
        return ["return getc(in);"]

    def line(self, variable, size):
        """Statements that read a line of text, without its end."""
        if self.how == "read":
            return ["ssize_t got = read(fd, %s, %d);" % (variable, size - 1), "%s[got > 0 ? got : 0] = 0;" % variable,
                    "%s[strcspn(%s, \"\\n\")] = 0;" % (variable, variable)]
        if self.how in ("fread", "getc"):
            return ["size_t got = fread(%s, 1, %d, in);" % (variable, size - 1), "%s[got] = 0;" % variable,
                    "%s[strcspn(%s, \"\\n\")] = 0;" % (variable, variable)]
        if self.how == "fscanf":
            return ["if (fscanf(in, \"%%%ds\", %s) != 1)" % (size - 1, variable), "\t%s[0] = 0;" % variable]
        return ["if (!fgets(%s, %d, in))" % (variable, size), "\t%s[0] = 0;" % variable, "%s[strcspn(%s, \"\\n\")] = 0;" % (variable, variable)]


def unsigned(t):
    return {1: "unsigned char", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}[t.size]


SOURCES = [Source(how + where, how, where) for where in ("-stdin", "-file") for how in ("fgets", "strtol", "fscanf", "fread", "getc", "read")]


# -------------------------------------------------------------------------------------------------------------- shapes
class Shape:
    """One kind of defect, for one type and size. Statements use the variable `data` of the type `c`.

    frame       statements before everything, whose variables live as long as data is used
    bad, good   the two sources; good None: only a guard makes it right
    sink, guard the two sinks; guard None: only a good source makes it right
    trigger, benign   inputs, made by the source that the pair has; more: others that a good program has to survive
    """

    def __init__(self, cwe, name, c, init, bad, good, sink, guard, trigger, benign, frame=(), top=(), more=()):
        self.cwe, self.name, self.c, self.init = cwe, name, c, init
        self.bad, self.good, self.sink, self.guard = bad, good, sink, guard
        self.trigger, self.benign, self.frame, self.top, self.more = trigger, benign, list(frame), list(top), list(more)


def number(cwe, name, t, sink, guard, trigger, benign=3, good=None, top=(), frame=()):
    """A shape whose data is a number of the input."""
    t = TYPES[t]

    def build(source):
        return Shape(cwe, "%s-%s" % (name, t.name), t.c, "0", source.read(t, "data", str(benign)), ["data = %d;" % (benign if good is None else good)],
                     sink, guard, source.encode(t, trigger), source.encode(t, benign), frame, top, [source.encode(t, v) for v in edges(t, trigger)])
    return build


def edges(t, value):
    """Numbers of a type where guards go wrong."""
    near = [t.least, t.least + 1, t.most, t.most - 1, t.most // 2, t.most // 2 + 1, t.least // 2, t.least // 2 - 1, -1, 0, 1, value - 1, value + 1, value // 2]
    return sorted({v for v in near if t.least <= v <= t.most})


def room(place, element, count, name="buffer"):
    """Declares memory of `count` elements, zeroed: on the stack, on the heap, or global."""
    if place == "alloca":
        return ["%s *%s = alloca(%d * sizeof *%s);" % (element, name, count, name), "memset(%s, 0, %d * sizeof *%s);" % (name, count, name)], [], []
    if place == "stack":
        return ["%s %s[%d] = {0};" % (element, name, count)], [], []
    if place == "global":
        return [], [], ["static %s %s[%d];" % (element, name, count)]
    return (["%s *%s = calloc(%d, sizeof *%s);" % (element, name, count, name), "if (!%s)" % name, "\texit(1);"], ["free(%s);" % name], [])


def when(condition, body):
    return ["if (%s) {" % condition] + ["\t" + line for line in body] + ["}"] if condition else list(body)


PLACES = {121: "stack", 122: "heap"}


def accesses(random):
    """Index, loop, copies: 121, 122, 124, 126, 127."""
    out = []
    for cwe in (121, 122, 124, 126, 127):
        for t in ("char", "short", "int", "int64", "uchar", "unsigned", "size"):
            signed = TYPES[t].signed
            if cwe in (124, 127) and not signed:
                continue
            count = random.choice((10, 12, 16, 24, 33, 60))
            place = PLACES.get(cwe) or random.choice(("stack", "heap", "global", "alloca"))
            place = "alloca" if cwe == 121 and t in ("short", "unsigned") else place
            element = random.choice(("int", "char", "short", "int64_t"))
            declare, release, top = room(place, element, count)
            write = cwe in (121, 122, 124)
            use = ["buffer[data] = 1;", "show(buffer[0]);"] if write else ["show(buffer[data]);"]
            if cwe in (124, 127):
                loose, trigger = "data < %d" % count, -random.choice((1, 2, 5))
            else:
                loose, trigger = "data >= 0" if signed else "", count + random.choice((0, 0, 1, 7))
            if place == "alloca":
                trigger = count if trigger > 0 else -1  # farther away the sanitizer may see another variable
            exact = "data >= 0 && data < %d" % count if signed else "data < %d" % count
            out.append(number(cwe, "index", t, declare + when(loose, use) + release, declare + when(exact, use) + release,
                              trigger, random.randrange(count - 1), top=top))
    for cwe in (121, 122, 126):
        for how in ("loop", "memcpy", "memmove", "strncpy", "snprintf", "memset", "wide"):
            if cwe == 126 and how in ("strncpy", "snprintf", "memset"):
                continue
            t = random.choice(("short", "int", "int64", "unsigned", "size") if how != "snprintf" else ("int", "unsigned", "size"))
            out.append(copies(random, cwe, how, t))
            out.append(copies(random, cwe, how, random.choice(("int", "ushort"))))
    return out


def copies(random, cwe, how, t):
    signed = TYPES[t].signed
    small, large = random.choice((8, 10, 20, 50)), random.choice((100, 128, 200))
    element = "int" if how == "wide" else "char"
    place = PLACES.get(cwe) or random.choice(("stack", "heap"))
    to, from_ = (small, large) if cwe != 126 else (large, small)
    place = "alloca" if place == "stack" and how in ("memmove", "strncpy") else place
    d1, r1, t1 = room(place if cwe != 126 else "stack", element, to, "target")
    d2, r2, t2 = room("global" if cwe != 126 else place, element, from_, "origin")
    fill = ["memset(origin, 'x', sizeof(%s) * %d);" % (element, from_ - 1 if how in ("strncpy", "snprintf") else from_)]
    size = "(size_t)data" if signed else "data"
    use = {"loop": ["for (%s i = 0; i < data; i++)" % TYPES[t].c, "\ttarget[i] = origin[i];"],
           "memcpy": ["memcpy(target, origin, %s);" % size], "memmove": ["memmove(target, origin, %s);" % size],
           "memset": ["memset(target, 'y', %s);" % size],
           "strncpy": ["strncpy(target, origin, %s);" % size], "snprintf": ["snprintf(target, %s, \"%%s\", origin);" % size],
           "wide": ["memcpy(target, origin, %s * sizeof(int));" % size]}[how]
    limit = 60000 if t in ("ushort", "short") else large  # the larger one has room for what passes the guard of the bad program
    limit = min(limit, large)
    bad = "data >= 0 && data <= %d" % limit if signed else "data <= %d" % limit
    good = "data >= 0 && data <= %d" % small if signed else "data <= %d" % small
    body = d1 + d2 + fill
    end = ["show(target[0]);"] + r1 + r2
    return number(cwe, how, t, body + when(bad, use) + end, body + when(good, use) + end, small + random.choice((1, 1, 4)), random.randrange(1, small), top=t1 + t2)


def strings(random):
    """Text of the input, copied to where there is no room for it, or read beyond its end."""
    out = []
    for cwe in (121, 122):
        for how, copy in (("strcpy", "strcpy(target, data);"), ("strcat", "strcat(strcpy(target, \"k=\"), data);"),
                          ("sprintf", "sprintf(target, \"<%s>\", data);"), ("walk", "for (char *p = target; (*p = *data); p++, data++)\n\t;")):
            extra = {"strcpy": 0, "strcat": 2, "sprintf": 2, "walk": 0}[how]
            count = random.choice((8, 10, 16))
            out.append(text(random, cwe, how, count, copy.split("\n"), "strlen(data) + %d < %d" % (extra, count), count - extra - 1))
    for how in ("strlen", "strchr", "scan"):
        count = random.choice((4, 8, 12))
        out.append(unterminated(random, how, count))
    for gap in ("length", "prefix"):
        out.append(short_block(random, gap))
    return out


def text(random, cwe, how, count, copy, exact, most):
    declare, release, _ = room(PLACES[cwe], "char", count, "target")

    def build(source):
        end = ["show(target[0]);"] + release
        return Shape(cwe, how + "-text", "char *", "words", source.line("data", 40), source.line("data", most + 1),
                     declare + copy + end, declare + when(exact, copy) + end, b"a" * (most + 3) + b"\n", b"ab\n", ["char words[40];"])
    return build


def unterminated(random, how, count):
    place = random.choice(("stack", "heap"))
    declare, release, _ = room(place, "char", count, "target")
    use = {"strlen": ["show((int)strlen(target));"], "strchr": ["show(strchr(target, 'q') != NULL);"],
           "scan": ["int n = 0;", "while (target[n])", "\tn++;", "show(n);"]}[how]

    def build(source):
        return Shape(126, "unterminated-" + how, "char *", "words", source.line("data", 40), source.line("data", count),
                     declare + ["strncpy(target, data, %d);" % count] + use + release,
                     declare + ["strncpy(target, data, %d);" % (count - 1)] + use + release, b"b" * (count + 2) + b"\n", b"b\n", ["char words[40];"])
    return build


def short_block(random, gap):
    """A block on the heap that is too small for the text that follows."""
    def build(source):
        if gap == "length":
            bad, good = "strlen(data) + (data[0] != '#')", "strlen(data) + 1"
            trigger = b"#ab\n"
        else:
            bad, good = "data[0] == '%' ? 4 : strlen(data) + 1", "data[0] == '%' && strlen(data) < 4 ? 4 : strlen(data) + 1"
            trigger = b"%abcdef\n"
        lines = ["char *copy = malloc(%s);", "if (!copy)", "\texit(1);", "strcpy(copy, data);", "show(copy[0]);", "free(copy);"]
        return Shape(122, "short-" + gap, "char *", "words", source.line("data", 40), ["strcpy(data, \"fixed\");"],
                     [lines[0] % bad] + lines[1:], [lines[0] % good] + lines[1:], trigger, b"ab\n", ["char words[40];"])
    return build


def pointers(random):
    """A pointer into an array, moved by what the input says: 124, 126, 127."""
    out = []
    for cwe in (124, 126, 127):
        for t in ("char", "short", "int"):
            count = random.choice((20, 32, 64))
            place = random.choice(("stack", "heap", "global"))
            declare, _, top = room(place, "char", count)
            use = {124: random.choice((["memcpy(data, \"tick\", 5);"], ["memset(data, '-', 4);"], ["for (int i = 0; i < 4; i++)", "\tdata[i] = 'c';"])),
                   126: random.choice((["char back[8];", "memcpy(back, data, 8);", "show(back[7]);"], ["int sum = 0;", "for (int i = 0; i < 8; i++)", "\tsum += data[i];", "show(sum);"])),
                   127: random.choice((["char back[4];", "memmove(back, data, 4);", "show(back[0]);"], ["show(data[0] + data[1]);"]))}[cwe]
            loose = "moved >= 0 && moved < 100" if cwe == 126 else "moved <= %d" % (count - 8)
            trigger = count - 7 if cwe == 126 else -random.choice((1, 3, 8))
            if cwe == 126:
                trigger = min(trigger, 99)

            def build(source, cwe=cwe, t=t, count=count, declare=declare, top=top, use=use, loose=loose, trigger=trigger):
                read = ["%s moved = 0;" % TYPES[t].c] + source.read(TYPES[t], "moved", "0")
                step = ["\tdata = data + moved;"]
                return Shape(cwe, "moved-" + TYPES[t].name, "char *", "buffer", read + ["if (%s)" % loose] + step,
                             read + ["if (moved >= 0 && moved <= %d)" % (count - 8)] + step, use, None,
                             source.encode(TYPES[t], trigger), source.encode(TYPES[t], 2), declare, top,
                             [source.encode(TYPES[t], v) for v in edges(TYPES[t], trigger)])
            out.append(build)
    return out


def arithmetic(random):
    """190 and 191: results that do not fit."""
    out = []
    for t in ("char", "short", "int", "unsigned", "int64", "size"):
        x = TYPES[t]
        small = x.size < 4
        # What is narrower than int is computed in int: only the conversion of the result goes wrong, and only where it is used for something.
        use = when("result >= 0 || data >= 0", ["tally[result]++;"]) if small else ["printf(\"%s\\n\", result);" % x.show]
        top = ["static int tally[%d];" % (x.most + 1)] if small else []
        nonnegative = "data >= 0 && " if small else ""
        rows = [(190, "add", "data + 1", nonnegative + "data < %s" % x.most_c, x.most),
                (190, "add-much", "data + 100", nonnegative + "data < %s - 100" % x.most_c, x.most - 50),
                (190, "multiply", "data * 2", "data > 0 && data < %s / 2" % x.most_c, x.most // 2 + 1),
                (190, "square", "data * data", {"char": "data >= 0 && data <= 11", "short": "data >= 0 && data <= 181",
                                                "int": "data > INT_MIN && abs(data) <= 46340", "unsigned": "data <= 65535",
                                                "int64": "data >= -3037000499 && data <= 3037000499", "size": "data <= 4294967295"}[t],
                 {"char": 12, "short": 182, "int": 46341, "unsigned": 65536, "int64": 3037000500, "size": 4294967296}[t])]
        for cwe, name, expression, exact, trigger in rows:
            loose = "data >= 0" if small else "data > 0" if name == "multiply" and x.signed else ""
            line = ["%s result = %s;" % (x.c, expression)] + use
            out.append(number(cwe, name, t, when(loose, line), when(exact, line), trigger, 3, top=top))
        for name, step in (("postincrement", "data++;"), ("preincrement", "++data;")):
            line = [step, "%s result = data;" % x.c] + use
            out.append(number(190, name, t, when("data >= 0" if small else "", line), when(nonnegative + "data < %s" % x.most_c, line), x.most, 3, top=top))
        if small:
            use, top = ["tally[result + %d]++;" % -x.least], ["static int tally[%d];" % (2 * (x.most + 1))]
        rows = [("subtract", "data - 1", "data > %s" % x.least_c, x.least), ("subtract-much", "data - 77", "data >= %s + 77" % x.least_c, x.least + 50)]
        if x.signed:
            rows.append(("multiply", "data * 2", "data < 0 && data > %s / 2" % x.least_c, x.least // 2 - 1))
        for name, expression, exact, trigger in rows:
            line = ["%s result = %s;" % (x.c, expression)] + use
            out.append(number(191, name, t, when("data < 0" if name == "multiply" else "", line), when(exact, line), trigger,
                              -3 if name == "multiply" else 100, top=top))
        for name, step in (("postdecrement", "data--;"), ("predecrement", "--data;")):
            line = [step, "%s result = data;" % x.c] + use
            out.append(number(191, name, t, line, when("data > %s" % x.least_c, line), x.least, 5, top=top))
    for t in ("unsigned", "size"):  # the result is used: a block of data + 1 bytes, and its last byte
        lines = ["char *block = malloc(data + 1);", "if (block) {", "\tblock[data] = 0;", "\tfree(block);", "}"]
        out.append(number(190, "add-block", t, lines, when("data < 1000", lines), TYPES[t].most, 9))
        lines = ["char *block = malloc(data);", "if (block) {", "\tfor (%s i = 0; i < data - 1; i++)" % TYPES[t].c, "\t\tblock[i] = 'a';", "\tfree(block);", "}"]
        out.append(number(191, "subtract-bound", t, when("data < 500", lines), when("data >= 1 && data < 500", lines), 0, 9))
    return out


def signs(random):
    """194 and 195: a negative number becomes a size."""
    out = []
    for cwe, types in ((194, ("short", "char")), (195, ("int", "int64", "int"))):
        for t in types:
            for how in ("memcpy", "memmove", "strncpy", "malloc", "memset", "calloc"):
                count = random.choice((50, 100, 120))
                if how in ("malloc", "calloc"):
                    call = "malloc(data)" if how == "malloc" else "calloc(data, 4)"
                    lines = ["char *block = %s;" % call, "if (!block)", "\texit(1);", "if (data > 0)", "\tblock[data - 1] = 'm';", "free(block);"]
                    top = []
                else:
                    call = {"memcpy": "memcpy(target, origin, data);", "memmove": "memmove(target, origin, data);",
                            "strncpy": "strncpy(target, origin, data);", "memset": "memset(target, 'q', data);"}[how]
                    declare, release, top = room(random.choice(("stack", "heap")), "char", count, "target")
                    lines = declare + ["memset(origin, 'o', %d);" % (count - 1), call, "show(target[0]);"] + release
                    top = ["static char origin[%d];" % count]
                out.append(number(cwe, how, t, when("data < %d" % count, lines), when("data >= 0 && data < %d" % count, lines),
                                  -random.choice((1, 1, 20)), 7, top=top))
    return out


def division(random):
    out = []
    for t in ("char", "short", "int", "unsigned", "int64", "size", "uchar"):
        x = TYPES[t]
        for how in ("divide", "modulo"):
            line = ["printf(\"%%ld\\n\", (long)(%d %s data));" % (random.choice((100, 1000, 77)), "/" if how == "divide" else "%")]
            out.append(number(369, how, t, line, when(random.choice(("data != 0", "data")), line), 0, 3))
        if x.size < 4:
            gap = random.choice((5, 37, 90))
            line = ["show(1000 / (data - %d));" % gap]
            out.append(number(369, "difference", t, line, when("data != %d" % gap, line), gap, 3))
        else:
            shift = random.choice((1, 3))
            line = ["printf(\"%%ld\\n\", (long)(5000 %% (data >> %d)));" % shift]
            out.append(number(369, "shifted", t, line, when("data >> %d" % shift, line), 0, 100))
            line = ["%s share = 900;" % x.c, "share /= data & 15;" if random.random() < 0.5 else "share %= data & 15;", "printf(\"%s\\n\", share);" % x.show]
            out.append(number(369, "masked", t, line, when("(data & 15) != 0", line), 32, 3))
    return out


def reals(random):
    """369 with a real number: the quotient has no int."""
    line = ["int share = (int)(100.0 / data);", "show(share);"]
    return [number(369, "real", "float", line, when(exact, line), 0, 2) for exact in ("data > 0.001 || data < -0.001", "fabs(data) > 0.000001")]


def freed(random):
    """415 and 416: what the input says decides whether the block is given back too early."""
    out = []
    for element in ("char", "int", "int64_t", "struct pair"):
        for how in ("equal", "range", "word", "product"):
            for cwe in (415, 416):
                out.append(freed_one(random, cwe, element, how))
        out.append(freed_one(random, 416, element, "moved"))
    return out


def told(source, how, random):
    """A condition on the input: statements, condition, triggering and benign input."""
    t = TYPES[random.choice(("int", "short", "unsigned"))]
    if how == "word":
        word = random.choice(("drop", "gone", "end"))
        return ["char word[12];"] + source.line("word", 12), "!strcmp(word, \"%s\")" % word, word.encode() + b"\n", b"keep\n"
    value, condition = {"equal": (77, "mode == 77"), "range": (300, "mode > 255"), "product": (17, "mode * 3 == 51"), "moved": (5, "mode == 5")}[how]
    if how == "product":
        t = TYPES["short"]
    return ["%s mode = 0;" % t.c] + source.read(t, "mode", "0"), condition, source.encode(t, value), source.encode(t, 2)


def freed_one(random, cwe, element, how):
    uses = {"char": ["data[0] = 'u';", "show(data[1]);"], "int": ["data[1] += 2;", "show(data[1]);"], "int64_t": ["printf(\"%ld\\n\", data[2]);"],
            "struct pair": ["show(data->second);", "data->first = 4;"]}
    others = {"char": ["char back[16];", "memcpy(back, data, 16);", "show(back[3]);"], "int": ["int sum = 0;", "for (int i = 0; i < 3; i++)", "\tsum += data[i];", "show(sum);"],
              "int64_t": ["data[0] = 9;"], "struct pair": ["struct pair copy = *data;", "show(copy.first);"]}
    use = random.choice((uses, others))[element]
    count = 16 if element == "char" else 4
    draw = random.randrange(1 << 30)

    def build(source):
        import random as r
        read, condition, trigger, benign = told(source, how, r.Random(draw))
        start = read + ["data = calloc(%d, sizeof *data);" % count, "if (!data)", "\texit(1);"]
        early = ["if (%s)" % condition, "\tfree(data);"]
        right = ["if (%s)" % condition, "\tdata[0] = data[1];"]
        if how == "moved":
            early = ["if (%s) {" % condition, "\tchar *other = realloc(data, 100000);", "\tshow(other != NULL);", "}"]
            right = ["if (%s) {" % condition, "\tvoid *other = realloc(data, 100000);", "\tif (!other)", "\t\texit(1);", "\tdata = other;", "}"]
        name = "%s-%s" % (how, element.replace("struct ", "").replace("_t", ""))
        top = ["struct pair {", "\tint first, second;", "};"]
        if cwe == 415:
            return Shape(415, name, element + " *", "NULL", start + early, start + right, ["free(data);"], ["show(data != NULL);"], trigger, benign, top=top)
        return Shape(416, name, element + " *", "NULL", start + early, start + right, use, ["show(data != NULL);"], trigger, benign, top=top)
    return build


def nulls(random):
    """476: a pointer that is null for some inputs."""
    out = []
    for element in ("char", "int", "int64_t", "struct pair"):
        for how in ("equal", "range", "word", "table", "binary", "after"):
            if how == "binary" and element != "struct pair":
                continue
            out.append(null_one(random, element, how))
    out += [null_search(random, c) for c in "=:"]
    out += [null_block(random, t) for t in ("size", "int64", "unsigned")]
    return out


def null_one(random, element, how):
    use = {"char": "show(*data);", "int": "show(data[0]);", "int64_t": "printf(\"%ld\\n\", *data);", "struct pair": random.choice(("show(data->second);", "data->first = 3;"))}[element]
    draw = random.randrange(1 << 30)
    name = "%s-%s" % (how, element.replace("struct ", "").replace("_t", ""))
    top = ["struct pair {", "\tint first, second;", "};", "static %s table[8];" % element]

    def build(source):
        import random as r
        if how == "table":
            t = TYPES["int"]
            read = ["int key = 0;"] + source.read(t, "key", "0") + ["data = NULL;", "for (int i = 0; i < 8; i++)", "\tif (key == 10 * i)", "\t\tdata = &table[i];"]
            right = read + ["if (!data)", "\tdata = &table[0];"]
            trigger, benign = source.encode(t, 33), source.encode(t, 40)
        else:
            read, condition, trigger, benign = told(source, how if how in ("equal", "range", "word") else "equal", r.Random(draw))
            right = read + ["data = %s ? &table[2] : &table[1];" % condition]
            read = read + ["data = %s ? NULL : &table[1];" % condition]
        sink, guard = [use], ["if (data)", "\t" + use]
        if how == "binary":
            sink, guard = ["if ((data != NULL) & (data->first == 5))", "\tputs(\"five\");"], ["if ((data != NULL) && (data->first == 5))", "\tputs(\"five\");"]
        if how == "after":
            sink = ["if (data == NULL)", "\tputs(\"none\");", use]
        return Shape(476, name, element + " *", "table", read, right, sink, guard, trigger, benign, top=top)
    return build


def null_search(random, sign):
    def build(source):
        return Shape(476, "strchr-%s" % {"=": "equals", ":": "colon"}[sign], "char *", "words", source.line("words", 24) + ["data = strchr(words, '%s');" % sign],
                     source.line("words", 24) + ["data = words;"], ["show(data[0]);"], ["if (data != NULL)", "\tshow(data[0]);"], b"key\n", b"a%sb\n" % sign.encode(),
                     top=["static char words[24];"])
    return build


def null_block(random, t):
    """malloc fails for sizes that no machine has."""
    x = TYPES[t]
    size = "(size_t)data * 1048576u" if t == "unsigned" else "(size_t)data"
    lines = ["int *block = malloc(%s);" % size, "*block = 4;", "free(block);"]
    right = ["int *block = malloc(%s);" % size, "if (block)", "\t*block = 4;", "free(block);"]
    low = "data >= 4 && " if t == "int64" else ""
    most = 500 if t == "unsigned" else 5000  # MiB, or bytes: nobody is to call what the right one asks for too large
    return number(476, "block", t, when((low or "data >= 4 && ") + "data > 3", lines), when("data >= 4 && data < %d" % most, right), x.most if t != "unsigned" else x.most, 64)


def sizes(random):
    """680: the size of a block wraps, and what follows writes more than it has."""
    out = []
    for element, size in (("int", 4), ("int64_t", 8), ("struct pair", 8)):
        value = "(struct pair){1, 2}" if element == "struct pair" else "(%s)i" % element
        top = ["struct pair {", "\tint first, second;", "};"]
        for t in ("int", "unsigned"):
            lines = ["unsigned bytes = (unsigned)data * (unsigned)sizeof(%s);" % element, "%s *block = malloc(bytes);" % element, "if (!block)", "\texit(1);",
                     "for (%s i = 0; i < data; i++)" % TYPES[t].c, "\tblock[i] = %s;" % value, "show(block != NULL);", "free(block);"]
            out.append(number(680, "product-" + element.split()[-1], t, when("data > 0", lines), when("data > 0 && data < 200", lines), (1 << 32) // size + 1, 3, 20, top))
        lines = ["%s *block = malloc(data * sizeof(%s));" % (element, element), "if (!block)", "\texit(1);",
                 "for (size_t i = 0; i < data; i++)", "\tblock[i] = %s;" % value, "show(block != NULL);", "free(block);"]
        value = value.replace("(%s)i" % element, "(%s)i" % element)
        out.append(number(680, "product-" + element.split()[-1], "size", when("data > 0", lines), when("data > 0 && data < 200", lines), (1 << 64) // size + 1, 3, 20, top))
    for t, wide in (("ushort", "uint16_t"), ("uchar", "uint8_t")):
        most = TYPES[t].most
        lines = ["%s bytes = (%s)(data + 8);" % (wide, wide), "char *block = malloc(bytes);", "if (!block)", "\texit(1);", "memcpy(block, origin, data);", "show(block[0]);", "free(block);"]
        out.append(number(680, "header", t, lines, when("data <= %d - 8" % most, lines), most - 3, 9, 9, ["static char origin[%d];" % (most + 1)]))
    lines = ["int wide = data & 0xffff, high = data >> 16 & 0xffff;", "int bytes = wide * high;", "char *block = malloc((size_t)bytes + 1);", "if (!block)", "\texit(1);",
             "block[bytes] = 0;", "free(block);"]
    out.append(number(680, "area", "int", lines, when("(data & 0xffff) < 100 && (data >> 16 & 0xffff) < 100", lines), -1, 0x30005, 0x30005))
    lines = ["uint32_t bytes = data * 12u + 4u;", "uint32_t *block = malloc(bytes);", "if (!block)", "\texit(1);", "block[0] = data;",
             "for (uint32_t i = 0; i < data; i++)", "\tblock[1 + 3 * i] = i;", "free(block);"]
    out.append(number(680, "records", "unsigned", lines, when("data < 100", lines), 0x15555556, 3, 5))
    lines = ["int bytes = data + 16;", "char *block = malloc((size_t)bytes);", "if (!block)", "\texit(1);", "memset(block, 'z', 16);", "show(block[3]);", "free(block);"]
    out.append(number(680, "sum", "int", when("data >= 0", lines), when("data >= 0 && data < 1000", lines), 0x7fffffff, 3, 5))
    lines = ["char *block = malloc(data + 24);", "if (!block)", "\texit(1);", "memset(block, 'z', 24);", "show(block[3]);", "free(block);"]
    out.append(number(680, "sum", "size", lines, when("data < 1000", lines), (1 << 64) - 5, 3, 5))
    lines = ["short count = (short)(data * 3);", "int *block = calloc((size_t)(count > 0 ? count : 1), sizeof *block);", "if (!block)", "\texit(1);",
             "for (int i = 0; i < data; i++)", "\tblock[i] = i;", "free(block);"]
    out.append(number(680, "triple", "int", when("data > 0 && data < 100000", lines), when("data > 0 && data < 10000", lines), 11000, 3, 5))
    return out


def shapes(seed):
    """Builders of shapes, by class; a builder takes the source."""
    r = random.Random(seed)
    every = {cwe: [] for cwe in CLASSES}
    probe = SOURCES[0]
    for make in (accesses, strings, pointers, arithmetic, signs, division, reals, freed, nulls, sizes):
        for build in make(r):
            every[build(probe).cwe].append(build)
    return every


# --------------------------------------------------------------------------------------------------------------- flows
PRELUDE = """#include <alloca.h>
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
"""


def block(lines, depth=1):
    return "".join("\t" * depth + line + "\n" for line in lines)


def scope(lines, depth=1):
    return "\t" * depth + "{\n" + block(lines, depth + 1) + "\t" * depth + "}\n"


class Flow:
    """data goes from `source` to `sink`; both are statements, `declare` is its declaration with the initial value."""

    def __init__(self, name, build):
        self.name, self.build = name, build


def star(c):
    return c if c.endswith("*") else c + " "


def declare(s):
    return "%sdata = %s;" % (star(s.c), s.init)


def flow_direct(s, source, sink):
    return {"run": block([declare(s)]) + scope(source) + scope(sink)}


def conditional(condition, top=()):
    def build(s, source, sink):
        body = block([declare(s), "if (%s) {" % condition]) + block(source, 2) + "\t} else {\n\t\tputs(\"no source\");\n\t}\n"
        return {"top": list(top), "run": body + block(["if (%s) {" % condition]) + block(sink, 2) + "\t}\n"}
    return build


def flow_input(s, source, sink):
    """Two sides, the other one good on both; which one is the input's choice."""
    body = block(["int choice = next_byte();", declare(s), "if (choice == 'y') {"]) + block(source, 2) + "\t} else {\n" + block(s.good or source, 2) + "\t}\n"
    return {"prefix": b"y", "calm": b"n", "byte": True,
            "run": body + block(["if (choice == 'y') {"]) + block(sink, 2) + "\t} else {\n" + block(s.guard or sink, 2) + "\t}\n"}


def flow_switch(s, source, sink):
    def one(body, value):
        return "\tswitch (%d) {\n\tcase %d: {\n" % (value, value) + block(body, 2) + "\t\tbreak;\n\t}\n\tdefault:\n\t\tputs(\"other\");\n\t\tbreak;\n\t}\n"
    return {"run": block([declare(s)]) + one(source, 6) + one(sink, 7)}


def flow_while(s, source, sink):
    return {"run": block([declare(s), "while (1) {"]) + block(source + ["break;"], 2) + "\t}\n" + block(["while (1) {"]) + block(sink + ["break;"], 2) + "\t}\n"}


def flow_for(s, source, sink):
    return {"run": block([declare(s), "for (int pass = 0; pass < 1; pass++) {"]) + block(source, 2) + "\t}\n" +
            block(["for (int turn = 0; turn < 1; turn++) {"]) + block(sink, 2) + "\t}\n"}


def flow_goto(s, source, sink):
    return {"run": block([declare(s), "goto from;"]) + "from:\n" + scope(source) + "\tgoto to;\nto:\n" + scope(sink)}


def flow_copy(s, source, sink):
    return {"run": block([declare(s)]) + scope(source) + "\t{\n" + block(["%scopy = data;" % star(s.c), "%sdata = copy;" % star(s.c)], 2) + block(sink, 2) + "\t}\n"}


def flow_alias(s, source, sink):
    return {"run": block([declare(s), "%s*one = &data;" % star(s.c), "%s*two = &data;" % star(s.c)]) +
            "\t{\n" + block(["%sdata = *one;" % star(s.c)], 2) + scope(source, 2) + block(["*one = data;"], 2) + "\t}\n" +
            "\t{\n" + block(["%sdata = *two;" % star(s.c)], 2) + block(sink, 2) + "\t}\n"}


def flow_double(s, source, sink):
    return {"run": block([declare(s), "%s*at = &data;" % star(s.c), "%s**from = &at;" % star(s.c)]) + scope(source) +
            "\t{\n" + block(["%sdata = **from;" % star(s.c)], 2) + block(sink, 2) + "\t}\n"}


def flow_union(s, source, sink):
    return {"top": ["union either {", "\t%sfirst;" % star(s.c), "\t%ssecond;" % star(s.c), "};"],
            "run": block([declare(s), "union either either;"]) + scope(source) + block(["either.first = data;"]) +
            "\t{\n" + block(["%sdata = either.second;" % star(s.c)], 2) + block(sink, 2) + "\t}\n"}


def flow_struct(s, source, sink):
    return {"top": ["struct holder {", "\tint before;", "\t%smember;" % star(s.c), "};"], "sink": ("struct holder held", ["%sdata = held.member;" % star(s.c)], sink),
            "run": block([declare(s), "struct holder held = {1, 0};"]) + scope(source) + block(["held.member = data;", "sink(held);"])}


def flow_array(s, source, sink):
    return {"sink": ("%sitems[]" % star(s.c), ["%sdata = items[2];" % star(s.c)], sink),
            "run": block([declare(s), "%sitems[5] = {0};" % star(s.c)]) + scope(source) + block(["items[2] = data;", "sink(items);"])}


def flow_call(s, source, sink):
    return {"sink": ("%sdata" % star(s.c), [], sink), "run": block([declare(s)]) + scope(source) + block(["sink(data);"])}


def flow_return(s, source, sink):
    return {"source": ("%sdata" % star(s.c), source, True), "run": block([declare(s), "data = source(data);"]) + scope(sink)}


def flow_pointer(s, source, sink):
    return {"source": ("%s*at" % star(s.c), ["%sdata = *at;" % star(s.c)] + source + ["*at = data;"], False),
            "sink": ("%s*at" % star(s.c), ["%sdata = *at;" % star(s.c)], sink), "run": block([declare(s), "source(&data);", "sink(&data);"])}


def flow_void(s, source, sink):
    return {"sink": ("void *at", ["%sdata = *(%s*)at;" % (star(s.c), star(s.c))], sink), "run": block([declare(s)]) + scope(source) + block(["sink(&data);"])}


def flow_function(s, source, sink):
    return {"sink": ("%sdata" % star(s.c), [], sink), "run": block([declare(s), "void (*call)(%s) = sink;" % s.c]) + scope(source) + block(["call(data);"])}


def flow_global(s, source, sink):
    return {"global": "%skept" % star(s.c), "sink": ("void", ["%sdata = kept;" % star(s.c)], sink),
            "run": block([declare(s)]) + scope(source) + block(["kept = data;", "sink();"])}


def flow_deep(s, source, sink):
    return {"sink": ("%sdata" % star(s.c), [], sink), "middle": "static void middle(%sdata)\n{\n\tsink(data);\n}\n" % star(s.c),
            "run": block([declare(s)]) + scope(source) + block(["middle(data);"])}


def flow_both(s, source, sink):
    """Source and sink in functions, and a condition on a global between them."""
    return {"source": ("%sdata" % star(s.c), source, True), "sink": ("%sdata" % star(s.c), [], sink), "top": ["int enabled = 1;"],
            "run": block([declare(s), "if (enabled)", "\tdata = source(data);", "if (enabled)", "\tsink(data);"])}


def two_files(flow):
    def build(s, source, sink):
        parts = flow(s, source, sink)
        parts["apart"] = True
        return parts
    return build


FLOWS = [Flow(name, build) for name, build in (
    ("direct", flow_direct), ("if-1", conditional("1")), ("if-5==5", conditional("5 == 5")),
    ("if-static-const", conditional("always", ["static const int always = 1;"])), ("if-static", conditional("on", ["static int on = 1;"])),
    ("if-five", conditional("five == 5", ["static int five = 5;"])), ("if-global", conditional("enabled", ["int enabled = 1;"])),
    ("if-function", conditional("is_on()", ["static int is_on(void)", "{", "\treturn 1;", "}"])), ("if-input", flow_input),
    ("switch", flow_switch), ("while", flow_while), ("for", flow_for), ("goto", flow_goto), ("copy", flow_copy), ("alias", flow_alias),
    ("pointer-to-pointer", flow_double), ("union", flow_union), ("struct", flow_struct), ("array", flow_array), ("call", flow_call),
    ("return", flow_return), ("out-pointer", flow_pointer), ("void-pointer", flow_void), ("function-pointer", flow_function),
    ("global", flow_global), ("two-deep", flow_deep), ("both-called", flow_both),
    ("files-call", two_files(flow_call)), ("files-return", two_files(flow_return)), ("files-struct", two_files(flow_struct)), ("files-global", two_files(flow_global)))]


def program(s, flow, source, reader, sink):
    """The files of a program: {name: text}, and what the flow puts before the input of the source."""
    parts = flow.build(s, source, sink)
    apart = parts.get("apart")
    shared = "extern FILE *in;\nextern int fd;\nvoid show(int value);\nint next_byte(void);\n"
    top = "".join(line + "\n" for line in s.top) + "".join(line + "\n" for line in parts.get("top", []))
    static = "" if apart else "static "
    kept = parts.get("global")
    functions = heads = ""
    if "source" in parts:
        arguments, body, back = parts["source"]
        head = "%s%ssource(%s)" % (static, star(s.c) if back else "void ", arguments)
        functions += "%s\n{\n%s%s}\n\n" % (head, block(body), "\treturn data;\n" if back else "")
        heads += head + ";\n"
    if "sink" in parts:
        arguments, start, body = parts["sink"]
        head = "%svoid sink(%s)" % (static, arguments)
        functions += "%s\n{\n%s%s}\n\n" % (head, block(start), block(body))
        heads += head + ";\n"
    if "middle" in parts:
        functions += parts["middle"] + "\n"
    base = "FILE *in;\nint fd;\n\nvoid show(int value)\n{\n\tprintf(\"%d\\n\", value);\n}\n\nint next_byte(void)\n{\n" + block(reader.next_byte()) + "}\n"
    run = "static void run(void)\n{\n" + block(s.frame) + parts["run"] + "}\n\n"
    if reader.stream == "-file":
        start = ["if (argc < 2)", "\treturn 2;", "in = fopen(argv[1], \"rb\");", "if (!in)", "\treturn 2;", "fd = fileno(in);"]
    else:
        start = ["(void)argc, (void)argv;", "in = stdin;", "fd = 0;"]
    main = "int main(int argc, char **argv)\n{\n" + block(start + ["run();", "return 0;"]) + "}\n"
    if not apart:
        text = PRELUDE + "\n" + base + "\n" + top + ("static %s;\n" % kept if kept else "") + "\n" + functions + run + main
        return {"main.c": text}, parts
    declarations = ("extern %s;\n" % kept if kept else "") + heads
    return {"main.c": PRELUDE + "\n" + base + "\n" + top + ("%s;\n" % kept if kept else "") + declarations + "\n" + run + main,
            "other.c": PRELUDE + "\n" + shared + top + declarations + "\n" + functions}, parts


class Pair:
    """name, cwe, flow, source; bad and good: {file: text}; arguments; seed and trigger: inputs."""

    def __init__(self, builder, flow, source, good):
        s = builder(source)
        good = "sink" if s.good is None else "source" if s.guard is None else good
        self.cwe, self.flow, self.source, self.good_by = s.cwe, flow.name, source.name, good
        self.name = "%d-%s-%s-%s-%s" % (s.cwe, s.name, flow.name.replace("==", ""), source.name, good)
        self.bad, parts = program(s, flow, s.bad, source, s.sink)
        if good == "source":
            fixed = s
            self.good, _ = program(fixed, flow, s.good, source, s.sink)
        else:
            self.good, _ = program(s, flow, s.bad, source, s.guard)
        if flow.name == "if-input" and good == "source":  # the other side must be right too: it has the good sink, or the good source
            self.good, _ = program(s, flow, s.good, source, s.sink)
        self.seed = parts.get("calm", b"") + s.benign
        self.trigger = parts.get("prefix", b"") + s.trigger
        more = s.more or [s.trigger[:n] for n in range(len(s.trigger))] + [s.trigger * 4]
        self.more = [before + data for before in sorted({parts.get("prefix", b""), parts.get("calm", b"")}) for data in more] + [b""]
        self.arguments = ["@@"] if source.stream == "-file" else []


def pairs(count, seed):
    """`count` pairs, the classes in turn; within a class shapes, flows and sources in an order drawn by the seed, each used before one comes again."""
    r = random.Random(seed)
    every = shapes(seed)
    order = {cwe: [] for cwe in CLASSES}
    flows, sources, names, out = [], [], set(), []
    while len(out) < count:
        for cwe in CLASSES:
            if len(out) == count:
                break
            while True:
                if not order[cwe]:
                    order[cwe] = r.sample(every[cwe], len(every[cwe]))
                if not flows:
                    flows = r.sample(FLOWS, len(FLOWS))
                if not sources:
                    sources = r.sample(SOURCES, len(SOURCES))
                p = Pair(order[cwe].pop(), flows.pop(), sources.pop(), "source" if r.random() < 0.3 else "sink")
                if p.name not in names:
                    break
            names.add(p.name)
            out.append(p)
    return out


def cross(seed):
    """Every shape with every source, the flows in turn: all that a change for a shape or a source can reach."""
    r = random.Random(seed)
    flows = r.sample(FLOWS, len(FLOWS))
    out = []
    for cwe, builders in shapes(seed).items():
        for builder in builders:
            for source in SOURCES:
                out.append(Pair(builder, flows[len(out) % len(flows)], source, "source" if r.random() < 0.3 else "sink"))
    return out
