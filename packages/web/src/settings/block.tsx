import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isOfBanner, RequestFailure } from '../api/request.ts'
import { Button } from '../design/button.tsx'
import { Card, CardRow, GhostRow } from '../design/card.tsx'
import { Code } from '../design/code.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
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

interface FoldItem {
  readonly id: string
  readonly name: string
  readonly detail: ReactNode
}

/** Folds rows that need no attention into one row that opens. */
export function FoldRow(props: {
  readonly glyph: GlyphName
  readonly title: string
  readonly items: readonly FoldItem[]
}) {
  if (props.items.length === 0) return null
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none items-center gap-3 px-3 py-2.5 -outline-offset-2 hover:bg-high touch:min-h-11">
        <span className="flex w-4 shrink-0 desk:mx-0.5">
          <Glyph name={props.glyph} />
        </span>
        <span className="shrink-0 font-semibold">{props.title}</span>
        <span className="min-w-0 flex-1 truncate text-12 text-text-3 group-open:invisible">
          {props.items.map((item) => item.name).join(', ')}
        </span>
        <span className="text-text-3 transition-transform group-open:rotate-90">
          <Icon name="right" />
        </span>
      </summary>
      <dl className="flex flex-col gap-1.5 px-3 pt-1 pb-3 text-12">
        {props.items.map((item) => (
          <div key={item.id} className="flex gap-3 pl-7 max-desk:flex-col max-desk:gap-0 desk:pl-8">
            <dt className="w-36 shrink-0 text-text-2">{item.name}</dt>
            <dd className="min-w-0 break-words text-text-3">{item.detail}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** Lines of `what: value` under a row. */
export function Facts({ rows }: { readonly rows: readonly (readonly [what: string, value: ReactNode])[] }) {
  return (
    <dl className="mt-1.5 grid grid-cols-[72px_1fr] items-baseline gap-x-1 text-12">
      {rows.map(([what, value]) => (
        <div key={what} className="contents">
          <dt className="py-0.5 text-text-3">{what}</dt>
          <dd className="min-w-0 py-0.5 text-text-2">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Text with `code` in backticks; the last piece of code can be copied. */
export function NextStep({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/)
  const commands = parts.filter((_, i) => i % 2 === 1)
  const command = commands.at(-1)
  return (
    <span>
      {parts.map((part, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
        i % 2 === 1 ? <Code key={i}>{part}</Code> : part,
      )}
      {command !== undefined && (
        <span className="ml-1 inline-flex align-middle">
          <CopyButton text={command} iconOnly kind="quiet" />
        </span>
      )}
    </span>
  )
}
