import type { ConversationHead } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { toast } from '../../design/toast.tsx'
import { createStore } from '../../store.ts'
import { words } from '../../words.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { readList } from '../queries.ts'

const w = words.chat.head
const UNDO_MS = 10_000

/** Hidden conversations that are deleted as soon as the undo time is over. */
export const pendingDeletions = createStore<ReadonlySet<string>>(new Set())

const timers = new Map<string, ReturnType<typeof setTimeout>>()

const removePending = (id: string): void =>
  pendingDeletions.update((before) => new Set([...before].filter((other) => other !== id)))

/** Deletes a conversation in ten seconds; until then the deletion can be undone. */
export function deleteWithUndo({ id, title }: Pick<ConversationHead, 'id' | 'title'>): void {
  if (timers.has(id)) return
  pendingDeletions.update((before) => new Set([...before, id]))
  timers.set(
    id,
    setTimeout(() => void remove(id), UNDO_MS),
  )
  toast({
    text: w.deleted(toVisibleLine(title, 60) || words.chat.untitled),
    undo: () => {
      if (!timers.has(id)) return toast({ text: w.goneAlready, tone: 'failed' })
      clearTimeout(timers.get(id))
      timers.delete(id)
      removePending(id)
    },
  })
}

async function remove(id: string): Promise<void> {
  timers.delete(id)
  try {
    await conversationApi.remove(id)
    await readList()
  } catch (error) {
    toast({
      text: words.actions.failed(toVisible(error instanceof Error ? error.message : String(error))),
      tone: 'failed',
    })
  }
  removePending(id)
}

/** Cancels all pending deletions. */
export function cancelDeletions(): void {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  pendingDeletions.set(new Set())
}

/** Leaving the page ends the chance to undo. */
export function removeOnLeave(): () => void {
  const onLeave = () => {
    for (const [id, timer] of timers) {
      clearTimeout(timer)
      void conversationApi.remove(id, true).catch(() => undefined)
    }
    timers.clear()
  }
  addEventListener('pagehide', onLeave)
  return () => removeEventListener('pagehide', onLeave)
}
