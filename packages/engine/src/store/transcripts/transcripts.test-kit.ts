import { randomUUID } from 'node:crypto'
import type { Message, Result, Session, SessionAgent, TranscriptChange } from '@panoptes/schema'
import { Client } from 'pg'
import type { TranscriptRecord, Transcripts } from './port.ts'

export const SOURCE = 'claude-code'

export const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const createAgent = (id: string): SessionAgent => ({
  id,
  parent_id: null,
  subagent_type: null,
  description: null,
  tool_use_id: null,
})

export const messageOf = (session_id: string, id: string, text: string): Message => ({
  id,
  session_id,
  role: 'user',
  ts: 1_000,
  model: null,
  agent_id: 'main',
  content: [{ type: 'text', text }],
  usage: null,
  state: 'active',
  hidden: false,
})

export const sessionOf = (id: string, fields: Partial<Session> = {}): Session => ({
  source: SOURCE,
  id,
  parent_id: null,
  lineage: 'root',
  title: null,
  project: null,
  cwd: null,
  git_branch: null,
  model: null,
  started_at: 1_000,
  last_at: 2_000,
  ended_at: null,
  fingerprint: '1',
  ...fields,
})

let count = 0

/** Builds the upload of a session, with another name each time. */
export function telling(
  id: string,
  texts: readonly string[],
  { fingerprint = '1', name = `telling ${++count}`, about = {} as Partial<Session> } = {},
): readonly TranscriptChange[] {
  const of = { source: SOURCE, id, telling: name }
  return [
    { type: 'begin', ...of, fingerprint },
    { type: 'agent', ...of, at: 0, agent: createAgent('main') },
    ...texts.map((text, n) => ({
      type: 'messages' as const,
      ...of,
      at: 1 + n,
      messages: [messageOf(id, `${id}-${n}`, text)],
    })),
    { type: 'end', ...of, at: 1 + texts.length, session: sessionOf(id, { fingerprint, ...about }) },
  ]
}

export async function recordsOf(
  transcripts: Transcripts,
  id: string,
): Promise<readonly (TranscriptRecord | { readonly kind: 'session'; readonly session: Session })[]> {
  const records = []
  for await (const page of transcripts.read(SOURCE, id)) {
    const { records: some, session } = value(page)
    records.push(...some)
    if (session) records.push({ kind: 'session' as const, session })
  }
  return records
}

export const textsOf = async (transcripts: Transcripts, id: string): Promise<readonly string[]> =>
  (await recordsOf(transcripts, id)).flatMap((record) =>
    record.kind === 'message'
      ? record.message.content.map((block) => (block.type === 'text' ? block.text : ''))
      : [],
  )

export async function listed(transcripts: Transcripts) {
  const found = []
  for await (const page of transcripts.list(SOURCE)) found.push(...value(page))
  return found
}

export const dropSchema = (url: string, schema: string): Promise<void> =>
  runSql(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)

/** Creates a database on the same server, and returns how to remove it. */
export async function newDatabase(
  server: string,
): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const name = `own_${randomUUID().replaceAll('-', '')}`
  await runSql(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => runSql(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}
