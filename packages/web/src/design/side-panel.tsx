import type { ReactNode } from 'react'

/** Beside the page where there is room, over its edge where there is less, a sheet on a phone. */
export function SidePanel({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <aside
      aria-label={label}
      className="z-20 flex flex-col border-line bg-surface transition-transform duration-200 max-roomy:shadow-float max-desk:fixed max-desk:inset-x-0 max-desk:bottom-14 max-desk:h-[64dvh] max-desk:rounded-t-card max-desk:border-t max-desk:bg-raised max-desk:starting:translate-y-full desk:w-95 desk:shrink-0 desk:border-l desk:max-roomy:absolute desk:max-roomy:inset-y-0 desk:max-roomy:right-0 desk:max-roomy:starting:translate-x-8"
    >
      <span className="mx-auto mt-2 h-1 w-9 shrink-0 rounded-tag bg-line-strong desk:hidden" />
      {children}
    </aside>
  )
}
