import type { MoaTurn } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Glyph } from '../../design/glyph.tsx'
import { linkClass } from '../../ledger/place-link.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { seen } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { callsText, elapsedMs, shortId, statusGlyph, statusText, sumText, timeText } from '../format.ts'

const w = words.moa.turn

/** The question and the totals of the turn. */
export function TurnHead({ turn, children }: { readonly turn: MoaTurn; readonly children: ReactNode }) {
  const { question, cost_micro_usd: cost, cost_unknown: unknown, iterations } = turn
  const hasCost = cost > 0 || unknown === 0
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <h2 className="text-11 font-semibold text-text-3">{w.question}</h2>
        <p className="line-clamp-3 text-15 font-medium [overflow-wrap:anywhere] [unicode-bidi:isolate]">
          {turn.of_other ? w.ofOther : question === '' ? w.noQuestion : seen(question)}
        </p>
        <About turn={turn} />
      </div>
      <dl aria-label={w.stats} className="grid grid-cols-2 gap-x-6 gap-y-2 desk:flex desk:flex-wrap">
        <Figure value={timeText(elapsedMs(turn))} label={w.time} />
        <Figure value={timeText(turn.overhead_ms)} label={w.added} />
        <Figure value={sumText(cost, unknown)} label={hasCost ? w.money(unknown) : w.moneyUnknown(unknown)} />
        <Figure value={callsText(iterations)} label={w.calls(iterations)} />
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
        {w.session}
      </Link>
      <Link to="/moa" search={{ session: turn.session_id }} className={linkClass}>
        {w.sessionTurns}
      </Link>
      {turn.replay_of !== null && (
        <Link to="/moa" search={{ turn: turn.replay_of, against: turn.id }} className={linkClass}>
          {w.replayLabel(shortId(turn.replay_of))}
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
