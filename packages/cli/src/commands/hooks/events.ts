import { nearest } from '@panoptes/engine/home'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'

/** The events of `--events`, or those that matter; a name that is none is refused with the nearest one. */
export function chosenEvents(
  text: string | undefined,
  standard: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (text === undefined) return standard
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  for (const name of names) {
    if (known.includes(name)) continue
    const close = nearest(name, known)
    const why = name === 'WorktreeCreate' ? ': its hook would take the place of what Claude Code does' : ''
    const next = close && why === '' ? `Did you mean ${close}?` : `There are: ${known.join(', ')}`
    throw usage(`${name} is not a hook event that Panoptes can take${why}`, next)
  }
  if (names.length > 0) return [...new Set(names)]
  throw usage('--events names no event', 'Name some, or leave it out for those that matter.')
}

export const usage = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })
