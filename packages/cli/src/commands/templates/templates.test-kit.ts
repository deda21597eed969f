import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Context, makeContext } from '../../context.ts'
import { asked, reply } from '../sessions/sessions.test-kit.ts'

export interface Said {
  readonly home: string
  readonly context: Context
  /** Returns the output of the last command. */
  readonly text: () => string
  readonly document: () => unknown
  /** Returns the notes since the previous call. */
  readonly notes: () => string
}

/**
 * Creates a home with these Claude Code sessions, by id. It is deleted when the test ends, or by the caller.
 */
export function homeWith(sessions: Readonly<Record<string, readonly object[]>>): Said {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-templates-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  writeSessions(home, sessions)
  return saidIn(home)
}

export function writeSessions(home: string, sessions: Readonly<Record<string, readonly object[]>>): void {
  const project = join(home, '.claude', 'projects', '-x')
  mkdirSync(project, { recursive: true })
  for (const [id, rows] of Object.entries(sessions)) {
    const lines = rows.map((row, n) => JSON.stringify({ uuid: `${id}-${n}`, cwd: '/srv/shop', ...row }))
    writeFileSync(join(project, `${id}.jsonl`), `${lines.join('\n')}\n`)
  }
}

export function saidIn(home: string): Said {
  const made = makeContext([], { HOME: home, PANOPTES_HOME: join(home, '.panoptes') })
  let [text, document]: [string, unknown] = ['', null]
  let notes: string[] = []
  const output = {
    ...made.output,
    answer: (lines: readonly string[], told: object) => {
      text = lines.join('\n')
      document = told
    },
    note: (line: string) => void notes.push(line),
  }
  return {
    home,
    context: { ...made, output },
    text: () => text,
    document: () => document,
    notes: () => {
      const said = notes.join('\n')
      notes = []
      return said
    },
  }
}

/** Creates a session in which every tool call has a result, in the given order. */
export const calling = (...calls: readonly (readonly [tool: string, input: object, result: string])[]) => [
  asked('please look at it'),
  ...calls.flatMap(([name, input, content], n) => [
    reply(`m${n}`, 'claude-opus-4-8', {}, [{ type: 'tool_use', id: `t${n}`, name, input }]),
    asked([{ type: 'tool_result', tool_use_id: `t${n}`, content }]),
  ]),
]

/** Creates a session with this many successful terminal calls. */
export const terminal = (many: number) =>
  calling(
    ...Array.from({ length: many }, (_, n) => ['Bash', { command: `make part${n}` }, `made ${n}`] as const),
  )
