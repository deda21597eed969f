import type { Timeline, TimelineMark } from '@panoptes/schema'
import { memo } from 'react'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { thin } from './jump.ts'

const w = words.live.scrubber

export const HEIGHT = 76
const MARKS = 20
const BASE = HEIGHT - 2
const TALLEST = BASE - MARKS - 4
const MARK_GAP = 16

/** Bars are events, red caps errors and the gold line alive agents, with marks above them. */
export const Bars = memo(function Bars(props: {
  readonly timeline: Timeline
  readonly from: number
  readonly to: number
  readonly width: number
}) {
  const { timeline, from, to, width } = props
  const place = (ts: number) => ((ts - from) / Math.max(1, to - from)) * width
  const most = Math.max(1, ...timeline.slices.map((slice) => slice.events))
  const mostAlive = Math.max(1, ...timeline.slices.map((slice) => slice.alive))
  const pitch = width / Math.max(1, timeline.slices.length)
  const line = timeline.slices
    .map((slice, i) => {
      const x = place(slice.ts) + pitch / 2
      return `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${(BASE - 4 - (slice.alive / mostAlive) * (TALLEST * 0.55)).toFixed(1)}`
    })
    .join('')
  return (
    <>
      <g className="fill-bar">
        {timeline.slices.map((slice) => {
          const height = slice.events === 0 ? 1 : Math.max(2, Math.sqrt(slice.events / most) * TALLEST * 0.8)
          return (
            <rect
              key={slice.ts}
              x={place(slice.ts) + 0.5}
              y={BASE - height}
              width={Math.max(1, pitch - 1.2)}
              height={height}
            />
          )
        })}
      </g>
      <g className="fill-failed">
        {timeline.slices
          .filter((slice) => slice.errors > 0)
          .map((slice) => {
            const height = Math.max(2, Math.sqrt(slice.events / most) * TALLEST * 0.8)
            return (
              <rect
                key={slice.ts}
                x={place(slice.ts) + 0.5}
                y={BASE - height}
                width={Math.max(1, pitch - 1.2)}
                height={Math.min(height, 4)}
              />
            )
          })}
      </g>
      {timeline.slices.some((slice) => slice.alive > 0) && (
        <path d={line} className="fill-none stroke-gold-text" strokeWidth="1.4" strokeLinejoin="round" />
      )}
      {thin(timeline.marks, place, MARK_GAP).map((mark) => (
        <MarkShape key={mark.seq} mark={mark} x={place(mark.ts)} />
      ))}
    </>
  )
})

const colors: Record<TimelineMark['kind'], string> = {
  spawn: 'text-text-3',
  wait: 'text-waiting',
  stuck: 'text-stuck',
  failure: 'text-failed',
  done: 'text-done',
}

const shapes: Record<TimelineMark['kind'], string> = {
  spawn: 'M0 -4.5 5 4H-5Z',
  wait: 'M0 -5.5 5.5 0 0 5.5 -5.5 0Z',
  stuck: 'M-4.5 -4.5H4.5V4.5H-4.5Z',
  failure: 'M-4 -4 4 4M4 -4 -4 4',
  done: 'M-4.5 0.2 -1.4 3.4 4.6 -3.6',
}

function MarkShape({ mark, x }: { readonly mark: TimelineMark; readonly x: number }) {
  const filled = mark.kind === 'spawn' || mark.kind === 'wait'
  return (
    <g className={colors[mark.kind]} transform={`translate(${x.toFixed(1)} 8)`}>
      <title>{w.mark(w.marks[mark.kind], f.clock(mark.ts))}</title>
      <path d={`M0 9V${HEIGHT - 12}`} className="stroke-current opacity-30" strokeDasharray="2 3" />
      <path
        d={shapes[mark.kind]}
        className={filled ? 'fill-current' : 'fill-none stroke-current'}
        strokeWidth="1.75"
        strokeDasharray={mark.kind === 'stuck' ? '4 2.4' : undefined}
        strokeLinecap={mark.kind === 'stuck' ? 'butt' : 'round'}
      />
    </g>
  )
}
