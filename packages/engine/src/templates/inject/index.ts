import type { InjectTarget, SessionTemplate } from '@panoptes/schema'
import { forAnthropic } from './anthropic.ts'
import { forClaudeHook } from './claude-hook.ts'
import { type Given, givenExamples } from './given.ts'
import { forHermesPrefill } from './hermes-prefill.ts'
import { forOpenai } from './openai.ts'

/** The template in the form that is asked for, with the conversation where the form has one. What is given stays as it is. */
export function inject(template: SessionTemplate, target: InjectTarget, messages: readonly Given[]): unknown {
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

/** What an agent gets where no template fits. */
export const injectNothing = (target: InjectTarget, messages: readonly Given[]): unknown =>
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

/** Whether there is anything in it to give; without, no use is counted. */
export const canGive = (template: SessionTemplate): boolean => givenExamples(template).length > 0
