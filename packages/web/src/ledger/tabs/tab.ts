import type { Change, LedgerSearch } from '../search.ts'

/** What every tab is given. */
export interface TabProps {
  readonly search: LedgerSearch
  readonly now: number
  readonly go: (change: Change) => void
  readonly onClear: () => void
}
