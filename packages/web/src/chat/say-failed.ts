import { toast } from '../design/toast.tsx'
import { saidBy } from '../sessions/strips.tsx'
import { words } from '../words.ts'

/** Does something that may be refused, and says so where it is. */
export async function act(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    sayFailed(error)
  }
}

export const sayFailed = (error: unknown): void =>
  toast({
    text: words.chat.actionFailed(error instanceof Error ? saidBy(error) : String(error)),
    tone: 'failed',
  })
