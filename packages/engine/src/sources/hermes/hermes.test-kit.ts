import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { inserting, type Row } from '../conformance/insert-rows.ts'
import { all } from '../conformance/records.ts'
import type { Listed, SessionRecord, SessionSource } from '../port.ts'

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../../fixtures/hermes/${name}`, import.meta.url))

export function tempHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-hermes-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

interface StateOptions {
  readonly schema?: 'schema.sql' | 'schema_v11.sql'
  readonly journal?: 'wal' | 'delete'
  readonly profile?: string
}

export interface State {
  readonly path: string
  readonly db: DatabaseSync
  readonly session: (row: Row) => void
  readonly message: (row: Row) => void
}

/** Creates a database as Hermes does. */
export function makeState(home: string, options: StateOptions = {}): State {
  const { schema = 'schema.sql', journal = 'delete', profile } = options
  const folder = profile === undefined ? home : join(home, 'profiles', profile)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'state.db')
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  db.exec(readFileSync(fixture(schema), 'utf8'))
  db.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = OFF`)
  const insert = inserting(db)
  return {
    path,
    db,
    session: (row) => insert('sessions', { source: 'cli', started_at: 1_790_000_000, ...row }),
    message: (row) => insert('messages', { role: 'user', timestamp: 1_790_000_001, ...row }),
  }
}

export async function listAll(source: SessionSource): Promise<readonly Listed[]> {
  const all: Listed[] = []
  for await (const record of source.list()) {
    if (record.kind === 'failed') throw new Error(record.failure.message)
    all.push(record)
  }
  return all
}

export const fingerprints = async (source: SessionSource): Promise<ReadonlyMap<string, string>> =>
  new Map((await listAll(source)).map(({ id, fingerprint }) => [id, fingerprint]))

export async function readOne(source: SessionSource, id: string): Promise<readonly SessionRecord[]> {
  const listed = (await listAll(source)).find((each) => each.id === id)
  if (listed === undefined) throw new Error(`${id} is not listed`)
  return all(source.read(listed))
}
