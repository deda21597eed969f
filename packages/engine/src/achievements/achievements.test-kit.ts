import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSessions } from '@panoptes/engine/sessions'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { AchievementItem, Result } from '@panoptes/schema'
import { onTestFinished } from 'vitest'
import { type Achievements, openAchievements } from './open.ts'
import { resolveOrigin } from './origin.ts'
import type { View } from './view.ts'

const SCHEMA = readFileSync(new URL('../../../../fixtures/hermes/schema.sql', import.meta.url), 'utf8')
/** A Monday, at noon in London. */
export const NOON = Date.UTC(2026, 5, 1, 12) / 1_000

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-achieved-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Fields = Readonly<Record<string, string | number | Uint8Array | null>>

export interface HermesDb {
  readonly path: string
  readonly db: DatabaseSync
  /** Adds a session with messages one second apart. */
  readonly add: (id: string, messages: readonly (string | Fields)[], session?: Fields) => void
  readonly run: (sql: string) => void
}

/** Opens or creates a database of Hermes. */
export function hermesDb(path: string): HermesDb {
  mkdirSync(dirname(path), { recursive: true })
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  db.exec(SCHEMA)
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF')
  onTestFinished(() => {
    if (db.isOpen) db.close()
  })
  const insert = (table: string, row: Fields) =>
    db
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row).map(() => '?')})`,
      )
      .run(...Object.values(row))
  return {
    path,
    db,
    add: (id, messages, session = {}) => {
      const began = Number(session.started_at ?? NOON)
      db.exec('BEGIN')
      insert('sessions', { id, source: 'cli', title: `About ${id}`, started_at: began, ...session })
      for (const [at, message] of messages.entries()) {
        const fields = typeof message === 'string' ? { content: message } : message
        insert('messages', { session_id: id, role: 'user', timestamp: began + at + 1, ...fields })
      }
      db.exec('COMMIT')
    },
    run: (sql) => db.exec(sql),
  }
}

export interface Home {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly storeFile: string
  readonly files: string
}

export function tempHome(): Home {
  const folder = tempFolder()
  const env = { HOME: folder, HERMES_HOME: join(folder, '.hermes') }
  return { folder, env, storeFile: join(folder, 'ledger.db'), files: join(folder, 'achievements') }
}

export interface OpenedHome {
  readonly store: EventStore
  readonly achievements: Achievements
  readonly close: () => Promise<void>
}

export async function openHome(
  home: Home,
  options: { readonly zone?: string | null; readonly waitMs?: number; readonly ttlSeconds?: number } = {},
): Promise<OpenedHome> {
  const store = unwrap(await openSqliteStore(home.storeFile))
  const { zone = 'UTC', ...bounds } = options
  const origin = unwrap(await resolveOrigin(store.achievementStore, home.env, zone ?? undefined))
  const forgotten = unwrap(await store.forgetting.forgotten())
  const history = join(home.folder, 'history.db')
  const sessions = unwrap(await openSessions({ file: history, env: home.env, forgotten }))
  const achievements = openAchievements({
    ...{ achievementStore: store.achievementStore, sessions, history, forgotten },
    folder: origin.otherHome === undefined ? home.files : undefined,
    env: home.env,
    ...origin,
    ...bounds,
  })
  let closed: Promise<void> | undefined
  const end = async () => {
    await achievements.close()
    await sessions.close()
    await store.close()
  }
  const close = () => {
    closed ??= end()
    return closed
  }
  onTestFinished(close)
  return { store, achievements, close }
}

export const itemOf = (items: readonly AchievementItem[], id: string): AchievementItem => {
  const found = items.find((item) => item.id === id)
  if (!found) throw new Error(`there is no ${id}`)
  return found
}

export const HERMES: View = { source: 'hermes' }
export const ALL: View = { source: 'all' }

/** Rescans and returns what is shown then. */
export async function settle(achievements: Achievements, view: View = HERMES, full = false) {
  achievements.rescan(view, { full })
  await achievements.settled(view)
  return unwrap(await achievements.get(view, { wait: true }))
}

export const count = async (achievements: Achievements, view: View = HERMES) =>
  unwrap(await achievements.aggregate(view))

export const readFile = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

export const hermesOf = (home: Home): HermesDb => hermesDb(join(home.env.HERMES_HOME ?? '', 'state.db'))
