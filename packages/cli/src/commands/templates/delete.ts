import type { Context } from '../../context.ts'
import { withTemplates } from './access.ts'
import { nameText } from './format.ts'

/** Deletes a template, or restores a deleted one. */
export async function remove(
  context: Context,
  name: string,
  { undo = false }: { readonly undo?: boolean },
): Promise<void> {
  const { output } = context
  await withTemplates(context, 'write', (templates) =>
    undo ? templates.restore(name) : templates.remove(name),
  )
  output.answer([`${undo ? 'Restored' : 'Deleted'} template: ${nameText(name)}`], { ok: true, name })
  if (!undo)
    output.note(`You can restore it within a day: panoptes templates delete "${nameText(name)}" --undo`)
}
