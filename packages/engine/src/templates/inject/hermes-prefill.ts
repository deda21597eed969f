import type { SessionTemplate } from '@panoptes/schema'
import { asText } from './as-text.ts'
import type { ProviderMessage } from './examples.ts'

const TAKEN_IN = 'I have read these records and keep them in mind as examples.'

/**
 * The content of the file that Hermes' `prefill_messages_file` names. Its messages contain only
 * text.
 */
export function forHermesPrefill(template: SessionTemplate): readonly ProviderMessage[] {
  const text = asText(template)
  if (text === undefined) return []
  return [
    { role: 'user', content: text },
    { role: 'assistant', content: TAKEN_IN },
  ]
}
