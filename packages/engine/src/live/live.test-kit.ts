import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { unwrap } from '../result.test-kit.ts'

/** A store in its own folder, with helpers to append timed events. */
export interface Scene {
  readonly folder: string
  readonly store: EventStore
  readonly tell: (ts: number, event: string, fields?: object) => Promise<void>
  readonly end: () => Promise<void>
}

export async function openScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-live-'))
  const store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  let count = 0
  return {
    folder,
    store,
    tell: async (ts, event, fields = {}) => {
      count += 1
      const row: NewEvent = {
        v: EVENT_VERSION,
        key: `k${count}`,
        ts,
        event,
        source: 'claude-code',
        host: 'here',
        session_id: 's1',
        ...fields,
      }
      unwrap(await store.append([row]))
    },
    end: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
