# Takes apart what `muster trace` prints, FILE:LINE:COLUMN: FUNCTION: KIND: TEXT for each event, into KIND LINE TEXT
# @PLACE. LINE is the line in the file named by -v file=, 0 for any other. Selects and switches are branches here;
# the text of a concretisation begins with its reason. What a shortened condition stands for belongs to its line.
match($0, /^[^ ]*:[0-9]+:[0-9]+: [^ ]+: [a-z]+: /) {
	text = substr($0, RLENGTH + 1)
	split(substr($0, 1, RLENGTH), part, ": ")
	n = split(part[1], place, ":")
	name = place[1]
	sub(/.*\//, "", name)
	line = name == file ? place[n - 1] : 0
	kind = part[3]
	if (kind == "switch" || kind == "select")
		kind = "branch"
	if (kind == "concrete")
		sub(/:/, "", text)
	print kind, line, text, "@" part[1]
}
/^    where / && kind != "concrete" { print kind, line, substr($0, 11), "@" part[1] }
