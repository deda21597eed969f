import type { OutcomeOrNone } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { classes } from '../../design/class-names.ts'
import { Glyph } from '../../design/glyph.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import { outcomeGlyphs } from '../format.ts'
import { PlaceLink } from '../place-link.tsx'
import { outcomesQuery } from '../queries.ts'
import { type LedgerSearch, OUTCOMES, toQueryString, toTab } from '../search-params.ts'
import { describeScope } from '../span-text.ts'
import { type TypeBar, typeBars } from './summary-rows.ts'

const w = words.ledger.outcomes
const FEW = 6
/** These outcomes are named only if they occur. */
const RARE: ReadonlySet<OutcomeOrNone> = new Set(['scaffolding', 'stopped', 'lost'])
const LONGEST = 40

const looks = {
  functional: 'text-done bg-current',
  partial: 'text-partial hatched',
  scaffolding: 'text-partial striped',
  fail: 'text-failed hatched-back',
  stopped: 'text-stuck striped',
  lost: 'text-stuck border border-dashed border-current',
  none: 'text-other border border-current',
} as const

/** The outcomes of agents by type. */
export function OutcomesCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(outcomesQuery(toQueryString(search, now)))
  return (
    <Block title={w.title} query={query} lines={5}>
      {(rows) => {
        const bars = typeBars(rows, FEW)
        if (bars.length === 0) return <None>{w.none(describeScope(search))}</None>
        return (
          <>
            <ul className="flex flex-col gap-1.5">
              {bars.map((bar) => (
                <Bar key={bar.types > 1 ? '' : `of ${bar.row.type}`} bar={bar} search={search} />
              ))}
            </ul>
            <ul className="flex flex-wrap gap-x-3 gap-y-0.5 pt-2 text-11 text-text-2">
              {OUTCOMES.map(
                (outcome) =>
                  (!RARE.has(outcome) || rows.some((row) => row[outcome] > 0)) && (
                    <li key={outcome} className="flex items-center gap-1">
                      <Glyph name={outcomeGlyphs[outcome]} size={12} />
                      {w.names[outcome]}
                      <span
                        aria-hidden="true"
                        className={`ml-0.5 h-2.5 w-4 rounded-[2px] ${looks[outcome]}`}
                      />
                    </li>
                  ),
              )}
            </ul>
          </>
        )
      }}
    </Block>
  )
}

function Bar({ bar: { row, types }, search }: { readonly bar: TypeBar; readonly search: LedgerSearch }) {
  const name = types > 1 ? w.rest(types) : w.type(toVisibleLine(row.type, LONGEST))
  const agents = toTab(search, 'agents')
  const narrowed = types > 1 || row.type === '' ? agents : { ...agents, type: row.type }
  return (
    <li className="grid grid-cols-[96px_minmax(0,1fr)_auto] items-center gap-3 text-12 touch:min-h-11">
      <PlaceLink
        place={{ to: '/ledger', search: narrowed }}
        className="truncate hover:underline touch:py-3"
        title={name}
      >
        {name}
      </PlaceLink>
      <span className="flex h-3.5 gap-0.5">
        {OUTCOMES.map(
          (outcome) =>
            row[outcome] > 0 && (
              <PlaceLink
                key={outcome}
                place={{ to: '/ledger', search: { ...narrowed, outcome } }}
                aria-label={w.segment(name, row[outcome], w.names[outcome])}
                title={w.segment(name, row[outcome], w.names[outcome])}
                className={classes(
                  'relative min-w-1 rounded-[2px] transition-[filter] hover:brightness-110 touch:after:absolute touch:after:inset-x-0 touch:after:-inset-y-4',
                  looks[outcome],
                )}
                style={{ flexGrow: row[outcome], flexBasis: 0 }}
              />
            ),
        )}
      </span>
      <span className="min-w-6 text-right font-semibold">{f.shortCount(row.agents)}</span>
    </li>
  )
}
