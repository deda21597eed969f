import { join } from 'node:path'
import { createSpool, createTail, forgetLines, forgetPayloads, SPOOL_MARK } from '@panoptes/engine/capture'
import type { Paths } from '@panoptes/engine/home'
import type { Forgetter } from '@panoptes/engine/sessions'
import type { EventStore, StoreLocation } from '@panoptes/engine/store'
import type { HealthCheck } from '@panoptes/schema'
import type { RunningSpace } from '@panoptes/server'
import { intakeWithOwnMarks, withOwnMarks } from './own-marks.ts'
import { followWritten, unfollowed } from './written.ts'

/** The inputs other than HTTP. */
export interface Inputs {
  /** Functions that delete sessions from the state of the inputs. */
  readonly forgetters: readonly Forgetter[]
  /** Current problems of the inputs. */
  readonly checks: () => readonly HealthCheck[]
  /** Stores what was already read. Unread input stays where it is for the next start. */
  readonly stop: () => Promise<void>
}

interface Parts {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly store: EventStore
  readonly place: StoreLocation
  readonly server: Pick<RunningSpace, 'intake' | 'addGauges'>
  /** Whether transcripts of agents are followed. */
  readonly transcripts: boolean
}

export function startInputs(parts: Parts): Inputs {
  const { paths, env, place, server } = parts
  const store = withOwnMarks(parts.store, place, paths)
  const intake = intakeWithOwnMarks(server.intake, place, paths)
  const marks = (names: readonly string[]) => store.marks(names)
  const spool = createSpool({ folder: paths.spool, intake, marks: () => marks([SPOOL_MARK]) })
  const journal = createTail({ path: paths.events, intake, marks, create: true })
  const tails = [
    journal,
    ...firstVocabulary(env).map((path) => createTail({ path, intake, marks, source: 'claude-code' })),
  ]
  const written = parts.transcripts ? followWritten({ env, store, intake }) : unfollowed
  server.addGauges(() => {
    const { backlog, lagMs } = spool.health()
    const behind = tails.reduce((sum, tail) => sum + tail.health().behind, written.behind())
    return [
      { name: 'panoptes_spool_files', help: 'Hook payloads waiting in the spool.', value: backlog },
      {
        name: 'panoptes_spool_lag_seconds',
        help: 'Time from the hook to the store for the last payload.',
        value: (lagMs ?? 0) / 1_000,
      },
      { name: 'panoptes_tail_behind_bytes', help: 'Unread bytes in followed files.', value: behind },
    ]
  })
  return {
    forgetters: [forgetLines({ path: paths.events, hold: journal.hold }), forgetPayloads(paths.spool)],
    checks: () => {
      const followed = tails.map((tail) => tail.health())
      return [
        failed('spool', 'Hook payloads', spool.health().problem),
        ...followed.map(({ path, problem }) => failed(`tail:${path}`, 'Followed file', problem)),
        ...written.checks(),
      ].flat()
    },
    stop: async () => {
      await Promise.all([spool, written, ...tails].map((input) => input.stop()))
    },
  }
}

/** Finds the agent-events.jsonl file, which the first emitters of this event format write. */
function firstVocabulary(env: NodeJS.ProcessEnv): readonly string[] {
  const named = env.KEI_EVENTS_FILE
  if (named) return [named]
  return env.HOME ? [join(env.HOME, '.claude', 'memory', 'agent-events.jsonl')] : []
}

const failed = (id: string, title: string, problem: string | null): readonly HealthCheck[] =>
  problem === null
    ? []
    : [
        {
          id,
          title,
          state: 'failed',
          detail: 'Waiting events are not being stored.',
          cause: problem,
          next: 'Fix the cause; Panoptes retries every second.',
        },
      ]
