import type { EffectMeasure, ListedTemplate } from '@panoptes/schema'

/** Tool errors that are compared, but for what is said of them. */
export const measure = (about: Partial<EffectMeasure> = {}): EffectMeasure => ({
  name: 'tool_errors',
  with: 0.08,
  without: 0.19,
  with_sessions: 34,
  without_sessions: 41,
  difference: -0.11,
  low: -0.19,
  high: -0.03,
  reading: 'fewer',
  ...about,
})

export const listed = (tool_errors: EffectMeasure = measure()): ListedTemplate => ({
  name: 'code_atlas_billing',
  task_type: 'code',
  description: '',
  created_at: 1_789_000_000,
  usage_count: 34,
  source_session_id: 's1',
  examples: 8,
  place: 'panoptes',
  file: '/home/someone/.panoptes/templates/code_atlas_billing.json',
  notes: null,
  effect: {
    template: 'code_atlas_billing',
    place: 'panoptes',
    task_type: 'code',
    project: null,
    with_sessions: tool_errors.with_sessions,
    without_sessions: tool_errors.without_sessions,
    randomised: false,
    verdict: 'helps',
    says: '',
    tool_errors,
  },
})

/** Nothing can be said of it yet. */
export const unknown = { with: null, without: null, difference: null, low: null, high: null } as const
