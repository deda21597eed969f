import type { InjectTarget, SessionTemplate } from '@panoptes/schema'
import { forAnthropic } from './anthropic.ts'
import { forClaudeHook } from './claude-hook.ts'
import { type ProviderMessage, usableExamples } from './examples.ts'
import { forHermesPrefill } from './hermes-prefill.ts'
import { forOpenai } from './openai.ts'

/**
 * Returns the template in the requested form, with the conversation if the form has one. The input
 * is not modified.
 */
export function inject(
  template: SessionTemplate,
  target: InjectTarget,
  messages: readonly ProviderMessage[],
): unknown {
  switch (target) {
    case 'openai':
      return forOpenai(template, messages)
    case 'anthropic':
      return forAnthropic(template, messages)
    case 'hermes-prefill':
      return forHermesPrefill(template)
    case 'claude-hook':
      return forClaudeHook(template)
  }
}

/** The output if no template fits. */
export const injectNothing = (target: InjectTarget, messages: readonly ProviderMessage[]): unknown =>
  inject({ ...EMPTY }, target, messages)

const EMPTY: SessionTemplate = {
  name: '',
  task_type: 'mixed',
  examples: [],
  description: '',
  created_at: 0,
  usage_count: 0,
  source_session_id: null,
}

/** True if the template has usable examples; otherwise no use is counted. */
export const canGive = (template: SessionTemplate): boolean => usableExamples(template).length > 0
