import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Context, makeContext } from '../../context.ts'

interface Said {
  readonly context: Context
  /** Returns the output of the last command. */
  readonly text: () => string
  readonly document: () => unknown
}

/** Creates a home with these Claude Code sessions, by id, and collects the output of commands. */
export function homeWith(sessions: Readonly<Record<string, readonly object[]>>): Said {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-command-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const project = join(home, '.claude', 'projects', '-x')
  mkdirSync(project, { recursive: true })
  for (const [id, rows] of Object.entries(sessions)) {
    const lines = rows.map((row, n) => JSON.stringify({ uuid: `${id}-${n}`, cwd: '/x', ...row }))
    writeFileSync(join(project, `${id}.jsonl`), `${lines.join('\n')}\n`)
  }
  return saidIn(home)
}

/** Runs commands in a home and collects their output. */
export function saidIn(home: string): Said {
  const env = { HOME: home, PANOPTES_HOME: join(home, '.panoptes') }
  const made = makeContext([], env)
  let [text, document]: [string, unknown] = ['', null]
  const output = {
    ...made.output,
    answer: (lines: readonly string[], told: object) => {
      text = lines.join('\n')
      document = told
    },
    note: () => undefined,
  }
  return { context: { ...made, output }, text: () => text, document: () => document }
}

const SOME = [{ type: 'text', text: 'so it is' }]
const NO_TOKENS = { input_tokens: 0, output_tokens: 0 }

/** A reply as Claude Code writes it. */
export const reply = (id: string, model: string, usage: object = {}, content: readonly object[] = SOME) => ({
  type: 'assistant',
  timestamp: '2026-11-15T09:00:01Z',
  message: { id, role: 'assistant', model, content, usage: { ...NO_TOKENS, ...usage } },
})

export const asked = (content: string | readonly object[]) => ({
  type: 'user',
  timestamp: '2026-11-15T09:00:00Z',
  message: { role: 'user', content },
})
