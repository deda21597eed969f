import { hostname } from 'node:os'
import { join } from 'node:path'
import { createSpool, createTail, SPOOL_MARK } from '@panoptes/engine/capture'
import type { Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import { createJudge } from '@panoptes/engine/live'
import type { HealthCheck } from '@panoptes/schema'
import type { RunningServer } from '@panoptes/server'

/** What comes in beside HTTP, and the judge of who lives. */
export interface Inputs {
  readonly checks: () => readonly HealthCheck[]
  /** What is in hand is stored; what waits stays where it is for the next start. */
  readonly stop: () => Promise<void>
}

interface Parts {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly ledger: Ledger
  readonly server: RunningServer
}

export function startInputs({ paths, env, ledger, server }: Parts): Inputs {
  const { intake } = server
  const marks = (names: readonly string[]) => ledger.marks(names)
  const spool = createSpool({ folder: paths.spool, intake, marks: () => marks([SPOOL_MARK]) })
  const tails = [
    createTail({ path: paths.events, intake, marks, create: true }),
    ...firstVocabulary(env).map((path) => createTail({ path, intake, marks, source: 'claude-code' })),
  ]
  const judge = createJudge({ ledger, append: intake.append, host: hostname() })
  server.addGauges(() => {
    const { backlog, lagMs } = spool.health()
    const behind = tails.reduce((sum, tail) => sum + tail.health().behind, 0)
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
    checks: () => {
      const { backlog, problem } = spool.health()
      return [
        check('spool', 'Hook payloads', problem, `${backlog} wait in ${paths.spool}`),
        ...tails.map((tail) => {
          const { path, behind, problem: wrong } = tail.health()
          return check(`tail:${path}`, 'Followed file', wrong, `${behind} bytes wait in ${path}`)
        }),
      ]
    },
    stop: async () => {
      await Promise.all([spool.stop(), ...tails.map((tail) => tail.stop()), judge.stop()])
    },
  }
}

/** The file that the first emitters of this vocabulary write, where they wrote it. */
function firstVocabulary(env: NodeJS.ProcessEnv): readonly string[] {
  const named = env.KEI_EVENTS_FILE
  if (named) return [named]
  return env.HOME ? [join(env.HOME, '.claude', 'memory', 'agent-events.jsonl')] : []
}

const check = (id: string, title: string, problem: string | null, detail: string): HealthCheck => ({
  id,
  title,
  state: problem === null ? 'ok' : 'failed',
  detail: problem === null ? detail : 'Events that wait there are not being stored.',
  cause: problem,
  next: problem === null ? null : 'Remove the cause; Panoptes tries again every second.',
})
