"""generate.py: random well-formed CSimpL programs, and the same programs as C with MUSTER_REFINE.

A file is a list of functions and two environments that agree on the results of operators. Functions have three
parameters, all int. Each command of C stands on a line of its own, so the line names the command."""

from csimpl import Environment, Predicate, Program, Signature

PARAMETERS = ("p", "q", "r")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Generator:
	def __init__(self, random):
		self.random = random

	def pick(self, *choices):
		return self.random.choice(choices)

	# ------------------------------------------------------------- environments

	def conjunct(self, name, others):
		"""One that many small values satisfy and some do not; now and then none does, or all do."""
		small = self.random.randint
		form = self.random.random()
		if others and form < 0.12:
			other = self.pick(*others)
			return Predicate("%s %s %s" % (name, self.pick("<=", ">=", "!=", "<"), self.pick(other, "%s %s %d" % (other, self.pick("+", "-"), small(1, 9)))), (name, other))
		if form < 0.22:
			return Predicate("%s %s %d || %s %s %d" % (name, self.pick("<", "=="), small(-3, 3), name, self.pick(">", "=="), small(0, 5)), (name,))
		if form < 0.27:
			return Predicate("%s * %s %s %d" % (name, name, self.pick("<=", "!="), small(8, 90)), (name,))
		if form < 0.57:
			return Predicate("%s %s %d" % (name, self.pick(">", ">="), small(-40, -3) if self.random.random() < 0.9 else small(-3, 3)), (name,))
		if form < 0.9:
			return Predicate("%s %s %d" % (name, self.pick("<", "<="), small(3, 90) if self.random.random() < 0.9 else small(-3, 3)), (name,))
		return Predicate("%s != %d" % (name, small(-5, 5)), (name,))

	def type_of(self, name, others):
		return [self.conjunct(name, others) for _ in range(self.pick(1, 1, 2))]

	def operands(self, op):
		if op in ("/", "%") and self.random.random() < 0.9:
			return [Predicate("b != 0", ("b",))] if self.random.random() < 0.85 else [Predicate("b > 0", ("b",)), Predicate("a >= -50", ("a",))]
		k = self.random.randint(3, 40)
		return [self.pick(Predicate("a <= %d" % k, ("a",)), Predicate("b >= -%d" % k, ("b",)), Predicate("a <= b + %d" % k, ("a", "b")),
		                  Predicate("a != b || a < %d" % k, ("a", "b")))]

	def result(self, op):
		"""Of an operator, the same in both environments."""
		if self.random.random() < 0.75:
			return []
		return [self.pick(Predicate("result <= %d" % self.random.randint(5, 200), ("result",)),
		                  Predicate("result >= a - 100", ("result", "a")))]

	def signatures(self):
		"""Of both environments."""
		both = ({}, {})
		for op in "+-*/%":
			result = self.result(op)
			for environment in both:
				if self.random.random() < (0.9 if op in "/%" else 0.3):
					environment[op] = [Signature(self.operands(op), result)]
		# An operator that one of them does not know has its plain signature there: it agrees only with an empty result.
		for op in "+-*/%":
			known = [e for e in both if op in e]
			if len(known) == 1:
				known[0][op][0].result = []
		return both

	# ------------------------------------------------------------------ commands

	def operand(self, names):
		return self.pick(*names) if self.random.random() < 0.8 else self.random.randint(-6, 12)

	def expression(self, names):
		if self.random.random() < 0.25:
			return self.operand(names)
		return (self.pick("+", "+", "+", "-", "-", "-", "*", "*", "/", "%"), self.pick(*names), self.operand(names))

	def condition(self, names, flags):
		if flags and self.random.random() < 0.3:
			return self.pick(*flags)
		return (self.pick(*COMPARISONS), self.pick(*names), self.operand(names))

	def commands(self, names, flags, depth, counters):
		body = []
		for _ in range(self.random.randint(1, 4)):
			kind = self.random.random()
			if kind < 0.6 or depth == 0:
				body.append(["set", 0, self.pick(*names), self.expression(names)])
			elif kind < 0.7 and flags:
				body.append(["set", 0, self.pick(*flags), self.condition(names, [])])
			elif kind < 0.92 or not counters:
				body.append(["if", 0, self.condition(names, flags), self.commands(names, flags, depth - 1, counters),
				             self.commands(names, flags, depth - 1, counters) if self.random.random() < 0.6 else []])
			else:
				# A loop that ends: its counter is nobody else's.
				k = counters.pop()
				body.append(["set", 0, k, 0])
				body.append(["while", 0, ("<", k, self.random.randint(1, 3)),
				             self.commands(names, flags, 0, counters) + [["set", 0, k, ("+", k, 1)]]])
		return body

	def file(self, functions):
		"""(programs, first environments, second environments): the variables of each function have types of their own."""
		both = self.signatures()
		made = []
		for number in range(functions):
			variables = ["x", "y", "z"][:self.random.randint(1, 3)]
			flags = ["c", "d"][:self.random.randint(0, 2)]
			counters = ["i", "j"]
			environments = []
			for signatures in both:
				types = {}
				for name in PARAMETERS:
					if self.random.random() < 0.25:
						types[name] = [self.type_of(name, [n for n in PARAMETERS if n != name])]
				for k, name in enumerate(variables):
					if self.random.random() < 0.6:
						types[name] = [self.type_of(name, list(PARAMETERS) + variables[:k])]
				environments.append(Environment(signatures, types))
			initial = [[name, 0, self.expression(list(PARAMETERS) + variables[:k]) if self.random.random() < 0.4 else self.operand(PARAMETERS)]
			           for k, name in enumerate(variables)]
			initial += [[name, 0, 0] for name in flags + ["i", "j"]]
			body = self.commands(list(PARAMETERS) + variables, flags, 2, counters)
			made.append((Program("f%d" % number, PARAMETERS, initial, body), environments[0], environments[1]))
		return made


# -------------------------------------------------------------------------- as C

class Writer:
	"""Writes programs as C and gives their commands the lines they stand on."""

	def __init__(self):
		self.lines = []

	def add(self, depth, text):
		self.lines.append("\t" * depth + text)
		return len(self.lines)

	def text(self):
		return "\n".join(self.lines) + "\n"

	def refined(self, environment, name):
		return name + "".join(' MUSTER_REFINE("%s")' % joined(part) for part in environment.types.get(name, []))

	def signatures(self, environment):
		for op, signatures in sorted(environment.signatures.items()):
			for s in signatures:
				if s.result:
					self.add(0, 'MUSTER_OPERATOR_RESULT(int, "a %s b", "%s", "%s");' % (op, joined(s.operands), joined(s.result)))
				else:
					self.add(0, 'MUSTER_OPERATOR(int, "a %s b", "%s");' % (op, joined(s.operands)))

	def function(self, program, environment):
		self.add(0, "")
		program.line = self.add(0, "int %s(%s)" % (program.name, ", ".join("int " + self.refined(environment, p) for p in program.parameters)))
		self.add(0, "{")
		for variable in program.variables:
			flag = variable[0] in ("c", "d")
			variable[1] = self.add(1, "%s %s = %s;" % ("_Bool" if flag else "int", self.refined(environment, variable[0]), expression(variable[2])))
		self.commands(program.body, 1)
		self.add(1, "return 0;")
		self.add(0, "}")

	def commands(self, commands, depth):
		for command in commands:
			if command[0] == "set":
				command[1] = self.add(depth, "%s = %s;" % (command[2], expression(command[3])))
			else:
				command[1] = self.add(depth, "%s (%s) {" % (command[0], expression(command[2])))
				self.commands(command[3], depth + 1)
				if command[0] == "if" and command[4]:
					self.add(depth, "} else {")
					self.commands(command[4], depth + 1)
				self.add(depth, "}")


def joined(conjuncts):
	return " && ".join("(%s)" % c.text if "||" in c.text and len(conjuncts) > 1 else c.text for c in conjuncts)


def expression(e):
	if isinstance(e, tuple):
		return "%s %s %s" % (expression(e[1]), e[0], expression(e[2]))
	return str(e)


def write(made, which):
	"""C text of a file under its first (0), second (1) environments or their intersections (2), and those environments."""
	w = Writer()
	w.add(0, "#include <muster/muster.h>")
	environments = [(first, second, first.meet(second))[which] for _, first, second in made]
	w.signatures(environments[0])
	for (program, _, _), environment in zip(made, environments):
		w.function(program, environment)
	return w.text(), environments
