import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { find, messagesOf, read } from '../conformance/records.ts'
import type { SessionRecord } from '../port.ts'
import { codexSource } from './index.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/codex', import.meta.url))

export function tempHome(fixture?: string): string {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-codex-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  if (fixture !== undefined) cpSync(join(FIXTURES, fixture), home, { recursive: true })
  return home
}

type Payload = Readonly<Record<string, unknown>>

export interface Entry {
  readonly type: string
  readonly payload: Payload
  readonly at?: number
  readonly ordinal?: number
}

/** Builds a rollout line; `at` is in seconds after ten o'clock. */
export const lineOf = ({ type, payload, at = 0, ordinal }: Entry): string =>
  `${JSON.stringify({
    timestamp: new Date(Date.UTC(2026, 8, 1, 10) + at * 1_000).toISOString(),
    ...(ordinal === undefined ? {} : { ordinal }),
    type,
    payload,
  })}\n`

export const meta = (id: string, more: Payload = {}, at = 0): Entry => ({
  type: 'session_meta',
  payload: {
    id,
    timestamp: new Date(Date.UTC(2026, 8, 1, 10) + at * 1_000).toISOString(),
    cwd: '/home/dev/atlas',
    ...more,
  },
  at,
})

export const item = (payload: Payload, at = 0): Entry => ({ type: 'response_item', payload, at })

export const messageItem = (role: string, text: string, at = 0): Entry =>
  item(
    { type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] },
    at,
  )

export const event = (payload: Payload, at = 0): Entry => ({ type: 'event_msg', payload, at })

/** Builds a line with the totals of a thread: `[input, cached, output, reasoning]`. */
export const counted = (total: readonly number[], last: readonly number[] = total, at = 0): Entry =>
  event({ type: 'token_count', info: { total_token_usage: usage(total), last_token_usage: usage(last) } }, at)

const usage = ([input = 0, cached = 0, output = 0, reasoning = 0]: readonly number[]) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: input + output,
})

export const pathOf = (home: string, id: string, day = '01'): string =>
  join(home, 'sessions', '2026', '09', day, `rollout-2026-09-${day}T10-00-00-${id}.jsonl`)

export function put(path: string, entries: readonly Entry[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, entries.map(lineOf).join(''))
}

export const readOne = async (home: string, id: string): Promise<readonly SessionRecord[]> => {
  const source = codexSource(home)
  return read(source, await find(source, id))
}

/** Returns prompts and replies in short form. */
export const spoken = (records: readonly SessionRecord[]) =>
  messagesOf(records)
    .filter(({ hidden }) => !hidden)
    .flatMap(({ content }) => content.flatMap((block) => (block.type === 'text' ? [block.text] : [])))

/** Adds up the usage of all replies: input, cache read, output. */
export const spent = (records: readonly SessionRecord[]) =>
  messagesOf(records).reduce(
    ([input, cached, output], { usage }) => [
      (input ?? 0) + (usage?.input ?? 0),
      (cached ?? 0) + (usage?.cache_read ?? 0),
      (output ?? 0) + (usage?.output ?? 0),
    ],
    [0, 0, 0],
  )
