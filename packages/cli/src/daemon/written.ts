import { createTranscripts, followHermes, type Intake } from '@panoptes/engine/capture'
import { hermesHome, hermesState, projectsFolder } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { HealthCheck } from '@panoptes/schema'
import { shortenPath } from '../terminal/format.ts'

/** Follows transcripts of agents, so that Live shows agents without hooks. */
export interface Written {
  readonly checks: () => readonly HealthCheck[]
  readonly behind: () => number
  readonly stop: () => Promise<void>
}

interface Parts {
  readonly env: NodeJS.ProcessEnv
  readonly store: Pick<EventStore, 'append' | 'marks' | 'read' | 'sessions' | 'forgetting'>
  readonly intake: Intake
}

export function followWritten({ env, store, intake }: Parts): Written {
  const transcripts = createTranscripts({ folder: projectsFolder(env), intake, store })
  const home = hermesHome(env)
  const hermes = followHermes({ state: hermesState(home), intake, store })
  return {
    checks: () => {
      const { folder, following, problem } = transcripts.health()
      const state = hermes.health()
      return [
        check('transcripts', 'Transcripts', shortenPath(folder), following, problem),
        // Most users have no Hermes, so its absence gets no line.
        ...(state.files.length === 0 && state.problem === null
          ? []
          : [check('state-db', 'Hermes state', shortenPath(home), state.following, state.problem)]),
      ]
    },
    behind: () => transcripts.health().behind,
    stop: async () => {
      await Promise.all([transcripts.stop(), hermes.stop()])
    },
  }
}

/** Transcripts are not followed because the config disables it. */
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
  const detail = `Following ${place}, ${sessions} active ${sessions === 1 ? 'session' : 'sessions'}`
  if (problem === null) return { ...about(id, title), state: 'ok', detail }
  return {
    ...about(id, title),
    state: 'failed',
    detail: `${place} cannot be followed`,
    cause: problem,
    next: 'Fix the cause; Panoptes retries every second.',
  }
}

const about = (id: string, title: string) => ({ id, title, cause: null, next: null })
