import { clamp } from '@panoptes/schema/numbers'
import type { ReactNode } from 'react'

const HALF = 104

/** The tooltip of a mark. Its link has the same text for screen readers. */
export function Tip(props: {
  readonly x: number
  readonly y: number
  readonly within: number
  readonly children: ReactNode
}) {
  const half = Math.min(HALF, props.within / 2)
  const x = clamp(props.x, half, props.within - half)
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-10 w-52 max-w-full -translate-x-1/2 -translate-y-full rounded-control border border-line-strong bg-high px-2.5 py-1.5 text-12 shadow-float"
      style={{ left: x, top: Math.max(props.y - 6, 40) }}
    >
      {props.children}
    </div>
  )
}
