import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import type { Result, StoredEvent } from '@panoptes/schema'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'
import { createHermesHooks } from './hermes/index.ts'
import type { Intake } from './intake.ts'

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

/** A ledger in a folder of its own, and a way into it. */
export interface Bench {
  readonly folder: string
  readonly ledger: Ledger
  readonly intake: (over?: Partial<Intake>) => Intake
  readonly rejected: { readonly line: number; readonly reason: string }[]
  readonly events: () => Promise<readonly StoredEvent[]>
  readonly end: () => Promise<void>
}

export async function openBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-capture-'))
  const ledger = unwrap(await openSqliteLedger(join(folder, 'ledger.db')))
  const rejected: Bench['rejected'] = []
  return {
    folder,
    ledger,
    rejected,
    intake: (over = {}) => ({
      capture: createCapture({ host: 'here', findAgents: (ids) => ledger.findAgents(ids) }),
      readers: [createClaudeCodeHooks(), createHermesHooks()],
      append: (events, marks) => ledger.append(events, marks),
      rejected: (_count, last) => {
        if (last) rejected.push(last)
      },
      ...over,
    }),
    events: async () =>
      unwrap(await ledger.read({ after: 0, limit: 1_000 })).rows.map(
        ({ json }) => JSON.parse(json) as StoredEvent,
      ),
    end: async () => {
      await ledger.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
