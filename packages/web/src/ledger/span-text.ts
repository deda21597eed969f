import * as f from '../format.ts'
import { words } from '../words.ts'
import { hasLonger, type LedgerSearch, selectedSpan, timeBounds } from './search-params.ts'

/** The time range as text: 30 days, or 14 Nov – 15 Nov. */
export function spanText(search: LedgerSearch, now: number): string {
  const { begin, end } = timeBounds(search, now)
  if (begin === null || end === null) return words.ledger.spans[selectedSpan(search)]
  return words.ledger.cost.span(f.day(begin, now), f.day(end, now))
}

interface Scope {
  /** `yet`, `in this time range`, `in this project and time range`. */
  readonly text: string
  /** Whether a source, project or session is selected. */
  readonly chosen: boolean
}

/** Says where nothing was found: never yet, or only within the filters. */
export function describeScope(search: LedgerSearch): Scope {
  const chosen = (['session', 'project', 'source'] as const).filter((name) => search[name] !== undefined)
  const names = [
    ...chosen.map((name) => words.ledger.where[name]),
    ...(hasLonger(search) ? [words.ledger.where.span] : []),
  ]
  return { text: words.ledger.where.text(names), chosen: chosen.length > 0 }
}
