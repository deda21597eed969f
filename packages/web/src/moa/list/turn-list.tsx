import type { MoaTurn, PresetsReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { canDecideForAll, useMe } from '../../api/me.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { Chip, ChipMenu, chipClass } from '../../design/chip.tsx'
import { NoMatch } from '../../design/empty.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { Strip } from '../../design/strip.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { timeText } from '../../ledger/format.ts'
import type { Column } from '../../ledger/table/columns.ts'
import { type Csv, LedgerTable } from '../../ledger/table/ledger-table.tsx'
import { errorText } from '../../sessions/strips.tsx'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { allCallsText, elapsedMs, shortId, statusGlyph, statusText, sumInUsd, sumText } from '../format.ts'
import { countAdvice } from '../preset-slots.ts'
import { turnsQuery } from '../queries.ts'
import { type Change, type MoaSearch, toQueryString } from '../search-params.ts'
import { switchTraces } from '../traces-strip.tsx'
import { SlotsCard } from '../turn/slots-card.tsx'
import { RunningCard, useRunning } from './running-card.tsx'

const w = words.moa
const LONGEST = 160
const QUARTER = 15_000
const LONGEST_NAME = 60

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
          {w.list.failed} {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.list.wait}</Strip>}
      {data && rows.length === 0 && (
        <NoMatch {...w.list.noMatch} clear={words.moa.filter.clear} onClear={clear} />
      )}
      {rows.length > 0 && (
        <LedgerTable
          key={toQueryString(search)}
          label={w.list.table}
          rows={rows}
          total={data?.pages.at(-1)?.total ?? rows.length}
          columns={columns}
          rowKey={({ id }) => id}
          card={(turn) => [
            <span key="question" className="flex min-w-0 gap-2">
              <b className="min-w-0 flex-1 truncate font-medium">{questionText(turn)}</b>
              <b className="font-semibold">{costText(turn)}</b>
            </span>,
            `${statusText(turn)} · ${words.moa.model(toVisibleLine(turn.preset, 40))} · ${words.ago(turn.started_at, now)}`,
            `${timeText(elapsedMs(turn))} · ${referencesText(turn)} ${w.list.columns.references} · ${allCallsText(turn)} ${w.list.columns.calls}`,
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
  isOther ? w.list.ofOther : question === '' ? w.list.noQuestion : toVisibleLine(question, LONGEST)

const costText = ({ cost_micro_usd: cost, cost_unknown: unknown }: MoaTurn): string =>
  unknown > 0 && cost > 0 ? words.moa.bars.atLeast(sumText(cost, unknown)) : sumText(cost, unknown)

function referencesText(turn: MoaTurn): string {
  const { good, all } = countAdvice(turn)
  return w.list.answered(good, all)
}

const buildColumns = (now: number): readonly Column<MoaTurn>[] => [
  {
    name: w.list.columns.question,
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
    name: w.list.columns.preset,
    track: 'minmax(90px,1fr)',
    cell: ({ preset }) => <span className="text-text-2">{words.moa.model(toVisibleLine(preset, 40))}</span>,
  },
  { name: w.list.columns.references, track: '76px', end: true, from: 760, cell: referencesText },
  {
    name: w.list.columns.calls,
    track: '56px',
    end: true,
    from: 760,
    cell: (turn) => <span title={w.list.callsHint}>{allCallsText(turn)}</span>,
  },
  { name: w.list.columns.time, track: '72px', end: true, cell: (turn) => timeText(elapsedMs(turn)) },
  {
    name: w.list.columns.added,
    track: '64px',
    end: true,
    from: 980,
    cell: (turn) => timeText(turn.overhead_ms),
  },
  {
    name: w.list.columns.money,
    track: '76px',
    end: true,
    cell: (turn) => (
      <b
        className="font-semibold"
        title={turn.cost_unknown > 0 ? w.list.moneyLacks(turn.cost_unknown) : undefined}
      >
        {costText(turn)}
      </b>
    ),
  },
  {
    name: w.list.columns.when,
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

/** Filters the turns by preset or session; the switch for text recording is at its end. */
function FilterBar(props: {
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
  readonly onClear: () => void
}) {
  const { search, presets, go } = props
  const { preset, session } = search
  const maySwitch = canDecideForAll(useMe())
  return (
    <search
      aria-label={w.filter.label}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 max-desk:px-2.5"
    >
      <ChipMenu
        label={w.filter.preset}
        shown={preset === undefined ? w.filter.preset : toVisibleLine(preset, LONGEST_NAME)}
        choices={(presets?.presets ?? []).map(({ name }) => ({
          value: name,
          label: toVisibleLine(name, LONGEST_NAME),
        }))}
        chosen={preset === undefined ? [] : [preset]}
        onChange={([value]) => go({ preset: value })}
        empty={w.filter.nothing}
      />
      {session !== undefined && (
        <button
          type="button"
          className={`${chipClass(true)} max-w-60`}
          title={w.filter.sessionClear}
          onClick={() => go({ session: undefined })}
        >
          <span className="truncate">{w.filter.session(toVisibleLine(session, LONGEST_NAME))}</span>
          <Icon name="close" size={12} />
        </button>
      )}
      {(preset !== undefined || session !== undefined) && (
        <IconButton icon="close" kind="quiet" label={w.filter.clear} onClick={props.onClear} />
      )}
      <span className="flex-1" />
      {presets && maySwitch && (
        <Chip
          on={presets.save_traces}
          title={words.moa.traces.what(presets.trace_dir ?? words.moa.traces.ledger)}
          onClick={() => void switchTraces(!presets.save_traces)}
        >
          {presets.save_traces && <Icon name="check" size={12} />}
          {words.moa.traces.chip}
        </Chip>
      )}
    </search>
  )
}
