import type { Agent, AgentState } from '@panoptes/schema'
import { duration } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/paint.ts'

const GLYPHS: Readonly<Record<AgentState, string>> = {
  working: '●',
  waiting: '◆',
  stuck: '▢',
  done: '✓',
  failed: '✕',
}
const WORDS: Readonly<Record<AgentState, string>> = {
  working: 'Working',
  waiting: 'Waits for you',
  stuck: 'Stuck',
  done: 'Done',
  failed: 'Failed',
}

/** Shows a state as a glyph and a word, because color alone is not accessible. Stopped and lost agents show their outcome. */
export function stateText({ state, outcome }: Pick<Agent, 'state' | 'outcome'>): string {
  if (state === 'done' && outcome === 'stopped') return '■ Stopped'
  if (state === 'done' && outcome === 'lost') return '? Lost'
  return `${GLYPHS[state]} ${WORDS[state]}`
}

export function paintState({ gold, green, red }: Paint, state: AgentState, text: string): string {
  if (state === 'waiting' || state === 'stuck') return gold(text)
  if (state === 'failed') return red(text)
  return state === 'working' ? green(text) : text
}

export function agentName({ id, subagent_type }: Agent): string {
  if (id === 'main') return 'main'
  const short = id.length > 12 ? `${id.slice(0, 8)}…` : id
  return subagent_type ? `${subagent_type} ${short}` : short
}

/** `Bash ×3, Read`, most used first. */
export function toolsText({ tool_counts }: Agent): string {
  const used = Object.entries(tool_counts).sort(([, a], [, b]) => b - a)
  const shown = used
    .slice(0, 3)
    .map(([tool, calls]) => (calls > 1 ? `${oneLine(tool, 40)} ×${calls}` : oneLine(tool, 40)))
  const more = used.length - shown.length
  return shown.length === 0 ? '–' : shown.join(', ') + (more > 0 ? `, ${more} more` : '')
}

export const errorsText = ({ errors }: Agent): string =>
  errors === 0 ? '' : errors === 1 ? '1 error' : `${errors} errors`

export const timeText = ({ started_at, ended_at }: Agent, now: number): string =>
  duration(Math.max(0, (ended_at ?? now) - started_at))

/** Describes on one line why an agent waits and for how long, what it does, or its result. */
export function nowText({ state, wait_reason, wait_since, doing, outcome }: Agent, now?: number): string {
  if (state === 'waiting') {
    const reason = oneLine(wait_reason ?? '')
    if (now === undefined || typeof wait_since !== 'number') return reason
    return `${reason} (${duration(Math.max(0, now - wait_since))})`.trimStart()
  }
  if (doing) return oneLine(doing.preview ? `${doing.tool}: ${doing.preview}` : doing.tool)
  return outcome === null || outcome === 'stopped' || outcome === 'lost' ? '' : outcome
}

/** Removes control characters from agent output, so that none reaches the terminal. */
export function oneLine(text: string, most = 60): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this removes control characters
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain
}
