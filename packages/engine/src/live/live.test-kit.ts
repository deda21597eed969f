import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import { EVENT_VERSION, type NewEvent, type Result } from '@panoptes/schema'

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

/** A ledger in a folder of its own, and events with times to put into it. */
export interface Scene {
  readonly folder: string
  readonly ledger: Ledger
  readonly tell: (ts: number, event: string, fields?: object) => Promise<void>
  readonly end: () => Promise<void>
}

export async function openScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-live-'))
  const ledger = unwrap(await openSqliteLedger(join(folder, 'ledger.db')))
  let count = 0
  return {
    folder,
    ledger,
    tell: async (ts, event, fields = {}) => {
      count += 1
      const told: NewEvent = {
        v: EVENT_VERSION,
        key: `k${count}`,
        ts,
        event,
        source: 'claude-code',
        host: 'here',
        session_id: 's1',
        ...fields,
      }
      unwrap(await ledger.append([told]))
    },
    end: async () => {
      await ledger.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
