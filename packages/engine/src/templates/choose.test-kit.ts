import type { TaskType } from '@panoptes/schema'
import type { TemplateEntry } from './file.ts'
import type { SessionWork } from './session-history.ts'

interface About {
  readonly type?: TaskType
  readonly used?: number
  readonly made?: number
  readonly project?: string
  readonly examples?: number
}

export const known = (name: string, about: About = {}): TemplateEntry => ({
  template: {
    name,
    task_type: about.type ?? 'terminal',
    examples: Array.from({ length: about.examples ?? 1 }, () => ({
      tool_name: 'Bash',
      arguments: {},
      result: 'ok',
      success: true,
    })),
    description: '',
    created_at: about.made ?? 1,
    usage_count: about.used ?? 0,
    source_session_id: null,
  },
  place: 'panoptes',
  file: `/templates/${name}.json`,
  notes:
    about.project === undefined
      ? null
      : {
          source: 'claude-code',
          title: null,
          project: about.project,
          secrets_removed: 0,
          removed_by_example: [],
          left_out: 0,
        },
})

/** A session of a project in which one tool was called. */
export const work = (tool: string, project: string | null = 'atlas'): SessionWork => ({
  source: 'claude-code',
  id: tool,
  title: null,
  project,
  started_at: 1,
  last_at: 1,
  ended_at: 1,
  turns: 3,
  tool_calls: 3,
  errors: 0,
  tokens: null,
  tools: [{ tool, calls: 3, errors: 0 }],
})
