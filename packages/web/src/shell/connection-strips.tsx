import type { ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { useMissed } from '../stream/use-missed.ts'
import { words } from '../words.ts'
import { useNow } from './use-now.ts'

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
