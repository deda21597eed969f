import type { ReactNode } from 'react'

export const fieldClass =
  'h-7 w-full min-w-0 rounded-control border border-line-strong bg-surface px-2.5 text-12 text-text placeholder:text-text-3 touch:h-11'

export function Field(props: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is passed as a child
    <label className="flex min-w-0 flex-col gap-1 text-11 text-text-3">
      {props.label}
      {props.children}
    </label>
  )
}

/** A select field with readable labels. */
export function Choose<T extends string>(props: {
  readonly value: T
  readonly choices: Readonly<Record<T, string>>
  readonly label?: string
  readonly disabled?: boolean
  readonly className?: string
  readonly onChange: (value: T) => void
}) {
  const all = Object.keys(props.choices) as T[]
  return (
    <select
      value={props.value}
      aria-label={props.label}
      disabled={props.disabled}
      className={`${fieldClass} ${props.className ?? ''}`}
      onChange={({ target }) => {
        const next = all.find((each) => each === target.value)
        if (next !== undefined) props.onChange(next)
      }}
    >
      {all.map((value) => (
        <option key={value} value={value}>
          {props.choices[value]}
        </option>
      ))}
    </select>
  )
}

/** A part of a section, with its own heading. */
export function Part(props: {
  readonly title: string
  readonly end?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section aria-label={props.title} className="pt-3 first:pt-0">
      <div className="flex min-h-7 items-center gap-2.5 px-0.5 pb-1.5">
        <h3 className="text-12 font-semibold text-text-2">{props.title}</h3>
        {props.end !== undefined && <div className="ml-auto">{props.end}</div>}
      </div>
      {props.children}
    </section>
  )
}
