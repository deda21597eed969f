import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { useNow } from './use-now.ts'

/** Long enough to read, even if catching up takes no time. */
const SHOWN_MS = 4_000

/** Notices above the content of a page: first how old it is and what is missing. */
export function Strips(props: {
  /** The name of the content. */
  readonly what: string
  /** Missed events are still being loaded. */
  readonly reading: boolean
  readonly children: ReactNode
}) {
  const missed = useMissed(props.reading)
  return (
    <div className="shrink-0 divide-y divide-line border-line bg-raised not-empty:border-b">
      <StaleStrip what={props.what} />
      {missed > 0 && <Strip glyph="stuck">{words.strips.missed(missed)}</Strip>}
      {props.children}
    </div>
  )
}

function StaleStrip({ what }: { readonly what: string }) {
  const { link, lostAt } = useStore(pageTail.state)
  const now = useNow()
  if (lostAt === null || link === 'connecting' || now - lostAt < 1_000) return null
  return (
    <Strip glyph="stuck" end={<Button onClick={pageTail.retry}>{words.actions.tryAgain}</Button>}>
      {words.strips.stale(f.duration(Math.floor((now - lostAt) / 1_000) * 1_000), what)}
    </Strip>
  )
}

/** The number of events that the server could not send, while the list catches up. */
function useMissed(reading: boolean): number {
  const [missed, setMissed] = useState(0)
  useEffect(
    () =>
      pageTail.listen({
        onBreak: (gap) => {
          if (gap.missed) setMissed((before) => before + gap.to - gap.from + 1)
        },
      }),
    [],
  )
  useEffect(() => {
    if (missed === 0 || reading) return
    const timer = setTimeout(() => setMissed(0), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [missed, reading])
  return missed
}
