import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { inserting, type Row } from '../conformance/insert-rows.ts'
import { find, read } from '../conformance/records.ts'
import type { SessionRecord } from '../port.ts'
import { openCodeSource } from './index.ts'

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../../fixtures/opencode/${name}`, import.meta.url))

export function tempHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-opencode-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

type Json = Readonly<Record<string, unknown>>

export interface Store {
  readonly path: string
  readonly db: DatabaseSync
  readonly session: (row: Row) => void
  /** Adds a message with its parts and returns its id. */
  readonly message: (session: string, data: Json, parts?: readonly Json[], row?: Row) => string
}

export const BEGUN = 1_790_000_000_000

/** Creates a database as OpenCode does. */
export function makeStore(home: string, name = 'opencode.db', journal: 'wal' | 'delete' = 'wal'): Store {
  mkdirSync(home, { recursive: true })
  const path = join(home, name)
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  db.exec(readFileSync(fixture('schema.sql'), 'utf8'))
  db.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = OFF`)
  const insert = inserting(db)
  let made = 0
  const times = () => {
    made += 1
    return { time_created: BEGUN + made, time_updated: BEGUN + made }
  }
  const numbered = () => String(made).padStart(9, '0')
  return {
    path,
    db,
    session: (row) =>
      insert('session', {
        project_id: 'p',
        slug: 's',
        directory: '/home/dev/atlas',
        title: 'New session - 2026-09-01T10:00:00.000Z',
        version: '1',
        time_created: BEGUN,
        time_updated: BEGUN,
        ...row,
      }),
    message: (session_id, data, parts = [], row = {}) => {
      const at = times()
      const id = `m${numbered()}`
      insert('message', { id, session_id, ...at, data: JSON.stringify(data), ...row })
      for (const part of parts) {
        const own = times()
        insert('part', {
          id: `p${numbered()}`,
          message_id: id,
          session_id,
          ...own,
          data: JSON.stringify(part),
        })
      }
      return id
    },
  }
}

/** Creates a home with the recorded data. */
export function recordedHome(): string {
  const home = tempHome()
  const { db } = makeStore(home)
  db.exec(readFileSync(fixture('recording.sql'), 'utf8'))
  db.close()
  return home
}

export const addPrompt = (store: Store, session: string, text: string): string =>
  store.message(session, { role: 'user' }, [{ type: 'text', text }])

export const readOne = async (home: string, id: string): Promise<readonly SessionRecord[]> => {
  const source = openCodeSource(home)
  return read(source, await find(source, id))
}
