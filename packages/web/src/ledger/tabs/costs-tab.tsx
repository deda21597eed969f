import type { CostGroup, CostRow } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { Share } from '../../design/progress.tsx'
import * as f from '../../format.ts'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { outsideText } from '../../sessions/cost.ts'
import { words } from '../../words.ts'
import type { Place } from '../evidence.ts'
import { formatMicroUsd, moneyText } from '../format.ts'
import { useGo } from '../place-link.tsx'
import { dayStart, unknownReplies } from '../plot/days.ts'
import { costsQuery, FIRST } from '../queries.ts'
import { hasLonger, isNarrowed, type LedgerSearch, toQueryString, toTab } from '../search-params.ts'
import { describeScope } from '../span-text.ts'
import type { Column } from '../table/columns.ts'
import { type Csv, LedgerTable } from '../table/ledger-table.tsx'
import type { TabProps } from '../table/tab-body.tsx'
import { TabBody } from '../table/tab-body.tsx'
import { type Titles, useTitles } from '../use-titles.ts'

const w = words.ledger.costs
const LONGEST = 120

const costKey = ({ name }: CostRow): string => name

/** Money and tokens by the chosen group. A row links to what the money was spent on. */
export function CostsTab({ search, now, onClear }: TabProps) {
  const by = search.by ?? 'day'
  const query = useQuery(costsQuery(toQueryString(search, now, { by, model: search.model })))
  const grid = useRef<HTMLTableElement>(null)
  const go = useGo()
  const [all, setAll] = useState(false)
  const titles = useTitles(by === 'session')
  const rows = useMemo(() => {
    const found = query.data ?? []
    return by === 'day' ? found.toReversed() : found
  }, [query.data, by])
  const most = rows.reduce((sofar, row) => Math.max(sofar, row.cost_micro_usd), 0)
  return (
    <TabBody
      error={query.error}
      onRetry={() => void query.refetch()}
      rows={query.data && rows.length}
      none={w.none(describeScope(search))}
      longer={hasLonger(search)}
      narrowed={isNarrowed(search)}
      onClear={onClear}
    >
      <LedgerTable
        key={by}
        label={w.table(w.groups[by].toLowerCase())}
        rows={all ? rows : rows.slice(0, FIRST)}
        total={rows.length}
        columns={columnsFor(by, { now, most, titles })}
        rowKey={costKey}
        card={(row) => [
          <span key="name" className="flex min-w-0 gap-2">
            <b className="min-w-0 flex-1 truncate font-semibold">{rowName(row, by, now, titles)}</b>
            <b className="font-semibold">{moneyText(row.cost_micro_usd, unknownReplies(row))}</b>
          </span>,
          `${w.columns.saved} ${formatSaved(row)} · ${w.sessions(row.sessions)}`,
          [
            `${w.columns.tokensIn} ${tokensText(row, row.tokens_in)}`,
            `${w.columns.tokensOut} ${tokensText(row, row.tokens_out)}`,
          ].join(' · '),
        ]}
        csv={csvFor(by)}
        onOpen={(row) => {
          const place = rowPlace(row, by, search)
          if (place) go(place)
        }}
        onMore={all ? undefined : () => setAll(true)}
        grid={grid}
      />
    </TabBody>
  )
}

function rowName(row: CostRow, by: CostGroup, now: number, titles: Titles): string {
  const { name } = row
  if (name === '' || name === words.unknown) return w.noName[by]
  if (by === 'day') {
    const at = dayStart(name)
    return at === null ? toVisibleLine(name, LONGEST) : `${f.weekday(at)} ${f.day(at, now)}`
  }
  const ref = by === 'session' ? sessionIn(row) : null
  return toVisibleLine((ref && titles.get(toSessionKey(ref))) ?? name, LONGEST)
}

/** `claude-code/3f6c…`. */
const sessionIn = ({ name, source }: CostRow) => ({
  source: source ?? '',
  session_id: name.slice((source?.length ?? 0) + 1),
})

/** A total of 0 is unknown if replies did not report their usage. */
const isUnknown = ({ usage_unknown }: CostRow, tokens: number): boolean => tokens === 0 && usage_unknown > 0

const tokensText = (row: CostRow, tokens: number): string =>
  isUnknown(row, tokens) ? words.unknown : f.shortCount(tokens)

const formatSaved = (row: CostRow): string =>
  row.saved_micro_usd === 0 && row.cost_micro_usd === 0 && unknownReplies(row) > 0
    ? words.unknown
    : formatMicroUsd(row.saved_micro_usd)

/** Links to what the money was spent on. */
function rowPlace(row: CostRow, by: CostGroup, search: LedgerSearch): Place | null {
  const { name } = row
  if (name === '' || name === words.unknown) return null
  const { days, model } = search
  const bySession = { ...toTab(search, 'costs'), ...(model ? { model } : {}), by: 'session' } as const
  if (by === 'day') {
    if (dayStart(name) === null) return null
    return { to: '/ledger', search: { ...bySession, from: name, to: name } }
  }
  if (by === 'session') {
    const session = toSessionKey(sessionIn(row))
    // Its agents may have ended on another day than the one shown.
    const span = search.from === undefined ? days : 'all'
    return { to: '/ledger', search: { tab: 'agents', ...(span ? { days: span } : {}), session } }
  }
  if (by === 'agent') return { to: '/ledger', search: { ...toTab(search, 'agents'), type: name } }
  if (by === 'skill') return { to: '/ledger', search: { ...toTab(search, 'skills'), skill: name } }
  if (by === 'model') return { to: '/ledger', search: { ...toTab(search, 'agents'), model: name } }
  return { to: '/ledger', search: { ...bySession, [by]: name } }
}

const columnsFor = (
  by: CostGroup,
  { now, most, titles }: { readonly now: number; readonly most: number; readonly titles: Titles },
): readonly Column<CostRow>[] => [
  {
    name: w.groups[by].toLowerCase(),
    track: 'minmax(140px,1.4fr)',
    cell: (row) => (
      <b className="font-semibold" title={toVisibleLine(row.name, LONGEST)}>
        {rowName(row, by, now, titles)}
      </b>
    ),
  },
  {
    name: w.columns.money,
    track: '84px',
    end: true,
    cell: (row) => (
      <b className="font-semibold">
        {row.cost_micro_usd === 0 ? moneyText(0, unknownReplies(row)) : formatMicroUsd(row.cost_micro_usd)}
      </b>
    ),
  },
  {
    name: w.columns.part,
    track: 'minmax(60px,2fr)',
    from: 980,
    cell: ({ cost_micro_usd }) => <Share used={cost_micro_usd} limit={most} />,
  },
  { name: w.columns.saved, track: '80px', end: true, cell: formatSaved },
  {
    name: w.columns.outside,
    track: '92px',
    end: true,
    from: 1180,
    cell: (row) => <Outside row={row} />,
  },
  { name: w.columns.sessions, track: '64px', end: true, cell: ({ sessions }) => f.shortCount(sessions) },
  {
    name: w.columns.replies,
    track: '64px',
    end: true,
    from: 860,
    cell: ({ replies }) => f.shortCount(replies),
  },
  { name: w.columns.tokensIn, track: '72px', end: true, cell: (row) => tokensText(row, row.tokens_in) },
  { name: w.columns.tokensOut, track: '76px', end: true, cell: (row) => tokensText(row, row.tokens_out) },
  {
    name: w.columns.cacheRead,
    track: '76px',
    end: true,
    from: 760,
    cell: (row) => tokensText(row, row.cache_read),
  },
  {
    name: w.columns.cacheWrite,
    track: '76px',
    end: true,
    from: 760,
    cell: (row) => tokensText(row, row.cache_write),
  },
  {
    name: w.columns.unknown,
    track: '64px',
    end: true,
    cell: (row) => <span className="text-text-2">{f.shortCount(unknownReplies(row))}</span>,
  },
]

/** Dollars, or empty if unpriced. */
const usdOrNull = (row: CostRow, micro: number): number | null =>
  micro === 0 && row.cost_micro_usd === 0 && unknownReplies(row) > 0 ? null : micro / 1_000_000

const outsideUsd = ({ outside_micro_usd: micro, outside_unknown: unknown = 0 }: CostRow): number | null =>
  micro === undefined || (micro === 0 && unknown > 0) ? null : micro / 1_000_000

/** Keeps the width of its column even if the value is unknown. */
function Outside({ row }: { readonly row: CostRow }) {
  const { outside_micro_usd: micro, outside_unknown: unknown = 0 } = row
  const isPart = unknown > 0 && outsideUsd(row) !== null
  if (!isPart) return outsideText(micro, unknown)
  return (
    <span title={outsideText(micro, unknown)}>
      {outsideText(micro)}
      <span aria-hidden="true" className="pl-1 text-text-3">
        {words.ledger.agents.plusShort(unknown)}
      </span>
      <span className="sr-only">, {w.outsideLacks(unknown)}</span>
    </span>
  )
}

const csvFor = (by: CostGroup): Csv<CostRow> => ({
  file: `panoptes-costs-by-${by}.csv`,
  heads: [
    ...[
      by,
      'cost_usd',
      'saved_usd',
      'sessions',
      'replies',
      'tokens_in',
      'tokens_out',
      'cache_read',
      'cache_write',
    ],
    ...['cost_unknown', 'usage_unknown', 'outside_usd', 'outside_unknown'],
  ],
  toRow: (row) => [
    ...[row.name, usdOrNull(row, row.cost_micro_usd), usdOrNull(row, row.saved_micro_usd), row.sessions],
    row.replies,
    ...[row.tokens_in, row.tokens_out, row.cache_read, row.cache_write].map((tokens) =>
      isUnknown(row, tokens) ? null : tokens,
    ),
    ...[row.cost_unknown, row.usage_unknown, outsideUsd(row), row.outside_unknown ?? null],
  ],
})
