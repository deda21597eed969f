import { nearest } from '@panoptes/engine/home'
import { usageFailure } from '../../failure.ts'

/** Parses `--events`, with the default events if it is absent. An unknown name is rejected with the closest match. */
export function chosenEvents(
  text: string | undefined,
  standard: readonly string[],
  supported: readonly string[],
): readonly string[] {
  if (text === undefined) return standard
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  for (const name of names) {
    if (supported.includes(name)) continue
    const close = nearest(name, supported)
    const why = name === 'WorktreeCreate' ? ': its hook would replace what Claude Code does' : ''
    const next = close && why === '' ? `Did you mean ${close}?` : `Choose from: ${supported.join(', ')}`
    throw usageFailure(`Panoptes does not support the hook event ${name}${why}`, next)
  }
  if (names.length > 0) return [...new Set(names)]
  throw usageFailure(
    '--events is empty',
    'Name at least one event, or omit --events to use the default ones.',
  )
}
