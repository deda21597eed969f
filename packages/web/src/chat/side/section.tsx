import type { ReactNode } from 'react'

/** A section of the panel with its heading. */
export function Section(props: {
  readonly title: string
  readonly end?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section aria-label={props.title} className="border-b border-line px-4 py-2.5 last:border-b-0">
      <h3 className="flex items-center gap-2 text-11 font-semibold text-text-3">
        <span className="flex-1">{props.title}</span>
        {props.end !== undefined && <span className="font-normal">{props.end}</span>}
      </h3>
      {props.children}
    </section>
  )
}
