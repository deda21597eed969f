import { toast } from '../design/toast.tsx'
import { errorText } from '../sessions/strips.tsx'
import { words } from '../words.ts'

/** Runs an action that may be refused and reports the failure in place. */
export async function runAction(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    showFailure(error)
  }
}

export const showFailure = (error: unknown): void =>
  toast({ text: words.actions.failed(errorText(error)), tone: 'failed' })
