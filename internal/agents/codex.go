package agents

// codex answers PreToolUse alone: Codex gives a hook only what it has cut of an output, so nothing is to be had after the
// call. It takes an updatedInput only along with permissionDecision "allow", which there decides nothing: its rules and its
// approvals see the new command as they would have seen the model's. The standard error of a command stays apart, for with a
// redirection its rules would no longer look into the command.
func (h Hook) codex(c call) ([]byte, error) {
	if c.event != "PreToolUse" || c.tool != "Bash" {
		return nil, nil
	}
	if input := h.wrapped(c, false); input != nil {
		return c.answer(`"permissionDecision":"allow","updatedInput":`, input), nil
	}
	return nil, nil
}
