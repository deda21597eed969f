import type { ProgressEvent } from '@panoptes/schema'
import { counted, duration } from '../../terminal/words.ts'
import { plain } from '../sessions/words.ts'

const LONGEST = 160

/** What a person is told of a step, in one line; nothing of what says nothing new. */
export function progressLine({ kind, status, label, detail, elapsed_ms }: ProgressEvent): string | null {
  const name = plain(label, LONGEST)
  const isOver = status === 'completed' || status === 'failed' || status === 'skipped'
  if (kind === 'context') return contextLine(detail)
  if (kind === 'plan') return planLine(detail)
  if (kind === 'reasoning') return status === 'started' ? 'Thinking …' : null
  if (kind === 'usage' || kind === 'approval') return null
  if (status === 'failed') return `✗ ${name}`
  if (status === 'started') return `· ${name}`
  return isOver && elapsed_ms !== undefined && elapsed_ms >= SLOW_MS
    ? `✓ ${name} (${duration(elapsed_ms)})`
    : null
}

/** What ends sooner needs no second line. */
const SLOW_MS = 1_000

interface ContextDetail {
  readonly sections?: readonly { readonly title: string; readonly status: string; readonly tokens: number }[]
  readonly skills?: readonly unknown[]
}

function contextLine(detail: unknown): string | null {
  const { sections = [], skills = [] } = (detail ?? {}) as ContextDetail
  const there = sections.filter(({ status, tokens }) => status === 'ok' && tokens > 0)
  const missing = sections.filter(({ status }) => status === 'unavailable')
  if (there.length === 0 && skills.length === 0 && missing.length === 0) return null
  const parts = [
    ...there.map(({ title }) => plain(title, 40)),
    ...(skills.length > 0 && !there.some(({ title }) => title === 'Skills')
      ? [counted(skills.length, 'skill')]
      : []),
    ...(missing.length > 0 ? [`without ${missing.map(({ title }) => plain(title, 40)).join(', ')}`] : []),
  ]
  return `Context: ${parts.join(', ')}`
}

interface PlanDetail {
  readonly decision?: string
  readonly nodes?: readonly unknown[]
}

function planLine(detail: unknown): string | null {
  const { decision, nodes = [] } = (detail ?? {}) as PlanDetail
  if (nodes.length < 2) return null
  return `Plan: ${counted(nodes.length, 'step')}, ${decision === 'parallel' ? 'side by side' : 'one after the other'}`
}
