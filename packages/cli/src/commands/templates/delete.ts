import type { Context } from '../../context.ts'
import { withTemplates } from './access.ts'
import { nameText } from './words.ts'

/** Deletes a template, or takes that back. */
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
    output.note(`Within a day it can be taken back: panoptes templates delete "${nameText(name)}" --undo`)
}
