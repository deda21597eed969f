import type { InjectTarget } from '@panoptes/schema'
import { copyText } from '../design/copy-button.tsx'
import { toast } from '../design/toast.tsx'
import { errorText } from '../sessions/strips.tsx'
import { words } from '../words.ts'
import { deleteTemplate, injected, restoreTemplate } from './queries.ts'
import type { Which } from './template-ref.ts'

const w = words.templates

/** Deletes a template; for ten seconds it can be restored. Returns whether it is gone. */
export async function deleteWithUndo(which: Which): Promise<boolean> {
  const { name } = which
  const undo = () =>
    void restoreTemplate(name).then(() => toast({ text: w.actions.restored(name) }), sayFailed)
  try {
    // Another window may have deleted it first.
    const deleted = await deleteTemplate(which)
    toast(deleted ? { text: w.actions.deleted(name), undo } : { text: w.actions.goneAlready(name) })
    return true
  } catch (error) {
    sayFailed(error)
    return false
  }
}

export async function copyAs(which: Which, target: InjectTarget): Promise<void> {
  try {
    await copyText(await injected(which, target), w.panel.copied(w.panel.targets[target]))
  } catch (error) {
    sayFailed(error)
  }
}

const sayFailed = (error: unknown): void =>
  toast({
    text: w.actions.failed(error instanceof Error ? errorText(error) : String(error)),
    tone: 'failed',
  })
