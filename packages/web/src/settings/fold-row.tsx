import type { ReactNode } from 'react'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'

export interface FoldItem {
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
