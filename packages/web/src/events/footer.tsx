import { words } from '../words.ts'
import type { ListState } from './list.ts'
import type { RowWindow } from './use-row-window.ts'

const w = words.events

/** The visible rows and the total. */
export function Foot({ state, view }: { readonly state: ListState; readonly view: RowWindow }) {
  if (state.rows === 0) return null
  const from = Math.min(view.top + 1, state.rows)
  const label = state.complete
    ? `${w.rows(from, view.bottom, state.rows)} · ${w.onlyDrawn}`
    : `${w.rowsSoFar(from, view.bottom, state.rows)}${state.lookedTo === null ? '' : ` · ${w.lookedBack(state.lookedTo)}`}`
  return (
    <div className="flex h-8 shrink-0 items-center justify-between gap-4 border-t border-line px-4 text-11 text-text-3">
      <span className="max-desk:hidden">{w.order}</span>
      <span className="truncate">{label}</span>
    </div>
  )
}
