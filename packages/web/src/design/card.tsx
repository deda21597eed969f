import type { ReactNode } from 'react'
import { Glyph, type GlyphName } from './glyph.tsx'

/** A block of rows with one heading. */
export function Card({ children }: { readonly children: ReactNode }) {
  return (
    <div className="divide-y divide-line overflow-hidden rounded-card border border-line bg-raised">
      {children}
    </div>
  )
}

/** One row of a card: state, name, detail, and trailing content. */
export function CardRow({
  glyph,
  title,
  detail,
  end,
  children,
}: {
  readonly glyph?: GlyphName
  readonly title: ReactNode
  readonly detail?: ReactNode
  readonly end?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className="px-3 py-2">
      <div className="flex items-center gap-3">
        <span className="flex w-4 shrink-0 desk:mx-0.5">{glyph && <Glyph name={glyph} />}</span>
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
          <div className="min-w-40 flex-1">
            <div className="font-semibold text-text">{title}</div>
            {detail !== undefined && <div className="text-12 text-text-3">{detail}</div>}
          </div>
          {end !== undefined && (
            <div className="flex flex-wrap items-center gap-2 text-12 text-text-2">{end}</div>
          )}
        </div>
      </div>
      {children !== undefined && <div className="pl-7 desk:pl-8">{children}</div>}
    </div>
  )
}

/** A large number with its label below. */
export function Figure({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <div className="min-w-16 text-right">
      <div className="text-12 font-semibold text-text">{value}</div>
      <div className="text-11 text-text-3">{label}</div>
    </div>
  )
}

/** A row that is still loading. */
export function GhostRow() {
  return (
    <div className="flex gap-3 px-3 py-2.5" aria-hidden>
      <span className="mt-1 h-4 w-4 rounded-full bg-high desk:mx-0.5" />
      <span className="flex flex-col gap-2 py-1">
        <span className="h-2.5 w-32 rounded-tag bg-high" />
        <span className="h-2 w-56 rounded-tag bg-high" />
      </span>
    </div>
  )
}
