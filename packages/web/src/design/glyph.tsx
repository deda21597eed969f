import type { AgentState, FoundSource, Outcome } from '@panoptes/schema'
import type { ReactNode } from 'react'

export type GlyphName =
  | 'plain'
  | 'working'
  | 'start'
  | 'spawn'
  | 'waiting'
  | 'stuck'
  | 'done'
  | 'partial'
  | 'failed'
  | 'stopped'
  | 'lost'
  | 'unknown'

const ring = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 } as const

const shapes: Record<GlyphName, { readonly color: string; readonly shape: ReactNode }> = {
  plain: { color: 'text-text-3', shape: <circle cx="8" cy="8" r="2.75" fill="currentColor" /> },
  working: { color: 'text-text-2', shape: <circle cx="8" cy="8" r="4.75" fill="currentColor" /> },
  start: { color: 'text-text-3', shape: <circle cx="8" cy="8" r="2.75" {...ring} /> },
  spawn: { color: 'text-text-2', shape: <path d="M8 3.5 12.8 12H3.2Z" fill="currentColor" /> },
  waiting: {
    color: 'text-waiting',
    shape: (
      <>
        <path d="M8 1 15 8 8 15 1 8Z" fill="currentColor" />
        <path d="M8 4.6v4M8 10.4v1" stroke="var(--surface)" strokeWidth="1.6" strokeLinecap="round" />
      </>
    ),
  },
  stuck: {
    color: 'text-stuck',
    shape: (
      <>
        <rect x="5.5" y="5.5" width="5" height="5" rx="0.5" fill="currentColor" />
        <rect x="1.75" y="1.75" width="12.5" height="12.5" rx="2" {...ring} strokeDasharray="4 2.6" />
      </>
    ),
  },
  done: {
    color: 'text-done',
    shape: (
      <>
        <circle cx="8" cy="8" r="6.25" {...ring} />
        <path d="m5.3 8.2 1.9 1.9 3.6-4" {...ring} strokeLinecap="round" strokeLinejoin="round" />
      </>
    ),
  },
  partial: {
    color: 'text-partial',
    shape: (
      <>
        <circle cx="8" cy="8" r="6.25" {...ring} />
        <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5Z" fill="currentColor" />
      </>
    ),
  },
  failed: {
    color: 'text-failed',
    shape: (
      <>
        <path
          d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4Z"
          {...ring}
          strokeLinejoin="round"
        />
        <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" {...ring} strokeLinecap="round" />
      </>
    ),
  },
  stopped: {
    color: 'text-text-2',
    shape: (
      <>
        <circle cx="8" cy="8" r="6.25" {...ring} />
        <rect x="5.5" y="5.5" width="5" height="5" rx="0.5" fill="currentColor" />
      </>
    ),
  },
  lost: {
    color: 'text-text-2',
    shape: (
      <>
        <circle cx="8" cy="8" r="6.25" {...ring} strokeDasharray="3.4 2.2" />
        <path d="M6 6.4a2 2 0 1 1 2.7 1.9c-.5.2-.7.5-.7 1" {...ring} strokeLinecap="round" />
        <circle cx="8" cy="11.4" r="0.9" fill="currentColor" />
      </>
    ),
  },
  unknown: {
    color: 'text-text-3',
    shape: (
      <>
        <circle cx="8" cy="8" r="6.25" {...ring} strokeDasharray="1.2 2.1" strokeLinecap="round" />
        <path d="M5.8 8h4.4" {...ring} strokeLinecap="round" />
      </>
    ),
  },
}

/** A state as shape and color; a word beside it says the same. */
export function Glyph({ name, size = 16 }: { readonly name: GlyphName; readonly size?: number }) {
  const { color, shape } = shapes[name]
  return (
    <svg className={`shrink-0 ${color}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {shape}
    </svg>
  )
}

/** The glyph of an agent's state and, once it ended, of its outcome. */
function stateGlyph(state: AgentState, outcome: Outcome | null): GlyphName {
  if (state === 'waiting' || state === 'stuck' || state === 'failed') return state
  if (state === 'working') return 'working'
  if (outcome === 'functional') return 'done'
  if (outcome === 'fail') return 'failed'
  if (outcome === 'stopped' || outcome === 'lost') return outcome
  return outcome === null ? 'unknown' : 'partial'
}

export function StateGlyph(props: {
  readonly state: AgentState
  readonly outcome: Outcome | null
  readonly size?: number
}) {
  return <Glyph name={stateGlyph(props.state, props.outcome)} size={props.size ?? 16} />
}

/** The glyph of a source: whether its sessions were found. */
export const sourceGlyphs: Readonly<Record<FoundSource['state'], GlyphName>> = {
  found: 'done',
  absent: 'unknown',
  unreadable: 'failed',
}
