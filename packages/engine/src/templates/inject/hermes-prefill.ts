import type { SessionTemplate } from '@panoptes/schema'
import { asText } from './as-text.ts'
import type { Given } from './given.ts'

const TAKEN_IN = 'I have read these records and keep them in mind as examples.'

/** What goes into the file that Hermes' `prefill_messages_file` names. Its messages are text alone. */
export function forHermesPrefill(template: SessionTemplate): readonly Given[] {
  const text = asText(template)
  if (text === undefined) return []
  return [
    { role: 'user', content: text },
    { role: 'assistant', content: TAKEN_IN },
  ]
}
