import { isPlainObject } from '@panoptes/schema/plain-object'
import { oneLine } from '../../sessions/visible-text.ts'
import type { RunNode } from '../state/run-view.ts'

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

/** Picks the most telling argument of a tool call. */
export function nodeSummary({ detail, label }: RunNode): string {
  if (typeof detail === 'string') return oneLine(detail, LINE)
  if (!isPlainObject(detail)) return ''
  const input = detail.input ?? detail.arguments ?? detail.preview
  const main = typeof input === 'string' ? input : isPlainObject(input) ? mainField(input) : mainField(detail)
  const files = Array.isArray(detail.files) ? detail.files.filter((one) => typeof one === 'string') : []
  const about = oneLine(main ?? files[0] ?? '', LINE)
  return about === oneLine(label, LINE) ? '' : about
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
