import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { find, read } from '../conformance/records.ts'
import type { SessionRecord } from '../port.ts'
import { claudeCodeSource } from './index.ts'

export type Row = Readonly<Record<string, unknown>>

export function tempProjects(): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-claude-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const pathOf = (folder: string, id: string, project = '-home-dev-atlas'): string =>
  join(folder, project, `${id}.jsonl`)
export const agentPathOf = (folder: string, id: string, agent: string): string =>
  join(folder, '-home-dev-atlas', id, 'subagents', `agent-${agent}.jsonl`)

export const linesOf = (rows: readonly Row[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')

export function put(path: string, rows: readonly Row[], meta?: Row): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, linesOf(rows))
  if (meta !== undefined) writeFileSync(path.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(meta))
}

let made = 0
/** `at` is in seconds after ten o'clock. */
const row = (type: string, at: number, more: Row): Row => {
  made += 1
  return {
    type,
    uuid: `row-${made}`,
    timestamp: new Date(Date.UTC(2026, 8, 1, 10, 0, at)).toISOString(),
    ...more,
  }
}

export const promptRow = (text: string, at = 0, more: Row = {}): Row =>
  row('user', at, { message: { role: 'user', content: text }, ...more })

/** Builds a row of a reply: its text or blocks, and its usage so far. */
export const replied = (
  id: string,
  content: string | readonly Row[],
  [input, output]: readonly [number, number],
  more: Row = {},
): Row =>
  row('assistant', 1, {
    message: {
      id,
      role: 'assistant',
      model: 'claude-opus-4-8',
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      usage: { input_tokens: input, output_tokens: output },
    },
    ...more,
  })

export const call = (id: string, name = 'Agent'): Row => ({ type: 'tool_use', id, name, input: {} })
export const result = (id: string, toolUseResult: unknown = {}): Row =>
  row('user', 2, {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    toolUseResult,
  })

export async function readOne(folder: string, id: string): Promise<readonly SessionRecord[]> {
  const source = claudeCodeSource(folder)
  return read(source, await find(source, id))
}

/** Sums the usage of all replies and counts those with unknown usage. */
export function spent(records: readonly SessionRecord[]): { input: number; output: number; unknown: number } {
  const sum = { input: 0, output: 0, unknown: 0 }
  for (const record of records) {
    if (record.kind !== 'message') continue
    const { usage, model } = record.message
    sum.input += usage?.input ?? 0
    sum.output += usage?.output ?? 0
    if (usage === null && model !== null) sum.unknown += 1
  }
  return sum
}
