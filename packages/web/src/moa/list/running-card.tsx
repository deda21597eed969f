import { toVisibleLine } from '@panoptes/schema/shown'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { linkClass } from '../../ledger/place-link.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { pageAgents } from '../../live/data/page-agents.ts'
import { useStore } from '../../store.ts'
import { words } from '../../words.ts'
import { TimeBars } from '../bars/time-bars.tsx'
import { invalidateMoa } from '../queries.ts'
import { useAnimationTime } from '../run/use-animation-time.ts'
import { buildRunningRows, type RunningTurn, runningTurns } from './running-turns.ts'

const w = words.moa.running
const MOST = 3
const LEAST_MS = 2_000

/** The turns that run now. When one ends, the stored turns are fetched again. */
export function useRunning(): readonly RunningTurn[] {
  const { agents } = useStore(pageAgents)
  const running = useMemo(() => runningTurns(agents), [agents])
  const which = running.map(({ session, turn }) => `${session} ${turn}`).join()
  const before = useRef(which)
  useEffect(() => {
    if (before.current === which) return
    before.current = which
    void invalidateMoa()
  }, [which])
  return running
}

export function RunningCard({ running }: { readonly running: readonly RunningTurn[] }) {
  const now = useAnimationTime(running.length > 0)
  if (running.length === 0) return null
  return (
    <section aria-label={w.title} className="shrink-0 border-b border-line bg-raised px-4 py-2">
      <h2 className="pb-1 text-13 font-semibold">{w.title}</h2>
      <ul className="flex flex-col gap-3">
        {running.slice(0, MOST).map((turn) => (
          <li key={`${turn.session} ${turn.turn}`}>
            <p className="flex flex-wrap items-center gap-x-3 pb-1 text-12 text-text-2">
              <span className="min-w-0 flex-1 truncate text-text">{toVisibleLine(turn.question, 160)}</span>
              <Link
                to="/"
                search={{ session: toSessionKey({ source: 'panoptes', session_id: turn.session }) }}
                className={linkClass}
              >
                {w.inLive}
              </Link>
            </p>
            <TimeBars rows={buildRunningRows(turn, now)} least={LEAST_MS} money={false} />
          </li>
        ))}
      </ul>
    </section>
  )
}
