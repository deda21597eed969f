import type { StoredChatMessage } from '@panoptes/schema'
import { words } from '../../words.ts'
import type { RunView } from '../state/run-view.ts'

const w = words.chat.thread

/** How an incomplete answer ended. */
export function endText(message: StoredChatMessage, run: RunView | null): string {
  if (message.error !== null) return w.brokeOff
  return message.status === 'partial' && run?.end?.kind === 'length' ? w.cut : w.stopped
}

/** Null if the duration is unknown. An interrupted run is recorded as ended when Panoptes restarts, so its end says nothing. */
export function answerDuration(message: StoredChatMessage, run: RunView | null): number | null {
  if (message.error?.code === 'interrupted') return null
  return run?.end?.durationMs ?? (message.ended_at === null ? null : message.ended_at - message.ts)
}

/** Earlier messages are not sources, and an empty answer used none. */
export function sourcesText({ content }: StoredChatMessage, run: RunView | null): string {
  const sections = content === '' ? [] : (run?.context?.sections ?? [])
  const used = sections.filter(
    ({ key, status, tokens }) => key !== 'messages' && status === 'ok' && tokens > 0,
  ).length
  return used === 0 ? w.sent : w.sources(used)
}
