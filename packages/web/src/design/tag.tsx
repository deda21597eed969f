import type { ReactNode } from 'react'
import { classes } from './class-names.ts'

/** A short fact in a box. */
export function Tag({
  children,
  tone = 'plain',
  className,
}: {
  readonly children: ReactNode
  readonly tone?: 'plain' | 'stuck'
  readonly className?: string
}) {
  return (
    <span
      className={classes(
        'inline-flex h-4.5 shrink-0 items-center rounded-tag bg-high px-1.5 text-11 whitespace-nowrap',
        tone === 'stuck' ? 'text-stuck' : 'text-text-2',
        className,
      )}
    >
      {children}
    </span>
  )
}
