import type { Achievements } from '@panoptes/engine/achievements'
import type { Knowledge } from '@panoptes/engine/knowledge'
import type { Review } from '@panoptes/engine/outcomes'
import type { Sessions } from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import type { Templates } from '@panoptes/engine/templates'
import { openAchievementsOf } from './follow-achievements.ts'
import { followKnowledge } from './follow-knowledge.ts'
import { openReviewOf } from './follow-review.ts'
import { NO_SESSIONS, openSessionsOf } from './follow-sessions.ts'
import { pastOf, templatesOf } from './follow-templates.ts'
import type { Log } from './log.ts'
import type { Home } from './start-options.ts'

/** The modules on top of a store. If one of them fails to open, the rest of Panoptes still works. */
export interface OpenedRooms {
  readonly sessions: Sessions | undefined
  readonly achievements: Achievements | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
  readonly knowledge: Knowledge | undefined
  readonly close: () => Promise<void>
}

/** Opens the modules to answer from stored data. Other jobs keep that data up to date. */
export async function openRooms(home: Home, store: EventStore, log: Log): Promise<OpenedRooms> {
  const sessions = await openSessionsOf(home, store, log)
  const achievements = await openAchievementsOf(home, store, sessions ?? NO_SESSIONS, log)
  const templates = sessions && templatesOf(home, store, pastOf(sessions))
  const review = await openReviewOf(home, store, sessions ?? NO_SESSIONS, log)
  const knowledge = await followKnowledge(home, log)
  return {
    sessions,
    achievements,
    templates,
    review,
    knowledge,
    close: async () => {
      await Promise.all([sessions?.close(), achievements?.close(), review?.close(), knowledge?.close()])
    },
  }
}
