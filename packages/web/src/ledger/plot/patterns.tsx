import { useId } from 'react'
import type { Series } from './models.ts'

const COLORS = {
  opus: 'var(--opus)',
  sonnet: 'var(--sonnet)',
  haiku: 'var(--haiku)',
  other: 'var(--other)',
} as const

const SIZE = 6
const line = { stroke: 'var(--raised)', strokeWidth: 1.2, opacity: 0.75 } as const

/** Drawn over the color so that parts can be told apart without it. */
function Over({ series: { family, pattern } }: { readonly series: Series }) {
  if (family === 'opus') return <path d="M-1.5 1.5 1.5-1.500M0 6 6 0M4.5 7.5 7.5 4.5" {...line} />
  if (family === 'sonnet')
    return <path d="M1.5 1.500h.01M4.5 4.500h.01" {...line} strokeWidth={1.7} strokeLinecap="round" />
  if (family === 'haiku') return null
  if (pattern === 0) return <path d="M0 3h6" {...line} strokeWidth={2} />
  if (pattern === 1) return <path d="M0 0 6 6M0 6 6 0" {...line} />
  if (pattern === 2) return <path d="M3 0v6" {...line} strokeWidth={2} />
  return <rect x="0" y="0" width="6" height="6" fill="var(--raised)" opacity="0.7" />
}

/** One pattern per series; shapes are filled with `url(#…)` of their ids. */
export function Patterns({ id, series }: { readonly id: string; readonly series: readonly Series[] }) {
  return (
    <defs>
      {series.map((one, i) => (
        <pattern key={one.key} id={`${id}-${i}`} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
          <rect width={SIZE} height={SIZE} fill={COLORS[one.family]} />
          <Over series={one} />
        </pattern>
      ))}
    </defs>
  )
}

/** A small square with the same pattern. */
export function Swatch({ series }: { readonly series: Series }) {
  const id = useId()
  return (
    <svg width="12" height="12" className="shrink-0" aria-hidden="true">
      <Patterns id={id} series={[series]} />
      <rect
        x="0.5"
        y="0.5"
        width="11"
        height="11"
        rx="2.5"
        fill={`url(#${id}-0)`}
        stroke={COLORS[series.family]}
      />
    </svg>
  )
}
