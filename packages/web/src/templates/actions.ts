import type { InjectTarget } from '@panoptes/schema'
import { copyText } from '../design/copy-button.tsx'
import { toast } from '../design/toast.tsx'
import { showFailure } from '../shell/show-failure.ts'
import { words } from '../words.ts'
import { deleteTemplate, injectTemplate, restoreTemplate } from './queries.ts'
import type { TemplateRef } from './template-ref.ts'

const w = words.templates

/** Deletes a template; for ten seconds it can be restored. Returns whether it is gone. */
export async function deleteWithUndo(which: TemplateRef): Promise<boolean> {
  const { name } = which
  const undo = () =>
    void restoreTemplate(name).then(() => toast({ text: w.actions.restored(name) }), showFailure)
  try {
    // Another window may have deleted it first.
    const deleted = await deleteTemplate(which)
    toast(deleted ? { text: w.actions.deleted(name), undo } : { text: w.actions.goneAlready(name) })
    return true
  } catch (error) {
    showFailure(error)
    return false
  }
}

export async function copyTemplateAs(which: TemplateRef, target: InjectTarget): Promise<void> {
  try {
    await copyText(await injectTemplate(which, target), w.panel.copied(w.panel.targets[target]))
  } catch (error) {
    showFailure(error)
  }
}
