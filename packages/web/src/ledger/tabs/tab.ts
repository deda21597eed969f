import type { Change, LedgerSearch } from '../search-params.ts'

/** The props of every tab. */
export interface TabProps {
  readonly search: LedgerSearch
  readonly now: number
  readonly go: (change: Change) => void
  readonly onClear: () => void
}
