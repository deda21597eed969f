import { Glyph } from '../../design/glyph.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { isOver, type RunView } from '../state/run-view.ts'
import { Since } from './node-rows.tsx'

const w = words.chat.thread

/** Shows what the runtime does before its first word. */
export function Thinking({ run }: { readonly run: RunView | null }) {
  const asks = run?.asks.some(({ state }) => state === 'open') ?? false
  if (asks) return null
  const step = run === null ? undefined : [...run.nodes.values()].findLast(({ status }) => !isOver(status))
  const label = step ? oneLine(step.label, 80) : run?.context ? w.thinking : w.preparing
  return (
    <p className="flex items-center gap-2 text-12 text-text-2">
      <Glyph name="working" size={12} />
      {label}
      <span className="text-11 text-text-3">{run !== null && <Since at={run.startedAt} />}</span>
    </p>
  )
}
