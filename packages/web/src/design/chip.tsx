import type { ButtonHTMLAttributes, Ref } from 'react'
import { classes } from './class-names.ts'

export const chipClass = (on: boolean): string =>
  classes(
    'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-chip border px-2 text-12 whitespace-nowrap transition-colors select-none touch:h-11 touch:px-3',
    on
      ? 'border-line-strong bg-high font-medium text-text'
      : 'border-line bg-raised text-text-2 hover:border-line-strong hover:text-text',
  )

/** A filter that is on or off. */
export function Chip({
  on,
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly on: boolean
  readonly ref?: Ref<HTMLButtonElement>
}) {
  return <button type="button" aria-pressed={on} className={classes(chipClass(on), className)} {...rest} />
}
