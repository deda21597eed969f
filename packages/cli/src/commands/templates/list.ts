import type { Context } from '../../context.ts'
import { withTemplates } from './access.ts'
import { nameText, noteBroken, typeOf } from './words.ts'

export async function list(context: Context, options: { readonly type?: string }): Promise<void> {
  const type = typeOf(options.type)
  const reply = await withTemplates(context, 'read', (templates) => templates.list(type))
  noteBroken(context, reply.broken)
  const { templates } = reply
  const theirs = templates.filter(({ place }) => place === 'hermes')
  if (theirs.length > 0)
    context.output.note(`Of Hermes, and only read: ${theirs.map(({ name }) => nameText(name)).join(', ')}`)
  if (templates.length === 0) context.output.note('Sessions worth one: panoptes templates suggest')
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
}
