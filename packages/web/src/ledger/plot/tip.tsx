import type { ReactNode } from 'react'

const HALF = 104

/** What a mark says, beside it, while it is pointed at. Its link says the same to those who do not see it. */
export function Tip(props: {
  readonly x: number
  readonly y: number
  readonly within: number
  readonly children: ReactNode
}) {
  const half = Math.min(HALF, props.within / 2)
  const x = Math.min(Math.max(props.x, half), props.within - half)
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
