import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionSource } from '@panoptes/engine/sources'
import type { ContentBlock, Message, PastSession, Result, SessionTemplate } from '@panoptes/schema'
import { onTestFinished } from 'vitest'
import { type MakeOptions, makeTemplate } from './make.ts'
import type { Opening } from './session-history.ts'

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

export function tempFolder(when: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-templates-'))
  when(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let made = 0
export function message(
  role: Message['role'],
  content: readonly ContentBlock[],
  more: Partial<Message> = {},
): Message {
  made += 1
  return {
    id: String(made),
    session_id: 's',
    role,
    ts: null,
    model: null,
    agent_id: 'main',
    content: [...content],
    usage: null,
    state: 'active',
    hidden: false,
    ...more,
  }
}

export const call = (id: string, tool = 'terminal', input: unknown = {}): ContentBlock => ({
  type: 'tool_call',
  id,
  tool,
  input,
})

export const result = (id: string, text = 'fine', ok: boolean | null = null): ContentBlock => ({
  type: 'tool_result',
  id,
  ok,
  text,
  duration_ms: null,
})

/** A turn with one call, and the message with its result. */
export const turn = (id: string, text = 'fine', tool = 'terminal'): readonly Message[] => [
  message('assistant', [call(id, tool)]),
  message('tool', [result(id, text)]),
]

export const session = (more: Partial<PastSession> = {}): PastSession =>
  ({ source: 'hermes', id: '20260415_101500_ab12cd', title: null, project: null, ...more }) as PastSession

export const NOW = Date.UTC(2026, 3, 15, 10, 20, 30, 250)

export const make = (messages: readonly Message[], options: Partial<MakeOptions> = {}, of = session()) =>
  makeTemplate({ session: of, messages }, { maxExamples: 10, home: '/home/ann', now: NOW, ...options })

export const template = (more: Partial<SessionTemplate> = {}): SessionTemplate => ({
  name: 'good',
  task_type: 'terminal',
  examples: [{ tool_name: 'terminal', arguments: { command: 'ls' }, result: 'a\nb', success: true }],
  description: 'Template with 1 examples',
  created_at: 1_776_248_430.25,
  usage_count: 0,
  source_session_id: 'one',
  ...more,
})

/** Every session of a source, complete. */
export async function openingsOf(source: SessionSource): Promise<readonly Opening[]> {
  const openings: Opening[] = []
  for await (const listed of source.list()) {
    if (listed.kind === 'failed') throw new Error(listed.failure.message)
    const messages: Message[] = []
    for await (const record of source.read(listed)) {
      if (record.kind === 'failed') throw new Error(record.failure.message)
      if (record.kind === 'message') messages.push(record.message)
      if (record.kind === 'session')
        openings.push({ session: record.session as unknown as PastSession, messages })
    }
  }
  return openings
}
