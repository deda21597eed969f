import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { Strip } from '../design/strip.tsx'
import { errorText } from '../sessions/strips.tsx'
import { words } from '../words.ts'

const w = words.ledger
/** A link from the first few rows to all of them. */
export const moreClass =
  'inline-flex items-center text-12 whitespace-nowrap text-gold-text hover:underline touch:h-11'
const SOON_MS = 400

export function LedgerCard(props: { readonly children: ReactNode; readonly className?: string }) {
  return (
    <div
      className={classes(
        'flex min-w-0 flex-col gap-3 rounded-card border border-line bg-raised px-3.5 py-3',
        props.className,
      )}
    >
      {props.children}
    </div>
  )
}

type BlockQuery<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch' | 'isPlaceholderData'>

/**
 * One part of the page, which loads, fails and retries on its own. After a failure it keeps its last data, and it
 * dims while another time range or filter loads.
 */
export function Block<T>(props: {
  readonly title: string
  readonly query: BlockQuery<T>
  /** Shown beside the title. */
  readonly about?: ReactNode
  /** Shown at the end of the title line. */
  readonly end?: ReactNode
  /** How many placeholder lines to show while loading. */
  readonly lines?: number
  /** Fills the height of its card. */
  readonly grow?: boolean
  readonly children: (data: T) => ReactNode
}) {
  const { query, lines = 3 } = props
  return (
    <section
      aria-label={props.title}
      aria-busy={query.isPlaceholderData}
      className={classes(
        'flex min-w-0 flex-col transition-opacity',
        props.grow && 'flex-1',
        query.isPlaceholderData && 'opacity-60',
      )}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-2.5 gap-y-1 pb-1.5">
        <h2 className="text-13 font-semibold whitespace-nowrap">{props.title}</h2>
        {props.about !== undefined && <p className="min-w-0 text-12 text-text-3">{props.about}</p>}
        {props.end !== undefined && (
          <div className="flex min-w-0 items-center gap-2 desk:ml-auto">{props.end}</div>
        )}
      </div>
      {query.error !== null && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.data === undefined
        ? query.error === null && <Ghost lines={lines} />
        : props.children(query.data)}
    </section>
  )
}

export function Failure(props: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <div className="-mx-3.5">
      <Strip alert glyph="failed" end={<Button onClick={props.onRetry}>{words.actions.tryAgain}</Button>}>
        {w.failed} {errorText(props.error)}
      </Strip>
    </div>
  )
}

const WIDTHS = ['72%', '58%', '66%', '49%', '61%', '54%']

function Ghost({ lines }: { readonly lines: number }) {
  if (!useSlow()) return null
  return (
    <div role="status" className="flex flex-col gap-3 py-2">
      <span className="sr-only">{w.wait}</span>
      {WIDTHS.slice(0, lines).map((width) => (
        <span key={width} aria-hidden="true" className="h-2.5 rounded-tag bg-high" style={{ width }} />
      ))}
    </div>
  )
}

export function None({ children }: { readonly children: ReactNode }) {
  return <p className="py-1 text-12 text-text-3">{children}</p>
}

/** Whether a wait is long enough to show a loading state; shorter ones would only flicker. */
export function useSlow(): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SOON_MS)
    return () => clearTimeout(timer)
  }, [])
  return slow
}
