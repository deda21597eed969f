import type { StoredChatMessage } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { toVisibleLine } from '@panoptes/schema/shown'
import { words } from '../../words.ts'
import type { RunNode, RunView } from '../state/run-view.ts'

const LINE = 160
const MAIN_FIELDS = [
  'command',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'name',
]
const w = words.chat.thread

/** Picks the most telling argument of a tool call. */
export function nodeSummary({ detail, label }: RunNode): string {
  if (typeof detail === 'string') return toVisibleLine(detail, LINE)
  if (!isPlainObject(detail)) return ''
  const input = detail.input ?? detail.arguments ?? detail.preview
  const main = typeof input === 'string' ? input : isPlainObject(input) ? mainField(input) : mainField(detail)
  const files = Array.isArray(detail.files) ? detail.files.filter((one) => typeof one === 'string') : []
  const about = toVisibleLine(main ?? files[0] ?? '', LINE)
  return about === toVisibleLine(label, LINE) ? '' : about
}

function mainField(fields: Readonly<Record<string, unknown>>): string | undefined {
  const main = MAIN_FIELDS.map((name) => fields[name]).find((one) => typeof one === 'string' && one !== '')
  return typeof main === 'string' ? main : undefined
}

/** All details of a step as reported; null if there are none. */
export function detailText(detail: unknown): string | null {
  if (detail === null || detail === undefined) return null
  if (typeof detail === 'string') return detail === '' ? null : detail
  if (!isPlainObject(detail)) return JSON.stringify(detail, null, 2)
  const lines = Object.entries(detail).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === '') return []
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return [`${name}: ${text.includes('\n') ? `\n${text}` : text}`]
  })
  return lines.length === 0 ? null : lines.join('\n')
}

/** How an incomplete answer ended. */
export function endText(message: StoredChatMessage, run: RunView | null): string {
  if (message.error !== null) return w.brokeOff
  return message.status === 'partial' && run?.end?.kind === 'length' ? w.cut : w.stopped
}

/** Null if the duration is unknown. An interrupted run is recorded as ended when Panoptes restarts, so its end says nothing. */
export function answerDuration(message: StoredChatMessage, run: RunView | null): number | null {
  if (message.error?.code === 'interrupted') return null
  return run?.end?.durationMs ?? (message.ended_at === null ? null : message.ended_at - message.ts)
}

/** Earlier messages are not sources, and an empty answer used none. */
export function sourcesText({ content }: StoredChatMessage, run: RunView | null): string {
  const sections = content === '' ? [] : (run?.context?.sections ?? [])
  const used = sections.filter(
    ({ key, status, tokens }) => key !== 'messages' && status === 'ok' && tokens > 0,
  ).length
  return used === 0 ? w.sent : w.sources(used)
}
