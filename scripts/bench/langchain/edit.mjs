// Takes a session of Claude Code through LangChain's ClearToolUsesEdit with its defaults, and prints how many results it cleared
// and then the milliseconds that the edit alone took, without reading and converting:
//
//	node edit.mjs SESSION
import { readFileSync } from "node:fs";

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, countTokensApproximately } from "langchain";

const messages = [];
for (const line of readFileSync(process.argv[2], "utf8").split("\n")) {
  if (line === "") continue;
  const { type, message } = JSON.parse(line);
  if (type === "assistant") {
    const calls = message.content.filter((part) => part.type === "tool_use");
    messages.push(new AIMessage({ content: "", tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input })) }));
  } else if (type === "user") {
    for (const part of message.content) {
      messages.push(
        part.type === "tool_result"
          ? new ToolMessage({ tool_call_id: part.tool_use_id, content: part.content })
          : new HumanMessage(part.text),
      );
    }
  }
}

const start = performance.now();
await new ClearToolUsesEdit().apply({ messages, countTokens: countTokensApproximately });
const took = performance.now() - start;

const cleared = messages.filter((message) => message.response_metadata?.context_editing?.cleared).length;
console.log(`${cleared} of ${messages.length} messages cleared`);
console.log(took);
