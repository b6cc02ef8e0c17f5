# Events of one source file out of what `muster trace` prints: KIND LINE REASON-OR-CONDITION. Selects and
# switches are branches here. A line of the path is FILE:LINE:COLUMN: FUNCTION: KIND: TEXT.
match($0, /^[^ ]*:[0-9]+:[0-9]+: [^ ]+: [a-z]+: /) {
	head = substr($0, 1, RLENGTH)
	text = substr($0, RLENGTH + 1)
	split(head, part, ": ")
	n = split(part[1], place, ":")
	name = place[1]
	sub(/.*\//, "", name)
	if (name != file)
		next
	kind = part[3]
	if (kind == "switch" || kind == "select")
		kind = "branch"
	if (kind == "branch")
		sub(/^(not )?taken: /, "", text)
	if (kind == "concrete")
		sub(/:.*/, "", text)
	if (kind == "branch" || kind == "concrete")
		print kind, place[n - 1], text
}
# What a shortened condition stands for belongs to its line.
/^    where / && kind == "branch" && name == file { print kind, place[n - 1], substr($0, 11) }
