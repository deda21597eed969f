import { success } from '@panoptes/schema/result'
import type { ForgottenSessions } from './forgotten-sessions.ts'
import type { InjectionRow, Templated } from './templated-port.ts'
import type { Turns } from './turns-port.ts'

/** What is of a forgotten session is not stored. */
export const rememberedTemplated = (templated: Templated, forgotten: ForgottenSessions): Templated => {
  const isForgotten = ({ source, session_id: id }: Pick<InjectionRow, 'source' | 'session_id'>) =>
    source !== null && id !== null && forgotten.has(source, id)
  return {
    ...templated,
    inject: async (row) => (isForgotten(row) ? success(false) : templated.inject(row)),
    note: async (row) => (isForgotten(row) ? success(null) : templated.note(row)),
  }
}

export const rememberedTurns = (turns: Turns, forgotten: ForgottenSessions): Turns => ({
  ...turns,
  keep: (kept) => turns.keep(kept.filter(({ session_id: id }) => !isForgottenTurn(forgotten, id))),
})

/** Turns are of sessions that were asked through us; those of Hermes have the id that they have there. */
export const isForgottenTurn = (forgotten: ForgottenSessions, session: string): boolean =>
  ['panoptes', 'hermes'].some((source) => forgotten.has(source, session))
