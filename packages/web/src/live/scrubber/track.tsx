import type { Timeline, TimelineMark } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { type KeyboardEvent, memo, type PointerEvent, useLayoutEffect, useRef, useState } from 'react'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { thinMarks } from './jump.ts'
import { buildTicks } from './span.ts'
import type { Span } from './use-timeline.ts'

const w = words.live.scrubber
const AXIS = 18
const HEIGHT = 76
const MARKS = 20
const BASE = HEIGHT - 2
const TALLEST = BASE - MARKS - 4
const MARK_GAP = 16

/** The time range itself: drag anywhere in it. */
export function Track(props: {
  readonly timeline: Timeline | null
  readonly span: Span
  readonly at: number | null
  readonly live: boolean
  readonly onSeek: (at: number) => void
  readonly onLive: () => void
}) {
  const { timeline, span, at, live } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const shown = at ?? span.to
  const x = clamp((shown - span.from) / (span.to - span.from), 0, 1) * width

  const seek = (event: PointerEvent) => {
    const left = box.current?.getBoundingClientRect().left ?? 0
    const part = clamp((event.clientX - left) / Math.max(1, width), 0, 1)
    if (live && part >= 0.998) props.onLive()
    else props.onSeek(span.from + part * (span.to - span.from))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = (span.to - span.from) / 160
    const by = { ArrowLeft: -step, ArrowRight: step, PageDown: -10 * step, PageUp: 10 * step }[event.key]
    if (event.key === 'Home') props.onSeek(span.from)
    else if (event.key === 'End' && live) props.onLive()
    else if (by !== undefined) {
      const next = shown + by
      if (live && next >= span.to) props.onLive()
      else props.onSeek(clamp(next, span.from, span.to))
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={w.slider}
      aria-valuemin={Math.round(span.from / 1_000)}
      aria-valuemax={Math.round(span.to / 1_000)}
      aria-valuenow={Math.round(shown / 1_000)}
      aria-valuetext={at === null ? w.atLive : f.clock(at)}
      className="relative w-full cursor-ew-resize touch-none select-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        seek(event)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) seek(event)
      }}
      onKeyDown={onKeyDown}
    >
      <svg className="block overflow-visible" width={width} height={HEIGHT + AXIS} aria-hidden="true">
        <path d={`M0 ${HEIGHT - 1.5}H${width}`} className="stroke-line-strong" strokeDasharray="2 2" />
        {timeline && <Bars timeline={timeline} from={span.from} to={span.to} width={width} />}
        {at !== null && (
          <rect
            x={x}
            y={0}
            width={Math.max(0, width - x)}
            height={HEIGHT}
            className="fill-surface opacity-60"
          />
        )}
        <Axis span={span} width={width} live={live} />
        <path d={`M${x} 6V${HEIGHT}`} className="stroke-gold" strokeWidth="2" />
        <path d={`M${x - 5.5} 0h11v8l-5.5 5-5.5-5Z`} className="fill-gold" />
      </svg>
    </div>
  )
}

function Axis({
  span,
  width,
  live,
}: {
  readonly span: Span
  readonly width: number
  readonly live: boolean
}) {
  const place = (ts: number) => ((ts - span.from) / (span.to - span.from)) * width
  const long = span.to - span.from > 86_400_000
  return (
    <g className="fill-text-3 text-11">
      {buildTicks(span.from, span.to, Math.max(2, Math.floor(width / 110)))
        .filter((ts) => place(ts) < width - 90 && place(ts) > 16)
        .map((ts) => (
          <text key={ts} x={place(ts)} y={HEIGHT + 14} textAnchor="middle">
            {long ? f.day(ts, span.to) : f.clock(ts).slice(0, 5)}
          </text>
        ))}
      <text x={width} y={HEIGHT + 14} textAnchor="end">
        {live ? w.now(f.clock(span.to).slice(0, 5)) : f.clock(span.to)}
      </text>
    </g>
  )
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(600)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return width
}

/** Bars are events, red caps errors and the gold line alive agents, with marks above them. */
const Bars = memo(function Bars(props: {
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
      {thinMarks(timeline.marks, place, MARK_GAP).map((mark) => (
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
