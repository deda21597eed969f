import type { TemplateReply } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, plural, shortenPath } from '../../terminal/format.ts'
import { dateTime, plain } from '../sessions/format.ts'
import { withTemplates } from './access.ts'
import { exampleLines, nameText } from './format.ts'

export async function show(
  context: Context,
  name: string,
  { full = false }: { readonly full?: boolean },
): Promise<void> {
  const reply = await withTemplates(context, 'read', (templates) => templates.show(name))
  context.output.answer(lines(context, reply, full), reply)
}

function lines({ output: { paint } }: Context, reply: TemplateReply, full: boolean): readonly string[] {
  const { template, place, file, notes, effect } = reply
  return [
    paint.bold(nameText(template.name)),
    ...(template.description === '' ? [] : [plain(template.description, 300)]),
    ...columns([
      ['type', template.task_type],
      ['used', plural(template.usage_count, 'time')],
      ['effect', plain(effect.says, 400)],
      ['made', template.created_at > 0 ? `${dateTime(template.created_at * 1_000)} UTC` : 'unknown'],
      ['session', sessionText(reply)],
      ...(notes ? [['removed', removedLines(notes)]] : []),
      ['file', `${plain(shortenPath(file), 400)}${place === 'hermes' ? ' (from Hermes, read-only)' : ''}`],
    ]),
    '',
    paint.bold(plural(template.examples.length, 'example')),
    ...template.examples.flatMap((example, at) =>
      exampleLines(example, at, { full, removed: notes?.removed_by_example[at] ?? 0 }),
    ),
  ]
}

function sessionText({ template: { source_session_id: id }, notes }: TemplateReply): string {
  if (id === null) return '–'
  const from = [notes?.source, notes?.project, notes?.title].flatMap((word) =>
    word ? [plain(word, 60)] : [],
  )
  return `${plain(id, 100)}${from.length > 0 ? ` (${from.join(', ')})` : ''}`
}

/** What was removed from the template. */
export const removedLines = (notes: {
  readonly secrets_removed: number
  readonly left_out: number
}): string => `${plural(notes.secrets_removed, 'secret')}; ${plural(notes.left_out, 'character')} omitted`
