import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Achievements, openAchievements } from '@panoptes/engine/achievements'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

const SCHEMA = readFileSync(new URL('../../../fixtures/hermes/schema.sql', import.meta.url), 'utf8')
const BEGAN = 1_790_000_000

/** Adds a session with this many messages to a Hermes database, and creates the database if it is missing. */
export function addSession(file: string, id: string, model: string, messages: number): void {
  mkdirSync(dirname(file), { recursive: true })
  const db = new DatabaseSync(file)
  const isNew = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sessions'").get()?.n === 0
  if (isNew) db.exec(SCHEMA)
  db.exec('BEGIN')
  db.prepare("INSERT INTO sessions (id, source, model, title, started_at) VALUES (?, 'cli', ?, ?, ?)").run(
    id,
    model,
    `About ${id}`,
    BEGAN,
  )
  const say = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
  )
  for (let n = 1; n <= messages; n += 1) say.run(id, `Step ${n}`, BEGAN + n)
  db.exec('COMMIT')
  db.close()
}

export interface Served {
  readonly home: string
  readonly kit: TestServer
  readonly store: EventStore
  readonly achievements: Achievements
  readonly get: <T>(path: string) => Promise<T>
  readonly send: (path: string, body: unknown) => Promise<Response>
  readonly stop: () => Promise<void>
}

/** Achievements in UTC for a home without any sessions. */
export async function serveAchievements(config?: unknown): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-achievements-'))
  const store = unwrap(await openSqliteStore(join(home, 'ledger.db')))
  const achievements = openAchievements({
    achievementStore: store.achievementStore,
    // All of its sessions are Hermes'.
    sessions: { refresh: async () => success(null), onRead: () => () => undefined },
    forgotten: unwrap(await store.forgetting.forgotten()),
    folder: join(home, 'achievements'),
    env: { HOME: home },
    zone: 'UTC',
  })
  const kit = await startTestServer({ options: { achievements }, config })
  return {
    home,
    kit,
    store,
    achievements,
    get: async <T>(path: string) => (await (await kit.request(path)).json()) as T,
    send: (path, body) => kit.request(path, { method: 'POST', body: JSON.stringify(body) }),
    stop: async () => {
      await kit.stop()
      await achievements.close()
      await store.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
