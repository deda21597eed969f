import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { StoredEvent } from '@panoptes/schema'
import { unwrap } from '../result.test-kit.ts'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'
import { createHermesHooks } from './hermes/read.ts'
import type { Intake } from './intake.ts'

/** A store in its own folder with an intake for it. */
export interface Bench {
  readonly folder: string
  readonly store: EventStore
  readonly intake: (over?: Partial<Intake>) => Intake
  readonly rejected: { readonly line: number; readonly reason: string }[]
  readonly events: () => Promise<readonly StoredEvent[]>
  readonly end: () => Promise<void>
}

export async function openBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-capture-'))
  const store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  const rejected: Bench['rejected'] = []
  return {
    folder,
    store,
    rejected,
    intake: (over = {}) => ({
      capture: createCapture({ host: 'here', findAgents: (ids) => store.findAgents(ids) }),
      readers: [createClaudeCodeHooks(), createHermesHooks()],
      append: (events, marks) => store.append(events, marks),
      rejected: (_count, last) => {
        if (last) rejected.push(last)
      },
      ...over,
    }),
    events: async () =>
      unwrap(await store.read({ after: 0, limit: 1_000 })).rows.map(
        ({ json }) => JSON.parse(json) as StoredEvent,
      ),
    end: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
