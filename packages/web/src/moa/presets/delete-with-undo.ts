import type { ListedPreset } from '@panoptes/schema'
import { toast } from '../../design/toast.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { words } from '../../words.ts'
import { deletePreset, savePreset } from '../queries.ts'

const w = words.moa.presets

/** Deletes a preset; for ten seconds it can be restored unchanged. */
export async function deleteWithUndo({ name, preset }: ListedPreset, onGone: () => void): Promise<void> {
  const undo = () => void savePreset(name, preset).then(() => toast({ text: w.restored(name) }), sayFailed)
  try {
    await deletePreset(name)
    toast({ text: w.deleted(name), undo })
    onGone()
  } catch (error) {
    sayFailed(error)
  }
}

const sayFailed = (error: unknown): void =>
  toast({ text: w.actionFailed(error instanceof Error ? errorText(error) : String(error)), tone: 'failed' })
