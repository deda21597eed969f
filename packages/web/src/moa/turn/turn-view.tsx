import type { MoaTurn, PresetsReply, TurnReply } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMemo, useState } from 'react'
import { useHasRole } from '../../api/me.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { copyText } from '../../design/copy-button.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { Strip } from '../../design/strip.tsx'
import { toast } from '../../design/toast.tsx'
import { timeText } from '../../ledger/format.ts'
import { linkClass } from '../../ledger/place-link.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { errorText } from '../../sessions/strips.tsx'
import { useKeys } from '../../shell/use-keys.ts'
import { words } from '../../words.ts'
import { buildRows } from '../bars/bars.ts'
import { TimeBars } from '../bars/time-bars.tsx'
import { callsText, elapsedMs, shortId, statusGlyph, statusText, sumText } from '../format.ts'
import { groupByPlace } from '../preset-slots.ts'
import { turnQuery } from '../queries.ts'
import { RunBars } from '../run/test-run.tsx'
import { useAnimationTime } from '../run/use-animation-time.ts'
import { type Run, useRun } from '../run/use-run.ts'
import type { Change, MoaSearch } from '../search-params.ts'
import { TracesStrip } from '../traces-strip.tsx'
import { ActingAnswer } from './acting-answer.tsx'
import { adviceIndex, answerIndex } from './messages.ts'
import { Saw } from './model-input.tsx'
import { AgreementCard, References } from './references.tsx'
import { ReplayComparison } from './replay-comparison.tsx'
import { ReplayMenu } from './replay-menu.tsx'
import { SlotsCard } from './slots-card.tsx'

const w = words.moa

/** Shows one turn completely. */
export function TurnView(props: {
  readonly id: string
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
}) {
  const { data, error, refetch } = useQuery(turnQuery(props.id))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
      <div className="flex flex-col gap-2.5 px-4 py-2.5 max-desk:px-2.5">
        {error !== null && (
          <Strip
            alert
            glyph="failed"
            end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
          >
            {w.turn.failed} {errorText(error)}
          </Strip>
        )}
        {!data && error === null && <GhostTurn />}
        {data && <Turn key={data.turn.id} reply={data} {...props} />}
      </div>
    </div>
  )
}

function Turn(props: {
  readonly reply: TurnReply
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
}) {
  const { reply, search, presets, go } = props
  const { turn, records, analysis } = reply
  const answered = answerIndex(records)
  const [chosen, setChosen] = useState<number | null>(null)
  const at = chosen ?? Math.max(answered, 0)
  const record = records[at]
  const mayReplay = useHasRole('member')
  const run = useRun((replayed) => go({ against: replayed.id }))
  const answer = records[answered]?.aggregator.output ?? null
  useKeys({
    c: () => {
      if (answer === null) toast({ text: w.turn.nothingToCopy })
      else void copyText(answer, w.turn.copied)
    },
  })
  const isWritten = records.length > 0
  return (
    <>
      <TurnHead turn={turn}>
        {isWritten && turn.trace_problem === undefined && mayReplay && (
          <ReplayMenu
            turn={turn}
            presets={presets}
            onReplay={(changed) => run.start('/api/moa/replay', { turn: turn.id, ...changed })}
          />
        )}
      </TurnHead>
      <Bars turn={turn} />
      {(!isWritten || turn.trace_problem !== undefined) && turn.status !== 'running' && !turn.of_other && (
        <TracesStrip presets={presets} message={describeMissingTrace(turn)} />
      )}
      <Replaying run={run} />
      {search.against !== undefined && (
        <ReplayComparison
          turn={turn.id}
          against={search.against}
          onClose={() => go({ against: undefined })}
        />
      )}
      <Replays replays={reply.replays} turn={turn} against={search.against} />
      <References turn={turn} record={records[adviceIndex(records, at)]} analysis={analysis} />
      <div className={isWritten ? 'grid gap-2.5 roomy:grid-cols-3' : ''}>
        {isWritten && <Saw records={records} at={at} onAt={setChosen} />}
        <ActingAnswer
          turn={turn}
          record={record}
          analysis={at === answered ? analysis : null}
          iteration={record?.iteration ?? null}
        />
        {isWritten && (
          <AgreementCard analysis={analysis} references={groupByPlace(turn.slots).references.length} />
        )}
      </div>
      <SlotsCard preset={turn.preset} turn={turn} />
    </>
  )
}

function Bars({ turn }: { readonly turn: MoaTurn }) {
  const now = useAnimationTime(turn.status === 'running')
  const rows = useMemo(() => buildRows(turn, now), [turn, now])
  if (rows.length === 0) return null
  return (
    <section aria-label={w.bars.label} className="border-y border-line px-1 py-2">
      <TimeBars rows={rows} />
    </section>
  )
}

function Replaying({ run: { state, stop, clear } }: { readonly run: Run }) {
  if (state === null || state.phase === 'done') return null
  return (
    <section
      aria-label={w.replay.runs}
      className="rounded-card border border-line-strong bg-raised px-3 py-2"
    >
      <div className="flex items-center gap-2">
        <h2 className="flex-1 text-13 font-semibold">{w.replay.runs}</h2>
        {state.phase === 'running' ? (
          <Button onClick={stop}>{w.replay.stop}</Button>
        ) : (
          <IconButton icon="close" kind="quiet" label={w.replay.hide} onClick={clear} />
        )}
      </div>
      <RunBars state={state} />
    </section>
  )
}

function describeMissingTrace({ traced, trace_problem: problem }: MoaTurn): string {
  if (problem !== undefined) return w.traces.lostHere(toVisibleLine(problem, 200).replace(/\.$/, ''))
  return traced ? w.traces.goneHere : w.traces.offHere
}

const MOST_REPLAYS = 6

function Replays(props: {
  readonly replays: readonly MoaTurn[]
  readonly turn: MoaTurn
  readonly against: string | undefined
}) {
  const others = props.replays.filter(({ id }) => id !== props.against).slice(0, MOST_REPLAYS)
  if (others.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 px-1 text-12 text-text-3">
      {w.replay.list}
      {others.map(({ id }) => (
        <Link key={id} to="/moa" search={{ turn: props.turn.id, against: id }} className={linkClass}>
          {w.replay.show(shortId(id))}
        </Link>
      ))}
    </p>
  )
}

const BARS = ['62%', '38%', '74%', '20%', '30%']

/** A placeholder while the turn loads. */
function GhostTurn() {
  return (
    <div role="status" className="flex flex-col gap-4 py-2">
      <span className="sr-only">{words.moa.turn.wait}</span>
      <span aria-hidden="true" className="h-4 w-2/5 rounded-tag bg-high" />
      <span aria-hidden="true" className="flex flex-col gap-2">
        {BARS.map((width) => (
          <span key={width} className="h-3 rounded-tag bg-high" style={{ width }} />
        ))}
      </span>
      <span aria-hidden="true" className="grid gap-2.5 desk:grid-cols-4">
        {BARS.slice(1).map((width) => (
          <span key={width} className="h-48 rounded-card border border-line bg-raised" />
        ))}
      </span>
    </div>
  )
}

/** The question and the totals of the turn. */
function TurnHead({ turn, children }: { readonly turn: MoaTurn; readonly children: ReactNode }) {
  const { question, cost_micro_usd: cost, cost_unknown: unknown, iterations } = turn
  const hasCost = cost > 0 || unknown === 0
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <h2 className="text-11 font-semibold text-text-3">{w.turn.question}</h2>
        <p className="line-clamp-3 text-15 font-medium [overflow-wrap:anywhere] [unicode-bidi:isolate]">
          {turn.of_other ? w.turn.ofOther : question === '' ? w.turn.noQuestion : toVisible(question)}
        </p>
        <About turn={turn} />
      </div>
      <dl aria-label={w.turn.stats} className="grid grid-cols-2 gap-x-6 gap-y-2 desk:flex desk:flex-wrap">
        <Figure value={timeText(elapsedMs(turn))} label={w.turn.time} />
        <Figure value={timeText(turn.overhead_ms)} label={w.turn.added} />
        <Figure
          value={sumText(cost, unknown)}
          label={hasCost ? w.turn.money(unknown) : w.turn.moneyUnknown(unknown)}
        />
        <Figure value={callsText(iterations)} label={w.turn.calls(iterations)} />
      </dl>
      <div className="flex items-center gap-2">{children}</div>
    </div>
  )
}

function About({ turn }: { readonly turn: MoaTurn }) {
  const session = toSessionKey({ source: 'panoptes', session_id: turn.session_id })
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1 text-12 text-text-3">
      <span className="flex items-center gap-1.5">
        <Glyph name={statusGlyph(turn)} size={14} />
        {statusText(turn)}, {words.moa.from[turn.from]}
      </span>
      <Link to="/" search={{ session, at: turn.started_at }} className={linkClass}>
        {w.turn.session}
      </Link>
      <Link to="/moa" search={{ session: turn.session_id }} className={linkClass}>
        {w.turn.sessionTurns}
      </Link>
      {turn.replay_of !== null && (
        <Link to="/moa" search={{ turn: turn.replay_of, against: turn.id }} className={linkClass}>
          {w.turn.replayLabel(shortId(turn.replay_of))}
        </Link>
      )}
    </p>
  )
}

function Figure(props: { readonly value: string; readonly label: string }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-11 whitespace-nowrap text-text-3">{props.label}</dt>
      <dd className="text-18 font-semibold whitespace-nowrap">{props.value}</dd>
    </div>
  )
}
