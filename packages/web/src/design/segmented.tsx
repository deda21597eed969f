import { classes } from './class-names.ts'

export interface Segment<T extends string> {
  readonly value: T
  readonly label: string
}

/** Chooses one of a few options, all visible. */
export function Segmented<T extends string>({
  label,
  segments,
  value,
  onChange,
}: {
  readonly label: string
  readonly segments: readonly Segment<T>[]
  readonly value: T
  readonly onChange: (value: T) => void
}) {
  return (
    <fieldset className="inline-flex rounded-control border border-line bg-app p-0.5">
      <legend className="sr-only">{label}</legend>
      {segments.map((segment) => (
        <label
          key={segment.value}
          className={classes(
            'relative inline-flex h-6 cursor-pointer items-center rounded-chip border px-2.5 text-12 whitespace-nowrap transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text touch:h-11',
            segment.value === value
              ? 'border-line-strong bg-high font-medium text-text'
              : 'border-transparent text-text-2 hover:text-text',
          )}
        >
          <input
            type="radio"
            className="sr-only"
            name={label}
            checked={segment.value === value}
            onChange={() => onChange(segment.value)}
          />
          {segment.label}
        </label>
      ))}
    </fieldset>
  )
}
