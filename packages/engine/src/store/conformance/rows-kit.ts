import type { MoaTurn } from '@panoptes/schema'
import type { InjectionRow } from '../template-uses-port.ts'

/** Creates a turn of several models, changed by `more`. */
export const turn = (id: string, more: Partial<MoaTurn> = {}): MoaTurn => ({
  id,
  session_id: 's',
  preset: 'review',
  from: 'gateway',
  replay_of: null,
  started_at: 1_000,
  ended_at: 2_000,
  status: 'done',
  question: 'why?',
  iterations: 1,
  overhead_ms: 3,
  cost_micro_usd: 12,
  cost_unknown: 0,
  traced: false,
  slots: [],
  ...more,
})

/** Creates a template use, changed by `more`. */
export const injection = (key: string, more: Partial<InjectionRow> = {}): InjectionRow => ({
  key,
  ts: 1_000,
  template: 'tidy',
  place: 'panoptes',
  made_at: 1_700_000_000.25,
  task_type: 'code',
  target: 'openai',
  arm: 'with',
  drawn: false,
  source: null,
  session_id: null,
  project: null,
  ...more,
})
