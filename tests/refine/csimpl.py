"""csimpl.py: CSimpL as docs/csimpl.md reads it, small enough to be read beside it: the oracle of refinement types.

It knows no prover: every cast is made, and checked when the program runs. A cast whose value is not of its type is Failed, and the
program stops there. An operator that is not defined for its operands is Stuck: of that nothing is claimed, and nothing is
compared. Nothing here knows muster."""

LIMIT = 1 << 31
OPERATORS = ("+", "-", "*", "/", "%")


class Failed(Exception):
	"""A failed cast."""

	def __init__(self, line, text):
		Exception.__init__(self)
		self.line, self.text = line, text


class Stuck(Exception):
	"""An operator that is not defined here."""


class Predicate:
	"""A conjunct: C text and the names in it. The text uses only what C and Python read the same way: names, numbers,
	comparisons, + - *, and `and`/`or` where C has && and ||; % only of numbers that are not negative in both."""

	def __init__(self, text, names):
		self.text, self.names = text, tuple(names)
		# Beyond it the text's own arithmetic may leave C's int.
		self.limit = 46340 if " * " in text else LIMIT - 1000 if " + " in text or " - " in text else LIMIT
		python = text.replace("&&", " and ").replace("||", " or ")
		self.holds = eval("lambda %s: bool(%s)" % (", ".join(self.names), python))

	def value(self, store):
		values = [store[n] for n in self.names]
		if any(abs(v) > self.limit for v in values):
			raise Stuck
		return self.holds(*values)


def cast(line, conjuncts, store, log):
	"""A cast set: all of it is looked at, in no order. The log gets of each conjunct whether it held, and the others did."""
	held = [c.value(store) for c in conjuncts]
	for k, c in enumerate(conjuncts):
		log.append((line, c.text, held[k], all(held[:k] + held[k + 1:])))
	if not all(held):
		raise Failed(line, conjuncts[held.index(False)].text)


class Signature:
	"""An operator's: conjuncts over a and b, and over a, b and result."""

	def __init__(self, operands, result):
		self.operands, self.result = operands, result


class Environment:
	def __init__(self, signatures=None, types=None):
		self.signatures = signatures or {}	# operator: [Signature]
		self.types = types or {}		# variable: [[Predicate]], a list for each part of an intersection

	def conjuncts(self, variable):
		return [p for part in self.types.get(variable, []) for p in part]

	def meet(self, other):
		"""The intersection; both must agree on the results of operators, which is theirs to see to."""
		both = Environment()
		for mine in (self, other):
			for name, parts in mine.types.items():
				both.types.setdefault(name, []).extend(parts)
			for op, signatures in mine.signatures.items():
				both.signatures.setdefault(op, []).extend(signatures)
		return both


# -------------------------------------------------------------------- denotations

def apply(op, a, b):
	if op in ("/", "%"):
		if b == 0:
			raise Stuck
		quotient = abs(a) // abs(b)
		quotient = quotient if (a < 0) == (b < 0) else -quotient
		value = quotient if op == "/" else a - quotient * b
		if op == "%" and quotient >= LIMIT:
			raise Stuck
	else:
		value = a + b if op == "+" else a - b if op == "-" else a * b
	if not -LIMIT <= value < LIMIT:
		raise Stuck
	return value


COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


# ------------------------------------------------------------------------ programs

class Program:
	"""A function: parameters, variables with the operand or expression they begin with, and a body. Commands are
	("set", line, x, e), ("if", line, e, then, else), ("while", line, e, body). Expressions are an int, a name, or
	(op, o, o). Lines are those of the C text."""

	def __init__(self, name, parameters, variables, body):
		self.name, self.parameters, self.variables, self.body = name, parameters, variables, body
		self.line = 0

	def run(self, environment, inputs, log, fuel=400):
		"""None if it ends, else the Failed. Raises Stuck. log gets what cast() says."""
		store = dict(zip(self.parameters, inputs))
		machine = Machine(environment, store, log, fuel)
		try:
			cast(self.line, [c for name in self.parameters for c in environment.conjuncts(name)], store, log)
			machine.commands([("set", line, name, e) for name, line, e in self.variables])
			machine.commands(self.body)
		except Failed as failed:
			return failed
		return None


class Machine:
	def __init__(self, environment, store, log, fuel):
		self.environment, self.store, self.log, self.fuel = environment, store, log, fuel
		self.dependents = {}
		for name in environment.types:
			for conjunct in environment.conjuncts(name):
				for other in conjunct.names:
					if other != name:
						self.dependents.setdefault(other, []).append((name, conjunct))

	def operand(self, o):
		return o if isinstance(o, int) else self.store[o]

	def expression(self, e, line):
		if not isinstance(e, tuple):
			return self.operand(e)
		op, a, b = e[0], self.operand(e[1]), self.operand(e[2])
		if op in COMPARE:
			return int(COMPARE[op](a, b))
		values = {"a": a, "b": b}
		signatures = self.environment.signatures.get(op, [])
		cast(line, [c for s in signatures for c in s.operands], values, self.log)
		values["result"] = apply(op, a, b)
		cast(line, [c for s in signatures for c in s.result], values, self.log)
		return values["result"]

	def set(self, line, name, e):
		self.store[name] = self.expression(e, line)
		conjuncts = [c for c in self.environment.conjuncts(name) if all(n in self.store for n in c.names)]
		conjuncts += [c for other, c in self.dependents.get(name, []) if other in self.store]
		cast(line, conjuncts, self.store, self.log)

	def commands(self, commands):
		for command in commands:
			self.fuel -= 1
			if self.fuel < 0:
				raise Stuck
			kind, line = command[0], command[1]
			if kind == "set":
				self.set(line, command[2], command[3])
			elif kind == "if":
				self.commands(command[3] if self.expression(command[2], line) else command[4])
			else:
				while self.expression(command[2], line):
					self.fuel -= 1
					self.commands(command[3])
