import type { ReactNode } from 'react'
import { classes } from './class-names.ts'
import { Glyph, type GlyphName } from './glyph.tsx'

/** A line across its block that reports a problem or activity and what to do. */
export function Strip({
  glyph,
  children,
  end,
  alert = false,
}: {
  readonly glyph?: GlyphName
  readonly children: ReactNode
  readonly end?: ReactNode
  readonly alert?: boolean
}) {
  return (
    <div
      role={alert ? 'alert' : 'status'}
      className={classes(
        'flex min-h-9 flex-wrap items-center gap-2 px-4 py-1 text-12',
        alert ? 'text-failed' : 'text-text-2',
      )}
    >
      {glyph && <Glyph name={glyph} />}
      <span className="min-w-0 grow basis-48">{children}</span>
      {end !== undefined && <span className="flex flex-wrap items-center gap-2">{end}</span>}
    </div>
  )
}
