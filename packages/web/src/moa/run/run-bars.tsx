import { words } from '../../words.ts'
import { rowsOf } from '../bars/bars.ts'
import { TimeBars } from '../bars/time-bars.tsx'
import { type RunState, rowsOfRun } from './run-state.ts'
import { useClock } from './use-clock.ts'

const w = words.moa.run
/** A scale of a turn that has just begun. */
const LEAST_MS = 2_000

/** The bars of a turn while it runs; they grow. */
export function RunBars({ state }: { readonly state: RunState }) {
  const now = useClock(state.phase === 'running')
  // What is kept of it at the end knows more than what was told meanwhile: first words, and money.
  const kept = state.phase === 'done' ? state.turn : null
  const rows = kept ? rowsOf(kept, now) : rowsOfRun(state, Math.max(now, state.startedAt))
  return (
    <>
      <p role="status" className="pb-1 text-12 text-text-2">
        {saidOf(state)}
      </p>
      {rows.length > 0 && <TimeBars rows={rows} {...(kept ? {} : { least: LEAST_MS, money: false })} />}
    </>
  )
}

function saidOf({ phase, asked, actsAt, problem }: RunState): string {
  if (phase === 'failed') return w.failed(problem ?? words.errors.brokeOff)
  if (phase === 'stopped') return w.stopped
  if (phase === 'done') return words.moa.statuses.done
  if (actsAt !== null) return w.acts
  const done = asked.filter(({ endedAt }) => endedAt !== null).length
  return asked.length === 0 ? w.waits : w.wait(done, asked.length)
}
