# Events of one source file out of what `muster trace` prints: KIND LINE REASON-OR-CONDITION.
{ }
