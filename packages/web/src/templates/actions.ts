import type { InjectTarget } from '@panoptes/schema'
import { copyText } from '../design/copy-button.tsx'
import { toast } from '../design/toast.tsx'
import { saidBy } from '../sessions/strips.tsx'
import { words } from '../words.ts'
import { deleteTemplate, injected, restoreTemplate } from './queries.ts'

const w = words.templates

/** Deletes a template; for ten seconds it can be taken back. */
export async function deleteWithUndo(name: string): Promise<boolean> {
  try {
    await deleteTemplate(name)
  } catch (error) {
    sayFailed(error)
    return false
  }
  const undo = () =>
    void restoreTemplate(name).then(() => toast({ text: w.actions.restored(name) }), sayFailed)
  toast({ text: w.actions.deleted(name), undo })
  return true
}

export async function copyAs(name: string, target: InjectTarget): Promise<void> {
  try {
    await copyText(await injected(name, target), w.panel.copied(w.panel.targets[target]))
  } catch (error) {
    sayFailed(error)
  }
}

const sayFailed = (error: unknown): void =>
  toast({
    text: w.actions.failed(error instanceof Error ? saidBy(error) : String(error)),
    tone: 'failed',
  })
