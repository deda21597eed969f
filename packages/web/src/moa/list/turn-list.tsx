import type { MoaTurn, PresetsReply } from '@panoptes/schema'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { Button } from '../../design/button.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { NoMatch } from '../../design/no-match.tsx'
import { Strip } from '../../design/strip.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import type { Column } from '../../ledger/table/columns.ts'
import { type Csv, LedgerTable } from '../../ledger/table/ledger-table.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import {
  allCallsText,
  elapsedMs,
  shortId,
  statusGlyph,
  statusText,
  sumInUsd,
  sumText,
  timeText,
} from '../format.ts'
import { countAdvice } from '../preset-slots.ts'
import { turnsQuery } from '../queries.ts'
import { type Change, type MoaSearch, toQueryString } from '../search-params.ts'
import { SlotsCard } from '../turn/slots-card.tsx'
import { FilterBar } from './filter-bar.tsx'
import { RunningCard, useRunning } from './running-card.tsx'

const w = words.moa.list
const LONGEST = 160
const QUARTER = 15_000

/** The turns, newest first, with the running ones above them. */
export function TurnList(props: {
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
}) {
  const { search, presets, go } = props
  const now = useNow(QUARTER)
  const grid = useRef<HTMLTableElement>(null)
  const running = useRunning()
  const query = useInfiniteQuery(turnsQuery(toQueryString(search)))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const rows = useMemo(() => data?.pages.flatMap(({ turns }) => turns) ?? [], [data])
  const columns = useMemo(() => buildColumns(now), [now])
  const clear = () => {
    go({ preset: undefined, session: undefined })
    toast({
      text: words.moa.filter.cleared,
      undo: () => go({ preset: search.preset, session: search.session }),
    })
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <FilterBar search={search} presets={presets} go={go} onClear={clear} />
      <RunningCard running={running} />
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void query.refetch()}>{words.actions.tryAgain}</Button>}
        >
          {w.failed} {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.wait}</Strip>}
      {data && rows.length === 0 && <NoMatch {...w.noMatch} clear={words.moa.filter.clear} onClear={clear} />}
      {rows.length > 0 && (
        <LedgerTable
          key={toQueryString(search)}
          label={w.table}
          rows={rows}
          total={data?.pages.at(-1)?.total ?? rows.length}
          columns={columns}
          rowKey={({ id }) => id}
          card={(turn) => [
            <span key="question" className="flex min-w-0 gap-2">
              <b className="min-w-0 flex-1 truncate font-medium">{questionText(turn)}</b>
              <b className="font-semibold">{costText(turn)}</b>
            </span>,
            `${statusText(turn)} · ${words.moa.model(oneLine(turn.preset, 40))} · ${words.ago(turn.started_at, now)}`,
            `${timeText(elapsedMs(turn))} · ${answeredText(turn)} ${w.columns.references} · ${allCallsText(turn)} ${w.columns.calls}`,
          ]}
          csv={csv}
          onOpen={({ id }) => go({ turn: id })}
          onMore={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          grid={grid}
        />
      )}
      {search.preset !== undefined && rows.length > 0 && (
        <div className="shrink-0 border-t border-line p-2.5 max-desk:hidden">
          <SlotsCard preset={search.preset} />
        </div>
      )}
    </div>
  )
}

const questionText = ({ question, of_other: isOther }: MoaTurn): string =>
  isOther ? w.ofOther : question === '' ? w.noQuestion : oneLine(question, LONGEST)

const costText = ({ cost_micro_usd: cost, cost_unknown: unknown }: MoaTurn): string =>
  unknown > 0 && cost > 0 ? words.moa.bars.atLeast(sumText(cost, unknown)) : sumText(cost, unknown)

function answeredText(turn: MoaTurn): string {
  const { good, all } = countAdvice(turn)
  return w.answered(good, all)
}

const buildColumns = (now: number): readonly Column<MoaTurn>[] => [
  {
    name: w.columns.question,
    track: 'minmax(200px,4fr)',
    cell: (turn) => (
      <span className="flex min-w-0 items-center gap-2" title={questionText(turn)}>
        <Glyph name={statusGlyph(turn)} size={14} />
        <span className="sr-only">{statusText(turn)}. </span>
        <span className="min-w-0 truncate">{questionText(turn)}</span>
      </span>
    ),
  },
  {
    name: w.columns.preset,
    track: 'minmax(90px,1fr)',
    cell: ({ preset }) => <span className="text-text-2">{words.moa.model(oneLine(preset, 40))}</span>,
  },
  { name: w.columns.references, track: '76px', end: true, from: 760, cell: answeredText },
  {
    name: w.columns.calls,
    track: '56px',
    end: true,
    from: 760,
    cell: (turn) => <span title={w.callsHint}>{allCallsText(turn)}</span>,
  },
  { name: w.columns.time, track: '72px', end: true, cell: (turn) => timeText(elapsedMs(turn)) },
  { name: w.columns.added, track: '64px', end: true, from: 980, cell: (turn) => timeText(turn.overhead_ms) },
  {
    name: w.columns.money,
    track: '76px',
    end: true,
    cell: (turn) => (
      <b
        className="font-semibold"
        title={turn.cost_unknown > 0 ? w.moneyLacks(turn.cost_unknown) : undefined}
      >
        {costText(turn)}
      </b>
    ),
  },
  {
    name: w.columns.when,
    track: '92px',
    end: true,
    cell: ({ started_at }) => (
      <span className="text-text-2" title={f.moment(started_at)}>
        {words.ago(started_at, now)}
      </span>
    ),
  },
]

const csv: Csv<MoaTurn> = {
  file: 'panoptes-moa-turns.csv',
  heads: [
    'turn',
    'session',
    'preset',
    'started_at',
    'ms',
    'added_ms',
    'calls',
    'cost_usd',
    'cost_unknown',
    'status',
  ],
  toRow: (turn) => [
    ...[shortId(turn.id), turn.session_id, turn.preset, new Date(turn.started_at).toISOString()],
    ...[
      elapsedMs(turn),
      turn.overhead_ms,
      turn.iterations,
      sumInUsd(turn.cost_micro_usd, turn.cost_unknown),
      turn.cost_unknown,
    ],
    turn.status,
  ],
}
