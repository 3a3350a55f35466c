// Calls llmblob mcp with the clients of both official SDKs for TypeScript, over its standard input and output and with no
// environment, as clients run it:
//
//	npm ci && node client.mjs PATH-OF-LLMBLOB
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import * as v1 from "@modelcontextprotocol/sdk/client/index.js";
import * as v1stdio from "@modelcontextprotocol/sdk/client/stdio.js";
import * as v2 from "@modelcontextprotocol/client";
import * as v2stdio from "@modelcontextprotocol/client/stdio";

const llmblob = resolve(process.argv[2] ?? "llmblob");
const store = join(mkdtempSync(join(tmpdir(), "llmblob-mcp-")), "blobs");
const lines = Array.from({ length: 9000 }, (_, i) => `${i + 1}\n`);
const put = (input) => execFileSync(llmblob, ["--store", store, "store", "-q"], { input, encoding: "utf8" }).trim();

try {
  const id = put(lines.join(""));
  const doc = put('{"rows": [1, 2, 3], "note": "text\\n"}');
  await check("@modelcontextprotocol/sdk", new v1.Client({ name: "test", version: "1" }), v1stdio.StdioClientTransport, id, doc);
  await check("@modelcontextprotocol/client", new v2.Client({ name: "test", version: "1" }), v2stdio.StdioClientTransport, id, doc);
} finally {
  rmSync(join(store, ".."), { recursive: true });
}

async function check(name, client, Transport, id, doc) {
  const transport = new Transport({ command: llmblob, args: ["--store", store, "mcp"], env: {}, stderr: "pipe" });
  let stderr = "";
  transport.stderr.on("data", (data) => (stderr += data));
  const errors = [];
  client.onerror = (error) => errors.push(error); // what is no message, among others
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, "llmblob");

  const call = async (arguments_, tool = "inspect") => {
    const result = await client.callTool({ name: tool, arguments: arguments_ });
    assert.equal(result.content.length, 1);
    return { text: result.content[0].text, isError: result.isError ?? false };
  };

  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ["inspect", "list"]);
  for (const { annotations } of tools) {
    const { title, ...hints } = annotations;
    assert.ok(title);
    assert.deepEqual(hints, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false });
  }

  assert.deepEqual(await call({ blob_id: `[blob:${id}]`, selector: ["lines:20-21"] }), { text: "20\n21\n", isError: false });
  assert.deepEqual(await call({ blob_id: doc, selector: "key:note" }), { text: "text\n", isError: false });
  const failed = await call({ blob_id: id, selector: ["lines:21-20"] });
  assert.ok(failed.isError && failed.text.includes("hint: write lines:20-21"), failed.text);
  assert.equal((await call({}, "list")).text.trim().split("\n").length, 2);
  await assert.rejects(client.callTool({ name: "bash", arguments: {} }), /there is no tool/);

  // Page after page, each by the call that the one before ends with.
  let whole = "";
  for (let next = { blob_id: id, selector: ["lines:1-"] }, pages = 0; next; pages++) {
    const { text } = await call(next);
    const cut = text.match(/^([^]*)… \d+ more lines?, next: (\{.*\})\n$/);
    whole += cut ? cut[1] : text;
    next = cut && JSON.parse(cut[2]);
    assert.ok(pages < 10);
  }
  assert.equal(whole, lines.join(""));

  // 32 at a time, a tenth of them wrong: none is crossed.
  const one = async (i) => {
    const wrong = i % 10 === 0;
    const { text, isError } = await call({ blob_id: id, selector: [wrong ? `lines:${i}-x` : `lines:${i}`] });
    assert.equal(isError, wrong);
    assert.ok(wrong ? text.includes(`lines:${i}-x`) : text === `${i}\n`, text);
  };
  for (let i = 1; i <= 1000; i += 32) await Promise.all(Array.from({ length: 32 }, (_, k) => one(i + k)));

  const { resources } = await client.listResources();
  assert.deepEqual(resources.map((r) => r.uri), [`blob://${doc}`, `blob://${id}`]);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map((r) => r.uriTemplate), ["blob://{id}"]);
  const { contents } = await client.readResource({ uri: `blob://${doc}` });
  assert.deepEqual(contents, [{ uri: `blob://${doc}`, mimeType: "application/json", text: '{"rows": [1, 2, 3], "note": "text\\n"}' }]);
  await assert.rejects(client.readResource({ uri: "blob://0193b2c4-ffff-7000-8000-000000000000" }), /not found/);

  await client.close();
  assert.deepEqual(errors, []);
  assert.equal(stderr, "");
  console.log(`${name}: good`);
}
