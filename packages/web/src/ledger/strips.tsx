import type { LedgerOverview } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { buttonClass } from '../design/button.tsx'
import { Progress } from '../design/progress.tsx'
import { Strip } from '../design/strip.tsx'
import { seen } from '../sessions/visible-text.ts'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'
import { readAnew } from './queries.ts'

const w = words.ledger

/** How far sessions have been read, and what could not be read. */
export function LedgerStrips({ reading }: { readonly reading: LedgerOverview['reading'] | undefined }) {
  const done = reading?.done ?? 0
  const isRunning = reading?.state === 'running'
  useEffect(() => {
    // Sessions read meanwhile change every other part, too.
    if (done > 0 && isRunning !== undefined) void readAnew()
  }, [done, isRunning])
  return (
    <Strips what={w.listWord} reading={false}>
      {reading && isRunning && reading.total > 0 && (
        <Strip
          end={
            <div className="w-40">
              <Progress label={readingText(reading)} done={reading.done} total={reading.total} />
            </div>
          }
        >
          {readingText(reading)}. {w.readingNext}
        </Strip>
      )}
      {reading && reading.problem !== null && (
        <Strip
          alert
          glyph="failed"
          end={
            <Link to="/settings" hash="health" className={buttonClass()}>
              {w.health}
            </Link>
          }
        >
          {w.readFailed(seen(reading.problem))} {w.readFailedNext}
        </Strip>
      )}
    </Strips>
  )
}

const readingText = ({ done, total }: LedgerOverview['reading']): string =>
  w.reading(Math.min(done, total), total)
