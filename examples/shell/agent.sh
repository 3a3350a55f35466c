#!/bin/sh
# A whole agent in shell and jq, with llmblob at its three places: a command runs through capture, the history is projected
# before each request, and inspect is a tool. The model is a program that reads a request and writes a message, both in the
# shape of OpenAI's Chat Completions:
#
#	agent.sh MODEL PROMPT > history.jsonl
#
# MODEL may be
#
#	jq -c '.model = "…"' | curl -sSf https://…/v1/chat/completions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d @- | jq -c '.choices[0].message'
#
# Without one a model of a few lines plays, which runs a command, looks for what failed, and answers.
set -eu
model=${1:-scripted}
history=$(mktemp)
trap 'rm -f "$history"' EXIT

scripted() {
	jq -c '
		def call($name; $arguments): {role: "assistant", content: null, tool_calls:
			[{id: "call_\(.messages | length)", type: "function", function: {name: $name, arguments: ($arguments | tojson)}}]};
		.messages[-1] as $last
		| if $last.role == "user" then call("bash"; {command: "seq 1 4000; echo FATAL: disk full; seq 4002 5000"})
		  elif $last.content | startswith("[blob:") then call("inspect"; {blob_id: $last.content[6:42], selector: ["grep:FATAL"], context: 0})
		  else {role: "assistant", content: "Found: \($last.content | rtrimstr("\n"))"} end'
}

tools=$(llmblob tool schema --for openai-chat | jq -c '[., {type: "function", function: {name: "bash",
	description: "run a command", parameters: {type: "object", properties: {command: {type: "string"}}}}}]')

jq -nc --arg text "${2:-What went wrong?}" '{role: "user", content: $text}' >>"$history"
while :; do
	message=$(llmblob project --format openai-chat "$history" | jq -sc --argjson tools "$tools" '{messages: ., tools: $tools}' | eval "$model") || {
		echo "agent.sh: the model failed" >&2
		exit 1
	}
	if [ "$(printf '%s' "$message" | jq -r '.role?')" != assistant ]; then
		echo "agent.sh: the model gave no message: $message" >&2
		exit 1
	fi
	printf '%s\n' "$message" >>"$history"
	calls=$(printf '%s' "$message" | jq -c '.tool_calls[]?')
	[ -n "$calls" ] || break
	printf '%s\n' "$calls" | while IFS= read -r call; do
		if [ "$(printf '%s' "$call" | jq -r .function.name)" != bash ]; then
			printf '%s\n' "$call" | llmblob tool call >>"$history"
			continue
		fi
		output=$(printf '%s' "$call" | jq -r '.function.arguments | fromjson.command' | llmblob capture --tool bash sh 2>&1) || output="$output
exit status $?"
		printf '%s' "$output" | jq -Rsc --argjson call "$call" '{role: "tool", tool_call_id: $call.id, content: .}' >>"$history"
	done
done
cat "$history"
