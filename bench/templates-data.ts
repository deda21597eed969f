import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const SCHEMA = fileURLToPath(new URL('../fixtures/hermes/schema.sql', import.meta.url))
const BEGAN = Date.UTC(2026, 8, 15, 9)

/** Creates a call with its result, the same on every run. */
const step = (n: number) => ({
  id: `call-${n}`,
  input: {
    command: `make part-${n} TOKEN=ghp_${String(n).padStart(36, 'a')}`,
    cwd: `/home/dev/shop/part-${n}`,
  },
  result: Array.from(
    { length: 30 },
    (_, line) => `/home/dev/shop/part-${n}/src/${line}.c: compiled in ${line} ms`,
  ).join('\n'),
})

/** Creates this many messages: a request, then replies with one call each and their results. */
const steps = (messages: number) => Array.from({ length: Math.floor(messages / 2) }, (_, n) => step(n))

/** Creates a home with a transcript of Claude Code. */
export function claudeHome(folder: string, id: string, messages: number): Readonly<Record<string, string>> {
  const project = join(folder, '.claude', 'projects', '-home-dev-work')
  mkdirSync(project, { recursive: true })
  const row = (n: number, fields: object) => ({
    uuid: `u${n}`,
    sessionId: id,
    cwd: '/home/dev/shop',
    timestamp: new Date(BEGAN + 1_000 * n).toISOString(),
    ...fields,
  })
  const rows = steps(messages).flatMap(({ id: call, input, result }, n) => [
    row(2 * n, {
      type: 'assistant',
      message: {
        id: `m${n}`,
        role: 'assistant',
        model: 'claude-opus-4-8',
        content: [{ type: 'tool_use', id: call, name: 'Bash', input }],
        usage: { input_tokens: 10, output_tokens: 10 },
      },
    }),
    row(2 * n + 1, {
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: result }] },
    }),
  ])
  writeFileSync(join(project, `${id}.jsonl`), rows.map((each) => `${JSON.stringify(each)}\n`).join(''))
  return { HOME: folder }
}

/** Creates a home with a database of Hermes. */
export function hermesHome(folder: string, id: string, messages: number): Readonly<Record<string, string>> {
  const home = join(folder, '.hermes')
  mkdirSync(home, { recursive: true })
  const db = new DatabaseSync(join(home, 'state.db'))
  db.exec(readFileSync(SCHEMA, 'utf8'))
  db.exec('BEGIN')
  db.prepare(
    "INSERT INTO sessions (id, source, model, started_at, cwd) VALUES (?, 'cli', 'gpt-5.4', ?, '/home/dev/shop')",
  ).run(id, BEGAN / 1_000)
  const add = db.prepare(
    'INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const [n, { id: call, input, result }] of steps(messages).entries()) {
    const at = BEGAN / 1_000 + 2 * n
    const calls = [
      { id: call, type: 'function', function: { name: 'terminal', arguments: JSON.stringify(input) } },
    ]
    add.run(id, 'assistant', '', null, JSON.stringify(calls), null, at)
    add.run(id, 'tool', JSON.stringify({ exit_code: 0, output: result }), call, null, 'terminal', at + 1)
  }
  db.exec('COMMIT')
  db.close()
  return { HOME: folder, HERMES_HOME: home }
}
