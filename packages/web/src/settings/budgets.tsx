import type { BudgetState } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries.ts'
import { awaySince } from '../api/request.ts'
import { formatDollars } from '../budgets/money.ts'
import { CardRow } from '../design/card.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import type { GlyphName } from '../design/glyph.tsx'
import { Share } from '../design/progress.tsx'
import { costPlace } from '../ledger/evidence.ts'
import { linkClass, PlaceLink } from '../ledger/place-link.tsx'
import { budgetsQuery } from '../ledger/queries.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { Block, QueryCard } from './block.tsx'

const w = words.budgets
const s = w.settings
const LONGEST = 80
const glyphs: Readonly<Record<BudgetState['level'], GlyphName>> = {
  under: 'done',
  near: 'stuck',
  over: 'failed',
}

/** The budgets, their current use, and how to change them. */
export function BudgetsBlock() {
  const query = useQuery(budgetsQuery)
  // The empty message appears only if the request succeeded and the database is up.
  const isSure = useStore(awaySince) === null && !query.isError
  return (
    <Block id="budgets" title={s.title} sub={s.sub}>
      <QueryCard query={query} ghosts={2}>
        {(budgets) => (
          <>
            {budgets.length === 0 && isSure && (
              <CardRow glyph="unknown" title={s.none} detail={s.noneDetail} />
            )}
            {budgets.map((budget, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two equal budgets differ only in their position in the config
              <BudgetRow key={at} budget={budget} />
            ))}
            <ChangeRow />
          </>
        )}
      </QueryCard>
    </Block>
  )
}

function BudgetRow({ budget }: { readonly budget: BudgetState }) {
  const { name, level, limit_micro_usd: limit, spent_micro_usd: spent, cost_unknown, evidence } = budget
  return (
    <CardRow
      glyph={glyphs[level]}
      title={toVisibleLine(name, LONGEST)}
      detail={
        <>
          {s.levels[level]}
          {cost_unknown > 0 && ` · ${w.lacks(cost_unknown)}`}
          {evidence !== null && (
            <>
              {' · '}
              <PlaceLink place={costPlace(evidence)} className={linkClass}>
                {s.topSession}
              </PlaceLink>
            </>
          )}
        </>
      }
      end={<span>{s.ofLimit(formatDollars(spent), formatDollars(limit))}</span>}
    >
      <div className="max-w-100 pt-1 pb-1">
        <Share used={spent} limit={limit} />
      </div>
    </CardRow>
  )
}

function ChangeRow() {
  const home = useQuery(statusQuery).data?.home
  return (
    <CardRow
      title={s.change}
      detail={s.changeDetail(home === undefined ? 'config.yaml' : `${home}/config.yaml`)}
      end={<CopyButton text={s.example} label={s.copyExample} iconOnly />}
    >
      <pre className="mt-1 wrap-anywhere whitespace-pre-wrap rounded-control border border-line bg-app px-3 py-2 text-11 text-text">
        {s.example}
      </pre>
    </CardRow>
  )
}
