import type { ReactNode } from 'react'

export function KeyCap({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-tag border border-line-strong bg-surface px-1 text-11 text-text-2">
      {children}
    </kbd>
  )
}
