import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrices } from '@panoptes/engine/models'
import type { Listed, SessionRecord, SessionSource } from '@panoptes/engine/sources'
import { openSources } from '@panoptes/engine/sources'
import type { Account, ContentBlock, Message, Session, SessionAgent } from '@panoptes/schema'
import { onTestFinished } from 'vitest'
import { type Making, SessionAccount } from './index.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures', import.meta.url))

export const MAKING: Making = {
  source: 'claude-code',
  prices: createPrices(),
  dayOf: (ts) => new Date(ts).toISOString().slice(0, 10),
  isSkill: (name) => name === 'tidy',
}

export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-make-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const fixture = (name: string): string => join(FIXTURES, name)

/** A source that reads a copy of a fixture folder. */
export function recordedSource(name: string, env: Readonly<Record<string, string>>): SessionSource {
  const found = openSources(env).find((source) => source.name === name)
  if (found === undefined) throw new Error(`there is no source ${name}`)
  return found
}

/** The recorded runs of Claude Code. */
export function claudeCode(): SessionSource {
  const folder = temporary()
  cpSync(fixture('claude-code/transcripts'), join(folder, 'projects'), { recursive: true })
  return recordedSource('claude-code', { HOME: folder, CLAUDE_CONFIG_DIR: folder })
}

export async function accountsOf(source: SessionSource, making = MAKING): Promise<readonly Account[]> {
  const accounts: Account[] = []
  for await (const listed of source.list()) {
    if (listed.kind === 'failed') throw new Error(listed.failure.message)
    accounts.push(await accountOfSession(listed, source.read(listed), { ...making, source: source.name }))
  }
  return accounts
}

/** Makes the account of a session from its records, of which the session is the last. */
export async function accountOfSession(
  listed: Listed,
  records: AsyncIterable<SessionRecord>,
  making: Making,
): Promise<Account> {
  const made = new SessionAccount(listed, making)
  for await (const record of records) {
    if (record.kind === 'failed') throw new Error(record.failure.message)
    if (record.kind === 'session') return made.account(record.session)
    made.take(record)
  }
  throw new Error('The session was not read to its end.')
}

const AGENT: SessionAgent = {
  id: 'main',
  parent_id: null,
  subagent_type: null,
  description: null,
  tool_use_id: null,
}
const SESSION: Session = {
  source: 'claude-code',
  id: 's',
  parent_id: null,
  lineage: 'root',
  title: null,
  project: 'notes',
  cwd: null,
  git_branch: null,
  model: null,
  started_at: null,
  last_at: null,
  ended_at: null,
  fingerprint: 'f',
}

export const START = Date.UTC(2026, 10, 16, 12)

export const agent = (id: string, more: Partial<SessionAgent> = {}): SessionRecord => ({
  kind: 'agent',
  agent: { ...AGENT, id, ...more },
})

let made = 0
/** A message at a second of the session. */
export function message(
  role: Message['role'],
  at: number,
  content: ContentBlock[],
  more: Partial<Message> = {},
): SessionRecord {
  made += 1
  const blank = { model: role === 'assistant' ? 'claude-opus-4-8' : null, usage: null, hidden: false }
  const of = {
    id: `m${made}`,
    session_id: 's',
    agent_id: 'main',
    ts: START + at * 1_000,
    state: 'active' as const,
  }
  return { kind: 'message', message: { ...of, ...blank, role, content, ...more } }
}

export const text = (words: string): ContentBlock => ({ type: 'text', text: words })
export const call = (id: string, tool: string, input: unknown = {}): ContentBlock => ({
  type: 'tool_call',
  id,
  tool,
  input,
})
export const result = (id: string, ok: boolean | null = true, words = ''): ContentBlock => ({
  type: 'tool_result',
  id,
  ok,
  text: words,
  duration_ms: null,
})

export const skill = (id: string, name = 'tidy') => call(id, 'Skill', { skill: name })
export const prompt = (at: number, words = 'go on', more: Partial<Message> = {}) =>
  message('user', at, [text(words)], more)
export const reply = (at: number, words = 'Done.', more: Partial<Message> = {}) =>
  message('assistant', at, [text(words)], more)
export const calls = (at: number, ...blocks: ContentBlock[]) => message('assistant', at, blocks)
export const ended = (at: number, ...blocks: ContentBlock[]) => message('tool', at, blocks)

/** The account of a session with these records. */
export async function accountFrom(
  records: readonly SessionRecord[],
  session: Partial<Session> = {},
  making: Partial<Making> = {},
): Promise<Account> {
  const all: readonly SessionRecord[] = [...records, { kind: 'session', session: { ...SESSION, ...session } }]
  const read = async function* () {
    yield* all
  }
  const listed = { id: 's', fingerprint: 'f', place: 'here' }
  return accountOfSession(listed, read(), { ...MAKING, ...making })
}
