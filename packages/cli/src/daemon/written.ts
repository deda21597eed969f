import { createTranscripts, followHermes, type Intake } from '@panoptes/engine/capture'
import type { Ledger } from '@panoptes/engine/ledger'
import { hermesHome, hermesState, projectsFolder } from '@panoptes/engine/sources'
import type { HealthCheck } from '@panoptes/schema'
import { tilde } from '../terminal/words.ts'

/** What agents write down themselves, followed so that Live shows those that have no hooks. */
export interface Written {
  readonly checks: () => readonly HealthCheck[]
  readonly behind: () => number
  readonly stop: () => Promise<void>
}

interface Parts {
  readonly env: NodeJS.ProcessEnv
  readonly ledger: Pick<Ledger, 'append' | 'marks' | 'read' | 'sessions' | 'forgetting'>
  readonly intake: Intake
}

export function followWritten({ env, ledger, intake }: Parts): Written {
  const transcripts = createTranscripts({ folder: projectsFolder(env), intake, ledger })
  const home = hermesHome(env)
  const hermes = followHermes({ state: hermesState(home), intake, ledger })
  return {
    checks: () => {
      const { folder, following, problem } = transcripts.health()
      const state = hermes.health()
      return [
        check('transcripts', 'Transcripts', tilde(folder), following, problem),
        // Most have no Hermes: that is not worth a line.
        ...(state.files.length === 0 && state.problem === null
          ? []
          : [check('state-db', 'Hermes state', tilde(home), state.following, state.problem)]),
      ]
    },
    behind: () => transcripts.health().behind,
    stop: async () => {
      await Promise.all([transcripts.stop(), hermes.stop()])
    },
  }
}

/** They are not followed because the config says so. */
export const unfollowed: Written = {
  checks: () => [
    {
      ...about('transcripts', 'Transcripts'),
      state: 'ok',
      detail: 'Not followed: capture.transcripts is false',
    },
  ],
  behind: () => 0,
  stop: async () => undefined,
}

function check(
  id: string,
  title: string,
  place: string,
  sessions: number,
  problem: string | null,
): HealthCheck {
  const detail = `Following ${place}, ${sessions} ${sessions === 1 ? 'session goes' : 'sessions go'} on there`
  if (problem === null) return { ...about(id, title), state: 'ok', detail }
  return {
    ...about(id, title),
    state: 'failed',
    detail: `${place} cannot be followed`,
    cause: problem,
    next: 'Remove the cause; Panoptes tries again every second.',
  }
}

const about = (id: string, title: string) => ({ id, title, cause: null, next: null })
