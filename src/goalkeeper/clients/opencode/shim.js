// goalkeeper's shim for OpenCode, which has no hook that can keep a session from ending: when one
// is idle and not proven, it is prompted again. `opencode run` ends before that; the TUI and
// `opencode serve` do not. Everything else is decided by goalkeeper; without it, nothing happens.
import { spawn } from "node:child_process"

const HOOK = "@HOOK@"
const asking = new Set()

const ask = (kind, event) =>
  new Promise((resolve) => {
    const line = HOOK.replace("@KIND@", kind)
    const child = spawn("/bin/sh", ["-c", line], { stdio: ["pipe", "pipe", "ignore"] })
    let told = ""
    child.stdout.on("data", (part) => (told += part))
    child.on("error", () => resolve({}))
    child.stdin.on("error", () => {})
    child.on("close", () => {
      try {
        resolve(JSON.parse(told))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })

const words = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)

export const Goalkeeper = async ({ client, directory }) => {
  const at = (sessionID, name, more) => ({ sessionID, hook_event_name: name, cwd: directory, ...more })
  const tell = (message) =>
    message && client.tui.showToast({ body: { message, variant: "info", duration: 15000 } }).catch(() => {})
  const commands = new Map()
  const last = new Map()

  const idle = async (id) => {
    if (asking.has(id)) return
    asking.add(id)
    try {
      const answer = await ask("stop", at(id, "session.idle", { messageID: last.get(id) }))
      tell(answer.notice)
      if (answer.block)
        await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: answer.block }] } })
    } finally {
      asking.delete(id)
    }
  }

  return {
    event: async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type === "session.idle") await idle(id)
      if (event.type === "session.error" && id)
        await ask("failure", at(id, "session.error", { error: event.properties.error?.name }))
    },
    "command.execute.before": async (input) => {
      commands.set(input.sessionID, input.command.replace("goalkeeper-", "goalkeeper:"))
    },
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const command_name = commands.get(id)
      commands.delete(id)
      last.set(id, output.message?.id ?? input.messageID)
      const prompt = words(output.parts).join("\n")
      const answer = await ask("prompt", at(id, "chat.message", { prompt, command_name, messageID: last.get(id) }))
      tell(answer.notice)
      const first = output.parts.find((part) => part.type === "text")
      if (answer.context && first)
        output.parts.push({ ...first, id: `${first.id}g`, text: answer.context, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      const event = { tool_name: input.tool, tool_input: output.args }
      const answer = await ask("tool", at(input.sessionID, "tool.execute.before", event))
      if (answer.deny) throw new Error(answer.deny)
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await ask("compact", at(input.sessionID, "session.compacting", {}))
      if (answer.context) output.context.push(answer.context)
    },
    "shell.env": async (input, output) => {
      if (input.sessionID) output.env.OPENCODE_SESSION_ID = input.sessionID
    },
  }
}
