import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isOfBanner, RequestFailure } from '../api/request.ts'
import { Button } from '../design/button.tsx'
import { Card, CardRow, GhostRow } from '../design/card.tsx'
import { Strip } from '../design/strip.tsx'
import { words } from '../words.ts'
import type { SectionId } from './sections.ts'

/** A section with its heading and card. */
export function Block({
  id,
  title,
  sub,
  end,
  children,
}: {
  readonly id: SectionId
  readonly title: string
  readonly sub?: string
  readonly end?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="pb-6">
      <div className="flex min-h-7 items-center gap-2.5 px-0.5 pb-2">
        <h2 id={`${id}-title`} className="text-15 font-semibold">
          {title}
        </h2>
        {sub !== undefined && <p className="text-12 text-text-3">{sub}</p>}
        {end !== undefined && <div className="ml-auto">{end}</div>}
      </div>
      {children}
    </section>
  )
}

/** A card for one query: placeholder rows first, then rows. A failure stays inside it. */
export function QueryCard<T>({
  query,
  ghosts,
  children,
}: {
  readonly query: UseQueryResult<T>
  readonly ghosts: number
  readonly children: (data: T) => ReactNode
}) {
  const isAway = isOfBanner(query.error)
  return (
    <Card>
      {isAway && query.data === undefined && <CardRow glyph="unknown" title={words.settings.cardAway} />}
      {query.isError && !isAway && <FailureStrip error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
      {query.isPending && Array.from({ length: ghosts }, (_, i) => i).map((i) => <GhostRow key={i} />)}
    </Card>
  )
}

function FailureStrip({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const next = error instanceof RequestFailure ? error.next : null
  return (
    <Strip alert glyph="failed" end={<Button onClick={onRetry}>{words.actions.tryAgain}</Button>}>
      {words.settings.cardFailed} {error.message}
      {next !== null && <span className="block text-text-2">{next}</span>}
    </Strip>
  )
}
