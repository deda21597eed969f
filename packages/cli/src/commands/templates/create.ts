import { checkTemplateName } from '@panoptes/engine/templates'
import type { TaskType, TemplateInput, TemplatePreview } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, usageFailure } from '../../failure.ts'
import { columns, count, plural, shortenPath } from '../../terminal/format.ts'
import { findSession } from '../sessions/access.ts'
import { plain } from '../sessions/format.ts'
import { type TemplatesAccess, withTemplates } from './access.ts'
import { exampleLines, nameText, parseTaskType } from './format.ts'
import { removedLines } from './show.ts'

export interface CreateOptions {
  readonly name?: string
  readonly type?: string
  readonly maxExamples?: number
  readonly force?: boolean
  readonly source?: string
  readonly preview?: boolean
  readonly full?: boolean
}

/** Creates a template from a session, or previews it. */
export async function create(context: Context, id: string, options: CreateOptions): Promise<void> {
  const type = parseTaskType(options.type)
  if (options.name !== undefined) checkName(options.name)
  const { output } = context
  if (options.preview) {
    const preview = await withTemplates(context, 'read', async (templates) =>
      templates.preview(await buildTemplateInput(templates, id, type, options)),
    ).catch(failed)
    return output.answer(previewLines(context, preview, options.full === true), preview)
  }
  const made = await withTemplates(context, 'write', async (templates) =>
    templates.create(await buildTemplateInput(templates, id, type, options)),
  ).catch(failed)
  const { template, notes, file } = made
  output.answer(headLines('Created template', made), made)
  output.note(`In ${plain(shortenPath(file), 400)}`)
  if (notes.secrets_removed > 0) output.note(`Removed: ${plural(notes.secrets_removed, 'secret')}`)
  output.note(`Use it with an agent: panoptes templates inject "${nameText(template.name)}" --for openai`)
  if (notes.source === 'claude-code')
    output.note('Use templates in new Claude Code sessions: panoptes templates install claude-code')
}

async function buildTemplateInput(
  { sessions }: TemplatesAccess,
  sessionId: string,
  type: TaskType | undefined,
  { source, name, maxExamples, force = false }: CreateOptions,
): Promise<TemplateInput> {
  const of: TemplatesAccess['sessions'] = {
    list: (filter, limit) => sessions.list({ ...filter, source }, limit),
  }
  const found = await findSession(of, sessionId)
  return {
    source: found.source,
    session_id: found.id,
    force,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(maxExamples === undefined ? {} : { max_examples: maxExamples }),
  }
}

function checkName(candidate: string): void {
  const name = checkTemplateName(candidate)
  if (!name.ok) throw usageFailure(name.message, 'Choose another name.')
}

/** The request is valid but creates no template. Programs parse the line on stdout. */
function failed(error: unknown): never {
  if (!(error instanceof CommandFailure) || error.exit !== 1) throw error
  const { message, code, next, exit } = error
  throw new CommandFailure(message, { code, next, exit, says: 'Failed to create template' })
}

const headLines = (head: string, { template }: TemplatePreview): readonly string[] => [
  `${head}: ${nameText(template.name)}`,
  `  Type: ${template.task_type}`,
  `  Examples: ${template.examples.length}`,
]

function previewLines(
  { output: { paint } }: Context,
  preview: TemplatePreview,
  full: boolean,
): readonly string[] {
  const { template, notes, turns, calls, failed: errors, unanswered, by_type } = preview
  const kinds = Object.entries(by_type).map(([kind, number]) => `${kind} ${count(number)}`)
  return [
    ...headLines('Would create template', preview),
    ...columns([
      [
        'looked at',
        `${plural(turns, 'turn')}, ${plural(calls, 'call')}: ${count(errors)} failed, ${count(unanswered)} without a result`,
      ],
      ['judged on', kinds.join(', ') || '–'],
      ['removed', removedLines(notes)],
    ]),
    '',
    paint.bold('Kept'),
    ...template.examples.flatMap((example, at) =>
      exampleLines(example, at, { full, removed: notes.removed_by_example[at] ?? 0 }),
    ),
  ]
}
