import type { StoredChatMessage } from '@panoptes/schema'
import { words } from '../../words.ts'
import type { RunView } from '../state/run-view.ts'

const w = words.chat.thread

/** How an answer ended that is not whole. */
export function endOf(message: StoredChatMessage, run: RunView | null): string {
  if (message.error !== null) return w.brokeOff
  return message.status === 'partial' && run?.end?.kind === 'length' ? w.cut : w.stopped
}

/** Null where nobody knows: of one that was interrupted, the end is when Panoptes ran again. */
export function tookOf(message: StoredChatMessage, run: RunView | null): number | null {
  if (message.error?.code === 'interrupted') return null
  return run?.end?.durationMs ?? (message.ended_at === null ? null : message.ended_at - message.ts)
}

/** What was said before is no source, and nothing was used where nothing was said. */
export function sourcesOf({ content }: StoredChatMessage, run: RunView | null): string {
  const sections = content === '' ? [] : (run?.context?.sections ?? [])
  const used = sections.filter(
    ({ key, status, tokens }) => key !== 'messages' && status === 'ok' && tokens > 0,
  ).length
  return used === 0 ? w.sent : w.sources(used)
}
