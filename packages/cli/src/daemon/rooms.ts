import type { Achievements } from '@panoptes/engine/achievements'
import type { Knowledge } from '@panoptes/engine/knowledge'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Review } from '@panoptes/engine/review'
import type { Sessions } from '@panoptes/engine/sessions'
import type { Templates } from '@panoptes/engine/templates'
import { openAchievementsOf } from './follow-achievements.ts'
import { followKnowledge } from './follow-knowledge.ts'
import { openReviewOf } from './follow-review.ts'
import { openSessionsOf } from './follow-sessions.ts'
import { pastOf, templatesOf } from './follow-templates.ts'
import type { Log } from './log.ts'
import type { Home } from './start.ts'

/** What is kept over a ledger. Without one of them Panoptes still does everything else. */
export interface OpenedRooms {
  readonly sessions: Sessions | undefined
  readonly achievements: Achievements | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
  readonly knowledge: Knowledge | undefined
  readonly close: () => Promise<void>
}

/** They answer from what is stored; who keeps them up to date is another matter. */
export async function openRooms(home: Home, ledger: Ledger, log: Log): Promise<OpenedRooms> {
  const sessions = await openSessionsOf(home, ledger, log)
  const achievements = await openAchievementsOf(home, ledger, log)
  const templates = sessions && templatesOf(home, ledger, pastOf(sessions))
  const review = await openReviewOf(home, ledger, log)
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
