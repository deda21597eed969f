import type { Context } from '../../context.ts'
import { withTemplates } from './access.ts'
import { nameText, noteBroken, parseTaskType } from './format.ts'

export async function list(context: Context, options: { readonly type?: string }): Promise<void> {
  const type = parseTaskType(options.type)
  const reply = await withTemplates(context, 'read', (templates) => templates.list(type))
  noteBroken(context, reply.broken)
  const { templates } = reply
  const theirs = templates.filter(({ place }) => place === 'hermes')
  if (theirs.length > 0)
    context.output.note(`From Hermes (read-only): ${theirs.map(({ name }) => nameText(name)).join(', ')}`)
  context.output.answer(
    templates.length === 0
      ? ['No templates found']
      : [
          `Found ${templates.length} templates:`,
          ...templates.map(
            (one) =>
              `  ${nameText(one.name)}: ${one.task_type} (${one.examples} examples, used ${one.usage_count} times)`,
          ),
        ],
    reply,
  )
  if (templates.length === 0)
    context.output.note('Find sessions for new templates: panoptes templates suggest')
}
