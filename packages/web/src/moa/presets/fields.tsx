import { type ReactNode, useId } from 'react'
import { classes } from '../../design/class-names.ts'
import { seen } from '../../sessions/visible-text.ts'

export const fieldClass =
  'h-7 w-full min-w-0 rounded-control border border-line-strong bg-surface px-2.5 text-12 text-text placeholder:text-text-3 aria-invalid:border-failed touch:h-11'

/** A form field with its label and the problems that the server reported. */
export function Field(props: {
  readonly label: string
  readonly hidden?: boolean
  readonly problems?: readonly string[]
  readonly className?: string
  readonly children: (fieldProps: {
    readonly id: string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string | undefined
  }) => ReactNode
}) {
  const id = useId()
  const problems = props.problems ?? []
  const wrong = problems.length > 0
  return (
    <div className={classes('flex min-w-0 flex-col gap-1', props.className)}>
      <label
        htmlFor={id}
        className={props.hidden ? 'sr-only' : 'truncate text-11 text-text-3'}
        title={props.label}
      >
        {props.label}
      </label>
      {props.children({ id, 'aria-invalid': wrong, 'aria-describedby': wrong ? `${id}-wrong` : undefined })}
      {wrong && (
        <p id={`${id}-wrong`} className="text-11 text-failed [overflow-wrap:anywhere]">
          {problems.map((one) => seen(one)).join('; ')}
        </p>
      )}
    </div>
  )
}

/** An optional number. Invalid text is sent unchanged, so that the server reports it. */
export function FigureField(props: {
  readonly label: string
  readonly value: string
  readonly none: string
  readonly problems: readonly string[]
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={props.label} problems={props.problems}>
      {(fieldProps) => (
        <input
          {...fieldProps}
          inputMode="decimal"
          value={props.value}
          placeholder={props.none}
          maxLength={20}
          autoComplete="off"
          spellCheck={false}
          className={`text-right ${fieldClass}`}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export function ChoiceField<T extends string>(props: {
  readonly label: string
  readonly value: T
  readonly choices: Readonly<Record<T, string>>
  readonly problems: readonly string[]
  readonly onChange: (value: T) => void
}) {
  const values = Object.keys(props.choices) as T[]
  return (
    <Field label={props.label} problems={props.problems}>
      {(fieldProps) => (
        <select
          {...fieldProps}
          value={props.value}
          className={fieldClass}
          onChange={({ target }) => props.onChange(values.find((one) => one === target.value) ?? props.value)}
        >
          {values.map((one) => (
            <option key={one} value={one}>
              {props.choices[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
