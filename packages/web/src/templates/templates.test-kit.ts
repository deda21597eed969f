import {
  type CreatedTemplate,
  type EffectMeasure,
  type InjectReply,
  injectInput,
  type ListedTemplate,
  type Suggestion,
  type TemplateInput,
  type TemplateNotes,
  type TemplatePreview,
  type TemplateReply,
  type TemplatesReply,
  type ToolCallExample,
  templateInput,
  templateQuery,
} from '@panoptes/schema'
import type { FakeServer } from '../testing/fake-server.ts'

/** A comparison of tool errors. */
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

/** The values of a measure without data. */
export const unknown = { with: null, without: null, difference: null, low: null, high: null } as const

/** A template in the list, with the examples below. */
export const listedTemplate = (about: Partial<ListedTemplate> = {}): ListedTemplate => {
  const name = about.name ?? 'retry_queue'
  const place = about.place ?? 'panoptes'
  const unused = measure({ ...unknown, with_sessions: 0, without_sessions: 0, reading: 'too_few' })
  const one = listed(unused)
  return {
    ...one,
    name,
    place,
    file: `/home/dev/.${place}/templates/${name}.json`,
    usage_count: 0,
    examples: examples.length,
    notes,
    effect: { ...one.effect, template: name, place, verdict: 'not_used', says: 'No session had it yet.' },
    ...about,
  }
}

const HOSTILE = '<img src=x onerror="document.title=1">'

const example = (tool_name: string, args: Record<string, unknown>, result: string): ToolCallExample => ({
  tool_name,
  arguments: args,
  result,
  success: true,
})

/** The calls of a successful session. */
const examples: readonly ToolCallExample[] = [
  example('Grep', { pattern: 'enqueueRetry' }, 'src/retry.ts:31'),
  example('Read', { file_path: '/home/dev/atlas/src/retry.ts' }, HOSTILE),
  example('Bash', { command: 'npm test' }, '38 passed'),
]

const notes: TemplateNotes = {
  source: 'claude-code',
  title: 'Retry queue loses the last job',
  project: 'atlas',
  secrets_removed: 1,
  removed_by_example: [0, 0, 1],
  left_out: 0,
}

/** The complete reply for a template in the list. */
export function wholeTemplate(
  one: ListedTemplate,
  measures: TemplateReply['effect']['measures'] = [one.effect.tool_errors],
): TemplateReply {
  const { tool_errors: _, ...effect } = one.effect
  const { name, task_type, description, created_at, usage_count, source_session_id } = one
  const kept = examples.slice(0, one.examples)
  return {
    template: { name, task_type, description, created_at, usage_count, source_session_id, examples: kept },
    place: one.place,
    file: one.file,
    notes: one.notes,
    effect: { ...effect, measures, caveats: ['Nobody drew lots.'] },
  }
}

const suggestion: Suggestion = {
  source: 'claude-code',
  id: 'good',
  title: 'Retry queue loses the last job',
  project: 'atlas',
  task_type: 'code',
  last_at: Date.now() - 3_600_000,
  calls: 4,
  failed: 1,
  score: 0.8,
  reasons: ['Ended well'],
}

/** The preview for the suggested session. */
function preview({ max_examples, name, type }: TemplateInput): TemplatePreview {
  return {
    template: {
      name: name ?? 'code_atlas_retry',
      task_type: type ?? 'terminal',
      examples: examples.slice(0, max_examples),
      description: 'Template with 3 examples',
      created_at: Date.now() / 1_000,
      usage_count: 0,
      source_session_id: 'good',
    },
    notes,
    turns: 4,
    calls: 4,
    failed: 1,
    unanswered: 0,
    by_type: { code: 2, terminal: 2 },
  }
}

/** Serves a folder of templates. */
export function answerTemplates(
  server: FakeServer,
  start: Partial<TemplatesReply> = {},
): { templates: readonly ListedTemplate[] } {
  const folder = { templates: start.templates ?? [] }
  const deleted = new Map<string, ListedTemplate>()
  const nameIn = (path: string): string => decodeURIComponent(path.split('/')[3] ?? '')
  const put = (one: ListedTemplate) => {
    folder.templates = [one, ...folder.templates.filter(({ name }) => name !== one.name)]
  }
  server
    .on(
      'GET /api/templates',
      (): TemplatesReply => ({
        broken: [],
        folder: '/home/dev/.panoptes/templates',
        experiment: null,
        ...start,
        templates: [...folder.templates],
      }),
    )
    .on('GET /api/templates/suggested', [suggestion])
    .on('GET /api/templates/:name/whole', ({ path, query }) => {
      const { place } = templateQuery.parse(Object.fromEntries(query))
      const one = folder.templates.find(({ name, place: at }) => name === nameIn(path) && at === place)
      return one === undefined
        ? Response.json({ detail: `There is no template ${nameIn(path)}.` }, { status: 404 })
        : wholeTemplate(one)
    })
    .on('POST /api/templates/preview', ({ body }) => preview(templateInput.parse(body)))
    .on('POST /api/templates', ({ body }): CreatedTemplate => {
      const made = preview(templateInput.parse(body))
      const { name, task_type } = made.template
      const one = listedTemplate({ name, task_type, examples: made.template.examples.length })
      put(one)
      return { ...made, file: one.file }
    })
    .on('DELETE /api/templates/:name', ({ path }) => {
      const gone = folder.templates.find(({ name }) => name === nameIn(path))
      if (gone) deleted.set(gone.name, gone)
      folder.templates = folder.templates.filter((one) => one !== gone)
      return { ok: true, name: nameIn(path) }
    })
    .on('POST /api/templates/:name/restore', ({ path }) => {
      const one = deleted.get(nameIn(path))
      if (one) put(one)
      return { ok: true, name: nameIn(path) }
    })
    .on('POST /api/templates/inject', ({ body }): InjectReply => {
      const input = injectInput.parse(body)
      const one = folder.templates.find(({ name, place }) => name === input.name && place === input.place)
      if (one) put({ ...one, usage_count: one.usage_count + 1 })
      return {
        template: one?.name ?? null,
        task_type: one?.task_type ?? null,
        reasons: ['It was asked for by its name.'],
        output: [{ role: 'system', content: 'Examples follow.' }],
      }
    })
  return folder
}
