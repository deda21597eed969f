import type { BudgetState } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Glyph, type GlyphName } from '../../design/glyph.tsx'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import { costPlace } from '../evidence.ts'
import { limitText, moneyText } from '../format.ts'
import { linkClass, PlaceLink } from '../place-link.tsx'
import { budgetsQuery } from '../queries.ts'

const w = words.ledger.budgets
const LONGEST = 60

const looks: Readonly<
  Record<BudgetState['level'], { readonly bar: string; readonly glyph: GlyphName | null }>
> = {
  under: { bar: 'bg-bar', glyph: null },
  near: { bar: 'bg-stuck', glyph: 'stuck' },
  over: { bar: 'bg-failed', glyph: 'failed' },
}

/** The state of the budgets. */
export function BudgetsCard() {
  const query = useQuery(budgetsQuery)
  return (
    <Block title={w.title} query={query}>
      {(budgets) =>
        budgets.length === 0 ? (
          <None>
            {w.none}{' '}
            <Link to="/settings" hash="budgets" className={linkClass}>
              {w.set}
            </Link>
          </None>
        ) : (
          <ul className="flex flex-col gap-2">
            {budgets.map((budget, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two budgets may be the same in everything, and none has a state of its own
              <Row key={n} budget={budget} />
            ))}
          </ul>
        )
      }
    </Block>
  )
}

function Row({ budget }: { readonly budget: BudgetState }) {
  const { name, level, evidence, limit_micro_usd: limit, spent_micro_usd: spent } = budget
  const { bar, glyph } = looks[level]
  const share = limit > 0 ? Math.min(1, spent / limit) : 1
  const shown = toVisibleLine(name, LONGEST)
  return (
    <li className="flex flex-col gap-1 text-12">
      <div className="flex flex-wrap items-center gap-x-2.5">
        <span className="flex min-w-24 flex-1">
          {evidence === null ? (
            <span className="truncate" title={shown}>
              {shown}
            </span>
          ) : (
            <PlaceLink place={costPlace(evidence)} className={`truncate ${linkClass}`} title={shown}>
              {shown}
            </PlaceLink>
          )}
        </span>
        <span
          className="ml-auto whitespace-nowrap"
          title={budget.cost_unknown > 0 ? w.lacks(budget.cost_unknown) : undefined}
        >
          <b className="font-semibold">{moneyText(spent, budget.cost_unknown)}</b>{' '}
          <span className="text-text-3">{w.of(limitText(limit))}</span>
        </span>
        <span className="flex w-3.5">
          {glyph && <Glyph name={glyph} size={14} />}
          <span className="sr-only">{w.levels[level]}</span>
        </span>
      </div>
      <span aria-hidden="true" className="h-1.5 overflow-hidden rounded-tag bg-high">
        <span className={`block h-full rounded-tag ${bar}`} style={{ width: `${share * 100}%` }} />
      </span>
    </li>
  )
}
