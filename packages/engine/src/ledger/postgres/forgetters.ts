import { forgetTranscript } from '../transcripts/tidy.ts'
import { forgetAccount } from './accounts/index.ts'
import { forgetAchieved } from './achieved.ts'
import { forgetConversation } from './conversations/index.ts'
import type { Forgetter } from './forget.ts'
import { forgetMarked } from './marked.ts'
import { forgetTemplated } from './templated.ts'
import { forgetTraceLines } from './traces.ts'
import { forgetTurns } from './turns.ts'

/** What is kept of sessions beside the log. */
export const forgetters: readonly Forgetter[] = [
  forgetMarked,
  forgetAchieved,
  forgetTemplated,
  forgetTurns,
  forgetTraceLines,
  forgetAccount,
  forgetConversation,
  forgetTranscript,
]
