import { success } from '@panoptes/schema/result'
import type { ForgottenSessions } from './forgotten-sessions.ts'
import type { InjectionRow, TemplateUses } from './template-uses-port.ts'
import type { Turns } from './turns-port.ts'

/** Skips template uses of forgotten sessions. */
export const filterTemplateUses = (
  templateUses: TemplateUses,
  forgotten: ForgottenSessions,
): TemplateUses => {
  const isForgotten = ({ source, session_id: id }: Pick<InjectionRow, 'source' | 'session_id'>) =>
    source !== null && id !== null && forgotten.has(source, id)
  return {
    ...templateUses,
    inject: async (row) => (isForgotten(row) ? success(false) : templateUses.inject(row)),
    note: async (row) => (isForgotten(row) ? success(null) : templateUses.note(row)),
  }
}

export const filterTurns = (turns: Turns, forgotten: ForgottenSessions): Turns => ({
  ...turns,
  keep: (newTurns) => turns.keep(newTurns.filter(({ session_id: id }) => !isForgottenTurn(forgotten, id))),
})

/** A turn belongs to the session it was asked in. Sessions of Hermes keep the id that they have there. */
export const isForgottenTurn = (forgotten: ForgottenSessions, session: string): boolean =>
  ['panoptes', 'hermes'].some((source) => forgotten.has(source, session))
