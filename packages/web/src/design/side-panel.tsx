import type { ReactNode } from 'react'
import { classes } from './class-names.ts'

/** A panel beside the page if there is room, over its edge if there is less, and a sheet on a phone. */
export function SidePanel({
  label,
  children,
  size = 'plain',
}: {
  readonly label: string
  readonly children: ReactNode
  /** A narrower or wider panel; a wide one covers the page up to 1280 px. */
  readonly size?: 'thin' | 'slim' | 'plain' | 'broad'
}) {
  return (
    <aside
      aria-label={label}
      className={classes(
        'z-20 flex flex-col border-line bg-surface transition-transform duration-200 max-desk:fixed max-desk:inset-x-0 max-desk:bottom-14 max-desk:rounded-t-card max-desk:border-t max-desk:bg-raised max-desk:shadow-float max-desk:starting:translate-y-full desk:shrink-0 desk:border-l',
        sizes[size],
      )}
    >
      <span className="mx-auto mt-2 h-1 w-9 shrink-0 rounded-tag bg-line-strong desk:hidden" />
      {children}
    </aside>
  )
}

const over =
  'desk:max-wide:absolute desk:max-wide:inset-y-0 desk:max-wide:right-0 desk:max-wide:shadow-float desk:max-wide:starting:translate-x-8'

const sizes = {
  thin: `max-desk:h-[64dvh] desk:w-74 ${over}`,
  slim: `max-desk:h-[50dvh] desk:w-86 ${over}`,
  plain:
    'max-desk:h-[64dvh] desk:w-95 desk:max-roomy:absolute desk:max-roomy:inset-y-0 desk:max-roomy:right-0 desk:max-roomy:shadow-float desk:max-roomy:starting:translate-x-8',
  broad: `max-desk:h-[64dvh] desk:w-105 ${over}`,
}
