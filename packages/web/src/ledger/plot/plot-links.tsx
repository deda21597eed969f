import { clamp } from '@panoptes/schema/numbers'
import type { ReactNode } from 'react'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Place } from '../evidence.ts'
import { PlaceLink } from '../place-link.tsx'

const HALF = 104

/** A linked mark of a plot: its position and its label. */
export interface LinkArea {
  readonly key: string
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly label: string
  readonly place: Place
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** The links over a plot. Tab reaches one of them, and arrow keys move to the others. */
export function PlotLinks(props: {
  readonly label: string
  readonly spots: readonly LinkArea[]
  /** The hovered or focused link; null for none. */
  readonly onAt: (index: number | null) => void
}) {
  const { spots, onAt } = props
  const list = useRef<HTMLUListElement>(null)
  const [chosen, setChosen] = useState(Number.POSITIVE_INFINITY)
  const at = Math.min(chosen, spots.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = clamp(at + step, 0, spots.length - 1)
    setChosen(next)
    list.current?.querySelectorAll('a')[next]?.focus({ preventScroll: true })
  }
  return (
    <ul ref={list} aria-label={props.label} className="absolute inset-0">
      {spots.map((spot, i) => (
        <li key={spot.key}>
          <PlaceLink
            place={spot.place}
            aria-label={spot.label}
            tabIndex={i === at ? 0 : -1}
            className="absolute rounded-tag hover:bg-text/5"
            style={{ left: spot.left, top: spot.top, width: spot.width, height: spot.height }}
            onMouseEnter={() => onAt(i)}
            onMouseLeave={() => onAt(null)}
            onFocus={() => {
              setChosen(i)
              onAt(i)
            }}
            onBlur={() => onAt(null)}
            onKeyDown={onKeyDown}
          />
        </li>
      ))}
    </ul>
  )
}

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
