import type { ReactNode } from 'react'
import { NoMatch } from '../../design/empty.tsx'
import { Strip } from '../../design/strip.tsx'
import { words } from '../../words.ts'
import { Failure, useSlow } from '../block.tsx'
import type { Change, LedgerSearch } from '../search-params.ts'

const w = words.ledger

/** The content of a tab: its table, or why it is empty. */
export function TabBody(props: {
  readonly error: Error | null
  readonly onRetry: () => void
  /** Undefined while it loads. */
  readonly rows: number | undefined
  readonly none: string
  /** Whether a longer time range exists. */
  readonly longer?: boolean
  readonly narrowed: boolean
  readonly onClear: () => void
  readonly children: ReactNode
}) {
  const { error, rows } = props
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {error !== null && (
        <div className="shrink-0 border-b border-line bg-raised px-3.5">
          <Failure error={error} onRetry={props.onRetry} />
        </div>
      )}
      {rows === undefined && error === null && <Waiting />}
      {rows === 0 && props.narrowed && (
        <NoMatch {...w.noMatch} clear={w.filter.clear} onClear={props.onClear} />
      )}
      {rows === 0 && !props.narrowed && (
        <div className="px-4 py-3 text-12 text-text-2">
          <p>{props.none}</p>
          {props.longer && <p className="pt-1 text-text-3">{w.noneIn}</p>}
        </div>
      )}
      {rows !== undefined && rows > 0 && props.children}
    </div>
  )
}

function Waiting() {
  return useSlow() && <Strip>{w.wait}</Strip>
}

/** The props of every tab. */
export interface TabProps {
  readonly search: LedgerSearch
  readonly now: number
  readonly go: (change: Change) => void
  readonly onClear: () => void
}
