import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { statusQuery } from '../api/queries.ts'
import { Sparkline } from '../design/sparkline.tsx'
import { Stat } from '../design/stat.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'

const w = words.events.stats
const SECONDS = 60

/** Stream statistics: rate, lag, and how many events were stored, missed and rejected. */
export function Stats() {
  const { data } = useQuery({ ...statusQuery, refetchInterval: 1_000, staleTime: 0 })
  const flow = data?.flow
  const history = lastMinute(flow?.history ?? [])
  const rejected = flow?.last_rejected
  return (
    <section
      aria-label={w.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
      tabIndex={0}
      className="flex shrink-0 items-center gap-6 overflow-x-auto border-b border-line px-4 py-2.5 whitespace-nowrap max-desk:gap-5 -outline-offset-2"
    >
      <dl>
        <Stat
          label={w.rate}
          value={flow ? f.rate(flow.events_per_second) : words.unknown}
          unit={w.perSecond}
        />
      </dl>
      <span className="max-roomy:hidden">
        <Sparkline values={history} label={w.history(history)} />
      </span>
      <Divided>
        <Stat label={w.lag50} {...lag(flow?.lag_p50_ms)} />
        <Stat label={w.lag99} {...lag(flow?.lag_p99_ms)} />
      </Divided>
      <Divided>
        <Stat label={w.stored} value={data ? f.count(data.storage.events) : words.unknown} />
        <Stat label={w.missed} value={flow ? f.count(flow.missed) : words.unknown} />
      </Divided>
      <Divided>
        <Stat
          label={w.rejected}
          value={flow ? f.count(flow.rejected) : words.unknown}
          {...(rejected ? { unit: w.last(rejected.line, rejected.path, rejected.reason) } : {})}
        />
      </Divided>
    </section>
  )
}

function Divided({ children }: { readonly children: ReactNode }) {
  return <dl className="flex gap-6 border-l border-line pl-6 max-desk:gap-5 max-desk:pl-5">{children}</dl>
}

function lag(ms: number | null | undefined): { readonly value: string; readonly unit?: string } {
  if (ms == null) return { value: words.unknown }
  const [value = words.unknown, unit] = f.duration(ms).split(' ')
  return unit === undefined || /\d/.test(unit) ? { value: f.duration(ms) } : { value, unit }
}

/** The server may have run for less than a minute. */
const lastMinute = (history: readonly number[]): readonly number[] =>
  [...Array.from({ length: SECONDS }, () => 0), ...history].slice(-SECONDS)
