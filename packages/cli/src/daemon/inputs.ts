import { join } from 'node:path'
import { createSpool, createTail, forgetLines, forgetPayloads, SPOOL_MARK } from '@panoptes/engine/capture'
import type { Paths } from '@panoptes/engine/home'
import type { Ledger, LedgerPlace } from '@panoptes/engine/ledger'
import type { Forgetter } from '@panoptes/engine/sessions'
import type { HealthCheck } from '@panoptes/schema'
import type { RunningSite } from '@panoptes/server'
import { intakeWithOwnMarks, withOwnMarks } from './own-marks.ts'
import { followWritten, unfollowed } from './written.ts'

/** What comes in beside HTTP. */
export interface Inputs {
  /** What they keep of sessions can be taken out. */
  readonly forgetters: readonly Forgetter[]
  /** What is wrong with them now. */
  readonly checks: () => readonly HealthCheck[]
  /** What is in hand is stored; what waits stays where it is for the next start. */
  readonly stop: () => Promise<void>
}

interface Parts {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly ledger: Ledger
  readonly place: LedgerPlace
  readonly server: Pick<RunningSite, 'intake' | 'addGauges'>
  /** Whether what agents write down themselves is followed. */
  readonly transcripts: boolean
}

export function startInputs(parts: Parts): Inputs {
  const { paths, env, place, server } = parts
  const ledger = withOwnMarks(parts.ledger, place, paths)
  const intake = intakeWithOwnMarks(server.intake, place, paths)
  const marks = (names: readonly string[]) => ledger.marks(names)
  const spool = createSpool({ folder: paths.spool, intake, marks: () => marks([SPOOL_MARK]) })
  const journal = createTail({ path: paths.events, intake, marks, create: true })
  const tails = [
    journal,
    ...firstVocabulary(env).map((path) => createTail({ path, intake, marks, source: 'claude-code' })),
  ]
  const written = parts.transcripts ? followWritten({ env, ledger, intake }) : unfollowed
  server.addGauges(() => {
    const { backlog, lagMs } = spool.health()
    const behind = tails.reduce((sum, tail) => sum + tail.health().behind, written.behind())
    return [
      { name: 'panoptes_spool_files', help: 'Hook payloads that wait in the spool.', value: backlog },
      {
        name: 'panoptes_spool_lag_seconds',
        help: 'From the hook to the ledger, for the last payload.',
        value: (lagMs ?? 0) / 1_000,
      },
      { name: 'panoptes_tail_behind_bytes', help: 'Bytes that wait in followed files.', value: behind },
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

/** The file that the first emitters of this vocabulary write, where they wrote it. */
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
          detail: 'Events that wait there are not being stored.',
          cause: problem,
          next: 'Remove the cause; Panoptes tries again every second.',
        },
      ]
