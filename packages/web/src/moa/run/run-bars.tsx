import { words } from '../../words.ts'
import { buildRows } from '../bars/bars.ts'
import { TimeBars } from '../bars/time-bars.tsx'
import { buildRunRows, type RunState } from './run-state.ts'
import { useClock } from './use-clock.ts'

const w = words.moa.run
/** The initial length of the scale. */
const LEAST_MS = 2_000

/** The growing bars of a running turn. */
export function RunBars({ state }: { readonly state: RunState }) {
  const now = useClock(state.phase === 'running')
  // The stored turn has first tokens and costs that the stream does not report, so it replaces the live bars.
  const turn = state.phase === 'done' ? state.turn : null
  const rows = turn ? buildRows(turn, now) : buildRunRows(state, Math.max(now, state.startedAt))
  return (
    <>
      <p role="status" className="pb-1 text-12 text-text-2">
        {runText(state)}
      </p>
      {rows.length > 0 && <TimeBars rows={rows} {...(turn ? {} : { least: LEAST_MS, money: false })} />}
    </>
  )
}

function runText({ phase, references, actsAt, problem }: RunState): string {
  if (phase === 'failed') return w.failed(problem ?? words.errors.brokeOff)
  if (phase === 'stopped') return w.stopped
  if (phase === 'done') return words.moa.statuses.done
  if (actsAt !== null) return w.acts
  const done = references.filter(({ endedAt }) => endedAt !== null).length
  return references.length === 0 ? w.waits : w.wait(done, references.length)
}
