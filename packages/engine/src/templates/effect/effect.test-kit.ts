import type { InjectionRow } from '@panoptes/engine/store'
import type { SessionTemplate } from '@panoptes/schema'
import type { TemplateEntry } from '../file.ts'
import type { SessionWork } from '../session-history.ts'

export const MADE = 1_000
export const NOW = 10_000_000_000

export const template = (more: Partial<SessionTemplate> = {}): TemplateEntry => ({
  template: {
    name: 'tidy',
    task_type: 'terminal',
    examples: [{ tool_name: 'Bash', arguments: {}, result: 'ok', success: true }],
    description: '',
    created_at: MADE,
    usage_count: 0,
    source_session_id: 'origin',
    ...more,
  },
  place: 'panoptes',
  file: '/tidy.json',
  notes: null,
})

/** A finished session: ten calls in the terminal. */
export const work = (id: string, more: Partial<SessionWork> = {}): SessionWork => ({
  source: 'claude-code',
  id,
  title: null,
  project: 'notes',
  started_at: MADE * 1_000,
  last_at: MADE * 1_000 + 1,
  ended_at: null,
  turns: 10,
  tool_calls: 10,
  errors: 0,
  tokens: 1_000,
  tools: [{ tool: 'Bash', calls: 10, errors: 0 }],
  ...more,
})

export const works = (
  count: number,
  name: string,
  more: (n: number) => Partial<SessionWork> = () => ({}),
): readonly SessionWork[] => Array.from({ length: count }, (_, n) => work(`${name}${n}`, more(n)))

export const given = (
  { source, id, project }: Pick<SessionWork, 'source' | 'id' | 'project'>,
  more: Partial<InjectionRow> = {},
): InjectionRow => ({
  key: `${source}/${id}`,
  ts: 1,
  template: 'tidy',
  place: 'panoptes',
  made_at: MADE,
  task_type: 'terminal',
  target: 'claude-hook',
  arm: 'with',
  drawn: false,
  source,
  session_id: id,
  project,
  ...more,
})
