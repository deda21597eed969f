import { safeName } from '@panoptes/engine/templates'
import type { TaskType, TemplateInput, TemplatePreview } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure } from '../../failure.ts'
import { columns, count, counted, tilde } from '../../terminal/words.ts'
import { findSession } from '../sessions/access.ts'
import { plain } from '../sessions/words.ts'
import { type TemplatesAccess, withTemplates } from './access.ts'
import { takenOut } from './show.ts'
import { exampleLines, nameText, typeOf, wrongUse } from './words.ts'

export interface CreateOptions {
  readonly name?: string
  readonly type?: string
  readonly maxExamples?: number
  readonly force?: boolean
  readonly source?: string
  readonly preview?: boolean
  readonly full?: boolean
}

/** Makes a template of a session, or shows what it would be. */
export async function create(context: Context, id: string, options: CreateOptions): Promise<void> {
  const type = typeOf(options.type)
  if (options.name !== undefined) checkName(options.name)
  const { output } = context
  if (options.preview) {
    const preview = await withTemplates(context, 'read', async (templates) =>
      templates.preview(await inputOf(templates, id, type, options)),
    ).catch(failed)
    return output.answer(previewLines(context, preview, options.full === true), preview)
  }
  const made = await withTemplates(context, 'write', async (templates) =>
    templates.create(await inputOf(templates, id, type, options)),
  ).catch(failed)
  const { template, notes, file } = made
  output.answer(headLines('Created template', made), made)
  output.note(`In ${plain(tilde(file), 400)}`)
  if (notes.secrets_removed > 0) output.note(`Taken out: ${counted(notes.secrets_removed, 'secret')}`)
  output.note(`Give it to an agent: panoptes templates inject "${nameText(template.name)}" --for openai`)
  if (notes.source === 'claude-code')
    output.note('Let new sessions of Claude Code ask for one: panoptes templates install claude-code')
}

async function inputOf(
  { sessions }: TemplatesAccess,
  asked: string,
  type: TaskType | undefined,
  { source, name, maxExamples, force = false }: CreateOptions,
): Promise<TemplateInput> {
  const of: TemplatesAccess['sessions'] = {
    list: (filter, limit) => sessions.list({ ...filter, source }, limit),
  }
  const found = await findSession(of, asked)
  return {
    source: found.source,
    session_id: found.id,
    force,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(maxExamples === undefined ? {} : { max_examples: maxExamples }),
  }
}

function checkName(given: string): void {
  const name = safeName(given)
  if (!name.ok) throw wrongUse(name.message, 'Choose another name.')
}

/** What was asked for is right, and there is nothing to make of it. */
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
        `${counted(turns, 'turn')}, ${counted(calls, 'call')}: ${count(errors)} failed, ${count(unanswered)} without a result`,
      ],
      ['judged on', kinds.join(', ') || '–'],
      ['taken out', takenOut(notes)],
    ]),
    '',
    paint.bold('Kept'),
    ...template.examples.flatMap((example, at) =>
      exampleLines(example, at, { full, removed: notes.removed_by_example[at] ?? 0 }),
    ),
  ]
}
