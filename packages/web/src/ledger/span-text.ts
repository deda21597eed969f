import * as f from '../format.ts'
import { words } from '../words.ts'
import { boundsOf, hasLonger, type LedgerSearch, spanOf } from './search.ts'

/** The time that counts: 30 days, or 14 Nov – 15 Nov. */
export function spanText(search: LedgerSearch, now: number): string {
  const { begin, end } = boundsOf(search, now)
  if (begin === null || end === null) return words.ledger.spans[spanOf(search)]
  return words.ledger.cost.span(f.day(begin, now), f.day(end, now))
}

interface Where {
  /** `yet`, `in this span`, `in this project and span`. */
  readonly text: string
  /** Whether whose sessions count is chosen. */
  readonly chosen: boolean
}

/** Where there is nothing: never yet, or only in what is asked for. */
export function whereOf(search: LedgerSearch): Where {
  const chosen = (['session', 'project', 'source'] as const).filter((name) => search[name] !== undefined)
  const names = [
    ...chosen.map((name) => words.ledger.where[name]),
    ...(hasLonger(search) ? [words.ledger.where.span] : []),
  ]
  return { text: words.ledger.where.text(names), chosen: chosen.length > 0 }
}
