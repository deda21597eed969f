import type { ReactNode } from 'react'
import { classes } from '../../design/class-names.ts'
import { referenceLetter } from '../format.ts'

/** A card of the turn view, with its heading. */
export function TurnCard(props: {
  readonly title: string
  readonly lead?: ReactNode
  readonly about?: ReactNode
  readonly end?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <section
      aria-label={props.title}
      className={classes('flex min-w-0 flex-col rounded-card border border-line bg-raised', props.className)}
    >
      <div className="flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1.5">
        {props.lead}
        <h2 className="text-13 font-semibold whitespace-nowrap">{props.title}</h2>
        <div className="min-w-0 flex-1 truncate text-12 text-text-3">{props.about}</div>
        {props.end}
      </div>
      {props.children}
    </section>
  )
}

/** The letter of a reference in a box. */
export function Letter({ place }: { readonly place: number }) {
  return (
    <span className="inline-block h-4.5 min-w-4.5 shrink-0 rounded-tag bg-high px-1 text-center text-11 leading-[18px] font-semibold text-text">
      {referenceLetter(place)}
    </span>
  )
}
